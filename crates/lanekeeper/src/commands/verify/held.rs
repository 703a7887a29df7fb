//! What a live fabric or a snapshot holds.

use lk_audit::Held;
use lk_routing::proof::SlSet;
use lk_wire::Sl;

use super::path_sls::PathTable;
use super::request::Request;
use super::subject::{Sl2vl, Sls, Subject, Unread, wrong_lids};
use crate::commands::route;
use crate::commands::snapshot::source::Source;
use crate::commands::snapshot::tell_unread;
use crate::failure::Failure;
use crate::input;

/// Takes the snapshot and makes of it what is judged.
///
/// # Errors
/// A fabric or a file that cannot be read; one without a switch.
pub(super) fn read(source: &Source, request: &Request) -> Result<Subject, Failure> {
    let taken = source.take(&request.settings)?;
    route::refuse_empty(&taken.snapshot.fabric)?;
    tell_unread(&taken.snapshot);
    let held = Held::of(&taken.snapshot, request.group_sls.unwrap_or(SlSet::one(Sl(0))));
    let mut notes = held.notes();
    let sls = match &request.path_sls {
        Some(path) => Sls::Table(PathTable::read(&input::source(path)?, &held.fabric, &held.lids)?),
        None => {
            notes.push(
                "all paths are taken to have SL 0; --path-sls names a file with their SLs"
                    .to_owned(),
            );
            Sls::Fixed(SlSet::one(Sl(0)))
        }
    };
    let sl2vl = match held.lanes.known {
        true => Sl2vl::of_lanes(&held.fabric, &held.lanes),
        false => Sl2vl::one_lane(),
    };
    let unread = Unread {
        count: taken.snapshot.unread.len(),
        lids: held.lids_left_out,
        dropped: (held.lanes.unknown_ports > 0).then_some(held.lanes.dropped),
    };
    Ok(Subject {
        source: source.name(),
        fabric: (*held.fabric).clone(),
        lids: held.lids,
        lfts: held.lfts,
        trees: held.trees,
        sl2vl,
        sls,
        notes,
        faults: wrong_lids(&held.fabric, |port| taken.snapshot.port_info(port).is_some()),
        flawed: taken.flawed,
        unread,
    })
}
