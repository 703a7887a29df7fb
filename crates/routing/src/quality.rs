//! How good tables are: lengths of paths, and how evenly links are used.
//!
//! A *route* is the way from one end port (of an adapter or router) to one LID of another one.
//! Each is counted once on each directed link between switches that it uses. Traffic of switches
//! themselves is left out.

use lk_fabric::{Fabric, SwitchId};
use lk_wire::{Lid, PortNum};
use rayon::prelude::*;

use crate::alike;
use crate::balance::height::{above_leaves, is_layered};
use crate::column::{Column, End};
use crate::graph::Graph;
use crate::tables::{Lfts, LidMap};

/// The load on one directed link between switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LinkLoad {
    /// The switch that sends.
    pub switch: SwitchId,
    /// Its port.
    pub port: PortNum,
    /// How many routes use the link.
    pub routes: u64,
    /// To how many LIDs these routes lead.
    pub lids: u32,
}

/// The links from one level of a tree to the next one, all in one direction.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LevelLoad {
    /// The level that sends; 0 for the leaf switches.
    pub level: u32,
    /// Whether the links lead up.
    pub up: bool,
    /// How many directed links there are.
    pub links: u32,
    /// The most LIDs on one link.
    pub max_lids: u32,
    /// LIDs on a link on average: the ideal, were all links alike.
    pub mean_lids: f64,
    /// The most routes on one link.
    pub max_routes: u64,
    /// Routes on a link on average.
    pub mean_routes: f64,
}

/// An uplink and what it would carry at best.
///
/// The ideal of a switch is the number of LIDs of end ports to which traffic really leaves it
/// upwards, divided by its uplinks and rounded up. It says how well the switch shares out what
/// it gets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Uplink {
    /// The switch.
    pub switch: SwitchId,
    /// The port.
    pub port: PortNum,
    /// LIDs on the link.
    pub lids: u32,
    /// The ideal of the switch.
    pub ideal: u32,
}

impl Uplink {
    /// How many times the ideal the link carries.
    #[must_use]
    pub fn excess(&self) -> f64 {
        f64::from(self.lids) / f64::from(self.ideal.max(1))
    }
}

/// The figures of one set of tables.
#[derive(Clone, PartialEq, Debug)]
pub struct Quality {
    /// Routes that arrive.
    pub routes: u64,
    /// Routes that do not.
    pub broken: u64,
    /// The longest route, in hops between switches.
    pub max_hops: u16,
    /// Hops of all routes together.
    pub hops: u64,
    /// All directed links between switches, by switch and port.
    pub links: Vec<LinkLoad>,
    /// The levels, from the leaves up and down again, where the switches form a tree: all links
    /// lead from one height above the leaves to the next. Empty otherwise.
    pub levels: Vec<LevelLoad>,
    /// How high each switch stands above the leaf switches, in hops.
    pub heights: Vec<u32>,
    /// The uplink with the greatest excess, where the switches form a tree.
    pub worst_uplink: Option<Uplink>,
}

impl Quality {
    /// Hops of a route on average.
    #[must_use]
    pub fn mean_hops(&self) -> f64 {
        self.hops as f64 / self.routes.max(1) as f64
    }

    /// The most routes on one link between switches.
    #[must_use]
    pub fn max_routes_per_link(&self) -> u64 {
        self.links.iter().map(|l| l.routes).max().unwrap_or(0)
    }

    /// Routes on a link on average: no tables with these path lengths can make the most loaded
    /// link carry less.
    #[must_use]
    pub fn mean_routes_per_link(&self) -> f64 {
        self.hops as f64 / self.links.len().max(1) as f64
    }

    /// The routes on a link that `percent` of all links do not exceed.
    #[must_use]
    pub fn percentile(&self, percent: u32) -> u64 {
        let mut routes: Vec<u64> = self.links.iter().map(|l| l.routes).collect();
        routes.sort_unstable();
        let rank = (routes.len() * percent.min(100) as usize).div_ceil(100);
        routes.get(rank.saturating_sub(1)).copied().unwrap_or(0)
    }
}

/// Measures tables.
#[must_use]
pub fn quality(fabric: &Fabric, lids: &LidMap, lfts: &Lfts) -> Quality {
    let graph = &Graph::new(fabric);
    let is_host = |lid: &Lid| {
        lids.port(*lid).is_some_and(|end| fabric.as_switch(fabric.owner(end)).is_none())
    };
    // One LID of an adapter stands for all that are forwarded alike.
    let of_hosts: Vec<(Lid, u32)> = alike::groups(fabric, lids, lfts)
        .into_iter()
        .filter_map(|group| {
            let hosts = group.iter().filter(|lid| is_host(lid));
            Some((*group.iter().find(|lid| is_host(lid))?, hosts.count() as u32))
        })
        .collect();
    let sum = of_hosts
        .par_chunks(Lfts::BLOCK)
        .fold(
            || Tally::new(graph),
            |mut tally, chunk| {
                let mut column = Column::new(graph);
                for (lid, count) in chunk {
                    column.load(fabric, graph, lfts, lids, *lid);
                    let home = lids.port(*lid).and_then(|end| Graph::attachment(fabric, end));
                    tally.add(graph, &column, home.map(|(s, _)| s.index()), *count);
                }
                tally
            },
        )
        .reduce(|| Tally::new(graph), Tally::merge);
    sum.finish(graph)
}

/// Sums over some LIDs.
struct Tally {
    routes: u64,
    broken: u64,
    max_hops: u16,
    hops: u64,
    link_routes: Vec<u64>,
    link_lids: Vec<u32>,
    /// Sources whose way passes each switch, for the LID at hand.
    passing: Vec<u64>,
}

impl Tally {
    fn new(graph: &Graph) -> Self {
        Self {
            routes: 0,
            broken: 0,
            max_hops: 0,
            hops: 0,
            link_routes: vec![0; graph.link_count()],
            link_lids: vec![0; graph.link_count()],
            passing: vec![0; graph.len()],
        }
    }

    /// Adds so many LIDs that go as a column shows, of end ports on the switch `home`.
    fn add(&mut self, graph: &Graph, column: &Column, home: Option<usize>, lids: u32) {
        for (s, end) in column.ends.iter().enumerate() {
            // The end port that has the LID does not send to itself.
            let others = graph.hosts(s).len() as u64 - u64::from(home == Some(s));
            let sources = others * u64::from(lids);
            self.passing[s] = sources;
            match end {
                End::Delivered(hops) => {
                    self.routes += sources;
                    self.hops += sources * u64::from(*hops);
                    if sources > 0 {
                        self.max_hops = self.max_hops.max(*hops);
                    }
                }
                _ => {
                    self.broken += sources;
                    self.passing[s] = 0;
                }
            }
        }
        for s in column.order.iter().rev().map(|s| *s as usize) {
            let (Some(link), passing) = (column.links[s], self.passing[s]) else { continue };
            if passing == 0 {
                continue;
            }
            let link = usize::from(link);
            self.link_routes[graph.first_link(s) + link] += passing;
            self.link_lids[graph.first_link(s) + link] += lids;
            self.passing[graph.links(s)[link].peer.index()] += passing;
        }
    }

    fn merge(mut self, other: Self) -> Self {
        self.routes += other.routes;
        self.broken += other.broken;
        self.max_hops = self.max_hops.max(other.max_hops);
        self.hops += other.hops;
        for (sum, new) in self.link_routes.iter_mut().zip(other.link_routes) {
            *sum += new;
        }
        for (sum, new) in self.link_lids.iter_mut().zip(other.link_lids) {
            *sum += new;
        }
        self
    }

    fn finish(self, graph: &Graph) -> Quality {
        let mut links = Vec::with_capacity(graph.link_count());
        for s in 0..graph.len() {
            for (at, link) in graph.links(s).iter().enumerate() {
                let all = graph.first_link(s) + at;
                let (routes, lids) = (self.link_routes[all], self.link_lids[all]);
                links.push(LinkLoad { switch: SwitchId(s as u32), port: link.port, routes, lids });
            }
        }
        let height = above_leaves(graph);
        let tree = is_layered(graph, &height);
        Quality {
            routes: self.routes,
            broken: self.broken,
            max_hops: self.max_hops,
            hops: self.hops,
            levels: if tree { levels(graph, &height, &links) } else { Vec::new() },
            worst_uplink: if tree { worst_uplink(graph, &height, &links) } else { None },
            heights: height,
            links,
        }
    }
}

fn levels(graph: &Graph, height: &[u32], links: &[LinkLoad]) -> Vec<LevelLoad> {
    let top = height.iter().copied().max().unwrap_or(0);
    let ups = (0..top).map(|level| (level, true));
    let downs = (1..=top).rev().map(|level| (level, false));
    ups.chain(downs)
        .filter_map(|(level, up)| {
            let here: Vec<&LinkLoad> = (0..graph.len())
                .filter(|s| height[*s] == level)
                .flat_map(|s| {
                    let first = graph.first_link(s);
                    graph.links(s).iter().enumerate().map(move |(at, l)| (first + at, l))
                })
                .filter(|(_, l)| (height[l.peer.index()] > level) == up)
                .map(|(all, _)| &links[all])
                .collect();
            let count = here.len() as f64;
            Some(LevelLoad {
                level,
                up,
                links: here.len() as u32,
                max_lids: here.iter().map(|l| l.lids).max()?,
                mean_lids: here.iter().map(|l| f64::from(l.lids)).sum::<f64>() / count,
                max_routes: here.iter().map(|l| l.routes).max()?,
                mean_routes: here.iter().map(|l| l.routes as f64).sum::<f64>() / count,
            })
        })
        .collect()
}

fn worst_uplink(graph: &Graph, height: &[u32], links: &[LinkLoad]) -> Option<Uplink> {
    let mut worst: Option<Uplink> = None;
    for s in 0..graph.len() {
        let first = graph.first_link(s);
        let up = graph.links(s).iter().enumerate();
        let up: Vec<&LinkLoad> = up
            .filter(|(_, l)| height[l.peer.index()] > height[s])
            .map(|(at, _)| &links[first + at])
            .collect();
        let lids: u32 = up.iter().map(|l| l.lids).sum();
        let ideal = lids.div_ceil(up.len().max(1) as u32);
        for l in up {
            let new = Uplink { switch: l.switch, port: l.port, lids: l.lids, ideal };
            if worst.is_none_or(|w| new.excess() > w.excess()) {
                worst = Some(new);
            }
        }
    }
    worst
}
