//! After a link failed only what that concerns is decided and proved again, and what comes of it is
//! what the whole way would say.

use std::sync::Arc;

use lk_fabric::NodeKind;
use lk_sim::{Fault, SimOptions, World};
use lk_sm::{Mode, Output, View, decide};

use crate::setup::{settings, three_levels, world};

const SECOND: u64 = 1_000_000_000;

/// Runs on for a time, and gives the last view.
fn view_after(world: &mut World, nanos: u64) -> Arc<View> {
    let mut last = None;
    let limit = world.now() + nanos;
    world.drive(limit, &mut |output| {
        if let Output::View(view) = output {
            last = Some(view);
        }
    });
    last.expect("a sweep was finished")
}

/// Fails three links, one after the other; how many of them went the short way.
fn failed_links(engine: &str, qos: bool) -> usize {
    let fabric = three_levels();
    let settings = settings(|o| {
        o.qos = qos;
        o.routing_engine = Some(engine.to_owned());
    });
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Daemon);
    let mut before = view_after(&mut world, SECOND);
    let is_switch = |p| fabric.node(fabric.owner(p)).kind == NodeKind::Switch;
    let mut trunks = fabric.links().filter(|(a, b)| is_switch(*a) && is_switch(*b));
    let mut short = 0;
    for at in [3, 30, 60] {
        let (cable, _) = trunks.nth(at).expect("so many cables");
        let now = world.now();
        world.sim.apply(now, Fault::LinkDown(cable));
        let after = view_after(&mut world, 30 * SECOND);
        let what = format!("{engine}, QoS {qos}, cable {at}");
        let [old, new] = [&before, &after].map(|view| &view.desired);
        assert!(new.ledger.is_some(), "{what}");
        let rows = |desired: &lk_sm::Desired| desired.routes.as_ref().map(|r| r.lfts.rows.clone());
        let (was, is) = (rows(old).expect("routes"), rows(new).expect("routes"));
        // On the whole way each table is made anew.
        short += usize::from(was.iter().zip(&is).any(|(was, is)| Arc::ptr_eq(was, is)));
        assert_ne!(was, is, "{what}");
        let whole = decide(&after.seen, &after.settings);
        assert_eq!(rows(&whole), Some(is), "{what}");
        let [mut whole, mut known] = [&whole, &**new].map(|d| d.verdict.clone().expect("routes"));
        // Of several circles with packets from and to switches the one that was found first stays.
        let circles = [&mut whole, &mut known].map(|v| std::mem::take(&mut v.switch_circle));
        assert_eq!(circles[0].is_empty(), circles[1].is_empty(), "{what}");
        assert_eq!(whole, known, "{what}");
        assert!(new.verdict.as_ref().is_some_and(|verdict| verdict.is_good()), "{what}");
        before = after;
    }
    short
}

#[test]
fn a_failed_link_is_decided_by_what_is_known_of_the_routes() {
    for engine in ["updn", "dnup"] {
        for qos in [false, true] {
            assert!(failed_links(engine, qos) >= 2, "{engine}, QoS {qos}");
        }
    }
}

#[test]
fn so_it_is_where_packets_from_and_to_switches_could_deadlock() {
    for engine in ["minhop", "sssp"] {
        assert!(failed_links(engine, false) >= 1, "{engine}");
    }
}
