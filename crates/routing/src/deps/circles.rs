//! Which turns close a circle, of all at once.

use rayon::prelude::*;

use super::turn_set::TurnSet;
use super::turns::Turns;

/// So many links are looked for together, 64 by each word.
const WORDS: usize = 8;

/// All turns that close a circle with those in use, which close none. `links` is an order of all
/// links that these follow.
///
/// From the last link of a part of the order to the first one of all, it is noted for each link
/// which of the part it leads to. A turn back from one of them to one that leads to it closes a
/// circle.
pub(super) fn circles(turns: &Turns<'_>, used: &TurnSet, links: &[u32]) -> Vec<u32> {
    let mut places = vec![0_u32; links.len()];
    for (place, link) in (0..).zip(links) {
        places[*link as usize] = place;
    }
    // By place: the places that the turns in use lead to.
    let mut starts = Vec::with_capacity(links.len() + 1);
    let mut nexts = Vec::new();
    for link in links {
        starts.push(nexts.len() as u32);
        let (after, first) = turns.after(*link as usize);
        nexts.extend(used.within(after.clone()).map(|t| places[first + t - after.start]));
    }
    starts.push(nexts.len() as u32);
    let parts: Vec<std::ops::Range<usize>> = (0..links.len())
        .step_by(WORDS * 64)
        .map(|low| low..(low + WORDS * 64).min(links.len()))
        .collect();
    let found = parts.into_par_iter().map_init(Vec::new, |leads: &mut Vec<[u64; WORDS]>, part| {
        leads.clear();
        leads.resize(part.end, [0; WORDS]);
        for place in (0..part.end).rev() {
            let mut all = [0; WORDS];
            if let Some(at) = place.checked_sub(part.start) {
                all[at / 64] = 1 << (at % 64);
            }
            for next in &nexts[starts[place] as usize..starts[place + 1] as usize] {
                // Those behind the part do not lead into it.
                if let Some(other) = leads.get(*next as usize) {
                    all.iter_mut().zip(other).for_each(|(all, other)| *all |= other);
                }
            }
            leads[place] = all;
        }
        let mut found = Vec::new();
        for (at, place) in part.enumerate() {
            let (after, first) = turns.after(links[place] as usize);
            for (turn, next) in after.zip(first..) {
                let lead = leads.get(places[next] as usize);
                if lead.is_some_and(|lead| lead[at / 64] >> (at % 64) & 1 == 1) {
                    found.push(turn as u32);
                }
            }
        }
        found
    });
    found.flatten_iter().collect()
}

#[cfg(test)]
mod tests {
    use lk_fabric::{FabricBuilder, NodeKind, NodeSpec};
    use lk_wire::Guid;

    use super::*;
    use crate::deps::lane::{Lane, Verdict};
    use crate::graph::Graph;

    /// Switches, each with cables to those that are so many places further on in a circle.
    fn ring(switches: usize, steps: &[usize]) -> Graph {
        let mut builder = FabricBuilder::new();
        let switch = |s: u64| NodeSpec::new(Guid(1 + s), NodeKind::Switch, "switch", 36);
        let nodes = (0..switches as u64).map(|s| builder.add_node(switch(s)).unwrap());
        let nodes: Vec<_> = nodes.collect();
        for (at, step) in steps.iter().enumerate() {
            for s in 0..switches {
                let near = (nodes[s], 1 + 2 * at as u8);
                builder.connect(near, (nodes[(s + step) % switches], 2 + 2 * at as u8)).unwrap();
            }
        }
        Graph::new(&builder.build())
    }

    /// More links than are looked for together, and turns in an order without rhyme or reason.
    #[test]
    fn all_circles_are_those_found_one_by_one() {
        let graph = ring(150, &[1, 7, 31]);
        let turns = Turns::new(&graph);
        let ranks: Vec<u32> = (0..turns.links() as u32).collect();
        let mut lane = Lane::new(&turns, &ranks);
        let mut circles_seen = 0;
        for round in 0..3 {
            for at in (0..turns.len()).skip(round).step_by(3) {
                let was = lane.admit(&turns, at * 1_619 % turns.len());
                circles_seen += usize::from(was == Verdict::Barred);
            }
            let mut links = lane.links();
            let all = circles(&turns, lane.used(), &links);
            for turn in 0..turns.len() {
                // Another one each time, so that all are held against the same turns.
                let mut one = lane.clone();
                let is_barred = one.admit(&turns, turn) == Verdict::Barred;
                assert_eq!(all.contains(&(turn as u32)), is_barred, "round {round}, turn {turn}");
            }
            links.sort_unstable();
            assert_eq!(links, ranks);
        }
        assert!(circles_seen > 100, "{circles_seen}");
    }
}
