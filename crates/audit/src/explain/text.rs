//! A report for a person.

use std::fmt::Write as _;

use lk_wire::VlCode;

use super::report::{Choice, Hop, Lane, Multicast, Report, Rule, Settings, SlRow, Way};
use super::words::{gigabits, lanes, list, percent, share, weights};

/// Up to so many rules that do not match are printed.
const MISSED: usize = 12;

/// The whole report.
#[must_use]
pub fn report(report: &Report) -> String {
    let mut out = String::new();
    let width = report.from.name.chars().count().max(report.to.name.chars().count());
    for (word, end) in [("from", &report.from), ("to  ", &report.to)] {
        line(&mut out, 0, &format!("{word}  {:width$}  LID {}  {}", end.name, end.lid, end.guid));
    }
    if let Some(busy) = &report.busy {
        line(&mut out, 0, &format!("busy  SL {}", list(busy)));
    }
    if let Some(set) = &report.settings {
        settings(&mut out, set);
    }
    let mut printed = Printed::default();
    out.push('\n');
    printed.way(&mut out, "There", &report.there);
    out.push('\n');
    printed.way(&mut out, "Back", &report.back);
    if report.same_links && !report.back.hops.is_empty() {
        line(&mut out, 2, "these are the same links the other way round");
    }
    if report.symmetric_sl == Some(false) {
        line(&mut out, 2, "the two ways have different SLs");
    }
    if let Some(group) = &report.multicast {
        out.push('\n');
        printed.multicast(&mut out, group);
    }
    out
}

fn line(out: &mut String, indent: usize, text: &str) {
    // Writing to a String cannot fail.
    let _ = writeln!(out, "{:indent$}{text}", "");
}

/// Whether QoS is on, and how many lanes there may be, in the order in which one has to ask.
fn settings(out: &mut String, set: &Settings) {
    let lanes = match set.lanes {
        0 => "sets no limit".to_owned(),
        1 => "1 lane".to_owned(),
        n => format!("{n} lanes"),
    };
    let (qos, from) = (if set.qos { "on" } else { "off" }, &set.qos_from);
    let (code, lanes_from) = (set.max_op_vls, &set.max_op_vls_from);
    line(
        out,
        0,
        &format!(
            "QoS   {qos} ({from}); max_op_vls {code}, {lanes} ({lanes_from}); engine {}",
            set.engine
        ),
    );
    if !set.qos {
        line(
            out,
            6,
            "nobody writes SL2VL or arbitration tables: ports have those that they came with",
        );
    }
}

/// What to try where the ports have lanes that a design asks for and that do not operate.
#[must_use]
pub fn hint(report: &Report) -> Option<String> {
    let ways = [&report.there, &report.back];
    let mut hops = ways.iter().flat_map(|way| &way.hops);
    let wanted = |hop: &&Hop| {
        let asked = hop.lane.as_ref().and_then(|lane| lane.asked.as_ref());
        asked.is_some_and(|asked| asked.folded && asked.vl < hop.lanes_supported)
    };
    let lanes = hops.find(wanted)?.lanes_supported;
    let code = (1..=5).find(|code| VlCode(*code).data_vls() >= lanes)?;
    Some(format!(
        "hint: the ports have more lanes; --what-if max_op_vls={code} shows what these would change\n"
    ))
}

/// What was printed already, so that it is not printed twice.
#[derive(Default)]
struct Printed {
    choice: Option<String>,
    /// The way, the number of the hop, and what was said of it.
    hops: Vec<(&'static str, usize, String)>,
}

impl Printed {
    fn way(&mut self, out: &mut String, name: &'static str, way: &Way) {
        line(out, 0, &format!("{name}: {}", summary(way)));
        if let Some(choice) = &way.choice {
            let text = choice_lines(choice);
            if self.choice.as_ref() == Some(&text) {
                line(out, 2, "the SL is set for the same reasons");
            } else {
                out.push_str(&text);
                self.choice.get_or_insert(text);
            }
        }
        self.hops(out, name, &way.hops);
        if !way.by_sl.is_empty() {
            by_sl(out, &way.by_sl);
        }
        if let Some(why) = &way.broken {
            line(out, 2, &format!("the way ends here: {why}"));
        }
    }

    fn hops(&mut self, out: &mut String, name: &'static str, hops: &[Hop]) {
        for (at, hop) in hops.iter().enumerate() {
            line(out, 0, &format!("{:>3}  {} -> {}", at + 1, hop.from, hop.to));
            let text = hop_lines(hop);
            match self.hops.iter().find(|(_, _, earlier)| *earlier == text) {
                Some((way, like, _)) if *way == name => line(out, 5, &format!("as hop {like}")),
                Some((way, like, _)) => {
                    line(out, 5, &format!("as hop {like} {}", way.to_lowercase()));
                }
                None => {
                    out.push_str(&text);
                    self.hops.push((name, at + 1, text));
                }
            }
        }
    }

    fn multicast(&mut self, out: &mut String, group: &Multicast) {
        let name = group.mgid.clone().unwrap_or_else(|| "the group".to_owned());
        let lid = match group.mlid {
            0 => String::new(),
            mlid => format!(", LID {mlid:#06x}"),
        };
        let sl = group.sl.map_or_else(String::new, |sl| format!(", SL {sl}"));
        let pkey = group.pkey.as_ref().map_or_else(String::new, |key| format!(", P_Key {key}"));
        let mtu = group.mtu.map_or_else(String::new, |mtu| format!(", MTU {mtu}"));
        let rate = group.rate.as_ref().map_or_else(String::new, |rate| format!(", {rate}"));
        line(out, 0, &format!("Multicast: {name}{lid}{pkey}{sl}{mtu}{rate}"));
        match &group.broken {
            Some(why) => line(out, 2, &format!("no way: {why}")),
            None => self.hops(out, "Multicast", &group.hops),
        }
    }
}

/// The answer in one line.
pub(crate) fn summary(way: &Way) -> String {
    if let Some(why) = &way.no_path {
        return format!("no path, for {why}");
    }
    if let Some(why) = &way.broken {
        return format!("no way, for {why}");
    }
    let Some(sl) = way.choice.as_ref().and_then(|choice| choice.sl) else {
        return "the SL is not known: without --sl or the site's options, all of them".to_owned();
    };
    let mut vls: Vec<u8> = way.hops.iter().filter_map(|h| Some(h.lane.as_ref()?.vl)).collect();
    vls.dedup();
    let dropped = way
        .hops
        .iter()
        .position(|hop| hop.lane.as_ref().is_some_and(|lane| lane.dropped.is_some()));
    if let Some(at) = dropped {
        return format!("SL {sl}; packets are dropped at hop {}", at + 1);
    }
    let lane = match vls.as_slice() {
        [] => String::new(),
        [one] => format!(", VL {one}"),
        several => format!(", VL {} in turn", list(several)),
    };
    let narrow = way.bottleneck.as_ref().map_or_else(String::new, |narrow| {
        let hops = match narrow.last == narrow.hop {
            true => format!("hop {}", narrow.hop),
            false => format!("hops {} to {}", narrow.hop, narrow.last),
        };
        let much = format!("{} of the link", percent(narrow.share));
        format!("; narrowest at {hops}: {}, {much}, is guaranteed", gigabits(narrow.gigabits))
    });
    format!("SL {sl}{lane}{narrow}")
}

/// Who set the SL and why, in lines.
pub(crate) fn choice_lines(choice: &Choice) -> String {
    let mut text = String::new();
    let out = &mut text;
    line(out, 2, &format!("the SL is set by {}", choice.set_by));
    for overrode in &choice.overrode {
        line(out, 4, overrode);
    }
    rule_lines(out, choice);
    if let Some(partition) = &choice.partition {
        let name = partition.name.as_ref().map_or_else(String::new, |name| format!("`{name}` "));
        let sl = partition.sl.map_or_else(String::new, |sl| format!("; its SL is {sl}"));
        let member = |how: &str| match how {
            "full" => "full member",
            "limited" => "limited member",
            "both" => "full and limited member",
            _ => "no member",
        };
        let (source, destination) = (member(partition.source), member(partition.destination));
        let ends = format!("source {source}, destination {destination}");
        line(out, 2, &format!("partition {name}({}): {ends}{sl}", partition.pkey));
        if !partition.others.is_empty() {
            line(out, 4, &format!("they also share {}", list(&partition.others)));
        }
    }
    if let Some(path) = &choice.path {
        let back = if path.reversible { "reversible" } else { "not reversible" };
        let what = format!("SL {}, MTU {}, {}, P_Key {}", path.sl, path.mtu, path.rate, path.pkey);
        line(out, 2, &format!("path: {what}, life time code {}, {back}", path.life));
    }
    text
}

fn rule_lines(out: &mut String, choice: &Choice) {
    if !choice.has_policy {
        return;
    }
    let place = |rule: &Rule| {
        let used = rule.used_for.as_ref().map_or_else(String::new, |used| format!(", `{used}`"));
        format!("({}:{}{used})", rule.file, rule.line)
    };
    if let Some(rule) = &choice.rule {
        line(out, 2, &format!("rule {} of the policy matches {}", rule.number, place(rule)));
    } else {
        line(out, 2, "no rule of the policy matches, so its level DEFAULT counts");
    }
    if let Some(level) = &choice.level {
        let mut limits = Vec::new();
        limits.extend(level.mtu_limit.map(|mtu| format!("MTU up to {mtu}")));
        limits.extend(level.rate_limit.as_ref().map(|rate| format!("rate up to {rate}")));
        limits.extend(level.packet_life.map(|life| format!("life time code {life}")));
        if !level.pkeys.is_empty() {
            limits.push(format!("only in partition {}", list(&level.pkeys)));
        }
        let limits = if limits.is_empty() { "no limits".to_owned() } else { limits.join(", ") };
        let (name, file, at) = (&level.name, &level.file, level.line);
        line(out, 4, &format!("level `{name}` ({file}:{at}): SL {}, {limits}", level.sl));
    }
    for rule in choice.missed.iter().take(MISSED) {
        let why = rule.missed.as_deref().unwrap_or_default();
        line(out, 4, &format!("rule {} does not {}: {why}", rule.number, place(rule)));
    }
    if choice.missed.len() > MISSED {
        let left = choice.missed.len() - MISSED;
        line(out, 4, &format!("{left} more do not; --json has all of them"));
    }
}

/// What there is to say of a link, in lines.
pub(crate) fn hop_lines(hop: &Hop) -> String {
    let mut out = String::new();
    let rate =
        if hop.gigabits > 0.0 { gigabits(hop.gigabits) } else { "rate not known".to_owned() };
    let link = format!("{}, {rate} of data, MTU {}; {}", hop.link, hop.mtu, lanes(hop));
    line(&mut out, 5, &link);
    if let Some(lane) = &hop.lane {
        lane_lines(&mut out, lane);
    }
    match hop.copies {
        0 => {}
        1 => line(&mut out, 5, "one more copy leaves by another port"),
        n => line(&mut out, 5, &format!("{n} more copies leave by other ports")),
    }
    for note in &hop.notes {
        line(&mut out, 5, note);
    }
    out
}

fn lane_lines(out: &mut String, lane: &Lane) {
    line(out, 5, &format!("SL {} -> VL {}", lane.sl, lane.vl));
    if let Some(asked) = &lane.asked {
        line(out, 7, &format!("VL {} was asked for ({}): {}", asked.vl, asked.option, asked.why));
    }
    if let Some(why) = &lane.dropped {
        line(out, 7, why);
        return;
    }
    if !lane.shared_with.is_empty() {
        let mut text = format!("SL {} on the same lane", list(&lane.shared_with));
        if lane.meant_apart == lane.shared_with {
            text.push_str(", though the design keeps them apart");
        } else if !lane.meant_apart.is_empty() {
            text.push_str(&format!(
                "; the design keeps SL {} apart from it",
                list(&lane.meant_apart)
            ));
        }
        line(out, 7, &text);
    }
    if let (Some(limit), Some(share)) = (&lane.high_limit, &lane.share) {
        line(out, 5, &format!("weight in the high table: {}", weights(&lane.high, share.packet)));
        line(out, 5, &format!("weight in the low table: {}", weights(&lane.low, share.packet)));
        line(out, 5, &format!("high limit {limit}"));
    } else if lane.share.is_some() {
        line(out, 5, "one lane operates: there is nothing to arbitrate");
    }
    for text in share(lane).into_iter().flatten() {
        line(out, 5, &text);
    }
}

fn by_sl(out: &mut String, rows: &[SlRow]) {
    let hops = rows.first().map_or(0, |row| row.vls.len());
    let heads: Vec<String> = (1..=hops).map(|hop| format!("hop {hop:<2}")).collect();
    line(out, 2, &format!("SL  {}  guaranteed", heads.join("  ")));
    for row in rows {
        let cell = |vl: &Option<u8>| match vl {
            None => "?".to_owned(),
            Some(15) => "drop".to_owned(),
            Some(vl) => format!("VL {vl}"),
        };
        let cells: Vec<String> = row.vls.iter().map(|vl| format!("{:6}", cell(vl))).collect();
        let least = row.guaranteed.map_or_else(|| "?".to_owned(), percent);
        line(out, 2, &format!("{:>2}  {}  {least}", row.sl, cells.join("  ")));
    }
}
