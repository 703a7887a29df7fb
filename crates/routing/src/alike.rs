//! LIDs that are forwarded alike: those on one switch that every other switch sends the same way.
//!
//! What holds for the way to one of them holds for all, so that checks and proof need to follow
//! only one. On a torus without parallel cables all LIDs on a switch are alike.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use crate::check::owned_lids;
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
    let all = owned_lids(lids);
    let homes: Vec<Home> = all.par_iter().map(|lid| home(fabric, lids, lfts, *lid)).collect();
    let hashes = hashes(lfts, &all, &homes);
    let mut order: Vec<u32> = (0..all.len() as u32).collect();
    order.sort_unstable_by_key(|at| {
        let at = *at as usize;
        (homes[at].0, hashes[at], at)
    });
    let key = |at: &u32| (homes[*at as usize].0, hashes[*at as usize]);
    // The first of those with the same switch and hash stands for them, if they are really alike.
    let mut first = vec![0_u32; all.len()];
    for run in order.chunk_by(|a, b| key(a) == key(b)) {
        run.iter().for_each(|at| first[*at as usize] = run[0]);
    }
    let alike = same_as(lfts, &all, &homes, &first);
    let mut groups: Vec<Vec<Lid>> = Vec::new();
    let mut group_of = vec![0_usize; all.len()];
    for (at, lid) in all.iter().enumerate() {
        let leader = first[at] as usize;
        if leader != at && alike[at] && homes[at] != ODD {
            group_of[at] = group_of[leader];
            groups[group_of[at]].push(*lid);
        } else {
            group_of[at] = groups.len();
            groups.push(vec![*lid]);
        }
    }
    groups
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
fn same_as(lfts: &Lfts, all: &[Lid], homes: &[Home], first: &[u32]) -> Vec<bool> {
    let of_chunk = |((lids, homes), first): ((&[Lid], &[Home]), &[u32])| {
        let mut same = vec![true; lids.len()];
        for (s, row) in lfts.rows.iter().enumerate() {
            for (((same, lid), home), first) in same.iter_mut().zip(lids).zip(homes).zip(first) {
                let other = all[*first as usize];
                *same &= home.0 == s as u32 || byte(row, *lid) == byte(row, other);
            }
        }
        same
    };
    let chunks = all.par_chunks(Lfts::BLOCK).zip(homes.par_chunks(Lfts::BLOCK));
    chunks.zip(first.par_chunks(Lfts::BLOCK)).flat_map_iter(of_chunk).collect()
}
