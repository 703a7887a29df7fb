//! A fabric as it is once it is brought up with the site's options and files.

use std::path::Path;
use std::sync::Arc;

use anyhow::anyhow;
use lk_audit::{Carries, Managed, PortKind, Routing, Unrouted};
use lk_config::effective::Engine;
use lk_fabric::PortId;
use lk_sim::{SimFabric, SimOptions, World};
use lk_sm::decide::{Partition, egress_port};
use lk_sm::sa::path::Ports;
use lk_sm::{Event, Mode, Output, Settings, View};
use lk_wire::Mtu;

use crate::commands::sm::simulated::own_port;
use crate::failure::Failure;
use crate::input;

/// What the manager made of a fabric.
pub(super) enum BroughtUp {
    /// It is up: the kinds of its ports, who is in which partition and how it is routed, and all
    /// that the manager knows.
    Up(Vec<PortKind>, Box<Managed>, Arc<View>),
    /// No engine of the list routes it, and none may stand in.
    NotRouted(Unrouted),
}

/// Brings a fabric up on the embedded simulator, sorts its ports by what they will hold, and tells
/// what the manager made of it.
///
/// # Errors
/// A file that cannot be read or holds no fabric; a fabric that cannot be brought up.
pub(super) fn bring_up(
    path: &Path,
    ibnl: Option<&str>,
    settings: &Settings,
) -> Result<BroughtUp, Failure> {
    let given = input::fabric(path, ibnl)?;
    let port = own_port(&given.file, settings.options.guid)?;
    let sim = SimFabric::new(&given.file.fabric, &SimOptions::default());
    let mut world = World::new(sim, port, settings.clone(), Mode::Once);
    let mut view: Option<Arc<View>> = None;
    let mut declined: Vec<(String, String)> = Vec::new();
    let mut not_routed = false;
    let mut refusal = None;
    world.drive(u64::MAX, &mut |output| match output {
        Output::View(last) => view = Some(last),
        Output::Event(Event::EngineDeclined { engine, reason }) => {
            // Names that nobody knows, or NVIDIA alone, are told by their line.
            let known = Engine::ALL.iter().any(|(_, name)| *name == engine);
            if known && !declined.iter().any(|(name, _)| *name == engine) {
                declined.push((engine, reason));
            }
        }
        Output::Event(Event::NotRouted) => not_routed = true,
        Output::Event(Event::Refusal(why)) => refusal = Some(why),
        _ => {}
    });
    let name = path.display();
    match view {
        Some(view) => Ok(BroughtUp::Up(kinds(&view), Box::new(managed(&view, declined)), view)),
        None if not_routed => Ok(BroughtUp::NotRouted(Unrouted { declined })),
        None => {
            let why = refusal.map_or_else(String::new, |why| format!(": {why}"));
            Err(Failure::Refused(anyhow!("the fabric of {name} cannot be brought up{why}")))
        }
    }
}

fn kinds(view: &View) -> Vec<PortKind> {
    let fabric = &view.seen.fabric;
    let wanted = view.desired.ports.iter().enumerate().filter_map(|(at, want)| {
        let (port, want) = (PortId(at as u32), want.as_ref()?);
        let egress = egress_port(&view.seen, port, want)?;
        Some((port, egress, Mtu(want.neighbor_mtu())))
    });
    PortKind::of_ports(wanted, |port| fabric.port_name(port))
}

fn managed(view: &View, declined: Vec<(String, String)>) -> Managed {
    let fabric = Arc::clone(&view.seen.fabric);
    let ports = Ports::of(view);
    let carries = |at: usize| {
        let port = PortId(at as u32);
        Carries { mtu: ports.mtu(port), rate: ports.rate(port) }
    };
    Managed {
        own: view.seen.sm_port,
        partitions: view.desired.partitions.list.iter().map(Partition::ports).collect(),
        carries: (0..fabric.ports().len()).map(carries).collect(),
        partition_cap: view.seen.partition_cap.clone(),
        routing: routing(view, declined),
        fabric,
    }
}

fn routing(view: &View, declined: Vec<(String, String)>) -> Routing {
    let verdict = view.desired.verdict.as_ref();
    let engine = view.desired.routes.as_ref().map(|routes| routes.engine.to_owned());
    // Other engines leave the SL of a path to the policy and the partition.
    let own = ["lash", "dfsssp", "nue", "torus-2QoS"];
    let chooses = engine.as_deref().is_some_and(|engine| own.contains(&engine));
    let notes = view.desired.routes.as_ref().map(|routes| routes.notes.clone());
    Routing {
        engine,
        notes: notes.unwrap_or_default(),
        declined,
        circle: verdict.map_or_else(Vec::new, |verdict| {
            verdict.circle.iter().map(ToString::to_string).collect()
        }),
        sls: match verdict {
            Some(verdict) if chooses => {
                verdict.sls.iter().chain(&verdict.dropped_sls).copied().collect()
            }
            _ => Vec::new(),
        },
    }
}
