//! Finds other ways, as short, for a few paths that no lane has room for.
//!
//! A switch that such a path comes by sends the path's LID on by another link. All paths to that
//! LID that come by the switch change with it, and each of them has to find a lane that has room
//! for it as it then is.

use super::assign::{LEFT, NONE, Paths};
use super::lane::{Lane, Verdict};
use super::walk::Walk;

/// Another link for a switch to send a LID by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Move {
    /// The LID's column.
    pub(crate) column: usize,
    /// The switch.
    pub(crate) switch: usize,
    /// The place of the link in the switch's row.
    pub(crate) cell: u8,
}

/// No more paths than this change with one.
const MOST_TOGETHER: usize = 64;

/// Gives all paths that are left a lane, or does not: then some of them are still left, and nothing
/// that was found is to be used. `full`: what each lane has.
pub(super) fn settle(paths: &Paths<'_>, lanes: &mut [u8], full: &mut [Lane]) -> Vec<Move> {
    let n = paths.columns.switches;
    let mut moves = Vec::new();
    let mut walk = Walk::default();
    for (column, lanes) in lanes.chunks_mut(n.max(1)).enumerate() {
        if !lanes.contains(&LEFT) {
            continue;
        }
        let mut cells = paths.columns.column(column).to_vec();
        let home = paths.columns.homes[column];
        while let Some(s) = lanes.iter().position(|lane| *lane == LEFT) {
            walk.load(paths.turns, paths.nearest, home, &cells);
            let Some((switch, cell)) = another_way(paths, &walk, (&mut cells, s), lanes, full)
            else {
                return Vec::new();
            };
            moves.push(Move { column, switch, cell });
        }
    }
    moves
}

/// Moves a switch that a path comes by, the path's own first, so that it finds a lane.
fn another_way(
    paths: &Paths<'_>,
    walk: &Walk,
    (cells, s): (&mut [u8], usize),
    lanes: &mut [u8],
    full: &mut [Lane],
) -> Option<(usize, u8)> {
    let mut hops = vec![0_u32; cells.len()];
    for at in 1..walk.order.len() {
        let parent = walk.order[walk.parent[at] as usize] as usize;
        hops[walk.order[at] as usize] = hops[parent] + 1;
    }
    let mut at = walk.order.iter().position(|one| *one as usize == s)?;
    while at > 0 {
        let switch = walk.order[at] as usize;
        let together = behind(walk, at, lanes);
        if together.len() > MOST_TOGETHER {
            return None;
        }
        let was = cells[switch];
        for (cell, link) in (0..).zip(paths.graph.links(switch)) {
            let peer = link.peer.index();
            let leads = peer == walk.order[0] as usize || hops[peer] > 0;
            if cell == was || !leads || hops[peer] + 1 != hops[switch] {
                continue;
            }
            cells[switch] = cell;
            if let Some(found) = find_lanes(paths, walk.order[0] as usize, cells, &together, full) {
                for ((s, _), lane) in together.iter().zip(found) {
                    lanes[*s] = lane;
                }
                return Some((switch, cell));
            }
        }
        cells[switch] = was;
        at = walk.parent[at] as usize;
    }
    None
}

/// The switches whose paths matter and come by a place of a walk, each with its lane.
fn behind(walk: &Walk, place: usize, lanes: &[u8]) -> Vec<(usize, u8)> {
    let mut comes_by = vec![false; walk.order.len()];
    let mut found = Vec::new();
    for at in place..walk.order.len() {
        comes_by[at] = at == place || comes_by[walk.parent[at] as usize];
        let s = walk.order[at] as usize;
        if comes_by[at] && lanes[s] != NONE {
            found.push((s, lanes[s]));
        }
    }
    found
}

/// A lane for each of some paths: its own, or the first one that has room. If one of them finds
/// none, all lanes stay as they were.
fn find_lanes(
    paths: &Paths<'_>,
    home: usize,
    cells: &[u8],
    together: &[(usize, u8)],
    full: &mut [Lane],
) -> Option<Vec<u8>> {
    let mut found = Vec::with_capacity(together.len());
    let mut joined = Vec::new();
    for (s, own) in together {
        let all = 0..full.len() as u8;
        let mut tried = Some(*own).filter(|own| all.contains(own)).into_iter().chain(all);
        let lane = tried.find(|lane| {
            let (into, before) = (&mut full[usize::from(*lane)], joined.len());
            let fits = paths.follow_by(cells, (*s, home), &mut |turn| {
                let verdict = into.admit(paths.turns, turn);
                if verdict == Verdict::Joined {
                    joined.push((*lane, turn));
                }
                verdict != Verdict::Barred
            });
            if !fits {
                joined.drain(before..).for_each(|(_, turn)| into.take_back(paths.turns, turn));
            }
            fits
        });
        let Some(lane) = lane else {
            for (lane, turn) in joined {
                full[usize::from(lane)].take_back(paths.turns, turn);
            }
            return None;
        };
        found.push(lane);
    }
    Some(found)
}
