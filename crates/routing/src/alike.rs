//! LIDs that are forwarded alike: those on one switch that every other switch sends the same way.
//!
//! What holds for the way to one of them holds for all, so that checks and proof need to follow
//! only one. On a torus without parallel cables all LIDs on a switch are alike.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// Where a LID is delivered.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Home(u32);

/// Stands for a LID whose switch does not send it to the port that has it, or that hangs on no
/// switch. Such a LID is like no other.
const ODD: Home = Home(u32::MAX);

/// All LIDs that some port has, alike ones together, ascending in each group; the groups by their
/// lowest LIDs.
pub(crate) fn groups(fabric: &Fabric, lids: &LidMap, lfts: &Lfts) -> Vec<Vec<Lid>> {
    let all = lids.owned();
    let homes: Vec<Home> = all.par_iter().map(|lid| home(fabric, lids, lfts, *lid)).collect();
    // First each is compared with the one before it on its switch; that finds nearly all.
    let mut last = vec![None; lfts.rows.len()];
    let before: Vec<usize> = (0..all.len())
        .map(|at| {
            let last = last.get_mut(homes[at].0 as usize);
            last.and_then(|last| last.replace(at)).unwrap_or(at)
        })
        .collect();
    let alike = same_as(lfts, &all, &homes, &before);
    let mut leader: Vec<usize> = (0..all.len()).collect();
    for at in 0..all.len() {
        if before[at] != at && alike[at] {
            leader[at] = leader[before[at]];
        }
    }
    // Then those that are left, as where parallel cables take LIDs in turn.
    let left: Vec<usize> = (0..all.len()).filter(|at| leader[*at] == *at).collect();
    for (at, to) in meet(lfts, &all, &homes, &left) {
        leader[at] = to;
    }
    let mut groups: Vec<Vec<Lid>> = Vec::new();
    let mut group_of = vec![0_usize; all.len()];
    for (at, lid) in all.iter().enumerate() {
        // A leader's own leader comes before it and leads itself.
        let leader = leader[leader[at]];
        if leader == at {
            group_of[at] = groups.len();
            groups.push(vec![*lid]);
        } else {
            group_of[at] = group_of[leader];
            groups[group_of[at]].push(*lid);
        }
    }
    groups
}

/// Of some LIDs, by their places, those that are like an earlier one, with the place of that.
fn meet(lfts: &Lfts, all: &[Lid], homes: &[Home], left: &[usize]) -> Vec<(usize, usize)> {
    let lids: Vec<Lid> = left.iter().map(|at| all[*at]).collect();
    let homes: Vec<Home> = left.iter().map(|at| homes[*at]).collect();
    let hashes = hashes(lfts, &lids, &homes);
    let mut order: Vec<usize> = (0..left.len()).filter(|n| homes[*n] != ODD).collect();
    order.sort_unstable_by_key(|n| (homes[*n].0, hashes[*n], *n));
    let mut first: Vec<usize> = (0..left.len()).collect();
    for run in order.chunk_by(|a, b| (homes[*a].0, hashes[*a]) == (homes[*b].0, hashes[*b])) {
        run.iter().for_each(|n| first[*n] = run[0]);
    }
    let alike = same_as(lfts, &lids, &homes, &first);
    let met = (0..left.len()).filter(|n| first[*n] != *n && alike[*n]);
    met.map(|n| (left[n], left[first[n]])).collect()
}

fn home(fabric: &Fabric, lids: &LidMap, lfts: &Lfts, lid: Lid) -> Home {
    let at = lids.port(lid).and_then(|end| Graph::attachment(fabric, end));
    let good = |(switch, port): &(SwitchId, PortNum)| lfts.port(*switch, lid) == Some(*port);
    at.filter(good).map_or(ODD, |(switch, _)| Home(switch.0))
}

/// The byte of a row that counts for a LID.
fn byte(row: &[u8], lid: Lid) -> u8 {
    row.get(usize::from(lid.0)).copied().unwrap_or(Lfts::NO_PATH)
}

/// A hash of each LID's column without the row of its own switch.
fn hashes(lfts: &Lfts, all: &[Lid], homes: &[Home]) -> Vec<u64> {
    let of_chunk = |(lids, homes): (&[Lid], &[Home])| {
        let mut hashes = vec![0_u64; lids.len()];
        for (s, row) in lfts.rows.iter().enumerate() {
            for ((hash, lid), home) in hashes.iter_mut().zip(lids).zip(homes) {
                let byte = if home.0 == s as u32 { 0 } else { u64::from(byte(row, *lid)) + 1 };
                *hash = (hash.rotate_left(5) ^ byte).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            }
        }
        hashes
    };
    let chunks = all.par_chunks(Lfts::BLOCK).zip(homes.par_chunks(Lfts::BLOCK));
    chunks.flat_map_iter(of_chunk).collect()
}

/// Whether each LID's column is that of another, given by its place, but for the row of their
/// switch.
fn same_as(lfts: &Lfts, all: &[Lid], homes: &[Home], other: &[usize]) -> Vec<bool> {
    let of_chunk = |((lids, homes), others): ((&[Lid], &[Home]), &[usize])| {
        let others: Vec<Lid> = others.iter().map(|at| all[*at]).collect();
        let mut same: Vec<bool> =
            lids.iter().zip(&others).map(|(one, other)| one != other).collect();
        for (s, row) in lfts.rows.iter().enumerate() {
            let mut some = false;
            for (((same, lid), home), other) in same.iter_mut().zip(lids).zip(homes).zip(&others) {
                *same &= home.0 == s as u32 || byte(row, *lid) == byte(row, *other);
                some |= *same;
            }
            if !some {
                break;
            }
        }
        same
    };
    let chunks = all.par_chunks(Lfts::BLOCK).zip(homes.par_chunks(Lfts::BLOCK));
    chunks.zip(other.par_chunks(Lfts::BLOCK)).flat_map_iter(of_chunk).collect()
}
