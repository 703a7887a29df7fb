//! The figures of a routing, for people and for programs.

use std::fmt::Write as _;
use std::time::Instant;

use lk_fabric::Fabric;
use lk_routing::quality::{Quality, quality};
use lk_sm::Verdict;
use serde::Serialize;

use super::Routed;
use super::lids::{Numbered, Origin};

/// What `route --json` prints. Fields are added, never changed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Report {
    /// The engine that routed.
    engine: &'static str,
    /// The list of engines that was asked for.
    asked: String,
    /// Whether minhop stands in for all engines that were asked for.
    fell_back: bool,
    /// The engines before this one in the list, and why they do not route.
    declined: Vec<Declined>,
    /// Names in the list that no engine has.
    unknown: Vec<String>,
    /// What the engine wants known.
    notes: Vec<String>,
    /// Seconds that the engine took, without reading and checking.
    route_seconds: f64,
    /// Seconds that the proof took: that everything is reached and nothing can deadlock.
    proof_seconds: f64,
    /// Whether no packet can wait for ever. SL2VL tables are not known here, so all packets are
    /// taken to share one lane, unless the engine needs more.
    pub(super) deadlock_free: bool,
    /// Lanes that the proof needs.
    lanes: usize,
    /// Links of the shortest credit loop; 0 if there is none.
    credit_loop: usize,
    /// Switches.
    switches: usize,
    /// LIDs in use.
    lids: usize,
    /// Where the LIDs come from.
    lids_from: Origin,
    /// Whether every end port reaches every LID of every other.
    pub(super) all_reached: bool,
    /// How many entries of the tables that were in force before lead elsewhere now; `null` where
    /// none were given.
    entries_moved: Option<usize>,
    /// LIDs for which the tables go round in a circle.
    loops: usize,
    /// The longest route between end ports, in hops between switches.
    max_hops: u16,
    /// Hops of a route on average.
    mean_hops: f64,
    /// The most routes on one link between switches.
    max_routes_per_link: u64,
    /// Routes on a link on average: what the fullest link has to carry at least.
    ideal_routes_per_link: f64,
    /// Where the switches form a tree: how many times its ideal the fullest uplink carries.
    worst_uplink: Option<f64>,
}

/// An engine that does not route the fabric.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Declined {
    engine: &'static str,
    /// The reason, with the switches or links at fault.
    reason: String,
}

impl Report {
    /// Checks and measures routes.
    pub(super) fn of(
        fabric: &Fabric,
        lids: &Numbered,
        routed: &Routed,
        moved: Option<usize>,
    ) -> Self {
        let Routed { routes, seconds, asked, outcome } = routed;
        let declined = outcome.declined.iter();
        let declined =
            declined.map(|d| Declined { engine: d.engine, reason: d.reason.clone() }).collect();
        let start = Instant::now();
        let verdict = Verdict::of_routes(fabric, &lids.map, routes);
        let proof_seconds = start.elapsed().as_secs_f64();
        let figures: Quality = quality(fabric, &lids.map, &routes.lfts);
        Self {
            engine: routes.engine,
            asked: asked.clone(),
            fell_back: outcome.fell_back,
            declined,
            unknown: outcome.unknown.iter().map(ToString::to_string).collect(),
            notes: routes.notes.clone(),
            route_seconds: *seconds,
            proof_seconds,
            deadlock_free: verdict.deadlock_free,
            lanes: verdict.lanes.len(),
            credit_loop: verdict.circle.len(),
            switches: fabric.switches().len(),
            lids: lids.map.ranges().iter().map(|(_, _, lmc)| 1 << lmc).sum(),
            lids_from: lids.origin,
            all_reached: figures.broken == 0,
            entries_moved: moved,
            loops: verdict.forwarding_loops.lids,
            max_hops: figures.max_hops,
            mean_hops: figures.mean_hops(),
            max_routes_per_link: figures.max_routes_per_link(),
            ideal_routes_per_link: figures.mean_routes_per_link(),
            worst_uplink: figures.worst_uplink.map(|uplink| uplink.excess()),
        }
    }

    /// The report as one JSON object.
    pub(super) fn json(&self) -> String {
        // Plain fields only: serialising them cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report as a table.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let origin = match self.lids_from {
            Origin::File => "from the file",
            Origin::Assigned => "given out here",
        };
        let mut row = |name: &str, value: String| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name:<28}{value}");
        };
        row("engine", self.engine.to_owned());
        row("seconds", format!("{:.3}", self.route_seconds));
        row("switches", self.switches.to_string());
        row("LIDs", format!("{} ({origin})", self.lids));
        row("all end ports connected", if self.all_reached { "yes" } else { "no" }.to_owned());
        row(
            "credit loop",
            match self.credit_loop {
                0 => "none".to_owned(),
                n => format!("{n} links (`lanekeeper verify` names them)"),
            },
        );
        row("forwarding loops", self.loops.to_string());
        row("hops, longest and mean", format!("{} / {:.2}", self.max_hops, self.mean_hops));
        let ideal = format!("{} / {:.1}", self.max_routes_per_link, self.ideal_routes_per_link);
        row("routes per link, most, mean", ideal);
        if let Some(worst) = self.worst_uplink {
            row("fullest uplink", format!("{worst:.2} times its ideal"));
        }
        if let Some(moved) = self.entries_moved {
            row("entries moved", moved.to_string());
        }
        out
    }
}
