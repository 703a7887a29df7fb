//! The QoS policy, ready for lookups: which level a path query gets, and why.
//!
//! [`compile`] takes a policy that was read and the subnet that it is for: groups become sets of
//! ports, protocols become ranges of service IDs. The rules that fit a value of a query (its
//! source, its service ID...) are a row of bits, found by one step or a binary search; the first
//! bit that all rows share is the rule that counts. So a thousand rules cost hardly more than one.
//! [`CompiledPolicy::explain`] says which rule it was and why those before it were not.

mod bits;
mod compile;
mod explain;
mod groups;
mod reach;
mod ulps;

use lk_config::qos_policy::QosPolicy;
use lk_diag::{Position, SourceFile, Span};
use lk_fabric::{Fabric, NodeId, PortId};
use lk_wire::{Mtu, PKey, Sl};

use bits::{Intervals, Rows};

pub use compile::compile;
pub use explain::{Criterion, Explanation, Missed, Reason};
pub use reach::{Extent, FileRule, Reach, extents_of_file, reach};

/// A partition, as far as a policy refers to it.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PartitionPorts {
    /// The key without its membership bit.
    pub key: u16,
    /// The name.
    pub name: String,
    /// The partition's SL.
    pub sl: Sl,
    /// End ports that are full members.
    pub full: Vec<PortId>,
    /// End ports that are limited members.
    pub limited: Vec<PortId>,
}

/// The subnet that a policy is for.
#[derive(Clone, Copy)]
pub struct Subnet<'a> {
    /// The graph.
    pub fabric: &'a Fabric,
    /// The name of a node as it is printed: what it calls itself, or the node name map does.
    pub node_name: &'a (dyn Fn(NodeId) -> String + Sync),
    /// The port of the SM.
    pub own: PortId,
    /// All partitions.
    pub partitions: &'a [PartitionPorts],
}

/// What a path may be like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Level {
    /// The level's name; of a rule of qos-ulps `SL` and its number.
    pub name: String,
    /// The SL. One over 15 can never be used: then there is no path.
    pub sl: u8,
    /// The largest MTU.
    pub mtu_limit: Option<Mtu>,
    /// The code of the fastest rate.
    pub rate_limit: Option<u8>,
    /// The code of the packet's life time, 0 to 63.
    pub packet_life: Option<u8>,
    /// The partitions that a path may be in, as ranges of keys without membership bit, ascending
    /// and apart from each other; empty: any.
    pub pkeys: Vec<(u16, u16)>,
    /// Where it stands in the file.
    pub place: Span,
}

impl Level {
    /// Whether a path may be in a partition.
    #[must_use]
    pub fn allows(&self, key: PKey) -> bool {
        let base = key.base();
        self.pkeys.is_empty() || self.pkeys.iter().any(|(low, high)| (*low..=*high).contains(&base))
    }
}

/// What a query says of itself, as far as rules look at it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathQuery {
    /// The source: an end port; of a switch port 0.
    pub source: PortId,
    /// The destination: an end port; of a switch port 0.
    pub destination: PortId,
    /// QoSClass, if its component is in the mask.
    pub qos_class: Option<u16>,
    /// ServiceID, if both its components are in the mask.
    pub service_id: Option<u64>,
    /// P_Key, if its component is in the mask; its membership bit does not count.
    pub pkey: Option<PKey>,
}

/// A rule: first those of qos-match-rules, then those of qos-ulps.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Rule {
    level: u32,
    place: Span,
}

/// A policy that is ready for lookups.
#[derive(Clone, Debug)]
pub struct CompiledPolicy {
    source: SourceFile,
    levels: Vec<Level>,
    /// The level of queries that no rule fits.
    default: u32,
    rules: Vec<Rule>,
    by_source: Rows,
    by_destination: Rows,
    by_class: Intervals,
    by_service: Intervals,
    by_pkey: Intervals,
}

/// The number of a rule, from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct RuleId(pub u32);

impl CompiledPolicy {
    /// The level of a query: that of the first rule that fits, else the default one.
    #[must_use]
    pub fn level(&self, query: &PathQuery) -> &Level {
        self.level_of(self.first_match(query))
    }

    /// The level of a rule; of no rule the default one.
    #[must_use]
    pub fn level_of(&self, rule: Option<RuleId>) -> &Level {
        let level = rule.map_or(self.default, |rule| self.rules[rule.0 as usize].level);
        // Levels are made before the rules and the default that refer to them.
        &self.levels[level as usize]
    }

    /// The first rule that fits.
    #[must_use]
    pub fn first_match(&self, query: &PathQuery) -> Option<RuleId> {
        let rows = self.rows(query)?;
        let words = rows[0].len();
        (0..words).find_map(|word| {
            let all = rows.iter().fold(u64::MAX, |bits, row| bits & row[word]);
            (all != 0).then(|| RuleId((word * 64) as u32 + all.trailing_zeros()))
        })
    }

    /// The rules that fit by each criterion, in the order of [`Criterion::ALL`].
    fn rows(&self, query: &PathQuery) -> Option<[&[u64]; 5]> {
        Some([
            self.by_source.get(query.source.index())?,
            self.by_destination.get(query.destination.index())?,
            self.by_class.row(query.qos_class.map(u64::from)),
            self.by_service.row(query.service_id),
            self.by_pkey.row(query.pkey.map(|key| u64::from(key.base()))),
        ])
    }

    /// How many rules there are.
    #[must_use]
    pub fn rule_count(&self) -> usize {
        self.rules.len()
    }

    /// The end ports that a rule takes as sources, and as destinations.
    #[must_use]
    pub fn ends(&self, rule: RuleId, fabric: &Fabric) -> [Vec<PortId>; 2] {
        let of = |rows: &Rows| {
            let takes =
                |p: &PortId| rows.get(p.index()).is_some_and(|row| bits::has(row, rule.0 as usize));
            fabric.end_ports().filter(takes).collect()
        };
        [of(&self.by_source), of(&self.by_destination)]
    }

    /// All levels: those of the file, then those of qos-ulps.
    #[must_use]
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The file.
    #[must_use]
    pub const fn source(&self) -> &SourceFile {
        &self.source
    }

    /// Where a rule stands in the file.
    #[must_use]
    pub fn rule_place(&self, rule: RuleId) -> Position {
        self.source.position(self.rules[rule.0 as usize].place.start)
    }

    /// The text of a rule.
    #[must_use]
    pub fn rule_text(&self, rule: RuleId) -> &str {
        self.source.slice(self.rules[rule.0 as usize].place)
    }

    /// How many different sets of rules sources and destinations have: what the tables cost.
    #[must_use]
    pub fn port_classes(&self) -> (usize, usize) {
        (self.by_source.different(), self.by_destination.different())
    }
}

/// A policy as it was read, with its text.
#[derive(Clone, Debug)]
pub struct PolicyFile {
    /// The text.
    pub source: SourceFile,
    /// What it says.
    pub policy: QosPolicy,
}
