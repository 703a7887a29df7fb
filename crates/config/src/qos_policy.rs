//! qos-policy.conf: which service level, limits and partition a path query gets.
//!
//! [`parse`] reads the whole grammar, also the forms that no document names. A fault anywhere makes
//! OpenSM lose the whole policy, so it makes [`QosPolicy::refused`] true here too; but all of the
//! file is read, so that all faults are told at once. `lex` finds keywords and values, `read` the
//! sections, one file each (groups, levels, rules, ulps, setup); `check` compares what
//! was read with itself. What needs the subnet (names, GUIDs, partitions) is checked where the
//! policy is compiled. [`write`] gives the text of a model.

mod advice;
mod check;
mod groups;
mod levels;
mod lex;
mod numbers;
mod read;
mod rules;
mod setup;
mod ulps;
mod write;

use std::fmt;

use lk_diag::{Diagnostics, SourceFile};

use crate::Placed;
use crate::kind::{self, FileKind};

pub use write::write;

/// A qos-policy.conf.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct QosPolicy {
    /// Port groups in the order of the file. Of two with one name the first counts.
    pub groups: Vec<Placed<PortGroup>>,
    /// The scopes of qos-setup, which nothing applies.
    pub setup: Vec<Placed<SetupScope>>,
    /// QoS levels in the order of the file. Of two with one name the first counts.
    pub levels: Vec<Placed<QosLevel>>,
    /// Match rules in the order of the file: the first that fits counts.
    pub rules: Vec<Placed<MatchRule>>,
    /// The rules of qos-ulps in the order of the file, which come after the match rules.
    pub ulps: Vec<Placed<UlpRule>>,
    /// Whether there is a fault for which the policy must not be used.
    pub refused: bool,
}

/// The name that a policy's default level has, in any case of letters.
pub const DEFAULT: &str = "DEFAULT";

impl QosPolicy {
    /// The level of a name, whose letters may be upper or lower case.
    #[must_use]
    pub fn level(&self, name: &str) -> Option<&Placed<QosLevel>> {
        self.levels.iter().find(|level| level.value.name.value.eq_ignore_ascii_case(name))
    }

    /// The group of a name, whose letters may be upper or lower case.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Placed<PortGroup>> {
        self.groups.iter().find(|group| group.value.name.value.eq_ignore_ascii_case(name))
    }

    /// The rule `default` of qos-ulps that counts: the last one, if no level is named DEFAULT.
    #[must_use]
    pub fn ulp_default(&self) -> Option<&Placed<UlpRule>> {
        let last = || self.ulps.iter().rev().find(|u| u.value.kind == UlpKind::Default);
        if self.level(DEFAULT).is_some() { None } else { last() }
    }
}

/// Numbers from `low` to `high`, both included.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Range {
    /// The first.
    pub low: u64,
    /// The last; never less than the first.
    pub high: u64,
}

impl Range {
    /// From the lower of two numbers to the higher.
    #[must_use]
    pub const fn new(a: u64, b: u64) -> Self {
        if a <= b { Self { low: a, high: b } } else { Self { low: b, high: a } }
    }

    /// One number.
    #[must_use]
    pub const fn one(n: u64) -> Self {
        Self { low: n, high: n }
    }

    /// Whether a number lies in it.
    #[must_use]
    pub const fn holds(self, n: u64) -> bool {
        self.low <= n && n <= self.high
    }
}

impl fmt::Display for Range {
    /// In hexadecimal, as keys and service IDs are written.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low == self.high {
            true => write!(f, "{:#x}", self.low),
            false => write!(f, "{:#x}-{:#x}", self.low, self.high),
        }
    }
}

/// Several ranges in the order of the file.
pub type Ranges = Vec<Placed<Range>>;

/// A set of ports with a name.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct PortGroup {
    /// `name`.
    pub name: Placed<String>,
    /// `use`, a description.
    pub usage: Option<Placed<String>>,
    /// `port-guid`.
    pub guids: Ranges,
    /// `port-name`.
    pub port_names: Vec<Placed<PortName>>,
    /// `pkey`: all members of these partitions; without the membership bit.
    pub pkeys: Ranges,
    /// `partition`: all members of the partitions with these names.
    pub partitions: Vec<Placed<String>>,
    /// `node-type`.
    pub node_types: Vec<Placed<NodeType>>,
}

/// A port by the name of its node.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PortName {
    /// The node's description, as it is printed.
    pub node: String,
    /// The port's number, at least 1.
    pub port: u32,
}

/// Kinds of nodes whose ports a group takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum NodeType {
    /// Channel adapters.
    Ca,
    /// Switches, by port 0.
    Switch,
    /// Routers.
    Router,
    /// All three.
    All,
    /// The port of the SM.
    Own,
}

impl NodeType {
    /// Each with its word.
    pub const WORDS: [(Self, &'static str); 5] = [
        (Self::Ca, "CA"),
        (Self::Switch, "SWITCH"),
        (Self::Router, "ROUTER"),
        (Self::All, "ALL"),
        (Self::Own, "SELF"),
    ];
}

/// What paths of a class get.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct QosLevel {
    /// `name`.
    pub name: Placed<String>,
    /// `use`, a description.
    pub usage: Option<Placed<String>>,
    /// `sl`, cut to 8 bits as OpenSM does; with more than 15 every query for it fails.
    pub sl: Placed<u8>,
    /// `mtu-limit`, a code of 1 to 5.
    pub mtu_limit: Option<Placed<u8>>,
    /// `rate-limit`, a code.
    pub rate_limit: Option<Placed<u8>>,
    /// `packet-life`, a code of 0 to 63; cut to 8 bits.
    pub packet_life: Option<Placed<u8>>,
    /// `path-bits`, which nothing uses.
    pub path_bits: Ranges,
    /// `pkey`: the partitions that a path may be in; without the membership bit.
    pub pkeys: Ranges,
}

/// Which queries get a level. A criterion without values fits every query.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MatchRule {
    /// `use`, a description.
    pub usage: Option<Placed<String>>,
    /// `qos-level-name`.
    pub level: Placed<String>,
    /// `source`: groups.
    pub source: Vec<Placed<String>>,
    /// `destination`: groups.
    pub destination: Vec<Placed<String>>,
    /// `qos-class`.
    pub qos_class: Ranges,
    /// `service-id`.
    pub service_id: Ranges,
    /// `pkey`, without the membership bit.
    pub pkeys: Ranges,
}

/// A rule of qos-ulps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UlpRule {
    /// What it is for.
    pub kind: UlpKind,
    /// The values that it names.
    pub values: Ranges,
    /// The SL, 0 to 15.
    pub sl: Placed<u8>,
}

/// The forms of rules in qos-ulps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum UlpKind {
    /// `default`.
    Default,
    /// `sdp`.
    Sdp,
    /// `sdp, port-num`.
    SdpPort,
    /// `rds`.
    Rds,
    /// `rds, port-num`.
    RdsPort,
    /// `iser`.
    Iser,
    /// `iser, port-num`.
    IserPort,
    /// `ipoib`.
    Ipoib,
    /// `ipoib, pkey`.
    IpoibPkey,
    /// `srp, target-port-guid`.
    SrpTarget,
    /// `any, service-id`.
    ServiceId,
    /// `any, pkey`.
    Pkey,
    /// `any, target-port-guid`.
    Target,
    /// `any, source-port-guid`.
    Source,
    /// `any, source-target-port-guid`.
    SourceAndTarget,
}

impl UlpKind {
    /// Each with its name and, where it has one, the word for its values.
    pub const FORMS: [(Self, &'static str, &'static str); 15] = [
        (Self::Default, "default", ""),
        (Self::Sdp, "sdp", ""),
        (Self::SdpPort, "sdp", "port-num"),
        (Self::Rds, "rds", ""),
        (Self::RdsPort, "rds", "port-num"),
        (Self::Iser, "iser", ""),
        (Self::IserPort, "iser", "port-num"),
        (Self::Ipoib, "ipoib", ""),
        (Self::IpoibPkey, "ipoib", "pkey"),
        (Self::SrpTarget, "srp", "target-port-guid"),
        (Self::ServiceId, "any", "service-id"),
        (Self::Pkey, "any", "pkey"),
        (Self::Target, "any", "target-port-guid"),
        (Self::Source, "any", "source-port-guid"),
        (Self::SourceAndTarget, "any", "source-target-port-guid"),
    ];

    /// Name and word for the values.
    #[must_use]
    pub fn form(self) -> (&'static str, &'static str) {
        // Every kind stands in the table.
        Self::FORMS.iter().find(|f| f.0 == self).map_or(("", ""), |f| (f.1, f.2))
    }
}

/// A scope of qos-setup.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum SetupScope {
    /// `vlarb-scope`.
    VlArb(VlArbScope),
    /// `sl2vl-scope`.
    Sl2vl(Sl2vlScope),
}

/// Arbitration tables that a site meant for some ports.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct VlArbScope {
    /// `group`: the ports.
    pub group: Vec<Placed<String>>,
    /// `across`: the ports that face them.
    pub across: Vec<Placed<String>>,
    /// `vlarb-high`: VL and weight.
    pub high: Vec<(u64, u64)>,
    /// `vlarb-low`: VL and weight.
    pub low: Vec<(u64, u64)>,
    /// `vl-high-limit`.
    pub high_limit: Option<u64>,
}

/// An SL2VL table that a site meant for some ports.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Sl2vlScope {
    /// `group`: the ports.
    pub group: Vec<Placed<String>>,
    /// `across`: the ports that face them, both ways.
    pub across: Vec<Placed<String>>,
    /// `across-from`: by where packets come in.
    pub across_from: Vec<Placed<String>>,
    /// `across-to`: by where packets go out.
    pub across_to: Vec<Placed<String>>,
    /// `from`: numbers of ports where packets come in; `None` for `*` and where not given.
    pub from: Option<Ranges>,
    /// `to`: numbers of ports where packets go out; `None` for `*` and where not given.
    pub to: Option<Ranges>,
    /// `sl2vl-table`.
    pub table: [u8; 16],
}

/// Reads a qos-policy.conf.
///
/// DOS line ends and a last comment without a line feed cost OpenSM the whole policy; here they
/// are only told.
#[must_use]
pub fn parse(source: &SourceFile) -> (QosPolicy, Diagnostics) {
    let (mut policy, mut findings) = read::read(source);
    check::check(&mut policy, source, &mut findings);
    let nothing = QosPolicy { refused: true, ..QosPolicy::default() };
    if policy.refused {
        let wrong = kind::wrong(source, FileKind::QosPolicy, policy == nothing);
        let none = || {
            let why = "no line of it opens a section, such as `qos-levels` or `qos-ulps`";
            (policy == nothing && opens_nothing(source))
                .then(|| kind::only(source, FileKind::QosPolicy, why, None))
        };
        findings = wrong.or_else(none).unwrap_or(findings);
    }
    (policy, findings)
}

/// Whether a text of several lines has no word of a policy in it, whatever its case.
fn opens_nothing(source: &SourceFile) -> bool {
    let text = source.text().to_ascii_lowercase();
    let lines = text.lines().filter(|line| !line.trim().is_empty()).count();
    lines > 3 && !["qos-", "port-group"].iter().any(|word| text.contains(word))
}
