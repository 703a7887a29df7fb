//! Remedies: codes for figures that were written plainly, and lines of opensm.conf for qos-setup.

use std::fmt::Write as _;

use super::{NodeType, PortGroup, QosPolicy, SetupScope};
use crate::Placed;

/// The code that stands for a figure in bytes (mtu-limit) or Gb/s (rate-limit), as a half
/// sentence; nothing where there is none.
pub(super) fn code_for(keyword: &str, figure: &str) -> String {
    let figure = figure.trim_start_matches(':').split_whitespace().next().unwrap_or_default();
    let digits: String = figure.chars().take_while(char::is_ascii_digit).collect();
    let Ok(number) = digits.parse::<u64>() else { return String::new() };
    if keyword == "mtu-limit" {
        return match u16::try_from(number).ok().and_then(lk_wire::Mtu::from_bytes) {
            Some(code) => format!("; {number} bytes are code {}", code.0),
            None => String::new(),
        };
    }
    match RATES.iter().find(|(_, gbps)| *gbps == number) {
        Some((code, _)) => format!("; {number} Gb/s are code {code}"),
        None => "; codes are 2 for 2.5 Gb/s, 3 for 10, 6 for 20, 7 for 40, 16 for 100, 17 for 200"
            .to_owned(),
    }
}

/// Rate codes by their figure in Gb/s (IBA 15.2.5.16).
const RATES: [(u8, u64); 21] = [
    (5, 5),
    (3, 10),
    (11, 14),
    (6, 20),
    (15, 25),
    (19, 28),
    (4, 30),
    (7, 40),
    (20, 50),
    (12, 56),
    (8, 60),
    (9, 80),
    (16, 100),
    (13, 112),
    (10, 120),
    (14, 168),
    (17, 200),
    (18, 300),
    (21, 400),
    (23, 800),
    (24, 1200),
];

/// The lines of opensm.conf that come nearest to a scope of qos-setup.
pub(super) fn lines_for(policy: &QosPolicy, scope: &SetupScope) -> Vec<String> {
    let (group, across) = match scope {
        SetupScope::VlArb(s) => (&s.group, vec![&s.across]),
        SetupScope::Sl2vl(s) => (&s.group, vec![&s.across, &s.across_from, &s.across_to]),
    };
    let mut sets: Vec<&str> = group.iter().flat_map(|name| classes(policy, name)).collect();
    // What faces a group's ports are ports of switches.
    if across.iter().any(|names| !names.is_empty()) {
        sets.push("qos_swe_");
    }
    sets.sort_unstable();
    sets.dedup();
    if sets.contains(&"qos_") {
        sets = vec!["qos_"];
    }
    sets.iter().flat_map(|set| lines(set, scope)).collect()
}

/// The option sets for the kinds of nodes that a group names; the general one where it names
/// ports otherwise.
fn classes(policy: &QosPolicy, name: &Placed<String>) -> Vec<&'static str> {
    let group: Option<&PortGroup> = policy.group(&name.value).map(|g| &g.value);
    let types = group.map(|g| g.node_types.as_slice()).unwrap_or_default();
    let set = |t: &Placed<NodeType>| match t.value {
        NodeType::Ca => "qos_ca_",
        NodeType::Switch => "qos_swe_",
        NodeType::Router => "qos_rtr_",
        NodeType::All | NodeType::Own => "qos_",
    };
    if types.is_empty() { vec!["qos_"] } else { types.iter().map(set).collect() }
}

fn lines(set: &str, scope: &SetupScope) -> Vec<String> {
    let mut lines = Vec::new();
    match scope {
        SetupScope::VlArb(arb) => {
            for (name, list) in [("high", &arb.high), ("low", &arb.low)] {
                if !list.is_empty() {
                    lines.push(format!("{set}vlarb_{name} {}", pairs(list)));
                }
            }
            if let Some(limit) = arb.high_limit {
                lines.push(format!("{set}high_limit {limit}"));
            }
        }
        SetupScope::Sl2vl(map) => {
            let list: Vec<String> = map.table.iter().map(u8::to_string).collect();
            lines.push(format!("{set}sl2vl {}", list.join(",")));
        }
    }
    lines
}

/// `VL:WEIGHT` with commas between.
pub(super) fn pairs(list: &[(u64, u64)]) -> String {
    let mut text = String::new();
    for (at, (vl, weight)) in list.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{vl}:{weight}", if at > 0 { "," } else { "" });
    }
    text
}
