//! Which rules of a policy can never be the first that fits.
//!
//! What a rule fits is a product of five sets: sources, destinations, QoS classes, service IDs and
//! P_Keys. Each is a set of bits over classes of values that no rule tells apart, so the answer is
//! exact: a rule is dead where nothing is left of its product once those of the rules before it
//! are taken out.

use std::collections::BTreeSet;

use lk_config::Placed;
use lk_config::qos_policy::{NodeType, PortGroup, QosPolicy, Range, Ranges};
use lk_diag::Span;
use lk_fabric::Fabric;

use super::bits::{Intervals, Row, Rows, has, set, words};
use super::ulps::{Expansion, expand};
use super::{CompiledPolicy, Criterion};

/// What a rule fits, by criterion in the order of [`Criterion::ALL`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent([Row; 5]);

/// Whether a rule can be the first that fits.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// It can, as far as is known.
    Reached,
    /// Nothing meets this criterion.
    Nothing(Criterion),
    /// These earlier rules, by number, take all that it is for.
    Covered(Vec<usize>),
}

/// So many pieces of a product are followed; a rule that falls into more counts as reached.
const PIECES: usize = 4096;

/// What becomes of each rule, in order.
#[must_use]
pub fn reach(rules: &[Extent]) -> Vec<Reach> {
    (0..rules.len()).map(|at| one(rules, at)).collect()
}

fn one(rules: &[Extent], at: usize) -> Reach {
    let empty = |row: &Row| row.iter().all(|word| *word == 0);
    for (row, criterion) in rules[at].0.iter().zip(Criterion::ALL) {
        if empty(row) {
            return Reach::Nothing(criterion);
        }
    }
    // One that takes all by itself is the one to name.
    let within = |(a, b): (&Row, &Row)| a.iter().zip(b).all(|(a, b)| a & !b == 0);
    let all_of = |earlier: &Extent| rules[at].0.iter().zip(&earlier.0).all(within);
    if let Some(earlier) = rules[..at].iter().position(all_of) {
        return Reach::Covered(vec![earlier]);
    }
    let (mut left, mut takers) = (vec![rules[at].0.clone()], Vec::new());
    for (number, earlier) in rules.iter().take(at).enumerate() {
        let mut next = Vec::new();
        let mut took = false;
        for mut piece in left {
            let apart = |(a, b): (&Row, &Row)| a.iter().zip(b).all(|(a, b)| a & b == 0);
            if piece.iter().zip(&earlier.0).any(apart) {
                next.push(piece);
                continue;
            }
            took = true;
            for criterion in 0..5 {
                let taken = &earlier.0[criterion];
                let outside: Row =
                    piece[criterion].iter().zip(taken).map(|(a, b)| a & !b).collect();
                if !empty(&outside) {
                    let mut kept = piece.clone();
                    kept[criterion] = outside;
                    next.push(kept);
                }
                piece[criterion].iter_mut().zip(taken).for_each(|(a, b)| *a &= b);
            }
        }
        if took {
            takers.push(number);
        }
        left = next;
        if left.is_empty() {
            return Reach::Covered(takers);
        }
        if left.len() > PIECES {
            return Reach::Reached;
        }
    }
    Reach::Reached
}

impl CompiledPolicy {
    /// What each rule fits among the end ports of the fabric that the policy was made ready for.
    #[must_use]
    pub fn extents(&self, fabric: &Fabric) -> Vec<Extent> {
        // Other ports of switches ask for no paths.
        let rows = |rows: &Rows| {
            let of_ports = fabric.end_ports().filter_map(|p| rows.get(p.index()));
            let different: BTreeSet<&[u64]> = of_ports.collect();
            different.into_iter().map(<[u64]>::to_vec).collect::<Vec<Row>>()
        };
        let ranges = |i: &Intervals| i.distinct().map(<[u64]>::to_vec).collect::<Vec<Row>>();
        let all = [
            rows(&self.by_source),
            rows(&self.by_destination),
            ranges(&self.by_class),
            ranges(&self.by_service),
            ranges(&self.by_pkey),
        ];
        let of = |rule: usize, rows: &[Row]| {
            let mut bits = vec![0; words(rows.len()).max(1)];
            let fitting = rows.iter().enumerate().filter(|(_, row)| has(row, rule));
            fitting.for_each(|(number, _)| set(&mut bits, number));
            bits
        };
        let extent = |rule: usize| Extent(std::array::from_fn(|c| of(rule, &all[c])));
        (0..self.rule_count()).map(extent).collect()
    }
}

/// A rule of a file, before anything is known of a subnet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileRule {
    /// What it fits.
    pub extent: Extent,
    /// Where it stands.
    pub place: Span,
    /// The SL of its level; `None` where there is no such level.
    pub sl: Option<u8>,
}

/// What the rules of a file fit, in their order. Of ports only that is known which the file itself
/// says: names, partitions and types of nodes are taken to be apart from each other and from GUIDs,
/// so that no rule is called dead that is not.
#[must_use]
pub fn extents_of_file(policy: &QosPolicy) -> Vec<FileRule> {
    let universe = Universe::of(policy);
    let mut rules = Vec::new();
    for rule in &policy.rules {
        let value = &rule.value;
        let sl = policy.level(&value.level.value).map(|level| level.value.sl.value);
        let extent = Extent([
            universe.ends(policy, &value.source),
            universe.ends(policy, &value.destination),
            universe.classes.row(&bounds(&value.qos_class)),
            universe.services.row(&bounds(&value.service_id)),
            universe.pkeys.row(&bounds(&value.pkeys)),
        ]);
        rules.push(FileRule { extent, place: rule.place, sl });
    }
    for ulp in &policy.ulps {
        let mut extent = universe.anything();
        match expand(&ulp.value) {
            Expansion::Default => continue,
            Expansion::Service(ranges) => extent.0[3] = universe.services.row(&ranges),
            Expansion::Pkey(ranges) => extent.0[4] = universe.pkeys.row(&ranges),
            Expansion::Guids { source, destination } => {
                let row = universe.guids(&bounds(&ulp.value.values));
                for (end, wanted) in [source, destination].into_iter().enumerate() {
                    if wanted {
                        extent.0[end].clone_from(&row);
                    }
                }
            }
        }
        rules.push(FileRule { extent, place: ulp.place, sl: Some(ulp.value.sl.value) });
    }
    rules
}

fn bounds(ranges: &Ranges) -> Vec<(u64, u64)> {
    ranges.iter().map(|r| (r.value.low, r.value.high)).collect()
}

/// Numbers that no rule tells apart, and one class for queries without a number.
struct Numbers {
    /// Where each class begins; the first at 0.
    starts: Vec<u64>,
}

impl Numbers {
    /// Numbers above `most` do not exist.
    fn new(named: impl IntoIterator<Item = (u64, u64)>, most: u64) -> Self {
        let mut starts = vec![0];
        for (low, high) in named {
            starts.extend([Some(low), high.checked_add(1)].into_iter().flatten());
        }
        starts.retain(|start| *start <= most);
        starts.sort_unstable();
        starts.dedup();
        Self { starts }
    }

    /// The class of queries without a number.
    fn absent(&self) -> usize {
        self.starts.len()
    }

    /// No ranges: all classes, also that without a number.
    fn row(&self, ranges: &[(u64, u64)]) -> Row {
        let mut row = vec![0; words(self.absent() + 1)];
        if ranges.is_empty() {
            (0..=self.absent()).for_each(|class| set(&mut row, class));
        }
        for (low, high) in ranges {
            let first = self.starts.partition_point(|s| s < low);
            let behind = self.starts.partition_point(|s| s <= high);
            (first..behind).for_each(|class| set(&mut row, class));
        }
        row
    }
}

/// All classes of values that the rules of a file tell apart.
struct Universe {
    guids: Numbers,
    /// Sets of ports that are not given by GUIDs.
    others: Vec<String>,
    classes: Numbers,
    services: Numbers,
    pkeys: Numbers,
}

impl Universe {
    fn of(policy: &QosPolicy) -> Self {
        let mut guids: Vec<(u64, u64)> = Vec::new();
        let mut others = BTreeSet::new();
        for group in &policy.groups {
            guids.extend(bounds(&group.value.guids));
            others.extend(named(&group.value));
        }
        let (mut classes, mut services, mut pkeys) = (Vec::new(), Vec::new(), Vec::new());
        for rule in &policy.rules {
            classes.extend(bounds(&rule.value.qos_class));
            services.extend(bounds(&rule.value.service_id));
            pkeys.extend(bounds(&rule.value.pkeys));
        }
        for ulp in &policy.ulps {
            match expand(&ulp.value) {
                Expansion::Service(ranges) => services.extend(ranges),
                Expansion::Pkey(ranges) => pkeys.extend(ranges),
                Expansion::Guids { .. } => guids.extend(bounds(&ulp.value.values)),
                Expansion::Default => {}
            }
        }
        Self {
            guids: Numbers::new(guids, u64::MAX),
            others: others.into_iter().collect(),
            classes: Numbers::new(classes, 0xFFF),
            services: Numbers::new(services, u64::MAX),
            pkeys: Numbers::new(pkeys, 0x7FFF),
        }
    }

    fn anything(&self) -> Extent {
        let port = self.everyone();
        let [classes, services, pkeys] =
            [&self.classes, &self.services, &self.pkeys].map(|numbers| numbers.row(&[]));
        Extent([port.clone(), port, classes, services, pkeys])
    }

    fn count(&self) -> usize {
        self.guids.starts.len() + self.others.len()
    }

    fn everyone(&self) -> Row {
        let mut row = vec![0; words(self.count())];
        (0..self.count()).for_each(|class| set(&mut row, class));
        row
    }

    fn guids(&self, ranges: &[(u64, u64)]) -> Row {
        let mut row = vec![0; words(self.count())];
        for (low, high) in ranges {
            let first = self.guids.starts.partition_point(|s| s < low);
            let behind = self.guids.starts.partition_point(|s| s <= high);
            (first..behind).for_each(|class| set(&mut row, class));
        }
        row
    }

    /// The ports of groups by their names; no names: all ports.
    fn ends(&self, policy: &QosPolicy, names: &[Placed<String>]) -> Row {
        if names.is_empty() {
            return self.everyone();
        }
        let mut row = vec![0; words(self.count())];
        for group in names.iter().filter_map(|name| policy.group(&name.value)) {
            let group = &group.value;
            if group.node_types.iter().any(|kind| kind.value == NodeType::All) {
                return self.everyone();
            }
            let guids = self.guids(&bounds(&group.guids));
            row.iter_mut().zip(&guids).for_each(|(a, b)| *a |= b);
            for name in named(group) {
                // All names of the file are in the list.
                if let Ok(at) = self.others.binary_search(&name) {
                    set(&mut row, self.guids.starts.len() + at);
                }
            }
        }
        row
    }
}

/// What a group takes in beside GUIDs, each as a word of its own.
fn named(group: &PortGroup) -> Vec<String> {
    let names = group.port_names.iter().map(|n| format!("{}/{}", n.value.node, n.value.port));
    let keys = group.pkeys.iter().map(|k: &Placed<Range>| format!("key {}", k.value));
    let partitions = group.partitions.iter().map(|p| format!("partition {}", p.value));
    let types = group.node_types.iter().map(|t| format!("type {:?}", t.value));
    names.chain(keys).chain(partitions).chain(types).collect()
}
