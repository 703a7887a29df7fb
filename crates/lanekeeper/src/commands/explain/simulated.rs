//! A fabric from a file, brought up on the embedded simulator.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lk_audit::explain::{
    Design, Group, Question, Report, Spot, Subject, explain as explained, spot,
};
use lk_fabric::text::FabricFile;
use lk_qos::policy::PartitionPorts;
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::sa::Served;
use lk_sm::{GsiAddress, Mode, Output, Settings, View};
use lk_snapshot::{Snapshot, Table};
use lk_wire::sa::Message;
use lk_wire::{Lid, PortNum, Status};

use super::asking::{self, Administration, Reply};
use super::no_path;
use super::request::Request;
use super::site::Site;
use crate::commands::sm::simulated::own_port;
use crate::failure::Failure;
use crate::input;

/// How long the manager has, in simulated time: an hour.
const LONG_ENOUGH: u64 = 3_600_000_000_000;

/// Explains the path on the fabric of a file.
///
/// # Errors
/// The file is none; the fabric cannot be brought up; it has not the ends.
pub(super) fn explain(request: &Request, site: &Site, path: &Path) -> Result<Report, Failure> {
    let given = input::fabric(path, request.ibnl.as_deref())?;
    let mut up = Up::new(&given.file, &site.settings)?;
    let bare = up.view.seen.snapshot();
    let spots = ends(request, &bare)?;
    let question = &request.question;
    let answers = (
        asking::path(&mut up, question, (spots.0, spots.1)),
        asking::path(&mut up, question, (spots.1, spots.0)),
    );
    let group: Option<Group> = match &request.mgid {
        Some(word) => Some(join(&mut up, word, spots)?),
        None => None,
    };
    let snapshot = up.snapshot();
    let desired = &up.view.desired;
    let partitions = partitions(&up.view);
    let design = Design {
        config: &site.effective,
        sets: &site.sets,
        policy: desired.policy.as_ref().map(|policy| &policy.compiled),
        partitions: &partitions,
        engine: desired.routes.as_ref().map_or("none", |routes| routes.engine),
    };
    Ok(explained(&Subject {
        snapshot: &snapshot,
        design: Some(design),
        question,
        ends: spots,
        answers: (&answers.0, &answers.1),
        group: group.as_ref(),
    }))
}

/// The ports that the command line names.
///
/// # Errors
/// The fabric has none of that name, or several.
pub(super) fn ends(request: &Request, snapshot: &Snapshot) -> Result<(Spot, Spot), Failure> {
    let one = |word: &str| spot(snapshot, word).map_err(|error| Failure::Unusable(error.into()));
    Ok((one(&request.ends.0)?, one(&request.ends.1)?))
}

/// The multicast group, after both ends have joined it and its tree has settled.
fn join(up: &mut Up, word: &str, (from, to): (Spot, Spot)) -> Result<Group, Failure> {
    let mgid = asking::mgid(word)?;
    let served = Served::new(Arc::clone(&up.view));
    let end = |spot: Spot, name| (spot.lid, served.gid(spot.port), name);
    let group = asking::join_both(up, mgid, [end(from, "source"), end(to, "destination")]);
    up.settle(10);
    Ok(group)
}

/// A fabric with its manager, up.
struct Up {
    world: World,
    /// The state of the subnet.
    view: Arc<View>,
}

impl Administration for Up {
    fn ask(&mut self, from: Lid, request: &[u8]) -> Option<Reply> {
        self.world.message(GsiAddress { lid: from, qp: 1, ..GsiAddress::default() }, request);
        let mut answer = None;
        let now = self.world.now();
        self.world.drive(now, &mut |output| {
            if let Output::Gmp(message) = output {
                answer = Some(message.bytes);
            }
        });
        let answer = answer?;
        let message = Message::parse(&answer).ok()?;
        let record = (!message.data.is_empty()).then(|| message.data.to_vec());
        Some((Status(message.header.status()), record))
    }

    fn why_no_path(&self, question: &Question, ends: (Spot, Spot)) -> String {
        no_path::why(&self.view, question, ends)
    }
}

impl Up {
    fn new(file: &FabricFile, settings: &Settings) -> Result<Self, Failure> {
        let port = own_port(file, settings.options.guid)?;
        let sim = SimFabric::new(&file.fabric, &SimOptions::default());
        let mut settings = settings.clone();
        // It sweeps once and then answers.
        settings.options.sweep_interval = 0;
        let mut world = World::new(sim, port, settings, Mode::Daemon);
        let view = drive(&mut world, LONG_ENOUGH)
            .ok_or_else(|| Failure::Refused(anyhow!("the fabric cannot be brought up")))?;
        Ok(Self { world, view })
    }

    /// Lets the manager do what is due within some simulated seconds.
    fn settle(&mut self, seconds: u64) {
        let until = self.world.now() + seconds * 1_000_000_000;
        if let Some(view) = drive(&mut self.world, until) {
            self.view = view;
        }
    }

    /// What the ports and switches hold. What the manager had no need to read is read now.
    fn snapshot(&self) -> Snapshot {
        let mut snapshot = self.view.seen.snapshot();
        let fabric = Arc::clone(&snapshot.fabric);
        let sim = &self.world.sim;
        let cabled = fabric.links().flat_map(|(a, b)| [a, b]);
        for port in cabled {
            let (node, number) = (fabric.owner(port), fabric.port_num(port));
            for ingress in 0..snapshot.tables.ingress_ports(port) {
                if snapshot.tables.sl2vl(port, ingress).is_none() {
                    let held = sim.sl2vl(node, PortNum(ingress as u8), number);
                    let mut bytes = [0; 64];
                    bytes[..8].copy_from_slice(&held.0);
                    snapshot.tables.learn(Table::Sl2vl(port), ingress, &bytes);
                }
            }
            for block in 1..=4 {
                if snapshot.tables.block(Table::VlArb(port), block).is_none() {
                    let held = sim.vlarb(port, block as u8);
                    snapshot.tables.learn(Table::VlArb(port), block, &held.0);
                }
            }
        }
        snapshot
    }
}

/// Drives a world up to a time; gives the last view, if there is a new one.
fn drive(world: &mut World, until: u64) -> Option<Arc<View>> {
    let mut view = None;
    world.drive(until, &mut |output| {
        if let Output::View(new) | Output::Groups(new) = output {
            view = Some(new);
        }
    });
    view
}

/// The partitions as explanations speak of them.
fn partitions(view: &View) -> Vec<PartitionPorts> {
    let one = |partition: &lk_sm::decide::Partition| PartitionPorts {
        key: partition.key,
        name: partition.name.clone(),
        sl: partition.sl,
        full: partition.members.iter().filter(|(_, m)| m.full).map(|(port, _)| *port).collect(),
        limited: partition.members.iter().filter(|(_, m)| !m.full).map(|(port, _)| *port).collect(),
    };
    view.desired.partitions.list.iter().map(one).collect()
}
