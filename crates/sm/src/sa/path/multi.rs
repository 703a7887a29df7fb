//! MultiPathRecord (IBA 15.2.5.20).

use lk_fabric::PortId;
use lk_wire::sa::{MultiPathRecord, multi_path_mask, sa_status};
use lk_wire::{Gid, Status};

use super::ends::{End, lids_of, port_by_gid};
use super::query::Wanted;
use super::single::Paths;
use crate::sa::request::{Records, Request};
use crate::sa::{Context, Effects};

/// GIDs that a request may have, sources and destinations together.
const MOST_GIDS: usize = 11;

/// The records that answer SubnAdmGetMulti.
///
/// # Errors
/// The status of a refusal.
pub(super) fn records(
    context: &Context<'_>,
    request: &Request<'_>,
    effects: &mut Effects,
) -> Result<Records, Status> {
    let asked: MultiPathRecord = request.record();
    let wanted = Wanted::of_multi(&asked, request.mask())?;
    if !request.has(multi_path_mask::SGID_COUNT | multi_path_mask::DGID_COUNT) {
        return Err(sa_status::INSUFFICIENT_COMPONENTS);
    }
    let (sources, destinations) = ends(context, request.data, &asked)?;
    let mut paths = Paths::new(context, &wanted, request);
    if let ([a, b], [c, d], Some(2)) = (&sources[..], &destinations[..], wanted.numb_path) {
        paths.two_apart([*a, *b], [*c, *d]);
        return paths.finish(effects);
    }
    for from in &sources {
        for to in &destinations {
            paths.between(*from, *to);
        }
    }
    paths.finish(effects)
}

/// The ends that the GIDs name.
fn ends(
    context: &Context<'_>,
    data: &[u8],
    asked: &MultiPathRecord,
) -> Result<(Vec<End>, Vec<End>), Status> {
    let sources = usize::from(asked.sgid_count()).min(MOST_GIDS);
    let destinations = usize::from(asked.dgid_count()).min(MOST_GIDS - sources);
    let mut gids = MultiPathRecord::gids(data);
    let mut read = |count: usize| -> Result<Vec<End>, Status> {
        gids.by_ref().take(count).map(|gid| one(context, gid)).collect()
    };
    let (from, to) = (read(sources)?, read(destinations)?);
    if from.len() < sources || to.len() < destinations || from.is_empty() || to.is_empty() {
        return Err(sa_status::REQ_INVALID);
    }
    Ok((from, to))
}

fn one(context: &Context<'_>, gid: Gid) -> Result<End, Status> {
    let port: PortId = port_by_gid(context, gid).ok_or(sa_status::INVALID_GID)?;
    Ok(End::Port { port, lids: lids_of(context, port), gid: Some(gid) })
}
