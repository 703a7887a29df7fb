//! What was found, for people and for programs.

use std::time::Instant;

use lk_routing::proof::SlSet;
use lk_routing::quality;
use lk_sm::Verdict;
use serde::Serialize;

use super::fixed::FixedSls;
use super::subject::Subject;

/// What `verify --json` prints. Fields are added, never changed.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub(super) struct Report {
    /// The engine that routed, or the folder of the dump files.
    source: String,
    /// Switches.
    switches: usize,
    /// LIDs in use.
    lids: usize,
    /// Seconds that reachability and proof took.
    proof_seconds: f64,
    /// Pairs of an end port and a LID of another one that are connected.
    routes: u64,
    /// Such pairs that are not.
    broken_routes: u64,
    /// Hops of a route on average.
    mean_hops: f64,
    /// The most routes on one link between switches.
    max_routes_per_link: u64,
    /// Whether SL2VL tables were given; else all packets are taken to share one lane.
    sl2vl_known: bool,
    /// Of a snapshot: attributes and blocks of tables that were not read, and so are not judged.
    unread: usize,
    /// LIDs that are not judged, because ways to them lead through tables that were not read.
    lids_not_judged: usize,
    /// The verdict.
    proof: Verdict,
    /// With `--fixed-sl`: that on programs which choose an SL themselves; else `null`.
    fixed_sl: Option<FixedSls>,
}

impl Report {
    /// Judges.
    pub(super) fn of(subject: &Subject, fixed: Option<SlSet>) -> Self {
        let start = Instant::now();
        let mut proof = Verdict::of(&subject.forwarding(), &subject.sl2vl, &subject.sls);
        let proof_seconds = start.elapsed().as_secs_f64();
        if let Some(dropped) = subject.unread.dropped {
            let known: Vec<u8> = dropped.iter().map(|sl| sl.0).collect();
            proof.dropped_sls.retain(|sl| known.contains(sl));
        }
        let figures = quality(&subject.fabric, &subject.lids, &subject.lfts);
        Self {
            source: subject.source.clone(),
            switches: subject.fabric.switches().len(),
            lids: subject.lids.ranges().iter().map(|(_, _, lmc)| 1 << lmc).sum(),
            proof_seconds,
            routes: figures.routes,
            broken_routes: figures.broken,
            mean_hops: figures.mean_hops(),
            max_routes_per_link: figures.max_routes_per_link(),
            sl2vl_known: !subject.sl2vl.is_one_lane(),
            unread: subject.unread.count,
            lids_not_judged: subject.unread.lids,
            proof,
            fixed_sl: fixed.map(|sls| FixedSls::of(subject, sls)),
        }
    }

    /// Whether there is nothing to complain of.
    pub(super) fn is_good(&self) -> bool {
        let fixed = self.fixed_sl.as_ref().is_none_or(|fixed| fixed.together.is_good());
        self.proof.is_good() && fixed
    }

    /// The report as one JSON object.
    pub(super) fn json(&self) -> String {
        // Plain fields only: serialising them cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// The report as text.
    pub(super) fn text(&self) -> String {
        let fixed = self.fixed_sl.as_ref().map(FixedSls::text).unwrap_or_default();
        format!(
            "{}: {} switches, {} LIDs, {} routes between end ports, {:.2} hops on average\n{}{fixed}",
            self.source,
            self.switches,
            self.lids,
            self.routes,
            self.mean_hops,
            self.proof.text(),
        )
    }
}
