//! What the tests have in common: fabrics, runs, and questions about how they ended.

use std::path::PathBuf;

use lk_config::Options;
use lk_diag::SourceFile;
use lk_fabric::topo::{FatTree, Shape, TopoSpec, generate};
use lk_fabric::{Fabric, NodeKind, PortId};
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::{Counts, Event, Mode, Outcome, Output, Settings};
use lk_wire::PortState;

/// Settings with QoS on and `change` made.
pub(crate) fn settings(change: impl FnOnce(&mut Options)) -> Settings {
    let mut options = Options { qos: true, ..Options::default() };
    change(&mut options);
    Settings::new(options, Default::default())
}

/// A fat-tree of two levels: four leaves with two hosts each, two spines.
pub(crate) fn small() -> Fabric {
    let shape = Shape::FatTree(FatTree::new(4, 2));
    generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric
}

/// A fat-tree of three levels.
pub(crate) fn three_levels() -> Fabric {
    let shape = Shape::FatTree(FatTree::new(8, 3));
    generate(&TopoSpec::new(shape)).expect("a fat-tree").fabric
}

/// The first host's port that has a cable, or any host's port where none has one.
pub(crate) fn host(fabric: &Fabric) -> PortId {
    let is_host = |p: &PortId| fabric.node(fabric.owner(*p)).kind == NodeKind::Ca;
    let hosts = || fabric.end_ports().filter(is_host);
    let cabled = hosts().find(|p| fabric.peer(*p).is_some());
    cabled.or_else(|| hosts().next()).expect("a host")
}

/// A world whose manager sits on the first host.
pub(crate) fn world(
    fabric: &Fabric,
    options: &SimOptions,
    settings: Settings,
    mode: Mode,
) -> World {
    World::new(SimFabric::new(fabric, options), host(fabric), settings, mode)
}

/// One run of a manager that sweeps once, and how it ended.
pub(crate) struct Run {
    pub(crate) world: World,
    pub(crate) events: Vec<Event>,
}

impl Run {
    pub(crate) fn once(fabric: &Fabric, settings: Settings) -> Self {
        Self::on(world(fabric, &SimOptions::default(), settings, Mode::Once))
    }

    pub(crate) fn on(mut world: World) -> Self {
        let events = world.run();
        Self { world, events }
    }

    /// Another manager on the same fabric; gives what it planned first.
    pub(crate) fn again(&mut self, settings: Settings) -> Counts {
        self.world.restart(settings, Mode::Once);
        self.events = self.world.run();
        self.planned()
    }

    /// What a plan would change, without changing it.
    pub(crate) fn plan(&mut self, settings: Settings) -> Counts {
        self.world.restart(settings, Mode::Plan);
        let mut counts = None;
        self.world.drive(u64::MAX, &mut |output| {
            if let Output::Plan(report) = output {
                counts = Some(report.counts);
            }
        });
        counts.expect("a plan")
    }

    pub(crate) fn outcome(&self) -> Outcome {
        self.world.outcome().expect("the run is over")
    }

    pub(crate) fn planned(&self) -> Counts {
        let counts = self.events.iter().find_map(|e| match e {
            Event::Planned(counts) => Some(*counts),
            _ => None,
        });
        counts.expect("a plan")
    }

    pub(crate) fn is_up(&self) -> bool {
        self.events.iter().any(|e| matches!(e, Event::SubnetUp(_)))
    }

    /// Every cabled port is ACTIVE, and every end port that hangs on one has a LID.
    pub(crate) fn all_active(&self) -> bool {
        let sim = &self.world.sim;
        let fabric = sim.fabric();
        (0..fabric.ports().len() as u32).map(PortId).all(|p| {
            let info = sim.port_info(p);
            let cabled = fabric.peer(p).is_some() && fabric.port_num(p).0 != 0;
            !cabled || info.port_state() == PortState::ACTIVE.0
        })
    }
}

/// The folder with the field's files, if it is there; says so if not.
pub(crate) fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("LANEKEEPER_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    None
}

/// A fabric from a file.
pub(crate) fn read(path: &std::path::Path) -> Option<Fabric> {
    let bytes = std::fs::read(path).expect("a readable file");
    let source = SourceFile::new(path.display().to_string(), bytes);
    lk_fabric::text::read_fabric(&source).0.map(|file| file.fabric)
}
