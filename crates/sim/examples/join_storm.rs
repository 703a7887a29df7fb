//! All hosts of a fat-tree join the IPoIB broadcast group at once: how long until it is settled,
//! and how much is written.
//!
//! `cargo run --release -p lk-sim --example join_storm -- RADIX LEVELS`

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_config::Options;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::io::GsiAddress;
use lk_sm::{Mode, Settings};
use lk_wire::sa::{MCMemberRecord, Record, SaHeader, member_mask};
use lk_wire::{Gid, Guid, Lid, attr, method};

fn main() {
    let mut words = std::env::args().skip(1).filter_map(|w| w.parse::<u32>().ok());
    let (radix, levels) = (words.next().unwrap_or(16), words.next().unwrap_or(3));
    let shape = Shape::FatTree(FatTree::new(radix as u8, levels as u8));
    let fabric = generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric;
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    let hosts: Vec<PortId> = fabric.end_ports().filter(is_host).collect();
    let options = Options { sweep_interval: 0, ..Options::default() };
    let settings = Settings::new(options, Default::default());
    let sim = SimFabric::new(&fabric, &SimOptions::default());
    let mut world = World::new(sim, hosts[0], settings, Mode::Daemon);
    let start = Instant::now();
    world.run_for(1_000_000_000);
    println!("{} hosts, {} switches", hosts.len(), fabric.switches().len());
    println!("bring-up {:.2} s", start.elapsed().as_secs_f64());

    let (sets, before) = (world.sim.stats().sets(attr::MFT), blocks(&fabric, &world.sim));
    let start = Instant::now();
    for (at, host) in hosts.iter().enumerate() {
        let bytes = join(fabric.port(*host).guid, at as u64);
        let lid = Lid(world.sim.port_info(*host).lid());
        world.message(GsiAddress { lid, qp: 1, ..GsiAddress::default() }, &bytes);
        let now = world.now();
        world.drive(now, &mut |_| {});
    }
    println!("{} joins answered in {:.2} s", hosts.len(), start.elapsed().as_secs_f64());
    world.run_for(1_000_000_000);
    println!("settled after {:.2} s", start.elapsed().as_secs_f64());
    let written = world.sim.stats().sets(attr::MFT) - sets;
    let after = blocks(&fabric, &world.sim);
    let changed = before.iter().zip(&after).filter(|(before, after)| before != after).count();
    println!("{written} MFT blocks written, {changed} changed");
    assert_eq!(written as usize, changed, "a block is written once, and only where it changes");
    let start = Instant::now();
    let bytes = leave(fabric.port(hosts[hosts.len() - 1]).guid);
    let lid = Lid(world.sim.port_info(hosts[hosts.len() - 1]).lid());
    let sets = world.sim.stats().sets(attr::MFT);
    world.message(GsiAddress { lid, qp: 1, ..GsiAddress::default() }, &bytes);
    world.run_for(1_000_000_000);
    println!(
        "one leave: {:.3} s, {} blocks",
        start.elapsed().as_secs_f64(),
        world.sim.stats().sets(attr::MFT) - sets
    );
}

/// The blocks of all switches for the first 32 groups.
fn blocks(fabric: &Fabric, sim: &SimFabric) -> Vec<[u8; 64]> {
    let of = |id| {
        let node = fabric.switch_node(id);
        let positions = (usize::from(fabric.node(node).num_ports) + 1).div_ceil(16) as u8;
        (0..positions).map(move |at| sim.mft_block(id, at, 0).0)
    };
    fabric.switch_ids().flat_map(of).collect()
}

fn join(port: Guid, tid: u64) -> Vec<u8> {
    request(method::SET, port, tid)
}

fn leave(port: Guid) -> Vec<u8> {
    request(method::DELETE, port, u64::MAX >> 40)
}

fn request(method: u8, guid: Guid, tid: u64) -> Vec<u8> {
    let mut record = MCMemberRecord::default();
    record.set_mgid(Gid { prefix: 0xff12_401b_ffff_0000, guid: Guid(0xffff_ffff) });
    record.set_port_gid(Gid { prefix: 0xfe80 << 48, guid });
    record.set_join_state(1);
    let mut header = SaHeader::request(method, MCMemberRecord::ID, tid);
    header.set_component_mask(member_mask::MGID | member_mask::PORT_GID | member_mask::JOIN_STATE);
    let mut bytes = header.0.to_vec();
    bytes.extend_from_slice(&record.0);
    bytes.resize(256, 0);
    bytes
}
