//! The order in which destinations are routed.

use lk_fabric::PortId;

use crate::targets::{Target, Targets};

/// End ports on one switch whose turn comes together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Turn {
    /// The switch.
    pub(crate) dest: u32,
    /// The ports on it, each with its digits: where several ways up are equally loaded, the one
    /// is taken whose place is this number modulo how many there are, and further up the same
    /// with what the division leaves.
    pub(crate) targets: Vec<(Target, u32)>,
    /// The digits of ports that are not there, but take their turn after the others, so that what
    /// comes next is not moved by their absence.
    pub(crate) gaps: Vec<u32>,
}

/// Switch by switch; but the ports in `first` before all others.
pub(crate) fn by_switch(targets: &Targets, switches: usize, first: &[PortId]) -> Vec<Turn> {
    let mut turns: Vec<Turn> = Vec::new();
    if !first.is_empty() {
        let all = (0..switches).flat_map(|s| targets.on(s).iter().map(move |t| (t.end, s, t)));
        let mut by_end: Vec<(PortId, usize, &Target)> = all.collect();
        by_end.sort_by_key(|(end, _, _)| *end);
        for end in first {
            let Ok(at) = by_end.binary_search_by_key(end, |(end, _, _)| *end) else { continue };
            let (dest, target) = (by_end[at].1 as u32, *by_end[at].2);
            match turns.last_mut().filter(|turn| turn.dest == dest) {
                Some(turn) => turn.targets.push((target, 0)),
                None => turns.push(Turn { dest, targets: vec![(target, 0)], gaps: Vec::new() }),
            }
        }
    }
    let mut done = first.to_vec();
    done.sort_unstable();
    for s in 0..switches {
        let rest = targets.on(s).iter().filter(|t| done.binary_search(&t.end).is_err());
        let rest: Vec<(Target, u32)> = rest.map(|t| (*t, 0)).collect();
        if !rest.is_empty() {
            turns.push(Turn { dest: s as u32, targets: rest, gaps: Vec::new() });
        }
    }
    turns
}
