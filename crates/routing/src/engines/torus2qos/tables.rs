//! The forwarding tables: x before y before z, the short way round each ring.
//!
//! Each switch decides anew. In the first dimension in which it differs from the destination it
//! goes along its ring towards the switch where the path turns, by the longer way where the
//! shorter is cut. Where that switch is missing it goes on as far as it can and then turns early;
//! the packet comes back to the dimension it left later, and that one turn has lanes of its own.

use lk_fabric::Fabric;
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};
use crate::torus::lattice::{DIMENSIONS, Way};
use crate::torus::shape::Torus;

/// The LIDs of one end port, and the port of its switch that leads to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Target {
    port: PortNum,
    first: Lid,
    count: u16,
}

/// Fills the tables of all switches that have a place. The others stay without paths, and LIDs
/// on them stay out of all tables.
///
/// # Errors
/// A sentence that names two switches between which there is no way.
pub(super) fn fill(
    fabric: &Fabric,
    lids: &LidMap,
    torus: &Torus,
    port_order: &[u32],
) -> Result<Lfts, String> {
    let top = lids.top();
    let targets = targets(fabric, lids, torus, port_order);
    let reach = reach(torus);
    let row = |place: &Option<u32>| -> Result<std::sync::Arc<[u8]>, (usize, usize)> {
        let mut row = vec![Lfts::NO_PATH; Lfts::row_len(top)];
        if let Some(place) = place {
            fill_row(torus, &reach, &targets, *place as usize, &mut row)?;
        }
        Ok(row.into())
    };
    let rows: Vec<_> = torus.places.of.par_iter().map(row).collect();
    let rows = rows.into_iter().collect::<Result<Vec<_>, _>>().map_err(|(from, to)| {
        format!(
            "there is no way from {} to {} in the order {}",
            torus.name(fabric, from),
            torus.name(fabric, to),
            DIMENSIONS.join(", ")
        )
    })?;
    Ok(Lfts { top, rows })
}

/// The end ports at each place, in the order in which parallel links are shared out.
fn targets(fabric: &Fabric, lids: &LidMap, torus: &Torus, port_order: &[u32]) -> Vec<Vec<Target>> {
    let mut targets = vec![Vec::new(); torus.lattice.len()];
    for (end, lid, lmc) in lids.ranges() {
        let Some((switch, port)) = Graph::attachment(fabric, *end) else { continue };
        let Some(place) = torus.places.of[switch.index()] else { continue };
        targets[place as usize].push(Target { port, first: *lid, count: 1 << lmc });
    }
    let rank = |port: PortNum| {
        let listed = port_order.iter().position(|p| *p == u32::from(port.0));
        (listed.unwrap_or(usize::MAX), port)
    };
    for at in &mut targets {
        at.sort_by_key(|t| (rank(t.port), t.first));
    }
    targets
}

/// How many steps a place can go in each direction, at most once round the ring.
fn reach(torus: &Torus) -> Vec<[u32; 6]> {
    let mut reach = vec![[0; 6]; torus.lattice.len()];
    for way in Way::all() {
        for ring in torus.lattice.rings(way.dimension()) {
            let most = ring.len() as u32 - 1;
            // Twice round, against the direction: the second time what lies ahead is known.
            let twice = ring.iter().chain(&ring).copied();
            let order: Vec<usize> = if way.up() { twice.rev().collect() } else { twice.collect() };
            for place in order {
                let ahead = torus.next(place, way).map_or(0, |p| reach[p][way.index()] + 1);
                reach[place][way.index()] = ahead.min(most);
            }
        }
    }
    reach
}

/// Writes the table of the switch at a place. Fails with two places that have no way between
/// them.
fn fill_row(
    torus: &Torus,
    reach: &[[u32; 6]],
    targets: &[Vec<Target>],
    here: usize,
    row: &mut [u8],
) -> Result<(), (usize, usize)> {
    // Hosts and switches are spread over parallel links each for themselves.
    let mut taken = [[0_usize; 6]; 2];
    for (there, targets) in targets.iter().enumerate() {
        let way = match torus.places.at[there] {
            None => continue,
            Some(_) if here == there => None,
            Some(_) => Some(step(torus, reach, here, there).ok_or((here, there))?),
        };
        for target in targets {
            let port = match way {
                None => target.port,
                Some(way) => {
                    let group = torus.group(here, way);
                    let taken = &mut taken[usize::from(target.port.0 == 0)][way.index()];
                    *taken += 1;
                    // A way is only taken where it has ports.
                    group[(*taken - 1) % group.len()]
                }
            };
            let (first, count) = (usize::from(target.first.0), usize::from(target.count));
            row.iter_mut().skip(first).take(count).for_each(|entry| *entry = port.0);
        }
    }
    Ok(())
}

/// The direction in which a switch sends to another.
fn step(torus: &Torus, reach: &[[u32; 6]], here: usize, there: usize) -> Option<Way> {
    let lattice = &torus.lattice;
    let (from, to) = (lattice.coordinates(here), lattice.coordinates(there));
    (0..3).filter(|d| from[*d] != to[*d]).find_map(|d| {
        let up = short_way_is_up(from[d], to[d], lattice.radix[d]);
        let short = Way::new(d, up);
        let mut turn = from;
        turn[d] = to[d];
        if torus.places.at[lattice.index(turn)].is_some() {
            let steps = |way: Way| {
                let radix = lattice.radix[d];
                let ahead =
                    if way.up() { to[d] + radix - from[d] } else { from[d] + radix - to[d] };
                ahead % radix
            };
            let open = |way: &Way| reach[here][way.index()] >= steps(*way);
            return [short, short.back()].into_iter().find(open);
        }
        // In z the path turns at its end, which is there.
        (d < 2 && !torus.group(here, short).is_empty()).then_some(short)
    })
}

/// Whether the shorter way round a ring is that of growing coordinates. Of two equal ways it is
/// the one that does not cross the dateline.
const fn short_way_is_up(from: u32, to: u32, radix: u32) -> bool {
    let direct = from.abs_diff(to);
    (to > from) == (direct <= radix - direct)
}

#[cfg(test)]
mod tests {
    use super::short_way_is_up;

    #[test]
    fn ties_do_not_cross_the_dateline() {
        for (from, to, radix, up) in
            [(0, 1, 6, true), (0, 3, 6, true), (3, 0, 6, false), (0, 4, 6, false), (5, 1, 6, true)]
        {
            assert_eq!(short_way_is_up(from, to, radix), up, "{from} to {to} of {radix}");
        }
    }
}
