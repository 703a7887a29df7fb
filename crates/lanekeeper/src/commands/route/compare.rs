//! Several engines side by side.

use std::fmt::Write as _;

use lk_fabric::Fabric;
use lk_routing::{Quality, RouteJob};
use serde::Serialize;

use super::lids::Numbered;
use super::report::Report;
use super::request::Request;
use super::{Asked, Routed, timed};
use crate::failure::Failure;

/// What `route --compare --json` prints. Fields are added, never changed.
#[derive(Debug, Serialize)]
pub(super) struct Comparison {
    /// The engines that route, in the order in which they were named.
    engines: Vec<Report>,
    /// Those that do not, and why.
    declined: Vec<Declined>,
}

/// An engine that does not route.
#[derive(Debug, Serialize)]
struct Declined {
    engine: String,
    reason: String,
}

impl Comparison {
    /// Routes by each of the engines. The second value holds the figures that pictures need.
    ///
    /// # Errors
    /// A name that no engine has.
    pub(super) fn of(
        fabric: &Fabric,
        lids: &Numbered,
        names: &[String],
        request: &Request,
        asked: &Asked<'_>,
    ) -> Result<(Self, Vec<(String, Quality)>), Failure> {
        let mut comparison = Self { engines: Vec::new(), declined: Vec::new() };
        let mut figures = Vec::new();
        for name in names {
            let previous = asked.previous.filter(|_| asked.keep);
            let options = &request.settings.routing;
            let job = RouteJob { fabric, lids: &lids.map, options, previous };
            let (mut outcome, seconds) =
                timed(&format!("{name},no_fallback"), &job, &request.settings);
            if let Some(unknown) = outcome.unknown.first() {
                return Err(Failure::Unusable(anyhow::anyhow!("--compare: {unknown}")));
            }
            let Some(routes) = outcome.routes.take() else {
                for declined in outcome.declined {
                    let engine = declined.engine.to_owned();
                    comparison.declined.push(Declined { engine, reason: declined.reason });
                }
                continue;
            };
            let moved = asked.moved(&routes.lfts);
            let routed = Routed { routes, seconds, asked: name.clone(), outcome };
            let (report, quality) = Report::of(fabric, lids, &routed, moved, request);
            figures.push((name.clone(), quality));
            comparison.engines.push(report);
        }
        Ok((comparison, figures))
    }

    /// Whether any engine routes.
    pub(super) const fn is_empty(&self) -> bool {
        self.engines.is_empty()
    }

    /// As one JSON object.
    pub(super) fn json(&self) -> String {
        // Plain fields only: serialising them cannot fail.
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// As a table, a column for each engine.
    pub(super) fn text(&self) -> String {
        let columns: Vec<Vec<(&'static str, String)>> =
            self.engines.iter().map(Report::rows).collect();
        let mut names: Vec<&'static str> = Vec::new();
        for (name, _) in columns.iter().flatten() {
            if !names.contains(name) {
                names.push(name);
            }
        }
        let mut out = String::new();
        for name in names {
            let _ = write!(out, "{name:<28}");
            for column in &columns {
                let value = column.iter().find(|(n, _)| *n == name);
                let value = value.map_or("-", |(_, value)| value.as_str());
                let _ = write!(out, " {value:>18}");
            }
            out.push('\n');
        }
        for Declined { engine, reason } in &self.declined {
            let _ = writeln!(out, "{engine} does not route this fabric: {reason}");
        }
        out
    }
}
