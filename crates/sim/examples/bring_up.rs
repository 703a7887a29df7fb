//! Brings up a simulated fat-tree and says how long each part took.
//!
//! `cargo run --release -p lk-sim --example bring_up -- 36 3` is the reference fabric of 972
//! switches and 5,832 hosts.

#![allow(clippy::print_stdout, reason = "an example talks to a person")]

use std::time::Instant;

use lk_fabric::NodeKind;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::{Event, Mode, Output, Settings};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let number =
        |at: usize, default: u32| words.get(at).and_then(|w| w.parse().ok()).unwrap_or(default);
    let (radix, levels) = (number(0, 8), number(1, 3));
    let shape = Shape::FatTree(FatTree::new(radix as u8, levels as u8));
    let fabric = generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric;
    let host = fabric
        .end_ports()
        .find(|p| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca)
        .expect("a host");
    let qos = !words.iter().any(|w| w == "noqos");
    let mut options = lk_config::Options { qos, ..Default::default() };
    if let Some(engine) = words.iter().find(|w| w.parse::<u32>().is_err() && *w != "noqos") {
        options.routing_engine = Some(engine.clone());
    }
    let settings = Settings::new(options, Default::default());
    let sim = SimFabric::new(&fabric, &SimOptions::default());
    let start = Instant::now();
    let mut world = World::new(sim, host, settings.clone(), Mode::Once);
    let mut show = |output: Output| {
        if let Output::Event(event) = output
            && !matches!(event, Event::LidAssigned { .. })
        {
            println!("{:8.3} s  {event}", start.elapsed().as_secs_f64());
        }
    };
    world.drive(u64::MAX, &mut show);
    println!("{:8.3} s  {:?}", start.elapsed().as_secs_f64(), world.outcome());
    world.restart(settings, Mode::Once);
    world.drive(u64::MAX, &mut show);
    println!("{:8.3} s  second manager: {:?}", start.elapsed().as_secs_f64(), world.outcome());
}
