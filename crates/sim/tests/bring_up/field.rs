//! Fabrics as found in the field, and those that opensm's results are known of.

use std::path::PathBuf;

use lk_sm::Outcome;

use crate::setup::{Run, read, settings, shared};

fn fabrics() -> Vec<PathBuf> {
    let Some(shared) = shared() else { return Vec::new() };
    let list = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).expect("a folder");
        entries.map(|e| e.expect("an entry").path()).collect::<Vec<_>>()
    };
    let is_fabric = |p: &PathBuf| {
        let name = p.file_name().and_then(|n| n.to_str()).unwrap_or_default();
        name.ends_with(".ibnetdiscover") || name.contains("ibsim")
    };
    let mut files: Vec<PathBuf> =
        list(shared.join("cases/topo")).into_iter().filter(is_fabric).collect();
    files.extend(list(shared.join("golden")).iter().map(|f| f.join("fabric.net")));
    files.retain(|f| f.is_file());
    files.sort();
    assert!(files.len() > 40, "only {} fabrics are there", files.len());
    files
}

#[test]
fn every_fabric_comes_up_and_a_second_manager_has_nothing_to_do() {
    for file in fabrics() {
        let name = file.display();
        let Some(fabric) = read(&file) else { panic!("{name} holds no fabric") };
        if fabric.links().count() == 0 {
            // One adapter and nothing else: there is nothing to route, and that is said.
            let run = Run::once(&fabric_with_port(&fabric), settings(|_| {}));
            assert_eq!(run.outcome(), Outcome::Refused, "{name}");
            continue;
        }
        let mut run = Run::once(&fabric, settings(|_| {}));
        assert_eq!(run.outcome(), Outcome::Configured, "{name}: {:?}", run.events);
        assert!(run.is_up(), "{name}");
        let counts = run.plan(settings(|_| {}));
        assert_eq!(counts, Default::default(), "{name}: a plan after the run");
        let counts = run.again(settings(|_| {}));
        assert_eq!(counts, Default::default(), "{name}: a second manager");
        assert_eq!(run.outcome(), Outcome::Configured, "{name}");
    }
}

/// The adapter that sees nothing, with a switch of its own in another world: the manager needs a
/// port to sit on.
fn fabric_with_port(alone: &lk_fabric::Fabric) -> lk_fabric::Fabric {
    use lk_fabric::{FabricBuilder, NodeSpec};
    let mut b = FabricBuilder::new();
    for node in alone.nodes() {
        let spec = NodeSpec::new(node.guid, node.kind, &node.description, node.num_ports.max(1));
        let added = b.add_node(spec).expect("one node");
        b.set_port(added, 1, lk_wire::Guid(node.guid.0 + 1), lk_wire::Lid(0), 0).expect("a port");
    }
    b.build()
}

/// opensm's guid2lid for each known fabric: a new fabric gets the same LIDs from us.
#[test]
fn a_new_fabric_gets_the_lids_that_opensm_gave_it() {
    let Some(shared) = shared() else { return };
    let mut compared = 0;
    for file in fabrics().iter().filter(|f| f.starts_with(shared.join("golden"))) {
        let folder = file.parent().expect("a folder");
        let Ok(known) = std::fs::read(folder.join("guid2lid")) else { continue };
        let source = lk_diag::SourceFile::new("guid2lid", known);
        let (known, _) = lk_config::guid2lid::parse(&source, 0);
        let fabric = read(file).expect("a fabric");
        // opensm sat on the first node of the file.
        let first = lk_fabric::text::read_fabric(&lk_diag::SourceFile::new(
            "fabric",
            std::fs::read(file).expect("a file"),
        ))
        .0
        .expect("a fabric")
        .first;
        let port = fabric.end_ports().find(|p| fabric.owner(*p) == first).expect("a port");
        let sim = lk_sim::SimFabric::new(&fabric, &Default::default());
        let world = lk_sim::World::new(sim, port, settings(|_| {}), lk_sm::Mode::Once);
        let run = Run::on(world);
        let sim = &run.world.sim;
        for end in fabric.end_ports() {
            let guid = fabric.port(end).guid;
            let lid = sim.port_info(end).lid();
            if lid == 0 {
                continue;
            }
            let range = known.get(&guid);
            assert_eq!(range.map(|r| r.first.0), Some(lid), "{}: {guid}", file.display());
            compared += 1;
        }
    }
    assert!(compared > 1000, "only {compared} LIDs were compared");
}
