//! How long one datagram takes: directed-route exchanges on a generated fat-tree, by attribute and
//! by number of hops; the memory that a fully programmed fabric takes; and how long its state takes
//! to be written and read.
//!
//! `cargo run --release -p lk-sim --example mads -- 64 3` is the fabric at the LID limit.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeId, NodeKind, PortId};
use lk_sim::{SimFabric, SimOptions};
use lk_wire::{DirPath, MKey, PortNum, Smp, Tid, attr, method};

fn main() {
    let mut words = std::env::args().skip(1).filter_map(|w| w.parse().ok());
    let (radix, levels) = (words.next().unwrap_or(36), words.next().unwrap_or(3));
    let tree = Shape::FatTree(FatTree::new(radix, levels));
    let fabric = generate(&TopoSpec::new(tree)).expect("a fat-tree").fabric;
    let from = fabric
        .end_ports()
        .find(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca)
        .expect("a fat-tree has hosts");
    let routes = routes(&fabric, from);
    let (nodes, switches) = (fabric.nodes().len(), fabric.switches().len());
    println!("{nodes} nodes, {switches} switches, {} MB at the start", resident());
    let start = Instant::now();
    let mut sim = SimFabric::new(&fabric, &SimOptions::default());
    println!("made in {:.0?}, {} MB", start.elapsed(), resident());

    for hops in 0..=6 {
        let there: Vec<_> = routes.iter().filter(|(_, p)| p.hops() == hops).collect();
        if !there.is_empty() {
            let asked = (0..1_000_000 / there.len()).flat_map(|_| &there).map(|(_, p)| *p);
            time(&format!("Get(NodeInfo), {hops} hops"), &mut sim, from, asked, |p| {
                Smp::directed(method::GET, attr::NODE_INFO, 0, Tid(1), MKey(0), &p)
            });
        }
    }
    let ports = routes.iter().flat_map(|(node, path)| {
        fabric.external_ports(*node).map(|p| (*path, u32::from(fabric.port_num(p).0)))
    });
    time("Get(PortInfo) of all ports", &mut sim, from, ports, |(path, port)| {
        Smp::directed(method::GET, attr::PORT_INFO, port, Tid(1), MKey(0), &path)
    });
    let is_switch = |n: &NodeId| fabric.as_switch(*n).is_some();
    let blocks = routes
        .iter()
        .filter(|(n, _)| is_switch(n))
        .flat_map(|(_, path)| (0..(nodes as u32).div_ceil(64)).map(|block| (*path, block)));
    time("Set(LFT) of all LIDs", &mut sim, from, blocks, |(path, block)| {
        let mut smp = Smp::directed(method::SET, attr::LFT, block, Tid(1), MKey(0), &path);
        smp.data_mut().fill(1);
        smp
    });
    let pairs = routes.iter().filter(|(n, _)| is_switch(n)).flat_map(|(node, path)| {
        let ports = u32::from(fabric.node(*node).num_ports);
        (1..=ports).flat_map(move |out| (0..=ports).map(move |input| (*path, input << 8 | out)))
    });
    time("Set(SL2VL) of all pairs", &mut sim, from, pairs, |(path, pair)| {
        Smp::directed(method::SET, attr::SL2VL, pair, Tid(1), MKey(0), &path)
    });
    let lists = routes.iter().flat_map(|(node, path)| {
        let ports = if is_switch(node) { u32::from(fabric.node(*node).num_ports) } else { 1 };
        (1..=ports).flat_map(move |port| [1, 3].map(move |block| (*path, block << 16 | port)))
    });
    time("Set(VLArb) of all ports", &mut sim, from, lists, |(path, block)| {
        Smp::directed(method::SET, attr::VLARB, block, Tid(1), MKey(0), &path)
    });
    println!("programmed: {} MB", resident());
    let start = Instant::now();
    let mut text = Vec::new();
    sim.save(&mut text).expect("memory takes everything");
    println!("saved in {:.0?}, {} MB of text", start.elapsed(), text.len() / 1_000_000);
    let start = Instant::now();
    sim.load(&text[..]).expect("what was saved can be loaded");
    println!("loaded in {:.0?}", start.elapsed());
}

/// Sends all of these and prints the time of one.
fn time<T>(
    what: &str,
    sim: &mut SimFabric,
    from: PortId,
    asked: impl Iterator<Item = T>,
    mut make: impl FnMut(T) -> Smp,
) {
    let start = Instant::now();
    let (mut sent, mut answered) = (0_u32, 0_u32);
    for item in asked {
        sent += 1;
        answered += u32::from(sim.exchange(0, from, &make(item).0).is_some());
    }
    let each = start.elapsed() / sent.max(1);
    println!("{what}: {sent} sent, {answered} answered, {each:?} each");
}

/// The shortest directed route to each node, breadth first.
fn routes(fabric: &Fabric, from: PortId) -> Vec<(NodeId, DirPath)> {
    let start = fabric.owner(from);
    let mut seen = vec![false; fabric.nodes().len()];
    seen[start.index()] = true;
    let mut found = vec![(start, DirPath::LOCAL)];
    let mut next = 0;
    while let Some((node, path)) = found.get(next).copied() {
        next += 1;
        let passes_on = node == start || fabric.as_switch(node).is_some();
        for port in fabric.external_ports(node).filter(|_| passes_on) {
            let Some(peer) = fabric.peer(port) else { continue };
            let there = fabric.owner(peer);
            if !std::mem::replace(&mut seen[there.index()], true) {
                let port = PortNum(fabric.port_num(port).0);
                found.push((there, path.then(port).expect("a tree is not 63 hops deep")));
            }
        }
    }
    found
}

/// Memory that the process has, in MB, where the system says so.
fn resident() -> u64 {
    let pages = std::fs::read_to_string("/proc/self/statm").ok();
    let pages = pages.and_then(|text| text.split(' ').nth(1)?.parse::<u64>().ok());
    pages.unwrap_or(0) * 4096 / 1_000_000
}
