//! Why a query gets the level that it gets.

use std::fmt;

use super::bits::has;
use super::{CompiledPolicy, Level, PathQuery, RuleId};

/// What a rule may look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Criterion {
    /// The source port.
    Source,
    /// The destination port.
    Destination,
    /// QoSClass.
    QosClass,
    /// ServiceID.
    ServiceId,
    /// P_Key.
    PKey,
}

impl Criterion {
    /// All of them, in the order in which rules are looked up.
    pub const ALL: [Self; 5] =
        [Self::Source, Self::Destination, Self::QosClass, Self::ServiceId, Self::PKey];
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Source => "source",
            Self::Destination => "destination",
            Self::QosClass => "QoS class",
            Self::ServiceId => "service ID",
            Self::PKey => "P_Key",
        })
    }
}

/// Why a criterion does not hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// The query says something else.
    Other,
    /// The query does not say it at all.
    NotAsked,
}

/// A rule before the one that counts, and what does not hold of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Missed {
    /// The rule.
    pub rule: RuleId,
    /// Every criterion that does not hold, at least one.
    pub because: Vec<(Criterion, Reason)>,
}

/// Which rule counts for a query, and why the earlier ones do not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Explanation<'a> {
    /// The rule; none: the default level counts.
    pub rule: Option<RuleId>,
    /// Its level.
    pub level: &'a Level,
    /// The rules before it, in order.
    pub missed: Vec<Missed>,
}

impl fmt::Display for Missed {
    /// As in `the source is another, the service ID is not in the query`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, (criterion, reason)) in self.because.iter().enumerate() {
            let comma = if at > 0 { ", " } else { "" };
            let why = match reason {
                Reason::Other => "is another",
                Reason::NotAsked => "is not in the query",
            };
            write!(f, "{comma}the {criterion} {why}")?;
        }
        Ok(())
    }
}

impl CompiledPolicy {
    /// Which rule counts for a query, and why those before it do not.
    #[must_use]
    pub fn explain(&self, query: &PathQuery) -> Explanation<'_> {
        let rule = self.first_match(query);
        let before = rule.map_or(self.rules.len(), |r| r.0 as usize);
        let asked = [
            true,
            true,
            query.qos_class.is_some(),
            query.service_id.is_some(),
            query.pkey.is_some(),
        ];
        let missed = self.rows(query).map_or_else(Vec::new, |rows| {
            let because = |number: usize| {
                let miss = Criterion::ALL.into_iter().zip(rows).zip(asked);
                let miss = miss.filter(|((_, row), _)| !has(row, number));
                miss.map(|((criterion, _), asked)| {
                    (criterion, if asked { Reason::Other } else { Reason::NotAsked })
                })
                .collect()
            };
            let missed = |n| Missed { rule: RuleId(n as u32), because: because(n) };
            (0..before).map(missed).collect()
        });
        Explanation { rule, level: self.level_of(rule), missed }
    }
}
