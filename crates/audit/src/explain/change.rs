//! The difference of two reports: what another option would change.

use serde::Serialize;

use super::report::{Choice, Hop, Report, Way};
use super::words::{gigabits, lanes, list, percent, ranges, wait, weights};

/// One thing that a report says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Fact {
    /// `there` or `back`.
    way: &'static str,
    /// The number of the hop; 0: the whole way.
    hop: usize,
    what: &'static str,
    value: String,
}

/// Something that would be different.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Change {
    /// `there`, `back`, `there and back` or `multicast`.
    pub way: &'static str,
    /// The numbers of the hops, from 1; none: the whole way.
    pub hops: Vec<usize>,
    /// What.
    pub what: &'static str,
    /// What it is now; `-` where there is nothing of the kind.
    pub before: String,
    /// What it would be.
    pub after: String,
}

/// What another option would do.
#[derive(Clone, PartialEq, Eq, Serialize, Debug)]
pub struct Changes {
    /// What would be different.
    pub changes: Vec<Change>,
    /// What would nowhere be.
    pub unchanged: Vec<&'static str>,
}

/// Compares what is with what would be.
#[must_use]
pub fn changes(before: &Report, after: &Report) -> Changes {
    let (was, is) = (facts(before), facts(after));
    let value = |facts: &[Fact], like: &Fact| {
        let same = |f: &&Fact| (f.way, f.hop, f.what) == (like.way, like.hop, like.what);
        facts.iter().find(same).map_or_else(|| "-".to_owned(), |fact| fact.value.clone())
    };
    let mut changes: Vec<Change> = Vec::new();
    let mut unchanged: Vec<&'static str> = Vec::new();
    let new = is.iter().filter(|fact| value(&was, fact) == "-");
    for fact in was.iter().chain(new) {
        let (before, after) = (value(&was, fact), value(&is, fact));
        if before == after {
            unchanged.push(fact.what);
            continue;
        }
        let alike = |c: &&mut Change| {
            (c.way, c.what) == (fact.way, fact.what) && c.before == before && c.after == after
        };
        match changes.iter_mut().find(alike) {
            Some(change) => change.hops.push(fact.hop),
            None => changes.push(Change {
                way: fact.way,
                hops: Some(fact.hop).filter(|hop| *hop > 0).into_iter().collect(),
                what: fact.what,
                before,
                after,
            }),
        }
    }
    let changes = both_ways(changes);
    unchanged.retain(|what| !changes.iter().any(|change| change.what == *what));
    let mut seen = Vec::new();
    unchanged.retain(|what| {
        !seen.contains(what) && {
            seen.push(what);
            true
        }
    });
    Changes { changes, unchanged }
}

/// Joins what changes alike in both directions.
fn both_ways(changes: Vec<Change>) -> Vec<Change> {
    let mut joined: Vec<Change> = Vec::new();
    for change in changes {
        let alike = |earlier: &&mut Change| {
            let of = |c: &Change| (c.hops.clone(), c.what, c.before.clone(), c.after.clone());
            earlier.way == "there" && change.way == "back" && of(earlier) == of(&change)
        };
        match joined.iter_mut().find(alike) {
            Some(earlier) => earlier.way = "there and back",
            None => joined.push(change),
        }
    }
    joined
}

/// The changes for a person; `options` are those that were taken to be set.
#[must_use]
pub fn text(changes: &Changes, options: &[String]) -> String {
    let mut out = format!("With {}:\n", options.join(", "));
    if changes.changes.is_empty() {
        out.push_str("  nothing of this changes\n");
        return out;
    }
    for change in &changes.changes {
        let hops = match change.hops.as_slice() {
            [] => String::new(),
            [one] => format!(", hop {one}"),
            several => format!(", hops {}", ranges(several)),
        };
        out.push_str(&format!(
            "  {}{hops}: {}: {} => {}\n",
            change.way, change.what, change.before, change.after
        ));
    }
    if !changes.unchanged.is_empty() {
        out.push_str(&format!("  unchanged: {}\n", list(&changes.unchanged)));
    }
    out
}

fn facts(report: &Report) -> Vec<Fact> {
    let mut facts = Vec::new();
    for (name, way) in [("there", &report.there), ("back", &report.back)] {
        let mut add = |what, value: Option<String>| {
            facts.extend(value.map(|value| Fact { way: name, hop: 0, what, value }));
        };
        way_facts(way, &mut add);
        hop_facts(&mut facts, name, &way.hops);
    }
    if let Some(group) = &report.multicast {
        let mut add = |what, value: Option<String>| {
            facts.extend(value.map(|value| Fact { way: "multicast", hop: 0, what, value }));
        };
        add("SL", group.sl.map(|sl| sl.to_string()));
        add("MTU", group.mtu.map(|mtu| mtu.to_string()));
        add("rate", group.rate.clone());
        add("why there is no way", group.broken.clone());
        hop_facts(&mut facts, "multicast", &group.hops);
    }
    facts
}

fn way_facts(way: &Way, add: &mut dyn FnMut(&'static str, Option<String>)) {
    add("why there is no path", way.no_path.clone());
    add("why there is no way", way.broken.clone());
    let choice = way.choice.as_ref();
    let of = |value: &dyn Fn(&Choice) -> Option<String>| choice.and_then(value);
    add("SL", of(&|c| c.sl.map(|sl| sl.to_string())));
    add("who sets the SL", of(&|c| Some(c.set_by.clone())));
    add("rule", of(&|c| c.rule.as_ref().map(|rule| format!("{}:{}", rule.file, rule.line))));
    add("level", of(&|c| c.level.as_ref().map(|level| level.name.clone())));
    add("partition", of(&|c| c.partition.as_ref().map(|p| p.pkey.clone())));
    add("MTU", of(&|c| c.path.as_ref().map(|path| path.mtu.to_string())));
    add("rate", of(&|c| c.path.as_ref().map(|path| path.rate.clone())));
    add("links", Some(way.hops.len().to_string()));
    let narrow = way.bottleneck.as_ref();
    add("narrowest", narrow.map(|n| format!("{} at hop {}", gigabits(n.gigabits), n.hop)));
}

fn hop_facts(facts: &mut Vec<Fact>, way: &'static str, hops: &[Hop]) {
    for (at, hop) in hops.iter().enumerate() {
        let mut add = |what, value: Option<String>| {
            facts.extend(value.map(|value| Fact { way, hop: at + 1, what, value }));
        };
        add("link", Some(format!("{} -> {}", hop.from, hop.to)));
        add("rate of the link", Some(hop.link.clone()));
        add("MTU of the link", Some(hop.mtu.to_string()));
        add("lanes", Some(lanes(hop)));
        let Some(lane) = &hop.lane else { continue };
        add("VL", Some(lane.vl.to_string()));
        add("dropped", lane.dropped.clone());
        add("SLs on the same lane", Some(list(&lane.shared_with)));
        add("high limit", lane.high_limit.clone());
        let Some(share) = &lane.share else { continue };
        add("weight, high", Some(weights(&lane.high, share.packet)));
        add("weight, low", Some(weights(&lane.low, share.packet)));
        add("guaranteed share", Some(percent(share.guaranteed)));
        add("share beside --busy", share.busy.map(percent));
        add("share alone", Some(percent(share.alone)));
        let waits = share.wait_bytes.map(|bytes| wait(bytes, share.wait_microseconds));
        add("longest wait", Some(waits.unwrap_or_else(|| "for ever".to_owned())));
    }
}
