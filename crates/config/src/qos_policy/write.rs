//! From the model to text.

use std::fmt::{self, Write};

use super::advice::pairs;
use super::{
    MatchRule, NodeType, PortGroup, QosLevel, QosPolicy, Range, Ranges, SetupScope, Sl2vlScope,
    UlpRule, VlArbScope,
};
use crate::Placed;

/// Writes a qos-policy.conf. [`super::parse`] reads the same model back, unless the model was
/// refused. Texts must not hold double quotes, descriptions neither `#` nor line feeds, which
/// none that was read does.
#[must_use]
pub fn write(policy: &QosPolicy) -> String {
    let mut out = String::new();
    // Writing to a String cannot fail.
    let _ = sections(policy, &mut out);
    out
}

fn sections(policy: &QosPolicy, out: &mut String) -> fmt::Result {
    section(out, "port-groups", &policy.groups, group)?;
    if !policy.setup.is_empty() {
        out.push_str("qos-setup\n");
        // Each scope in tables of its own keeps the order.
        for scope in &policy.setup {
            match &scope.value {
                SetupScope::VlArb(s) => vlarb(out, s)?,
                SetupScope::Sl2vl(s) => sl2vl(out, s)?,
            }
        }
        out.push_str("end-qos-setup\n");
    }
    section(out, "qos-levels", &policy.levels, level)?;
    section(out, "qos-match-rules", &policy.rules, rule)?;
    section(out, "qos-ulps", &policy.ulps, ulp)
}

fn section<T>(
    out: &mut String,
    name: &str,
    list: &[Placed<T>],
    item: impl Fn(&mut String, &T) -> fmt::Result,
) -> fmt::Result {
    if list.is_empty() {
        return Ok(());
    }
    writeln!(out, "{name}")?;
    for entry in list {
        item(out, &entry.value)?;
    }
    writeln!(out, "end-{name}")
}

fn group(out: &mut String, group: &PortGroup) -> fmt::Result {
    out.push_str("  port-group\n");
    text(out, "name", &group.name.value)?;
    usage(out, group.usage.as_ref())?;
    ranges(out, "port-guid", &group.guids)?;
    for name in &group.port_names {
        text(out, "port-name", &format!("{}/P{}", name.value.node, name.value.port))?;
    }
    ranges(out, "pkey", &group.pkeys)?;
    texts(out, "partition", &group.partitions)?;
    for kind in &group.node_types {
        let word = NodeType::WORDS.iter().find(|w| w.0 == kind.value).map_or("", |w| w.1);
        writeln!(out, "    node-type: {word}")?;
    }
    out.write_str("  end-port-group\n")
}

fn level(out: &mut String, level: &QosLevel) -> fmt::Result {
    out.push_str("  qos-level\n");
    text(out, "name", &level.name.value)?;
    usage(out, level.usage.as_ref())?;
    writeln!(out, "    sl: {}", level.sl.value)?;
    let numbers = [
        ("mtu-limit", level.mtu_limit),
        ("rate-limit", level.rate_limit),
        ("packet-life", level.packet_life),
    ];
    for (name, number) in numbers {
        if let Some(number) = number {
            writeln!(out, "    {name}: {}", number.value)?;
        }
    }
    ranges(out, "path-bits", &level.path_bits)?;
    ranges(out, "pkey", &level.pkeys)?;
    out.write_str("  end-qos-level\n")
}

fn rule(out: &mut String, rule: &MatchRule) -> fmt::Result {
    out.push_str("  qos-match-rule\n");
    usage(out, rule.usage.as_ref())?;
    texts(out, "source", &rule.source)?;
    texts(out, "destination", &rule.destination)?;
    ranges(out, "qos-class", &rule.qos_class)?;
    ranges(out, "service-id", &rule.service_id)?;
    ranges(out, "pkey", &rule.pkeys)?;
    text(out, "qos-level-name", &rule.level.value)?;
    out.write_str("  end-qos-match-rule\n")
}

fn ulp(out: &mut String, ulp: &UlpRule) -> fmt::Result {
    let (name, word) = ulp.kind.form();
    match word {
        "" => write!(out, "  {name}")?,
        word => write!(out, "  {name}, {word} {}", list(&ulp.values))?,
    }
    writeln!(out, " : {}", ulp.sl.value)
}

fn vlarb(out: &mut String, scope: &VlArbScope) -> fmt::Result {
    out.push_str("  vlarb-tables vlarb-scope\n");
    texts(out, "group", &scope.group)?;
    texts(out, "across", &scope.across)?;
    for (name, list) in [("vlarb-high", &scope.high), ("vlarb-low", &scope.low)] {
        if !list.is_empty() {
            writeln!(out, "    {name}: {}", pairs(list))?;
        }
    }
    if let Some(limit) = scope.high_limit {
        writeln!(out, "    vl-high-limit: {limit}")?;
    }
    out.write_str("  end-vlarb-scope end-vlarb-tables\n")
}

fn sl2vl(out: &mut String, scope: &Sl2vlScope) -> fmt::Result {
    out.push_str("  sl2vl-tables sl2vl-scope\n");
    texts(out, "group", &scope.group)?;
    texts(out, "across", &scope.across)?;
    texts(out, "across-from", &scope.across_from)?;
    texts(out, "across-to", &scope.across_to)?;
    for (name, ports) in [("from", &scope.from), ("to", &scope.to)] {
        if let Some(ports) = ports {
            ranges(out, name, ports)?;
        }
    }
    let table: Vec<String> = scope.table.iter().map(u8::to_string).collect();
    writeln!(out, "    sl2vl-table: {}", table.join(","))?;
    out.write_str("  end-sl2vl-scope end-sl2vl-tables\n")
}

fn usage(out: &mut String, usage: Option<&Placed<String>>) -> fmt::Result {
    match usage {
        Some(usage) => writeln!(out, "    use: {}", usage.value),
        None => Ok(()),
    }
}

fn text(out: &mut String, name: &str, value: &str) -> fmt::Result {
    writeln!(out, "    {name}: \"{value}\"")
}

fn texts(out: &mut String, name: &str, values: &[Placed<String>]) -> fmt::Result {
    values.iter().try_for_each(|value| text(out, name, &value.value))
}

fn ranges(out: &mut String, name: &str, ranges: &Ranges) -> fmt::Result {
    match ranges.is_empty() {
        true => Ok(()),
        false => writeln!(out, "    {name}: {}", list(ranges)),
    }
}

fn list(ranges: &Ranges) -> String {
    let ranges: Vec<String> = ranges.iter().map(|r| Range::to_string(&r.value)).collect();
    ranges.join(", ")
}
