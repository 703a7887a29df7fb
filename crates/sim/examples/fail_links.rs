//! Brings up a simulated fat-tree, fails links between switches one after the other, and says how
//! long decision and proof took each time, and how long the whole sweep.
//!
//! `cargo run --release -p lk-sim --example fail_links -- [RADIX LEVELS [ENGINE [LINKS]]]`; without
//! arguments `48 3 minhop 3`.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{NodeKind, PortId};
use lk_sim::{Fault, SimFabric, SimOptions, World};
use lk_sm::{Event, Job, JobResult, Mode, Output, Settings};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: u32| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (radix, levels, links) = (number(0, 48), number(1, 3), number(3, 3) as usize);
    let shape = Shape::FatTree(FatTree::new(radix as u8, levels as u8));
    let fabric = generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric;
    let is_switch = |p: PortId| fabric.as_switch(fabric.owner(p)).is_some();
    let host = fabric.end_ports().find(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca);
    let cables: Vec<PortId> =
        fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b)).map(|(a, _)| a).collect();
    let mut options = lk_config::Options { qos: false, ..Default::default() };
    options.routing_engine = words.get(2).cloned();
    let sim = SimFabric::new(&fabric, &SimOptions::default());
    let settings = Settings::new(options, Default::default());
    let mut world = World::new(sim, host.expect("a host"), settings, Mode::Daemon);
    world.set_work(timed);
    sweep(&mut world);
    for number in 0..links {
        let cable = cables[(number + 1) * cables.len() / (links + 1)];
        println!("the link at {} fails", fabric.port_name(cable));
        let now = world.now();
        world.sim.apply(now, Fault::LinkDown(cable));
        sweep(&mut world);
    }
}

/// Lets the manager do what there is to do in the next half minute.
fn sweep(world: &mut World) {
    let start = Instant::now();
    let limit = world.now() + 30_000_000_000;
    world.drive(limit, &mut |output| {
        if let Output::Event(event) = output
            && !matches!(event, Event::LidAssigned { .. })
        {
            println!("{:8.3} s  {event}", start.elapsed().as_secs_f64());
        }
    });
}

fn timed(job: Job) -> JobResult {
    let start = Instant::now();
    let result = job.run();
    println!("          a job took {:.3} s", start.elapsed().as_secs_f64());
    result
}
