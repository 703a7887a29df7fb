//! opensm-sa.dump: what the subnet administration holds for its clients, kept over restarts
//! (`sa_db_file`, `sa_db_dump`).
//!
//! One record is on a line, its fields in a fixed order, each as `name=0x…`; a GID or another
//! 128-bit number is two such numbers with a colon between. The rows of each kind stand once, in
//! [`rows`], for reader and writer.

mod rows;

use std::fmt::Write as _;

use lk_diag::{Diagnostic, Diagnostics, SourceFile};
use lk_wire::Guid;
use lk_wire::sa::{GuidInfoRecord, InformInfoRecord, MCMemberRecord, ServiceRecord};

use crate::codes;
use rows::Row;

/// All that is kept.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SaDb {
    /// Blocks of GUIDs of ports that have alias GUIDs.
    pub guids: Vec<GuidBlock>,
    /// Multicast groups.
    pub groups: Vec<Group>,
    /// Subscriptions.
    pub informs: Vec<Inform>,
    /// Services.
    pub services: Vec<Service>,
}

/// A block of a port's GUIDs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GuidBlock {
    /// The port's own GUID.
    pub base: Guid,
    /// The block.
    pub record: GuidInfoRecord,
}

/// A multicast group and its members.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// Whether it stays without members.
    pub well_known: bool,
    /// What is known of the group.
    pub record: MCMemberRecord,
    /// Its members: PortGID, scope and JoinState, ProxyJoin of each count.
    pub members: Vec<MCMemberRecord>,
}

/// A subscription and where its reports go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Inform {
    /// The subscription.
    pub record: InformInfoRecord,
    /// LID of the subscriber.
    pub lid: u16,
    /// Low bits of the LID that it subscribed at.
    pub path_bits: u8,
    /// Its queue pair.
    pub qp: u32,
    /// The Q_Key that it takes.
    pub qkey: u32,
    /// Index of the P_Key.
    pub pkey_index: u16,
    /// Service level.
    pub sl: u8,
}

/// A service.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Service {
    /// The record, with its key.
    pub record: ServiceRecord,
    /// When it was announced, in seconds since 1970.
    pub modified: u32,
    /// How long it lives from then, in seconds; 0xFFFFFFFF for ever.
    pub lease_period: u32,
}

/// Reads the file. A line that cannot be read ends the reading, as in OpenSM; what stands before
/// it counts.
#[must_use]
pub fn parse(source: &SourceFile) -> (SaDb, Diagnostics) {
    let (mut db, mut out) = (SaDb::default(), Diagnostics::new());
    for (_, span, line) in source.lines() {
        if let Err(why) = take(&mut db, line.trim_end()) {
            let message = format!("the record cannot be read: {why}");
            let rest = "what follows is not read either; what stands above counts";
            out.push(Diagnostic::error(codes::SA_DB, message).at(source, span, "").note(rest));
            break;
        }
    }
    (db, out)
}

/// Takes one line in.
fn take(db: &mut SaDb, line: &str) -> Result<(), String> {
    if line.trim_start().is_empty() {
        return Ok(());
    }
    if let Some(rest) = line.strip_prefix("GUIDInfo Record:") {
        let bytes = read::<80>(rest, rows::GUIDS)?.0;
        db.guids.push(GuidBlock {
            base: Guid(lk_wire::get_bits(&bytes, 0, 64)),
            record: cut(&bytes[8..]),
        });
    } else if let Some(rest) = line.strip_prefix("MC Group ") {
        let (head, rest) = rest.split_once(": ").ok_or("no colon behind the group's LID")?;
        let record = read::<52>(rest, rows::GROUP)?.0.into();
        let well_known = head.contains("(well known)");
        db.groups.push(Group { well_known, record, members: Vec::new() });
    } else if let Some(rest) = line.strip_prefix("mcm_port:") {
        let group = db.groups.last_mut().ok_or("a member before any group")?;
        group.members.push(read::<52>(rest, rows::MEMBER)?.0.into());
    } else if let Some(rest) = line.strip_prefix("InformInfo Record:") {
        let bytes = read::<76>(rest, rows::INFORM)?.0;
        let number = |offset, length| lk_wire::get_bits(&bytes, offset, length);
        db.informs.push(Inform {
            record: cut(&bytes),
            lid: number(480, 16) as u16,
            path_bits: number(496, 8) as u8,
            qp: number(512, 32) as u32,
            qkey: number(544, 32) as u32,
            pkey_index: number(576, 16) as u16,
            sl: number(592, 8) as u8,
        });
    } else if let Some(rest) = line.strip_prefix("Service Record:") {
        db.services.push(service(rest)?);
    } else {
        let word = line.split_whitespace().next().unwrap_or_default();
        return Err(format!("`{word}` begins no record"));
    }
    Ok(())
}

/// A service: its name stands between numbers and may be any text.
fn service(line: &str) -> Result<Service, String> {
    let (mut bytes, rest) = read::<184>(line, rows::SERVICE)?;
    let name = rest.trim_start().strip_prefix("name='").ok_or("`name='` is missing")?;
    let end = name.rfind("' data8=").ok_or("the name has no end")?;
    let (data, _) = read::<184>(&name[end + 1..], rows::SERVICE_DATA)?;
    bytes[112..].copy_from_slice(&data[112..]);
    let mut record: ServiceRecord = cut(&bytes);
    record.set_name(&name.as_bytes()[..end]);
    let number = |offset| lk_wire::get_bits(&bytes, offset, 32) as u32;
    Ok(Service { record, modified: number(1408), lease_period: number(1440) })
}

/// The first bytes as a record.
fn cut<R: lk_wire::sa::Record>(bytes: &[u8]) -> R {
    R::read(bytes)
}

/// Reads the rows at the start of a line into bytes; gives what follows them too.
fn read<'a, const N: usize>(line: &'a str, rows: &[Row]) -> Result<([u8; N], &'a str), String> {
    let mut bytes = [0; N];
    let mut rest = line;
    for row in rows {
        let missing = || format!("`{}=` is missing", row.name);
        let value = rest.trim_start().strip_prefix(row.name).ok_or_else(missing)?;
        let value = value.strip_prefix('=').ok_or_else(missing)?;
        let end = value.find(' ').unwrap_or(value.len());
        let (value, behind) = value.split_at(end);
        row.store(&mut bytes, value)?;
        rest = behind;
    }
    Ok((bytes, rest))
}

/// Writes the file.
#[must_use]
pub fn write(db: &SaDb) -> String {
    let mut out = String::new();
    for block in &db.guids {
        let mut bytes = block.base.0.to_be_bytes().to_vec();
        bytes.extend_from_slice(&block.record.0);
        line(&mut out, "GUIDInfo Record:", rows::GUIDS, &bytes);
        out.push_str("\n\n");
    }
    for group in &db.groups {
        let known = if group.well_known { "  (well known)" } else { " " };
        let head = format!("MC Group 0x{:04x}{known}:", group.record.mlid());
        line(&mut out, &head, rows::GROUP, &group.record.0);
        out.push_str("\n\n");
        for member in &group.members {
            line(&mut out, "mcm_port:", rows::MEMBER, &member.0);
            out.push_str("\n\n");
        }
    }
    for inform in &db.informs {
        let mut bytes = inform.record.0.to_vec();
        bytes.extend_from_slice(&inform.lid.to_be_bytes());
        bytes.extend_from_slice(&[inform.path_bits, 0]);
        bytes.extend_from_slice(&inform.qp.to_be_bytes());
        bytes.extend_from_slice(&inform.qkey.to_be_bytes());
        bytes.extend_from_slice(&inform.pkey_index.to_be_bytes());
        bytes.push(inform.sl);
        line(&mut out, "InformInfo Record:", rows::INFORM, &bytes);
        out.push_str("\n\n");
    }
    for service in &db.services {
        let mut bytes = service.record.0.to_vec();
        bytes.extend_from_slice(&service.modified.to_be_bytes());
        bytes.extend_from_slice(&service.lease_period.to_be_bytes());
        line(&mut out, "Service Record:", rows::SERVICE, &bytes);
        // A line break in a name would break the line.
        let name = String::from_utf8_lossy(service.record.name()).replace(['\n', '\r'], " ");
        let _ = write!(out, " name='{name}'");
        line(&mut out, "", rows::SERVICE_DATA, &bytes);
        out.push_str("\n\n");
    }
    out
}

fn line(out: &mut String, head: &str, rows: &[Row], bytes: &[u8]) {
    out.push_str(head);
    for row in rows {
        out.push(' ');
        row.show(out, bytes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What opensm 3.3.23 has written.
    const OPENSM: &str = include_str!("sa_db/opensm-sa.dump");

    fn parsed(text: &str) -> (SaDb, usize) {
        let (db, found) = parse(&SourceFile::new("opensm-sa.dump", text));
        (db, found.len())
    }

    #[test]
    fn what_opensm_writes_is_read_and_written_the_same() {
        let (db, found) = parsed(OPENSM);
        assert_eq!(found, 0);
        assert_eq!(write(&db), OPENSM);
        let counts = (db.guids.len(), db.groups.len(), db.informs.len(), db.services.len());
        assert_eq!(counts, (2, 2, 2, 2));
        assert_eq!((db.groups[0].well_known, db.groups[1].well_known), (true, false));
        assert_eq!(db.groups[1].members[0].join_state(), 1);
        assert_eq!(db.services[0].record.name(), b"svc");
        assert_eq!((db.informs[1].record.trap_number(), db.informs[1].lid), (0x40, 5));
        assert_eq!(db.guids[0].record.table().get(2), Some(Guid(0x0014_0500_0000_0001)));
    }

    #[test]
    fn a_broken_line_ends_the_reading_and_is_named() {
        let broken = OPENSM.replacen("lid_range_end=", "lid_range_ende=", 1);
        let (db, found) = parse(&SourceFile::new("opensm-sa.dump", broken.as_str()));
        let text = found.as_slice()[0].message.clone();
        assert!(text.contains("`lid_range_end=` is missing"), "{text}");
        assert_eq!((db.groups.len(), db.informs.len(), db.services.len()), (2, 0, 0));
        for bad in ["nonsense", "mcm_port: port_gid=0x1:0x2", "GUIDInfo Record: base_guid=0xg"] {
            assert_eq!(parsed(bad).1, 1, "{bad}");
        }
        assert_eq!(parsed("GUIDInfo Record: base_guid=0x1 lid=0x12345").1, 1, "17 bits");
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(
            bytes in proptest::collection::vec(any::<u8>(), 184),
            name in "[a-z' =]{0,64}",
        ) {
            let mut record: ServiceRecord = cut(&bytes);
            record.set_name(name.as_bytes());
            record.0[26..28].fill(0);
            let service = Service { record, modified: 7, lease_period: 9 };
            let db = SaDb { services: vec![service], ..SaDb::default() };
            prop_assert_eq!(parsed(&write(&db)), (db, 0));
        }

        #[test]
        fn any_text_is_read_without_a_panic(text in "\\PC{0,200}") {
            for head in ["GUIDInfo Record:", "MC Group ", "InformInfo Record:", "Service Record:"] {
                let _ = parsed(&format!("{head}{text}"));
            }
        }
    }
}
