//! What only devices of one vendor have, and what only some devices refuse.

use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, LinkRate, PortId};
use lk_sim::{Chance, Fault, Filter, Scope, SimFabric, SimOptions, Spoil};
use lk_sm::{Event, Mode, Outcome, Output, Settings};
use lk_wire::{MlnxExtPortInfo, Status, attr, method};

use crate::setup::{Run, settings, small, world};

/// A fat-tree whose 16 links run at FDR10.
fn fdr10_tree() -> Fabric {
    let mut spec = TopoSpec::new(Shape::FatTree(FatTree::new(4, 2)));
    spec.rate = LinkRate::parse("4xFDR10").expect("a rate");
    generate(&spec).expect("a fat-tree").fabric
}

fn fdr10(option: u8) -> Settings {
    settings(|o| o.fdr10 = option)
}

/// Cabled ports whose FDR10 is enabled.
fn enabled(sim: &SimFabric) -> usize {
    let fabric = sim.fabric();
    let ports = (0..fabric.ports().len() as u32).map(PortId);
    let cabled = ports.filter(|p| fabric.peer(*p).is_some());
    let infos = cabled.filter_map(|p| sim.mlnx_ext_port_info(p));
    infos.filter(|i| i.link_speed_enabled() & MlnxExtPortInfo::FDR10 != 0).count()
}

/// The rates of all links as the manager sees them.
fn rates(run: &mut Run, settings: Settings) -> Vec<String> {
    run.world.restart(settings, Mode::Once);
    let mut rates = Vec::new();
    run.world.drive(u64::MAX, &mut |output| {
        if let Output::View(view) = output {
            let fabric = &view.seen.fabric;
            rates = fabric.links().map(|(a, _)| fabric.port(a).rate.to_string()).collect();
        }
    });
    rates.sort_unstable();
    rates.dedup();
    rates
}

#[test]
fn fdr10_is_seen_disabled_and_enabled_again() {
    let fabric = fdr10_tree();
    let ends = 2 * fabric.links().count();
    let mut run = Run::once(&fabric, fdr10(1));
    assert_eq!(run.planned().vendor_ports, 0, "it is enabled when the devices come up");
    assert_eq!(rates(&mut run, fdr10(1)), ["4xFDR10"]);

    assert_eq!(run.plan(fdr10(2)).vendor_ports, ends);
    assert_eq!(run.again(fdr10(2)).vendor_ports, ends);
    assert_eq!((run.outcome(), enabled(&run.world.sim)), (Outcome::Configured, 0));
    assert_eq!(run.plan(fdr10(2)), Default::default());

    // It counts when a link comes up the next time.
    assert_eq!(rates(&mut run, fdr10(2)), ["4xFDR10"]);
    for (a, _) in fabric.links() {
        run.world.sim.apply(run.world.now(), Fault::LinkFlap(a));
    }
    run.world.restart(fdr10(2), Mode::Daemon);
    run.world.run_for(30_000_000_000);
    assert_eq!(rates(&mut run, fdr10(0)), ["4xQDR"]);

    assert_eq!(run.plan(fdr10(0)).vendor_ports, 0, "0 leaves it alone");
    assert_eq!(run.again(fdr10(1)).vendor_ports, ends);
    assert_eq!(enabled(&run.world.sim), ends);
}

#[test]
fn a_device_without_the_vendors_attribute_is_no_failure() {
    let fabric = fdr10_tree();
    let without = fabric.node(fabric.switch_node(lk_fabric::SwitchId(0)));
    let (guid, links) = (without.guid, usize::from(without.num_ports));
    let mut options = SimOptions::default();
    options.exception(&fabric, guid).expect("a node").mlnx_ext_port_info = Some(false);
    let mut run = Run::on(world(&fabric, &options, fdr10(2), Mode::Once));
    assert_eq!(run.outcome(), Outcome::Configured, "{:?}", run.events);
    // Its own ports are not asked for anything; all others are told.
    let ends = 2 * fabric.links().count();
    assert_eq!(run.planned().vendor_ports, ends - links);
    // Enabling takes both ends of a link.
    assert_eq!(run.again(fdr10(1)).vendor_ports, ends - 2 * links);
}

#[test]
fn other_vendors_devices_are_not_asked() {
    let text = "Switch 4 \"S\"\n[1] \"H\"[1] 4xQDR\n\nCa 1 \"H\"\n[1] \"S\"[1] 4xQDR\n";
    let source = lk_diag::SourceFile::new("net", text);
    let fabric = lk_fabric::text::read_fabric(&source).0.expect("a fabric").fabric;
    let run = Run::once(&fabric, fdr10(1));
    assert_eq!(run.outcome(), Outcome::Configured, "{:?}", run.events);
    assert_eq!(run.world.sim.stats().gets(attr::MLNX_EXT_PORT_INFO), 0);
}

/// A tree on which a switch refuses SL2VL tables, as OpenSM's option is for.
fn refusing(suppress: bool) -> Run {
    let fabric = small();
    let settings = settings(|o| {
        o.qos_sets.swe.sl2vl = Some("1,1,1,1".to_owned());
        o.suppress_sl2vl_mad_status_errors = suppress;
    });
    let mut world = world(&fabric, &SimOptions::default(), settings, Mode::Once);
    for method in [method::GET, method::SET] {
        world.sim.apply(
            0,
            Fault::Answer {
                scope: Scope::Node(fabric.switch_node(lk_fabric::SwitchId(1))),
                filter: Filter { attr: Some(attr::SL2VL), method: Some(method) },
                spoil: Spoil::Status(Status::METHOD_ATTR_UNSUPPORTED),
                chance: Chance::ALWAYS,
            },
        );
    }
    Run::on(world)
}

#[test]
fn suppressed_refusals_of_sl2vl_are_no_errors_and_not_taken_for_success() {
    let run = refusing(false);
    assert_eq!(run.outcome(), Outcome::Incomplete);

    let mut run = refusing(true);
    assert_eq!(run.outcome(), Outcome::Configured, "{:?}", run.events);
    assert!(run.is_up() && run.all_active());
    assert!(!run.events.iter().any(|e| matches!(e, Event::Refused(..))));
    let told = run.events.iter().find(|e| matches!(e, Event::RefusalSuppressed(..)));
    let told = told.expect("it is told").to_string();
    assert!(told.contains("not in force"), "{told}");
    // Without the option the plan still knows that the tables are not held.
    let plan = run.plan(settings(|o| o.qos_sets.swe.sl2vl = Some("1,1,1,1".to_owned())));
    assert!(plan.sl2vl + plan.unread > 0, "{plan:?}");
}
