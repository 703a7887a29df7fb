//! auto: looks at the fabric, names its topology and takes the engine that suits it.
//!
//! The engines are tried in an order that depends on the topology, on whether lanes can be had
//! (`qos`, and VLs everywhere) and on whether torus-2QoS.conf is there. An engine that this version
//! does not have is passed over, one that declines too, and so is one whose routes could deadlock:
//! each result is proved before it is taken. The routes go by the name of the engine that made
//! them; why it was taken stands in the notes.

use lk_fabric::SwitchId;
use lk_wire::Sl;

use crate::engines::find;
use crate::engines::list::attempt;
use crate::graph::Graph;
use crate::hops::Hops;
use crate::job::{Decline, Engine, RouteJob, RouteOptions, Routes, SlPlan};
use crate::paths::host_histogram;
use crate::proof::{SlSet, Traffic, prove};
use crate::topology::Topology;

/// The engine `auto`.
#[derive(Clone, Copy, Debug)]
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn plan(&self, job: &RouteJob<'_>) -> Result<Routes, Decline> {
        self.choose(job).map(|choice| choice.routes)
    }

    fn hops(&self, job: &RouteJob<'_>) -> Result<Hops, Decline> {
        let choice = self.choose(job)?;
        match &choice.options {
            Some(options) => choice.engine.hops(&RouteJob { options, ..*job }),
            None => choice.engine.hops(job),
        }
    }
}

/// What is taken.
struct Choice {
    engine: &'static dyn Engine,
    /// The options, where they are not the site's.
    options: Option<RouteOptions>,
    routes: Routes,
}

impl Auto {
    fn choose(self, job: &RouteJob<'_>) -> Result<Choice, Decline> {
        let graph = &Graph::new(job.fabric);
        let topology = Topology::of(graph);
        let (names, why) = candidates(&topology, job);
        let mut passed: Vec<String> = Vec::new();
        let tries = names.into_iter().map(|name| (name, None));
        // Where there is no top, up and down begins in the middle.
        let last = job.options.roots.is_none().then(|| ("updn", Some(from_the_middle(job, graph))));
        for (name, options) in tries.chain(last) {
            let Some(engine) = find(name) else {
                passed.push(format!("{name} is not in this version"));
                continue;
            };
            let planned = match &options {
                Some(options) => attempt(engine, &RouteJob { options, ..*job }),
                None => attempt(engine, job),
            };
            match planned {
                Ok(mut routes) if deadlock_free(job, &routes) => {
                    let mut note = format!("auto: {topology}; {} is taken: {why}", routes.engine);
                    if options.is_some() {
                        note += ", from a root in the middle";
                    }
                    if !passed.is_empty() {
                        note = format!("{note}; passed over: {}", passed.join("; "));
                    }
                    routes.notes.insert(0, note);
                    return Ok(Choice { engine, options, routes });
                }
                Ok(_) => passed.push(format!("what {name} makes could deadlock")),
                Err(decline) => passed.push(format!("{name}: {}", decline.reason)),
            }
        }
        let reason = format!("{topology}, and no engine routes it: {}", passed.join("; "));
        Err(Decline { engine: self.name(), reason })
    }
}

/// The options with a root for each part of the fabric: the switch that is nearest to the end
/// ports, and of several the first.
fn from_the_middle(job: &RouteJob<'_>, graph: &Graph) -> RouteOptions {
    let bars = host_histogram(graph);
    // Fewer end ports in reach are worse than any distance.
    let rank = |s: usize| {
        let near: u64 = bars[s].iter().map(|n| u64::from(*n)).sum();
        let hops: u64 = bars[s].iter().enumerate().map(|(h, n)| h as u64 * u64::from(*n)).sum();
        (std::cmp::Reverse(near), hops, s)
    };
    let mut roots = Vec::new();
    let mut seen = vec![false; graph.len()];
    for start in 0..graph.len() {
        if seen[start] {
            continue;
        }
        seen[start] = true;
        let mut part = vec![start];
        let mut at = 0;
        while at < part.len() {
            for link in graph.links(part[at]) {
                let peer = link.peer.index();
                if !std::mem::replace(&mut seen[peer], true) {
                    part.push(peer);
                }
            }
            at += 1;
        }
        if let Some(root) = part.into_iter().min_by_key(|s| rank(*s)) {
            roots.push(job.fabric.node(job.fabric.switch_node(SwitchId(root as u32))).guid);
        }
    }
    RouteOptions { roots: Some(roots), ..job.options.clone() }
}

/// The engines for a topology, the best first, and why. updn needs nothing but links, and comes
/// last everywhere.
fn candidates(topology: &Topology, job: &RouteJob<'_>) -> (Vec<&'static str>, &'static str) {
    let vls = job.options.data_vls;
    let lanes = job.options.qos && vls.switches > 1 && vls.end_ports > 1;
    let torus = job.options.qos && job.options.torus.is_some();
    match topology {
        Topology::Single => (vec!["minhop", "updn"], "any routes will do"),
        Topology::FatTree { .. } => {
            (vec!["ftree", "updn"], "up and down is as short as any way, and needs one lane")
        }
        Topology::Torus(_) | Topology::Mesh(_) if torus => {
            (vec!["torus-2QoS", "dfsssp", "nue", "updn"], "torus-2QoS.conf is there, and QoS is on")
        }
        Topology::Torus(_) if lanes => (
            vec!["dfsssp", "nue", "lash", "updn"],
            "rings need lanes, and there are some; torus-2QoS would need its torus-2QoS.conf",
        ),
        Topology::Mesh(_) | Topology::Hypercube(_) => {
            (vec!["dor", "updn"], "in the order of the dimensions no lanes are needed")
        }
        _ if lanes => (
            vec!["dfsssp", "nue", "lash", "updn"],
            "shortest ways over all links need lanes, and there are some",
        ),
        _ => (vec!["updn", "nue"], "one lane is all there is (qos is off, or ports have one)"),
    }
}

/// Whether packets of end ports can never wait for ever, judged with the engine's own lanes, or on
/// one lane where it has none.
fn deadlock_free(job: &RouteJob<'_>, routes: &Routes) -> bool {
    let hints = match routes.sl {
        SlPlan::PerPair(_) => SlSet::one(Sl(0)).with(Sl(8)),
        _ => SlSet::one(Sl(0)),
    };
    let assumed = routes.assumed_lanes();
    let lanes = routes.proof_lanes(job.fabric, &assumed);
    let sls = routes.proof_sls(job.lids, hints);
    let (fabric, lids) = (job.fabric, job.lids);
    prove(fabric, lids, &routes.lfts, &lanes, &sls, Traffic::EndPorts).deadlock_free()
}
