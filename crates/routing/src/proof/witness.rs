//! Finds a packet for each step of a circle, by following the LIDs once more.

use lk_wire::{Lid, Sl};

use super::Wait;
use super::lanes::{Lanes, PathSls, SlSet};
use super::multicast::{Flood, GroupTree};
use super::trace::{Room, Tracer, Turn};
use super::waits::{Channel, Edge};

/// The lowest LID whose packets go from one channel to the next, and the SLs of those that do.
type Packet = Option<(Lid, SlSet)>;

/// The packets of a circle. `passes` has all LIDs, those together whose packets go the same ways.
pub(super) fn find<L: Lanes, S: PathSls>(
    tracer: &Tracer<'_, L, S>,
    passes: &[Vec<Lid>],
    flood: &Flood<'_, L>,
    trees: &[GroupTree],
    circle: &[Channel],
) -> Vec<Wait> {
    let edges: Vec<Edge> = (0..circle.len())
        .map(|at| Edge { from: circle[at], to: circle[(at + 1) % circle.len()] })
        .collect();
    let mut found: Vec<Packet> = vec![None; edges.len()];
    let mut room = tracer.room();
    let mut passes: Vec<&Vec<Lid>> = passes.iter().collect();
    passes.sort_by_key(|pass| pass[0]);
    for pass in passes {
        // Passes come by their lowest LIDs: what is left has higher ones.
        if found.iter().all(|packet| packet.is_some_and(|(lid, _)| lid < pass[0])) {
            break;
        }
        of_pass(tracer, pass, &mut room, &edges, &mut found);
    }
    let mut by_mlid: Vec<&GroupTree> = trees.iter().collect();
    by_mlid.sort_by_key(|tree| tree.mlid);
    for tree in by_mlid {
        flood.trace(&tree.ports, tree.sls, &mut |turn| note(&edges, &mut found, tree.mlid, turn));
    }
    circle
        .iter()
        .zip(found)
        .map(|(channel, packet)| {
            let (switch, link) = tracer.graph.sender(channel.link as usize);
            // Each edge was put there by some LID.
            let (lid, sls) = packet.unwrap_or((Lid(0), SlSet::EMPTY));
            let sl = sls.iter().next().unwrap_or(Sl(0));
            Wait { switch, port: link.port, vl: tracer.vls.vl(usize::from(channel.lane)), lid, sl }
        })
        .collect()
}

/// Looks whether packets to some LIDs make edges, and then which of the LIDs is the lowest that
/// does: switches do not send to each other, so not all have all.
fn of_pass<L: Lanes, S: PathSls>(
    tracer: &Tracer<'_, L, S>,
    pass: &[Lid],
    room: &mut Room,
    edges: &[Edge],
    found: &mut [Packet],
) {
    let own = pass.iter().any(|lid| tracer.has_own(*lid));
    let mut makes = false;
    tracer.trace(pass[0], own, room, &mut |turn| makes |= edges.contains(&turn.edge));
    if !makes {
        return;
    }
    for lid in pass {
        let mut here: Vec<Packet> = vec![None; edges.len()];
        let own = tracer.has_own(*lid);
        tracer.trace(*lid, own, room, &mut |turn| note(edges, &mut here, *lid, turn));
        for (found, here) in found.iter_mut().zip(here) {
            if here.is_some() && found.is_none_or(|(other, _)| other > *lid) {
                *found = here;
            }
        }
    }
}

/// Notes the LID and SL of a turn beside its edge, if no other LID was there before.
fn note(edges: &[Edge], found: &mut [Packet], lid: Lid, turn: Turn) {
    for (edge, found) in edges.iter().zip(found) {
        if turn.edge == *edge && found.is_none_or(|(other, _)| other == lid) {
            let more = found.map_or(SlSet::EMPTY, |(_, sls)| sls);
            *found = Some((lid, more.with(turn.sl)));
        }
    }
}
