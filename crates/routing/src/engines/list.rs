//! The list of engines that `routing_engine` (or `-R`) gives, and how it is worked off.

use super::{ENGINES, NVIDIA_ONLY};
use crate::job::{Decline, Engine, RouteJob, Routes};
use crate::keep::{Kept, keep};

/// A name in the list that no engine has.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UnknownEngine {
    /// The name as it was written.
    pub name: String,
    /// The name that was probably meant.
    pub nearest: Option<&'static str>,
}

impl std::fmt::Display for UnknownEngine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "there is no routing engine `{}`", self.name)?;
        match self.nearest {
            Some(name) => write!(f, "; did you mean `{name}`?"),
            None => write!(f, "; this version has {}", names()),
        }
    }
}

/// What came of a list of engines.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Outcome {
    /// The routes; none where all engines declined and minhop may not stand in for them: because of
    /// `no_fallback`, or of a name that no engine has.
    pub routes: Option<Routes>,
    /// What became of the entries that stood; none where none did.
    pub kept: Option<Kept>,
    /// The engines that were tried and declined, in the order of the list.
    pub declined: Vec<Decline>,
    /// Names that no engine has. They are errors of the list and are skipped.
    pub unknown: Vec<UnknownEngine>,
    /// Whether minhop routed although the list does not name it: all that it names declined.
    pub fell_back: bool,
}

/// The engine with this name. Names are case-sensitive, as in OpenSM.
#[must_use]
pub fn find(name: &str) -> Option<&'static dyn Engine> {
    ENGINES.iter().copied().find(|e| e.name() == name)
}

/// Routes a fabric by the first engine of a list that takes it, and keeps what stands where it may.
///
/// The list is split at commas and white space. An unknown name is skipped, but minhop does not
/// stand in for it: whoever misspells an engine does not want another one. An empty list (also
/// `none`, `null` and `(null)`) means minhop, and so does a list of known engines that all decline,
/// unless `no_fallback` stands in it.
#[must_use]
pub fn route(list: &str, job: &RouteJob<'_>) -> Outcome {
    // Within the pool of threads, so that work is not handed over to it piece by piece.
    rayon::scope(|_| {
        let mut outcome = afresh(list, job);
        if let Some(routes) = outcome.routes.take() {
            let (routes, kept) = keep(job, routes);
            (outcome.routes, outcome.kept) = (Some(routes), kept);
        }
        outcome
    })
}

/// The name that stands first in a list; minhop where none does.
pub(crate) fn first_named(list: &str) -> &str {
    let names = list.split([',', ' ', '\t', '\r', '\n']).filter(|name| !name.is_empty());
    let mut named = names.filter(|n| !matches!(*n, "no_fallback" | "none" | "null" | "(null)"));
    named.next().unwrap_or("minhop")
}

/// Routes without regard to what stands.
fn afresh(list: &str, job: &RouteJob<'_>) -> Outcome {
    let mut outcome = Outcome::default();
    let mut fallback = true;
    let mut named = false;
    let mut left = Vec::new();
    for name in list.split([',', ' ', '\t', '\r', '\n']).filter(|n| !n.is_empty()) {
        match name {
            "no_fallback" => fallback = false,
            "none" | "null" | "(null)" => {}
            _ => left.push(name),
        }
    }
    for name in left {
        match plan(name, job) {
            Some(Ok(routes)) => {
                outcome.routes = Some(routes);
                return outcome;
            }
            Some(Err(decline)) => {
                named = true;
                outcome.declined.push(decline);
            }
            None => {
                let nearest = nearest(name);
                outcome.unknown.push(UnknownEngine { name: name.to_owned(), nearest });
            }
        }
    }
    if (named && !fallback) || !outcome.unknown.is_empty() {
        return outcome;
    }
    match attempt(&super::MinHop, job) {
        Ok(routes) => {
            outcome.fell_back = named;
            outcome.routes = Some(routes);
        }
        Err(decline) if outcome.declined.contains(&decline) => {}
        Err(decline) => outcome.declined.push(decline),
    }
    outcome
}

/// What an engine says to the job, if its routes have not been refused before.
pub(super) fn attempt(engine: &dyn Engine, job: &RouteJob<'_>) -> Result<Routes, Decline> {
    let refused = job.options.refused.iter().find(|refused| refused.engine == engine.name());
    refused.map_or_else(|| engine.plan(job), |refused| Err(refused.clone()))
}

/// What the engine of this name says to the job; `None` for an unknown name.
fn plan(name: &str, job: &RouteJob<'_>) -> Option<Result<Routes, Decline>> {
    if let Some(engine) = find(name) {
        return Some(attempt(engine, job));
    }
    let by_name = |n: &&&'static str| **n == name;
    let engine = NVIDIA_ONLY.iter().find(by_name)?;
    let reason =
        format!("only NVIDIA's subnet manager has this engine; this version has {}", names());
    Some(Err(Decline { engine, reason }))
}

/// The names of all engines, for a sentence.
fn names() -> String {
    let names: Vec<&str> = ENGINES.iter().map(|e| e.name()).collect();
    match names.split_last() {
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// The known name nearest to a wrong one, if one is near enough.
fn nearest(name: &str) -> Option<&'static str> {
    let known = ENGINES.iter().map(|e| e.name());
    lk_diag::nearest(name, known.chain(["no_fallback"]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_found_whatever_the_case() {
        assert_eq!(nearest("torus2qos"), Some("torus-2QoS"));
        assert_eq!(nearest("min-hop"), Some("minhop"));
        assert_eq!(nearest("UPDN"), Some("updn"));
        assert_eq!(nearest("no-fallback"), Some("no_fallback"));
        assert_eq!(nearest("spanning-tree"), None);
    }
}
