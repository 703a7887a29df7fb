//! Destinations in portions of a size that memory bears.

use super::trunk::{Course, Summits};
use super::turns::Turn;
use crate::tables::LidMap;

/// LIDs on one destination switch that are routed together.
#[derive(Clone, Debug)]
pub(crate) struct Batch {
    /// The destination switch's bit in the wave.
    pub(crate) bit: usize,
    /// How many LIDs come before these in the wave.
    pub(crate) first: usize,
    /// The destination switch.
    pub(crate) dest: u32,
    /// Whether these are LIDs of the switch itself.
    pub(crate) own: bool,
    /// The LIDs, in the order of their offset from the base LID.
    pub(crate) lids: Vec<Routed>,
    /// How many of them, at the front, are base LIDs.
    pub(crate) bases: usize,
    /// How many end ports they belong to.
    pub(crate) ports: usize,
    /// The place in the wave of a LID on the same switch whose way these go, whatever the load.
    pub(crate) like: Option<usize>,
}

/// One LID of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Routed {
    /// The LID.
    pub(crate) lid: u16,
    /// The end port's number in the batch.
    pub(crate) port: u16,
    /// Where its traffic should come from.
    pub(crate) course: Course,
}

/// Up to 64 destination switches and the LIDs on them.
#[derive(Clone, Default, Debug)]
pub(crate) struct Wave {
    /// The destination switches.
    pub(crate) dests: Vec<u32>,
    /// Their LIDs, by destination switch.
    pub(crate) batches: Vec<Batch>,
    /// For each destination switch the first of its batches.
    pub(crate) rows: Vec<usize>,
    /// How many LIDs there are.
    pub(crate) size: usize,
}

impl Wave {
    /// The batches of a destination switch, given by its bit; with their places.
    pub(crate) fn of(&self, bit: usize) -> std::ops::Range<usize> {
        self.rows[bit]..self.rows.get(bit + 1).copied().unwrap_or(self.batches.len())
    }
}

/// LIDs in one batch, unless one end port alone has more.
const BATCH: usize = 256;
/// Weights kept at a time, one for each LID of a wave and each switch: 32 MiB.
const WEIGHTS: usize = 8 << 20;

/// What becomes of the LIDs of switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Switches {
    /// They are balanced together with those of end ports.
    Together,
    /// They are balanced by themselves.
    Apart,
    /// They go the way of an end port on the same switch, if there is one.
    Alike,
}

/// Cuts all destinations into waves.
pub(crate) fn waves(
    turns: &[Turn],
    map: &LidMap,
    summits: &Summits,
    switches: usize,
    what: Switches,
) -> Vec<Wave> {
    let budget = (WEIGHTS / switches.max(1)).max(1);
    let mut waves = Vec::new();
    let mut wave = Wave::default();
    for turn in turns {
        let mut new = true;
        for (batch, lids) in batches(turn, map, summits, what != Switches::Together) {
            let full = wave.size + lids > budget || (new && wave.dests.len() == 64);
            if wave.size > 0 && full {
                waves.push(std::mem::take(&mut wave));
                new = true;
            }
            if new {
                wave.dests.push(turn.dest);
                wave.rows.push(wave.batches.len());
                new = false;
            }
            let (bit, first) = (wave.dests.len() - 1, wave.size);
            let before = wave.batches.last().filter(|b| b.bit == bit && !b.own && batch.own);
            let like = before.filter(|_| what == Switches::Alike).map(|b| b.first);
            wave.batches.push(Batch { bit, first, dest: turn.dest, like, ..batch });
            wave.size += lids;
        }
    }
    if wave.size > 0 {
        waves.push(wave);
    }
    waves
}

/// The batches of one turn, each with its number of LIDs.
fn batches(turn: &Turn, map: &LidMap, summits: &Summits, apart: bool) -> Vec<(Batch, usize)> {
    let mut out = Vec::new();
    for own in [false, true] {
        let mut open: Vec<(u8, Routed)> = Vec::new();
        let mut ports = 0;
        let kind = turn.targets.iter().filter(|(t, _)| (t.is_switch() && apart) == own);
        for (target, _) in kind {
            let more = target.lids(map).count();
            if !open.is_empty() && open.len() + more > BATCH {
                out.push(close(std::mem::take(&mut open), ports, own));
                ports = 0;
            }
            open.extend(target.lids(map).map(|(offset, lid)| {
                let course = summits.courses[usize::from(lid.0)];
                (offset, Routed { lid: lid.0, port: ports as u16, course })
            }));
            ports += 1;
        }
        if !open.is_empty() {
            out.push(close(open, ports, own));
        }
    }
    out
}

fn close(mut lids: Vec<(u8, Routed)>, ports: usize, own: bool) -> (Batch, usize) {
    lids.sort_by_key(|(offset, routed)| (*offset, routed.port));
    let bases = lids.iter().take_while(|(offset, _)| *offset == 0).count();
    let count = lids.len();
    let lids = lids.into_iter().map(|(_, routed)| routed).collect();
    (Batch { bit: 0, first: 0, dest: 0, own, lids, bases, ports, like: None }, count)
}
