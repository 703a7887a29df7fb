//! From what was read to what is looked up.

use std::collections::BTreeMap;

use lk_config::Placed;
use lk_config::codes;
use lk_config::qos_policy::{DEFAULT, MatchRule, QosLevel, QosPolicy, Ranges, UlpKind, UlpRule};
use lk_diag::{Diagnostic, Diagnostics, Span};
use lk_fabric::PortId;
use lk_wire::Mtu;

use super::bits::{Intervals, Rows, set, words};
use super::groups::Resolver;
use super::ulps::{Expansion, IPOIB_PKEY, expand};
use super::{CompiledPolicy, Level, PartitionPorts, PolicyFile, Rule, Subnet};

/// Makes a policy ready for the subnet. `None` where it cannot be used; the findings say why.
///
/// A policy that was refused when it was read is not used either. Names, GUIDs, keys and
/// partitions that the subnet does not have are told.
#[must_use]
pub fn compile(file: &PolicyFile, subnet: Subnet<'_>) -> (Option<CompiledPolicy>, Diagnostics) {
    let mut build = Build::new(file, subnet);
    if file.policy.refused {
        return (None, Diagnostics::new());
    }
    let default = build.default_level();
    for rule in &file.policy.rules {
        build.match_rule(rule);
    }
    for ulp in &file.policy.ulps {
        build.ulp(ulp);
    }
    let Build { resolver, levels, rules, sources, destinations, classes, services, pkeys, .. } =
        build;
    let count = rules.len();
    let ports = subnet.fabric.ports().len();
    let refused = resolver.refused;
    let policy = default.map(|default| CompiledPolicy {
        source: file.source.clone(),
        levels,
        default,
        by_source: by_port(count, ports, &sources),
        by_destination: by_port(count, ports, &destinations),
        by_class: Intervals::new(count, &classes),
        by_service: Intervals::new(count, &services),
        by_pkey: Intervals::new(count, &pkeys),
        rules,
    });
    (policy.filter(|_| !refused), resolver.found)
}

/// The rules that fit each port. Rules that name no ports fit all of them.
fn by_port(rules: usize, ports: usize, named: &[(usize, Vec<PortId>)]) -> Rows {
    let words = words(rules);
    let mut without = vec![0; words];
    (0..rules).for_each(|rule| set(&mut without, rule));
    for (rule, _) in named {
        without[rule / 64] &= !(1 << (rule % 64));
    }
    let mut rows = vec![without; ports];
    for (rule, members) in named {
        for port in members {
            set(&mut rows[port.index()], *rule);
        }
    }
    Rows::new(words, rows)
}

/// Values with the rule that names them.
type Named<T> = Vec<(usize, Vec<T>)>;

struct Build<'a> {
    file: &'a PolicyFile,
    partitions: &'a [PartitionPorts],
    resolver: Resolver<'a>,
    /// The ports of groups by name in lower case.
    groups: BTreeMap<String, Vec<PortId>>,
    levels: Vec<Level>,
    rules: Vec<Rule>,
    sources: Named<PortId>,
    destinations: Named<PortId>,
    classes: Named<(u64, u64)>,
    services: Named<(u64, u64)>,
    pkeys: Named<(u64, u64)>,
}

impl<'a> Build<'a> {
    fn new(file: &'a PolicyFile, subnet: Subnet<'a>) -> Self {
        let mut resolver = Resolver::new(subnet, &file.source);
        let mut groups = BTreeMap::new();
        for group in &file.policy.groups {
            let name = group.value.name.value.to_ascii_lowercase();
            // All are resolved, since a fault in one that nothing refers to counts too; of two
            // with one name the first is referred to.
            let ports = resolver.group(&group.value);
            groups.entry(name).or_insert(ports);
        }
        let levels = file.policy.levels.iter().map(level).collect();
        Self {
            file,
            partitions: subnet.partitions,
            resolver,
            groups,
            levels,
            rules: Vec::new(),
            sources: Vec::new(),
            destinations: Vec::new(),
            classes: Vec::new(),
            services: Vec::new(),
            pkeys: Vec::new(),
        }
    }

    fn policy(&self) -> &'a QosPolicy {
        &self.file.policy
    }

    fn level_number(&self, name: &str) -> Option<u32> {
        let same = |l: &Placed<QosLevel>| l.value.name.value.eq_ignore_ascii_case(name);
        self.policy().levels.iter().position(same).map(|at| at as u32)
    }

    fn default_level(&mut self) -> Option<u32> {
        if let Some(level) = self.level_number(DEFAULT) {
            return Some(level);
        }
        let ulp = self.policy().ulp_default()?;
        Some(self.simple_level(ulp))
    }

    /// The level of a rule of qos-ulps: nothing but an SL.
    fn simple_level(&mut self, ulp: &Placed<UlpRule>) -> u32 {
        self.levels.push(Level {
            name: format!("SL{}", ulp.value.sl.value),
            sl: ulp.value.sl.value,
            mtu_limit: None,
            rate_limit: None,
            packet_life: None,
            pkeys: Vec::new(),
            place: ulp.place,
        });
        (self.levels.len() - 1) as u32
    }

    fn match_rule(&mut self, rule: &Placed<MatchRule>) {
        // A policy with a rule of an unknown level was refused when it was read.
        let Some(level) = self.level_number(&rule.value.level.value) else { return };
        let number = self.rules.len();
        self.rules.push(Rule { level, place: rule.place });
        let rule = &rule.value;
        let mut ends = [Vec::new(), Vec::new()];
        for (names, ports) in [&rule.source, &rule.destination].into_iter().zip(&mut ends) {
            let known = names.iter().filter_map(|n| self.groups.get(&n.value.to_ascii_lowercase()));
            *ports = known.flatten().copied().collect();
        }
        let [source, destination] = ends;
        if !rule.source.is_empty() {
            self.sources.push((number, source));
        }
        if !rule.destination.is_empty() {
            self.destinations.push((number, destination));
        }
        for (ranges, named) in [
            (&rule.qos_class, &mut self.classes),
            (&rule.service_id, &mut self.services),
            (&rule.pkeys, &mut self.pkeys),
        ] {
            if !ranges.is_empty() {
                named.push((number, bounds(ranges)));
            }
        }
        let sl = self.levels[level as usize].sl;
        for range in &rule.pkeys {
            self.rule_pkey(range.value.low, range.value.high, range.place, sl);
        }
    }

    fn ulp(&mut self, ulp: &Placed<UlpRule>) {
        let expansion = expand(&ulp.value);
        if matches!(expansion, Expansion::Default) {
            return;
        }
        let level = self.simple_level(ulp);
        let number = self.rules.len();
        self.rules.push(Rule { level, place: ulp.place });
        match expansion {
            Expansion::Service(ranges) => self.services.push((number, ranges)),
            Expansion::Pkey(ranges) => {
                let ipoib = matches!(ulp.value.kind, UlpKind::Ipoib | UlpKind::IpoibPkey);
                for (low, high) in &ranges {
                    if ipoib {
                        self.ipoib(*low, *high, ulp.place);
                    } else {
                        self.rule_pkey(*low, *high, ulp.place, ulp.value.sl.value);
                    }
                }
                self.pkeys.push((number, ranges));
            }
            Expansion::Guids { source, destination } => {
                let ports = self.resolver.by_guids(&ulp.value.values);
                if source {
                    self.sources.push((number, ports.clone()));
                }
                if destination {
                    self.destinations.push((number, ports));
                }
            }
            Expansion::Default => {}
        }
    }

    /// OpenSM takes no policy with an IPoIB rule for a partition in which no two ports can talk
    /// to all.
    fn ipoib(&mut self, low: u64, high: u64, place: Span) {
        for key in low..=high.min(IPOIB_PKEY) {
            let partition = self.partitions.iter().find(|p| u64::from(p.key) == key);
            let full = partition.map_or(0, |p| p.full.len());
            if full >= 2 {
                continue;
            }
            let why = match partition {
                None => format!("there is no partition with P_Key {key:#06x}"),
                Some(_) => format!("the partition with P_Key {key:#06x} has {full} full members"),
            };
            self.resolver.refused = true;
            self.resolver.found.push(
                Diagnostic::error(codes::POLICY_REFUSED, why)
                    .at(&self.file.source, place, "")
                    .note("the whole policy is not used because of it, as in OpenSM")
                    .help(
                        "give the partition two full members in partitions.conf (a file without a \
                         Default line leaves only the SM one), or write `any, pkey` for `ipoib`",
                    ),
            );
            // One fault is enough: a range may have thousands.
            return;
        }
    }

    /// Says where the partition of a rule is missing, or has another SL than the rule gives.
    fn rule_pkey(&mut self, low: u64, high: u64, place: Span, sl: u8) {
        let named = |p: &&PartitionPorts| (low..=high).contains(&u64::from(p.key));
        let mut present = 0;
        for partition in self.partitions.iter().filter(named) {
            present += 1;
            if partition.sl.0 != sl {
                let message = format!(
                    "the policy gives SL {sl} to partition `{}`, which has SL {}",
                    partition.name, partition.sl
                );
                self.resolver.found.push(
                    Diagnostic::info(codes::POLICY_NAME, message)
                        .at(&self.file.source, place, "")
                        .note("unicast gets the SL of the policy, multicast that of the partition"),
                );
            }
        }
        if present == 0 {
            let key = lk_config::qos_policy::Range::new(low, high);
            self.resolver.absent(place, format!("no partition has a P_Key of {key}"));
        }
    }
}

fn bounds(ranges: &Ranges) -> Vec<(u64, u64)> {
    ranges.iter().map(|r| (r.value.low, r.value.high)).collect()
}

fn level(level: &Placed<QosLevel>) -> Level {
    let value = &level.value;
    let mut pkeys: Vec<(u16, u16)> = Vec::new();
    let mut ranges = bounds(&value.pkeys);
    ranges.sort_unstable();
    for (low, high) in ranges {
        // Keys have 15 bits.
        let (low, high) = ((low & 0x7FFF) as u16, (high & 0x7FFF) as u16);
        match pkeys.last_mut() {
            Some(last) if low <= last.1.saturating_add(1) => last.1 = last.1.max(high),
            _ => pkeys.push((low, high)),
        }
    }
    Level {
        name: value.name.value.clone(),
        sl: value.sl.value,
        mtu_limit: value.mtu_limit.map(|m| Mtu(m.value)),
        rate_limit: value.rate_limit.map(|r| r.value),
        packet_life: value.packet_life.map(|l| l.value.min(63)),
        pkeys,
        place: level.place,
    }
}
