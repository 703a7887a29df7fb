//! What share of its link's bandwidth each flow gets when many send at once, by static analysis.
//!
//! A pattern is a set of flows, each from one end port (of an adapter or router) to the base LID of
//! another. A link is shared evenly by the flows that cross it, and a flow gets what the fullest
//! link on its way leaves it: 1 where it has all links for itself. Links to the end ports count,
//! links of different rates do not differ. It is no simulation, but it says what a routing does to
//! collectives, and comes out the same each time.
//!
//! End ports are numbered by switch, in table order, and by port there.

use lk_fabric::{Fabric, PortId};
use lk_wire::Lid;
use rayon::prelude::*;

use crate::column::{Column, End};
use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// How many permutations are looked at, at most.
const PATTERNS: usize = 256;

/// How many flows are followed at most, over all permutations of a kind; so large fabrics have
/// fewer of them.
const FLOWS: usize = 1 << 21;

/// The shares of flows over several permutations.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Shares {
    /// How many permutations there were.
    pub patterns: usize,
    /// The least share of any flow.
    pub worst: f64,
    /// The share of a flow on average.
    pub mean: f64,
    /// The average of the permutation whose average is the least.
    pub worst_mean: f64,
    /// The most flows of one permutation on one link.
    pub max_flows: u32,
}

/// The shares of flows from each end port to each other one, all at once. An end port that sends to
/// n others gives each an n-th part; that counts as 1.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct AllToAll {
    /// The least share.
    pub worst: f64,
    /// The share on average.
    pub mean: f64,
}

/// What patterns of traffic make of tables.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Contention {
    /// Permutations by chance: each end port sends to one and receives from one.
    pub random: Shares,
    /// Shift permutations: each end port sends to the one that is so many places further.
    pub shift: Shares,
    /// All to all.
    pub all_to_all: AllToAll,
}

/// Looks at patterns. The same seed gives the same permutations.
#[must_use]
pub fn contention(fabric: &Fabric, lids: &LidMap, lfts: &Lfts, seed: u64) -> Contention {
    let graph = &Graph::new(fabric);
    let hosts = hosts(graph, lids);
    if hosts.len() < 2 {
        return Contention::default();
    }
    let traffic = Traffic { fabric, graph, lids, lfts, hosts };
    let n = traffic.hosts.len();
    let count = PATTERNS.min(n - 1).min((FLOWS / n).max(1));
    let random = traffic.shares(count, |at| random(n, seed.wrapping_add(at as u64)));
    let shift = traffic.shares(count, |at| {
        let distance = 1 + at * (n - 1) / count;
        (0..n).map(|from| ((from + distance) % n) as u32).collect()
    });
    Contention { random, shift, all_to_all: traffic.all_to_all() }
}

/// An end port that takes part: its switch and its base LID.
#[derive(Clone, Copy, Debug)]
struct Host {
    switch: usize,
    lid: Lid,
}

fn hosts(graph: &Graph, lids: &LidMap) -> Vec<Host> {
    let mut bases: Vec<(PortId, Lid)> =
        lids.ranges().iter().map(|(port, lid, _)| (*port, *lid)).collect();
    bases.sort_unstable();
    let lid = |end: PortId| {
        let at = bases.binary_search_by_key(&end, |(port, _)| *port).ok()?;
        Some(bases[at].1).filter(|lid| lids.port(*lid) == Some(end))
    };
    let all = (0..graph.len()).flat_map(|s| graph.hosts(s).iter().map(move |host| (s, host.end)));
    all.filter_map(|(switch, end)| Some(Host { switch, lid: lid(end)? })).collect()
}

/// A permutation by chance: SplitMix64 and the shuffle of Fisher and Yates.
fn random(n: usize, seed: u64) -> Vec<u32> {
    let mut state = seed.wrapping_mul(0xD1B5_4A32_D192_ED03);
    let mut next = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    };
    let mut items: Vec<u32> = (0..n as u32).collect();
    for at in (1..n).rev() {
        let other = ((u128::from(next()) * (at as u128 + 1)) >> 64) as usize;
        items.swap(at, other);
    }
    items
}

struct Traffic<'a> {
    fabric: &'a Fabric,
    graph: &'a Graph,
    lids: &'a LidMap,
    lfts: &'a Lfts,
    hosts: Vec<Host>,
}

/// What one permutation shows.
#[derive(Clone, Copy)]
struct Seen {
    worst: f64,
    sum: f64,
    flows: usize,
    max_flows: u32,
}

impl Traffic<'_> {
    fn shares(&self, count: usize, pattern: impl Fn(usize) -> Vec<u32> + Sync) -> Shares {
        let seen: Vec<Seen> =
            (0..count).into_par_iter().map(|at| self.look(&pattern(at))).collect();
        let mean = |one: &Seen| one.sum / one.flows.max(1) as f64;
        let flows: usize = seen.iter().map(|one| one.flows).sum();
        Shares {
            patterns: count,
            worst: seen.iter().map(|one| one.worst).fold(1.0, f64::min),
            mean: seen.iter().map(|one| one.sum).sum::<f64>() / flows.max(1) as f64,
            worst_mean: seen.iter().map(mean).fold(1.0, f64::min),
            max_flows: seen.iter().map(|one| one.max_flows).max().unwrap_or(0),
        }
    }

    /// One permutation. Who sends to itself does not count; a flow that does not arrive gets
    /// nothing.
    fn look(&self, to: &[u32]) -> Seen {
        let mut load = vec![0_u32; self.graph.link_count()];
        let mut links: Vec<u32> = Vec::new();
        let mut ends: Vec<Option<usize>> = Vec::with_capacity(to.len());
        for (from, to) in to.iter().enumerate().filter(|(from, to)| *from != **to as usize) {
            let start = links.len();
            let arrives = self.walk(self.hosts[from], self.hosts[*to as usize], &mut links);
            for link in &links[start..] {
                load[*link as usize] += 1;
            }
            ends.push(arrives.then_some(links.len()));
            if !arrives {
                links.truncate(start);
            }
        }
        let mut seen = Seen { worst: 1.0, sum: 0.0, flows: ends.len(), max_flows: 0 };
        let mut start = 0;
        for end in ends {
            let share = match end {
                None => 0.0,
                Some(end) => {
                    let most = links[start..end].iter().map(|link| load[*link as usize]).max();
                    start = end;
                    1.0 / f64::from(most.unwrap_or(1))
                }
            };
            seen.worst = seen.worst.min(share);
            seen.sum += share;
        }
        seen.max_flows = load.into_iter().max().unwrap_or(0);
        seen
    }

    /// Notes the links between two end ports; `false` where the way does not end there.
    fn walk(&self, from: Host, to: Host, links: &mut Vec<u32>) -> bool {
        let mut at = from.switch;
        for _ in 0..=self.graph.len() {
            if at == to.switch {
                return true;
            }
            let switch = lk_fabric::SwitchId(at as u32);
            let port = self.lfts.port(switch, to.lid);
            let Some(link) = port.and_then(|port| self.graph.link_at(at, port)) else {
                return false;
            };
            links.push((self.graph.first_link(at) + link) as u32);
            at = self.graph.links(at)[link].peer.index();
        }
        false
    }

    /// Everybody sends to everybody: a flow shares its fullest link with all that crosses it.
    fn all_to_all(&self) -> AllToAll {
        let sums: Vec<Vec<u64>> =
            self.hosts.par_chunks(1024).map(|chunk| self.all_loads(chunk)).collect();
        let mut load = vec![0_u64; self.graph.link_count()];
        for sum in sums {
            for (all, new) in load.iter_mut().zip(sum) {
                *all += new;
            }
        }
        let least = self.hosts.len() as u64 - 1;
        let parts: Vec<(f64, f64)> = self
            .hosts
            .par_chunks(64)
            .map(|chunk| {
                let mut column = Column::new(self.graph);
                let mut fullest = vec![0_u64; self.graph.len()];
                let (mut worst, mut sum) = (1.0_f64, 0.0);
                for host in chunk {
                    self.load_column(&mut column, *host);
                    fullest.fill(0);
                    for s in column.order.iter().map(|s| *s as usize) {
                        if let Some(link) = column.links[s] {
                            let link = usize::from(link);
                            let peer = self.graph.links(s)[link].peer.index();
                            fullest[s] = fullest[peer].max(load[self.graph.first_link(s) + link]);
                        }
                    }
                    for (s, end) in column.ends.iter().enumerate() {
                        let senders = self.senders(s, *host);
                        if senders == 0 {
                            continue;
                        }
                        let share = match end {
                            End::Delivered(_) => least as f64 / fullest[s].max(least) as f64,
                            _ => 0.0,
                        };
                        worst = worst.min(share);
                        sum += share * senders as f64;
                    }
                }
                (worst, sum)
            })
            .collect();
        let flows = self.hosts.len() as f64 * least as f64;
        AllToAll {
            worst: parts.iter().map(|(worst, _)| *worst).fold(1.0, f64::min),
            mean: parts.iter().map(|(_, sum)| *sum).sum::<f64>() / flows,
        }
    }

    fn load_column(&self, column: &mut Column, host: Host) {
        column.load(self.fabric, self.graph, self.lfts, self.lids, host.lid);
    }

    fn senders(&self, s: usize, to: Host) -> u64 {
        self.graph.hosts(s).len() as u64 - u64::from(to.switch == s)
    }

    /// The flows to some end ports on each link.
    fn all_loads(&self, chunk: &[Host]) -> Vec<u64> {
        let mut load = vec![0; self.graph.link_count()];
        let mut column = Column::new(self.graph);
        let mut passing = vec![0_u64; self.graph.len()];
        for host in chunk {
            self.load_column(&mut column, *host);
            for (s, sum) in passing.iter_mut().enumerate() {
                let arrives = matches!(column.ends[s], End::Delivered(_));
                *sum = if arrives { self.senders(s, *host) } else { 0 };
            }
            for s in column.order.iter().rev().map(|s| *s as usize) {
                if let (Some(link), true) = (column.links[s], passing[s] > 0) {
                    let link = usize::from(link);
                    load[self.graph.first_link(s) + link] += passing[s];
                    passing[self.graph.links(s)[link].peer.index()] += passing[s];
                }
            }
        }
        load
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn permutations_are_permutations_and_differ_by_seed() {
        let mut one = random(100, 1);
        assert_ne!(one, random(100, 2));
        assert_eq!(one, random(100, 1));
        one.sort_unstable();
        assert_eq!(one, (0..100).collect::<Vec<u32>>());
    }
}
