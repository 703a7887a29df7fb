//! torus-2QoS: dimension order on a torus or mesh of one to three dimensions, without deadlock,
//! with two QoS levels, and with path SLs that no failure changes (torus-2QoS(8)).
//!
//! [`crate::torus`] knows what a torus is. Here `sound` refuses what cannot be routed, and proves
//! the result where failures meet; `tables` makes the forwarding tables, `lanes` the SL2VL tables.

mod lanes;
mod sound;
mod tables;

use lk_fabric::Fabric;

use crate::graph::Graph;
use crate::job::{Decline, Engine, RouteJob, Routes, SlPlan};
use crate::torus::shape::Torus;
use crate::torus::spec::Start;
use crate::torus::{PairSls, TorusSpec};
use crate::torus::{place, shape, spec};

/// The engine torus-2QoS.
#[derive(Clone, Copy, Debug)]
pub struct Torus2Qos;

impl Engine for Torus2Qos {
    fn name(&self) -> &'static str {
        "torus-2QoS"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        self.route(job).map_err(|reason| Decline { engine: self.name(), reason })
    }
}

impl Torus2Qos {
    fn route(self, job: &RouteJob<'_>) -> Result<Routes, String> {
        let fabric = job.fabric;
        let spec = job.options.torus.as_ref();
        let spec = spec.ok_or("there is no torus-2QoS.conf, or it has errors (torus_config)")?;
        if !job.options.qos {
            return Err("it needs QoS: start with -Q or set qos to TRUE".to_owned());
        }
        let graph = &Graph::new(fabric);
        let (torus, start) = find(fabric, graph, spec)?;
        let (seed, origin) = (spec::seed_name(start.seed), start.placed.first());
        let seed_notes = torus
            .check_seed(fabric, graph, &start.placed)
            .map_err(|why| format!("{seed} of torus-2QoS.conf {why}"))?;
        let vls = job.options.data_vls;
        check_vls(vls.switches, !torus.missing().is_empty())?;
        check_port_order(fabric, spec)?;
        torus.check_groups(fabric, graph, spec.group_ports)?;
        sound::check(fabric, &torus)?;
        torus.check_left_over(fabric, graph)?;
        let lfts = tables::fill(fabric, job.lids, &torus, &spec.port_order)?;
        let [x, y, z] = torus.lattice.radix;
        let mut notes = vec![format!(
            "a torus of {x} x {y} x {z} from {seed}, {}",
            origin.map(|(p, _)| torus.name(fabric, *p)).unwrap_or_default()
        )];
        notes.extend(seed_notes);
        let (lattice, of) = (&torus.lattice, &torus.places.of);
        notes.extend(spec::disagreements(fabric, lattice, spec, &start, of));
        notes.extend(torus.notes(fabric));
        notes.extend(few_lanes(vls.switches, vls.end_ports));
        let sl = SlPlan::PerPair(PairSls::new(fabric, &torus));
        let lanes = Some(lanes::overrides(fabric, &torus, vls));
        let routes = Routes { engine: self.name(), lfts, sl, lanes, master_tree: None, notes };
        sound::prove_around_holes(job, &torus, &routes)?;
        let (tree, note) = sound::master_tree(job, &torus, &routes)?;
        let mut routes = Routes { master_tree: Some(tree), ..routes };
        routes.notes.extend(note);
        Ok(routes)
    }
}

/// Finds the torus in a fabric.
fn find(fabric: &Fabric, graph: &Graph, spec: &TorusSpec) -> Result<(Torus, Start), String> {
    let lattice = spec::lattice(spec)?;
    if graph.len() > lattice.len() {
        let [x, y, z] = lattice.radix;
        return Err(format!(
            "the fabric has {} switches, and a torus of {x} x {y} x {z} only {}",
            graph.len(),
            lattice.len()
        ));
    }
    let start = spec::start(fabric, &lattice, spec)?;
    let places = place::place(graph, &lattice, &start.placed).map_err(|conflict| {
        let [a, b] = conflict.switches.map(|s| shape::switch_name(fabric, s));
        format!(
            "both {a} and {b} would be at {}: a cable of one of them or of a neighbour leads to \
             the wrong switch, or the seeds or sizes of torus-2QoS.conf are not the fabric's",
            lattice.show(conflict.place)
        )
    })?;
    Ok((Torus::new(fabric, graph, lattice, places), start))
}

/// Whether the links have the lanes that are needed.
fn check_vls(vls: u8, holes: bool) -> Result<(), String> {
    if vls < 2 {
        return Err(format!(
            "links between switches need 2 data VLs and have {vls} (VLCap, max_op_vls)"
        ));
    }
    if vls < 4 && holes {
        return Err(format!(
            "a switch is missing, and to route around it links between switches need 4 data VLs; \
             they have {vls}"
        ));
    }
    Ok(())
}

/// What cannot be had with so few lanes.
fn few_lanes(switches: u8, end_ports: u8) -> Vec<String> {
    let mut notes = Vec::new();
    if switches < 4 {
        notes.push("with less than 4 data VLs no switch may fail".to_owned());
    }
    if switches < 8 {
        notes.push("with less than 8 data VLs between switches there is one QoS level".to_owned());
    } else if end_ports < 2 {
        notes.push("with less than 2 data VLs at end ports there is one QoS level".to_owned());
    }
    notes
}

/// Whether each port of port_order is there on every switch.
fn check_port_order(fabric: &Fabric, spec: &TorusSpec) -> Result<(), String> {
    for switch in fabric.switch_ids() {
        let ports = fabric.node(fabric.switch_node(switch)).num_ports;
        if let Some(port) = spec.port_order.iter().find(|p| **p > u32::from(ports)) {
            return Err(format!(
                "port_order names port {port}, and {} has {ports} ports",
                shape::switch_name(fabric, switch)
            ));
        }
    }
    Ok(())
}
