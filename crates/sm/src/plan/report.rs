//! A plan for people and programs: what would change, where and why, like changes together.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use lk_fabric::{PortId, SwitchId};
use lk_wire::{
    Field, MlnxExtPortInfo, Mtu, PortInfo, SlToVlTable, SwitchInfo, VlArbTable, VlCode, get_bits,
};
use serde::Serialize;

use super::counts::{count, entries};
use super::{Plan, TableRun, Writing, may_write_unread};
use crate::counts::Counts;
use crate::decide::Desired;
use crate::event::Event;
use crate::observe::{Observed, Table, settled};
use crate::verdict::Verdict;

/// One kind of change and the places where it happens.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Change {
    /// What changes, as `field before -> after`.
    pub change: String,
    /// How many SMPs it takes.
    pub writes: usize,
    /// The ports or switches concerned.
    pub places: Vec<String>,
}

/// Changes of one group.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Group {
    /// A stable name for programs.
    pub name: &'static str,
    /// The group in words, and why such changes are made.
    pub title: &'static str,
    /// The changes, those with most places first.
    pub changes: Vec<Change>,
}

/// All that a plan would change. The JSON form of this is stable.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Report {
    /// Numbers of changes.
    pub counts: Counts,
    /// Groups that are not empty.
    pub groups: Vec<Group>,
    /// Which engine routes, and why not another.
    pub routing: Routing,
    /// Whether the routes that are wanted reach everything and cannot deadlock.
    pub proof: Option<Verdict>,
    /// How tables change under traffic; `null` if none changes that packets go by.
    pub writing: Option<Writing>,
}

/// How the engine was found.
#[derive(Clone, PartialEq, Eq, Default, Debug, Serialize)]
pub struct Routing {
    /// The engine that was asked for first; `None` where none routes.
    pub asked: Option<String>,
    /// The engine that routes.
    pub engine: Option<&'static str>,
    /// The engines that do not, and names that no engine has.
    pub declined: Vec<Declined>,
    /// What the engine wants known.
    pub notes: Vec<String>,
    /// What SL2VL tables do to the lanes by which the engine keeps packets apart.
    pub lane_faults: Vec<String>,
}

/// An engine that does not route.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Declined {
    /// Its name.
    pub engine: String,
    /// Why, with the switches or links at fault.
    pub reason: String,
}

impl Routing {
    fn of(events: &[Event]) -> Self {
        let mut routing = Self::default();
        for event in events {
            match event {
                Event::EngineDeclined { engine, reason } => {
                    let (engine, reason) = (engine.clone(), reason.clone());
                    routing.declined.push(Declined { engine, reason });
                }
                Event::Routed { engine, asked, notes } => {
                    routing.engine = Some(engine);
                    routing.asked = Some(asked.clone());
                    routing.notes.clone_from(notes);
                }
                Event::LaneFault { text, .. } => routing.lane_faults.push(text.clone()),
                _ => {}
            }
        }
        routing
    }
}

/// How many places the text names before it says "and so many more".
const SHOWN: usize = 3;

impl Report {
    /// Describes a plan.
    #[must_use]
    pub fn of(plan: &Plan, seen: &Observed, desired: &Desired) -> Self {
        let context = Context { plan, seen, desired };
        let groups = [
            ("lids", "LIDs: ports that get another LID", context.lids()),
            (
                "bounces",
                "Links that go down and come back: MTU and OperVLs take effect no other way",
                context.bounces(),
            ),
            ("sl2vl", "SL2VL tables", context.sl2vl()),
            ("vlarb", "VL arbitration tables", context.tables(|t| matches!(t, Table::VlArb(_)))),
            ("pkeys", "P_Key tables", context.tables(|t| matches!(t, Table::PKeys(_)))),
            ("lfts", "Forwarding tables", context.forwarding()),
            ("mfts", "Multicast forwarding tables", context.multicast()),
            ("ports", "PortInfo", context.ports()),
            (
                "fdr10",
                "FDR10 in MlnxExtPortInfo: counts when a link next comes up",
                context.fdr10(),
            ),
            ("switches", "SwitchInfo", context.switches()),
            ("states", "Links that come up", context.states()),
        ];
        let groups = groups
            .into_iter()
            .filter(|(_, _, changes)| !changes.is_empty())
            .map(|(name, title, changes)| Group { name, title, changes })
            .collect();
        let counts = count(plan, seen, desired);
        let routing = Routing::of(&desired.events);
        let writing = Writing::of(&plan.order);
        Self { counts, groups, routing, proof: desired.verdict.clone(), writing }
    }

    /// The report as text. `all`: every place is named, not only the first few.
    #[must_use]
    pub fn text(&self, all: bool) -> String {
        let mut out = String::new();
        for group in &self.groups {
            let _ = writeln!(out, "{}", group.title);
            for c in &group.changes {
                let _ = writeln!(out, "  {} [{}]", c.change, counted(c.places.len(), "place"));
                let shown = if all { c.places.len() } else { SHOWN.min(c.places.len()) };
                for place in &c.places[..shown] {
                    let _ = writeln!(out, "      {place}");
                }
                if shown < c.places.len() {
                    let _ = writeln!(out, "      and {} more", c.places.len() - shown);
                }
            }
            out.push('\n');
        }
        if let Some(verdict) = &self.proof {
            let _ = writeln!(out, "The routes that are wanted");
            let faults = self.routing.lane_faults.iter().map(String::as_str);
            let text = verdict.text();
            for line in text.lines().chain(faults) {
                let _ = writeln!(out, "  {line}");
            }
            out.push('\n');
        }
        if let Some(writing) = &self.writing {
            let _ = writeln!(out, "On the way there\n  {writing}\n");
        }
        let _ = if self.groups.is_empty() {
            writeln!(out, "Nothing would change.")
        } else {
            writeln!(out, "To change: {}.", self.counts)
        };
        out
    }
}

fn counted(n: usize, what: &str) -> String {
    if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") }
}

#[derive(Default)]
struct Collector(BTreeMap<String, Change>);

impl Collector {
    fn add(&mut self, change: String, place: String, writes: usize) {
        let entry = self.0.entry(change).or_insert_with_key(|c| Change {
            change: c.clone(),
            writes: 0,
            places: Vec::new(),
        });
        entry.writes += writes;
        entry.places.push(place);
    }

    fn finish(self) -> Vec<Change> {
        let mut changes: Vec<Change> = self.0.into_values().collect();
        changes.sort_by_key(|c| std::cmp::Reverse(c.places.len()));
        changes
    }
}

struct Context<'a> {
    plan: &'a Plan,
    seen: &'a Observed,
    desired: &'a Desired,
}

impl Context<'_> {
    fn name(&self, port: PortId) -> String {
        self.seen.fabric.port_name(port)
    }

    fn lids(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for c in self.plan.ports.iter().filter(|c| c.before.lid() != c.after.lid()) {
            let kind = if c.before.lid() == 0 { "new" } else { "moved" };
            let place = format!("{}: {} -> {}", self.name(c.port), c.before.lid(), c.after.lid());
            out.add(kind.to_owned(), place, 1);
        }
        out.finish()
    }

    fn bounces(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for b in &self.plan.bounces {
            let far = self.seen.fabric.peer(b.port).map(|p| self.name(p)).unwrap_or_default();
            out.add(b.reason.clone(), format!("{} - {far}", self.name(b.port)), 1);
        }
        out.finish()
    }

    fn ports(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for c in &self.plan.ports {
            // LIDs have a group of their own.
            let mut before = c.before;
            before.set_lid(c.after.lid());
            let text = port_info_change(&before, &c.after);
            if !text.is_empty() {
                out.add(text, self.name(c.port), 1);
            }
        }
        out.finish()
    }

    fn fdr10(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for c in &self.plan.vendor_ports {
            let text = fields_changed(MlnxExtPortInfo::FIELDS, &c.before.0, &c.after.0, |_, n| {
                n.to_string()
            });
            out.add(text, self.name(c.port), 1);
        }
        out.finish()
    }

    fn switches(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for (switch, before, after) in &self.plan.switches {
            let node = self.seen.fabric.node(self.seen.fabric.switch_node(*switch));
            let text =
                fields_changed(SwitchInfo::FIELDS, &before.0, &after.0, |_, n| n.to_string());
            out.add(text, node.description.clone(), 1);
        }
        out.finish()
    }

    fn states(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for port in &self.plan.activate {
            let text = format!("{} -> Active", self.seen.state(*port));
            out.add(text, self.name(*port), if self.plan.arm.contains(port) { 2 } else { 1 });
        }
        out.finish()
    }

    fn forwarding(&self) -> Vec<Change> {
        let mut out = Collector::default();
        for run in &self.plan.tables {
            let Table::Lft(switch) = run.table else { continue };
            let (mut moved, mut new) = (0, 0);
            for block in run.blocks.iter() {
                let (m, n) = entries(self.seen, self.desired, switch, block);
                moved += m;
                new += n;
            }
            let node = self.seen.fabric.node(self.seen.fabric.switch_node(switch));
            let place = format!("{}: {moved} entries moved, {new} new", node.description);
            let kind = if moved > 0 { "routes move" } else { "routes are new" };
            out.add(kind.to_owned(), place, run.blocks.len());
        }
        out.finish()
    }

    fn sl2vl(&self) -> Vec<Change> {
        let mut changes = self.tables(|t| matches!(t, Table::Sl2vl(_)));
        let mut out = Collector::default();
        for (switch, write) in &self.plan.wildcards {
            let node = self.seen.fabric.node(self.seen.fabric.switch_node(*switch));
            let (ports, place) = match write.scope {
                lk_qos::Sl2vlScope::AllIngress { egress } => {
                    ("from all ports", format!("{}/{egress}", node.description))
                }
                _ => ("between all ports", node.description.clone()),
            };
            out.add(format!("{ports} -> {}", lanes(&write.table)), place, 1);
        }
        changes.extend(out.finish());
        changes
    }

    fn multicast(&self) -> Vec<Change> {
        let mut out = Collector::default();
        let name = |s: SwitchId| {
            let fabric = &self.seen.fabric;
            fabric.node(fabric.switch_node(s)).description.clone()
        };
        for run in &self.plan.tables {
            if let Table::Mft(switch) = run.table {
                out.add("blocks gain entries".to_owned(), name(switch), run.blocks.len());
            }
        }
        for cut in &self.plan.cuts {
            out.add("blocks lose entries".to_owned(), name(cut.switch), 1);
        }
        out.finish()
    }

    fn tables(&self, which: impl Fn(Table) -> bool) -> Vec<Change> {
        let mut out = Collector::default();
        for run in self.plan.tables.iter().filter(|r| which(r.table)) {
            let port = match run.table {
                Table::PKeys(p) | Table::Sl2vl(p) | Table::VlArb(p) => p,
                Table::Lft(_) | Table::Mft(_) => continue,
            };
            for (text, blocks) in self.table_changes(run) {
                out.add(text, self.name(port), blocks);
            }
        }
        out.finish()
    }

    /// The different changes of one table: the text and the number of blocks.
    fn table_changes(&self, run: &TableRun) -> BTreeMap<String, usize> {
        let mut changes = BTreeMap::new();
        for block in run.blocks.iter() {
            let Some(want) = self.desired.block(run.table, block) else { continue };
            let have = self.seen.tables.block(run.table, block);
            let before = match have {
                Some(have) => block_text(run.table, block, &have),
                None if may_write_unread(self.seen, run.table, block) => {
                    "(link in INIT: written unread)".to_owned()
                }
                None => "(unknown)".to_owned(),
            };
            let text = format!("{before} -> {}", block_text(run.table, block, &want));
            *changes.entry(text).or_insert(0) += 1;
        }
        changes
    }
}

fn lanes(table: &SlToVlTable) -> String {
    let vls: Vec<String> = table.iter().map(|vl| vl.to_string()).collect();
    vls.join(",")
}

fn block_text(table: Table, block: u16, bytes: &[u8; 64]) -> String {
    match table {
        Table::Sl2vl(_) => {
            let mut t = SlToVlTable::default();
            t.0.copy_from_slice(&bytes[..8]);
            lanes(&t)
        }
        Table::VlArb(_) => {
            let kind =
                ["", "low", "low 2", "high", "high 2"].get(usize::from(block)).unwrap_or(&"");
            // Up to the last entry that means something.
            let last = bytes.chunks(2).rposition(|e| e != [0, 0]).map_or(0, |at| at + 1);
            let table = VlArbTable(*bytes);
            let entries: Vec<String> =
                table.iter().take(last).map(|e| format!("{}:{}", e.vl, e.weight)).collect();
            let entries = if entries.is_empty() { "empty".to_owned() } else { entries.join(",") };
            format!("{kind} {entries}")
        }
        Table::PKeys(_) => {
            let keys: Vec<String> = bytes
                .chunks(2)
                .map(|k| u16::from_be_bytes([k[0], k[1]]))
                .filter(|k| *k != 0)
                .map(|k| format!("0x{k:04x}"))
                .collect();
            if keys.is_empty() { "empty".to_owned() } else { keys.join(",") }
        }
        Table::Lft(_) | Table::Mft(_) => String::new(),
    }
}

/// The fields of PortInfo that change, as `name before -> after`; codes with their meaning.
pub(crate) fn port_info_change(before: &PortInfo, after: &PortInfo) -> String {
    let (before, after) = (settled(before), settled(after));
    fields_changed(PortInfo::FIELDS, &before.0, &after.0, |name, n| match name {
        "m_key" | "gid_prefix" => format!("0x{n:016x}"),
        "neighbor_mtu" => Mtu(n as u8).to_string(),
        "oper_vls" => VlCode(n as u8).to_string(),
        _ => n.to_string(),
    })
}

/// The fields of an attribute that differ, by the names that the field's tools print.
pub(crate) fn fields_changed(
    fields: &[Field],
    before: &[u8],
    after: &[u8],
    show: impl Fn(&str, u64) -> String,
) -> String {
    let read = |field: &Field, bytes| get_bits(bytes, field.offset, field.length);
    let mut parts = Vec::new();
    for field in fields.iter().filter(|f| f.is_number()) {
        let (was, is) = (read(field, before), read(field, after));
        if was != is {
            parts.push(format!(
                "{} {} -> {}",
                field.label,
                show(field.name, was),
                show(field.name, is)
            ));
        }
    }
    parts.join(", ")
}
