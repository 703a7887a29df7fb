//! guid2lid: which LIDs a port had, kept over restarts and copied to standby SMs.

use std::collections::BTreeMap;

use lk_diag::{Diagnostic, Diagnostics, SourceFile};
use lk_wire::{Guid, Lid};

use crate::codes;
use crate::options::number::base0_unsigned;
use crate::persistent::{self, Record};

/// The LIDs of a port: from the first to the last, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LidRange {
    /// The base LID.
    pub first: Lid,
    /// The last, equal to the first for a single LID.
    pub last: Lid,
}

/// The ranges by port GUID.
pub type Guid2Lid = BTreeMap<Guid, LidRange>;

/// Reads guid2lid for a subnet with this `lmc`.
///
/// Records that cannot be are reported and left out: a GUID of 0, LIDs of 0, above 0xBFFF or in
/// the wrong order (ERR 0312 in OpenSM), a range of several LIDs that `lmc` does not align
/// (ERR 0313), and one that overlaps an earlier record (ERR 0314).
#[must_use]
pub fn parse(source: &SourceFile, lmc: u8) -> (Guid2Lid, Diagnostics) {
    let (records, mut out) = persistent::parse(source);
    let mut map = Guid2Lid::new();
    // The records taken so far by first LID, to find overlaps.
    let mut taken: BTreeMap<Lid, (Lid, Guid)> = BTreeMap::new();
    for record in records {
        let (guid, range) = match record_of(&record) {
            Ok(read) => read,
            Err(why) => {
                out.push(unused(source, &record, why.to_owned()));
                continue;
            }
        };
        if let Some(why) = impossible(guid, range, lmc) {
            out.push(unused(source, &record, why.to_owned()));
            continue;
        }
        let before = taken.range(..=range.last).next_back();
        if let Some((_, (_, owner))) = before.filter(|(_, (last, _))| *last >= range.first) {
            out.push(unused(source, &record, format!("it overlaps the LIDs of {owner}")));
            continue;
        }
        if map.contains_key(&guid) {
            // The same GUID in another spelling; the reader of records compares text only.
            out.push(unused(source, &record, "the GUID has LIDs already".to_owned()));
            continue;
        }
        taken.insert(range.first, (range.last, guid));
        map.insert(guid, range);
    }
    (map, out)
}

fn record_of(record: &Record) -> Result<(Guid, LidRange), &'static str> {
    let guid = base0_unsigned(&record.key).map_err(|_| "its key is no GUID")?;
    let mut words = record.value.split_whitespace();
    let mut lid = || {
        let number = words.next().and_then(|word| base0_unsigned(word).ok());
        number.and_then(|n| u16::try_from(n).ok()).map(Lid)
    };
    let (Some(first), Some(last)) = (lid(), lid()) else {
        return Err("it does not hold two LIDs");
    };
    Ok((Guid(guid), LidRange { first, last }))
}

fn impossible(guid: Guid, range: LidRange, lmc: u8) -> Option<&'static str> {
    let LidRange { first, last } = range;
    if guid.0 == 0 {
        return Some("the GUID is 0");
    }
    if first.0 == 0 || last.0 == 0 {
        return Some("LID 0 is no LID");
    }
    if first > last {
        return Some("the first LID is above the last");
    }
    if last > Lid::MAX_UNICAST {
        return Some("LIDs above 0xBFFF are multicast");
    }
    let size = 1u32 << lmc.min(7);
    if first != last && u32::from(first.0) % size != 0 {
        return Some("the range is not aligned to lmc");
    }
    None
}

fn unused(source: &SourceFile, record: &Record, why: String) -> Diagnostic {
    Diagnostic::warning(
        codes::CACHE_RECORD,
        format!("the record of {} is not used: {why}", record.key),
    )
    .at(source, record.place, "")
}

/// Writes guid2lid in OpenSM's form, in the order of the GUIDs.
#[must_use]
pub fn write(map: &Guid2Lid) -> String {
    persistent::write(map.iter().map(|(guid, range)| {
        let LidRange { first, last } = range;
        (format!("0x{:016x}", guid.0), format!("0x{:04x} 0x{:04x}", first.0, last.0))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str, lmc: u8) -> (Vec<(u64, u16, u16)>, usize) {
        let (map, found) = parse(&SourceFile::new("guid2lid", text), lmc);
        (map.iter().map(|(g, r)| (g.0, r.first.0, r.last.0)).collect(), found.len())
    }

    #[test]
    fn the_form_of_opensm() {
        let text = "0x0000000000100031 0x0005 0x0005\n\n";
        let (map, found) = parse(&SourceFile::new("guid2lid", text), 0);
        assert!(found.is_empty());
        assert_eq!(write(&map), text);
    }

    #[test]
    fn records_that_cannot_be() {
        for (record, lmc) in [
            ("0x0 0x1 0x1", 0),
            ("0x1 0x0 0x0", 0),
            ("0x1 0x5 0x4", 0),
            ("0x1 0xc000 0xc000", 0),
            ("0x1 0xbfff 0xc000", 0),
            ("0x1 0x10000 0x10000", 0),
            ("0x1 0x5 0x6", 1),
            ("0x1 0x5", 0),
            ("x 0x5 0x5", 0),
            ("0x1", 0),
        ] {
            assert_eq!(read(record, lmc), (vec![], 1), "{record}");
        }
        assert_eq!(read("0x1 0x5 0x5", 2), (vec![(1, 5, 5)], 0), "a switch has one LID anywhere");
        assert_eq!(read("0x1 0x4 0x7", 2), (vec![(1, 4, 7)], 0));
        assert_eq!(read("0x1 0xbfff 0xbfff", 0), (vec![(1, 0xbfff, 0xbfff)], 0));
    }

    #[test]
    fn earlier_records_win() {
        let text = "0x1 0x4 0x7\n\n0x2 0x7 0x8\n\n0x3 0x1 0x4\n\n0x4 0x5 0x6\n\n0x5 0x8 0x8\n\n\
                    0x1 0x9 0x9\n\n0x01 0xa 0xa\n\n0x6 0x2 0x3\n";
        let (records, found) = read(text, 0);
        assert_eq!(records, [(1, 4, 7), (5, 8, 8), (6, 2, 3)]);
        assert_eq!(found, 5);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            guids in proptest::collection::btree_set(1u64.., 0..40),
            lmc in 0u8..4,
        ) {
            let size = 1u16 << lmc;
            let map: Guid2Lid = guids
                .into_iter()
                .zip(1u16..)
                .map(|(g, n)| {
                    let first = n * size;
                    (Guid(g), LidRange { first: Lid(first), last: Lid(first + size - 1) })
                })
                .collect();
            let (back, found) = parse(&SourceFile::new("guid2lid", write(&map)), lmc);
            prop_assert_eq!(back, map);
            prop_assert!(found.is_empty());
        }

        #[test]
        fn no_two_ranges_overlap(
            records in proptest::collection::vec((1u64..20, 0u16..40, 0u16..40), 0..30)
        ) {
            let record = |(g, a, b): &(u64, u16, u16)| format!("{g:#x} {a} {b}\n\n");
            let text: String = records.iter().map(record).collect();
            let (map, _) = parse(&SourceFile::new("guid2lid", text), 0);
            let mut ranges: Vec<_> = map.values().collect();
            ranges.sort();
            prop_assert!(ranges.windows(2).all(|pair| pair[0].last < pair[1].first));
        }
    }
}
