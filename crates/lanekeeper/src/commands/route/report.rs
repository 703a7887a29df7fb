//! The figures of a routing, for people and for programs.

use std::fmt::Write as _;
use std::time::Instant;

use lk_fabric::Fabric;
use lk_routing::quality::{LevelLoad, Quality, quality};
use lk_routing::{AllToAll, Contention, Shares, contention};
use lk_sm::Verdict;
use serde::Serialize;

use super::Routed;
use super::lids::{Numbered, Origin};
use super::request::Request;

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
    /// What the SL2VL lists of the options do to the lanes by which the engine keeps packets apart.
    lane_faults: Vec<String>,
    /// Seconds that the engine took, without reading and checking.
    route_seconds: f64,
    /// Seconds that the proof took: that everything is reached and nothing can deadlock.
    proof_seconds: f64,
    /// Whether no packet can wait for ever. What tables hold is not known here, so all packets are
    /// taken to share one lane, unless the engine needs more: then it goes by the lists of the
    /// options.
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
    /// Routes that this part of all links do not exceed.
    routes_per_link: Percentiles,
    /// Where the switches form a tree: how many times its ideal the fullest uplink carries.
    worst_uplink: Option<f64>,
    /// Where the switches form a tree: its levels, from the leaves up and down again.
    levels: Vec<Level>,
    /// The seed of the permutations by chance.
    seed: u64,
    /// Permutations by chance.
    random_permutations: Permutations,
    /// Shift permutations.
    shift_permutations: Permutations,
    /// Everybody to everybody.
    all_to_all: Everybody,
}

/// Routes on the links between switches.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Percentiles {
    min: u64,
    p10: u64,
    p50: u64,
    p90: u64,
    p99: u64,
    max: u64,
}

/// The links from a level to the next.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Level {
    level: u32,
    direction: &'static str,
    links: u32,
    max_routes: u64,
    mean_routes: f64,
    max_lids: u32,
    mean_lids: f64,
}

/// Shares of flows of permutations.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Permutations {
    patterns: usize,
    worst_share: f64,
    mean_share: f64,
    worst_mean_share: f64,
    max_flows_per_link: u32,
}

/// Shares of flows of all to all.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
struct Everybody {
    worst_share: f64,
    mean_share: f64,
}

impl Level {
    fn of(load: &LevelLoad) -> Self {
        Self {
            level: load.level,
            direction: if load.up { "up" } else { "down" },
            links: load.links,
            max_routes: load.max_routes,
            mean_routes: load.mean_routes,
            max_lids: load.max_lids,
            mean_lids: load.mean_lids,
        }
    }
}

impl Permutations {
    const fn of(shares: &Shares) -> Self {
        Self {
            patterns: shares.patterns,
            worst_share: shares.worst,
            mean_share: shares.mean,
            worst_mean_share: shares.worst_mean,
            max_flows_per_link: shares.max_flows,
        }
    }
}

/// An engine that does not route the fabric.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
struct Declined {
    engine: &'static str,
    /// The reason, with the switches or links at fault.
    reason: String,
}

impl Report {
    /// Checks and measures routes; `moved` entries lead elsewhere than before. The second value
    /// holds the loads of all links.
    pub(super) fn of(
        fabric: &Fabric,
        lids: &Numbered,
        routed: &Routed,
        moved: Option<usize>,
        request: &Request,
    ) -> (Self, Quality) {
        let Routed { routes, seconds, asked, outcome } = routed;
        let declined = outcome.declined.iter();
        let declined =
            declined.map(|d| Declined { engine: d.engine, reason: d.reason.clone() }).collect();
        let start = Instant::now();
        let (settings, seed) = (&request.settings, request.seed);
        let verdict = Verdict::of_routes(fabric, &lids.map, routes, &settings.lanes_of(routes));
        let proof_seconds = start.elapsed().as_secs_f64();
        let figures: Quality = quality(fabric, &lids.map, &routes.lfts);
        let Contention { random, shift, all_to_all: AllToAll { worst, mean } } =
            contention(fabric, &lids.map, &routes.lfts, seed);
        let percent = |n| figures.percentile(n);
        let report = Self {
            engine: routes.engine,
            asked: asked.clone(),
            fell_back: outcome.fell_back,
            declined,
            unknown: outcome.unknown.iter().map(ToString::to_string).collect(),
            notes: routes.notes.clone(),
            lane_faults: settings.lane_faults(routes, Some(verdict.deadlock_free)),
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
            routes_per_link: Percentiles {
                min: percent(0),
                p10: percent(10),
                p50: percent(50),
                p90: percent(90),
                p99: percent(99),
                max: percent(100),
            },
            worst_uplink: figures.worst_uplink.map(|uplink| uplink.excess()),
            levels: figures.levels.iter().map(Level::of).collect(),
            seed,
            random_permutations: Permutations::of(&random),
            shift_permutations: Permutations::of(&shift),
            all_to_all: Everybody { worst_share: worst, mean_share: mean },
        };
        (report, figures)
    }

    /// What the options' SL2VL lists do to the lanes of the engine.
    pub(super) fn lane_faults(&self) -> &[String] {
        &self.lane_faults
    }

    /// The report as one JSON object.
    pub(super) fn json(&self) -> String {
        // Plain fields only: serialising them cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report as a table.
    pub(super) fn text(&self) -> String {
        let mut out = String::new();
        let mut row = |name: &str, value: &str| {
            // Writing to a String cannot fail.
            let _ = writeln!(out, "{name:<28}{value}");
        };
        for (name, value) in self.rows() {
            row(name, &value);
        }
        for level in &self.levels {
            let name =
                format!("  level {} {}, {} links", level.level, level.direction, level.links);
            let value =
                format!("{} routes at most, {:.1} on average", level.max_routes, level.mean_routes);
            row(&name, &value);
        }
        out
    }

    /// The figures with their names.
    pub(super) fn rows(&self) -> Vec<(&'static str, String)> {
        let yes = |is: bool| if is { "yes" } else { "no" }.to_owned();
        let origin = match self.lids_from {
            Origin::File => "from the file",
            Origin::Assigned => "given out here",
        };
        let share = |one: f64, other: f64| format!("{one:.3} / {other:.3}");
        let per_link = &self.routes_per_link;
        let mut rows = vec![
            ("engine", self.engine.to_owned()),
            ("seconds", format!("{:.3}", self.route_seconds)),
            ("switches", self.switches.to_string()),
            ("LIDs", format!("{} ({origin})", self.lids)),
            ("all end ports connected", yes(self.all_reached)),
            (
                "credit loop",
                match self.credit_loop {
                    0 => "none".to_owned(),
                    n => format!("{n} links (`lanekeeper verify` names them)"),
                },
            ),
            ("lanes", self.lanes.to_string()),
            ("forwarding loops", self.loops.to_string()),
            ("hops, longest and mean", format!("{} / {:.2}", self.max_hops, self.mean_hops)),
            (
                "routes per link, most, mean",
                format!("{} / {:.1}", self.max_routes_per_link, self.ideal_routes_per_link),
            ),
            (
                "  median, 90 %, 99 %",
                format!("{} / {} / {}", per_link.p50, per_link.p90, per_link.p99),
            ),
        ];
        if let Some(worst) = self.worst_uplink {
            rows.push(("fullest uplink", format!("{worst:.2} times its ideal")));
        }
        let [random, shift] = [&self.random_permutations, &self.shift_permutations];
        rows.extend([
            ("share, random, worst, mean", share(random.worst_share, random.mean_share)),
            ("share, shift, worst, mean", share(shift.worst_share, shift.mean_share)),
            ("share, all to all", share(self.all_to_all.worst_share, self.all_to_all.mean_share)),
        ]);
        if let Some(moved) = self.entries_moved {
            rows.push(("entries moved", moved.to_string()));
        }
        rows
    }
}
