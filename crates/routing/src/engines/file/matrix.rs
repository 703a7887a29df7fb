//! Hop counts from a file as a law of paths.

use lk_fabric::dumps::lid_matrix::{NO_WAY, SwitchMatrix};
use lk_wire::PortNum;

use crate::graph::Graph;
use crate::job::RouteJob;
use crate::paths::{PathRule, Reach, bits};

/// Hop counts between switches, and by which links they are the least.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Matrix {
    /// By switch, then by destination switch.
    hops: Vec<u8>,
    /// By switch, then by destination: the links, in as many words as the switch has.
    links: Vec<Vec<u64>>,
}

impl Matrix {
    /// Takes over what the file says of this fabric's switches and LIDs; what it says beyond that
    /// is noted.
    pub(super) fn new(
        job: &RouteJob<'_>,
        graph: &Graph,
        file: &[SwitchMatrix],
    ) -> (Self, Option<String>) {
        let n = graph.len();
        let mut hops = vec![NO_WAY; n * n];
        let mut links: Vec<Vec<u64>> = (0..n).map(|s| vec![0; n * graph.words(s)]).collect();
        let (mut unknown, mut strange) = (0, 0);
        for matrix in file {
            let node = job.fabric.node_by_guid(matrix.guid);
            let Some(s) = node.and_then(|node| job.fabric.as_switch(node)) else {
                unknown += 1;
                continue;
            };
            let s = s.index();
            for (lid, row, _) in &matrix.rows {
                let end = job.lids.port(*lid).map(|port| job.fabric.owner(port));
                let Some(to) = end.and_then(|node| job.fabric.as_switch(node)) else {
                    strange += 1;
                    continue;
                };
                let least = row.first().copied().unwrap_or(NO_WAY);
                hops[s * n + to.index()] = least;
                let words = graph.words(s);
                let set = &mut links[s][to.index() * words..][..words];
                set.fill(0);
                let ports = row.iter().enumerate().skip(1).filter(|(_, h)| **h == least);
                for port in ports.filter_map(|(port, _)| u8::try_from(port).ok()) {
                    if let Some(at) = graph.link_at(s, PortNum(port)) {
                        set[at / 64] |= 1 << (at % 64);
                    }
                }
            }
        }
        let note = (unknown + strange > 0).then(|| {
            format!(
                "{unknown} of its switches are not in this fabric, and {strange} of its LIDs \
                 belong to no switch here"
            )
        });
        (Self { hops, links }, note)
    }

    /// The law for a graph: that from which this was made.
    pub(super) fn rule<'a>(&'a self, graph: &'a Graph) -> ByMatrix<'a> {
        ByMatrix { graph, matrix: self }
    }
}

/// Paths by the hop counts of a file. They need not lead anywhere; the checks will tell.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByMatrix<'a> {
    graph: &'a Graph,
    matrix: &'a Matrix,
}

impl PathRule for ByMatrix<'_> {
    fn reach(&self, dests: &[u32]) -> Reach {
        let n = self.graph.len();
        let mut levels = vec![vec![0_u64; n]];
        for (bit, dest) in dests.iter().enumerate() {
            for s in 0..n {
                let h = match self.matrix.hops[s * n + *dest as usize] {
                    _ if s == *dest as usize => 0,
                    NO_WAY => continue,
                    h => usize::from(h.max(1)),
                };
                if levels.len() <= h {
                    levels.resize(h + 1, vec![0; n]);
                }
                levels[h][s] |= 1 << bit;
            }
        }
        Reach { levels, dests: dests.to_vec(), ..Reach::default() }
    }

    fn steps(&self, reach: &Reach, h: usize, s: usize, link: usize, _peer: usize) -> u64 {
        let words = self.graph.words(s);
        let by_link = |bit: &usize| {
            let set = &self.matrix.links[s][reach.dests[*bit] as usize * words..];
            set[link / 64] >> (link % 64) & 1 == 1
        };
        bits(reach.levels[h][s]).filter(by_link).fold(0, |all, bit| all | 1 << bit)
    }
}
