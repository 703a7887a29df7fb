//! What rules are given.

use lk_config::effective::Origin;
use lk_config::{Effective, Options, QosSetName};
use lk_diag::{Diagnostic, SourceFile, Span};
use lk_qos::policy::PartitionPorts;
use lk_qos::{PortTables, QosSet, ResolvedSets};
use lk_snapshot::Snapshot;
use lk_wire::VlCode;

use crate::files::SiteFiles;
use crate::kinds::PortKind;
use crate::managed::{Managed, Unrouted};
use crate::seen::Seen;

/// A site: its options, its other files, and the ports that they are for.
#[derive(Clone, Debug)]
pub struct Site<'a> {
    /// The options in force and where each came from.
    pub config: &'a Effective,
    /// The `qos_` options, resolved for each class of ports.
    pub sets: ResolvedSets,
    /// The kinds of ports that there are.
    pub kinds: Vec<PortKind>,
    /// The other files; none where only the options are known.
    pub files: Option<&'a SiteFiles>,
    /// What the manager makes of the site's fabric; none where there is no fabric.
    pub managed: Option<&'a Managed>,
    /// That no engine routes the site's fabric, where that is so; then nothing else is known of it.
    pub unrouted: Option<&'a Unrouted>,
    /// Whether the rules are to look at tables as if QoS were on.
    pub as_if_on: bool,
    /// The fabric as it was read, where one was.
    pub seen: Option<Seen<'a>>,
    /// The partitions that the site's files ask for on that fabric; none without such a file.
    pub asked_partitions: Option<&'a [PartitionPorts]>,
}

impl<'a> Site<'a> {
    /// A site of which only the options are known. Its ports are taken to be able to do all that
    /// the options ask for: eight lanes, and tables as long as there are.
    #[must_use]
    pub fn of_options(config: &'a Effective) -> Self {
        let lanes = config.options().max_op_vls;
        Self {
            config,
            sets: ResolvedSets::new(&config.options().qos_sets),
            kinds: PortKind::assumed(lanes),
            files: None,
            managed: None,
            unrouted: None,
            as_if_on: false,
            seen: None,
            asked_partitions: None,
        }
    }

    /// A site whose ports are known.
    #[must_use]
    pub fn of_ports(config: &'a Effective, kinds: Vec<PortKind>) -> Self {
        Self { kinds, ..Self::of_options(config) }
    }

    /// The same with the site's other files.
    #[must_use]
    pub fn with_files(self, files: &'a SiteFiles) -> Self {
        Self { files: Some(files), ..self }
    }

    /// The same on a fabric that the manager has brought up.
    #[must_use]
    pub fn with_managed(self, managed: &'a Managed) -> Self {
        Self { managed: Some(managed), ..self }
    }

    /// The same on a fabric that no engine routes.
    #[must_use]
    pub fn with_unrouted(self, unrouted: &'a Unrouted) -> Self {
        Self { unrouted: Some(unrouted), ..self }
    }

    /// The same with the partitions that its files ask for on the fabric that was read.
    #[must_use]
    pub fn with_partitions(self, asked: Option<&'a [PartitionPorts]>) -> Self {
        Self { asked_partitions: asked, ..self }
    }

    /// Whether tables are programmed, or are looked at as if they were.
    #[must_use]
    pub fn programs_tables(&self) -> bool {
        self.options().qos || self.as_if_on
    }

    /// A site whose ports and switches were read.
    #[must_use]
    pub fn of_snapshot(config: &'a Effective, snapshot: &'a Snapshot) -> Self {
        let seen = Seen::new(snapshot);
        let kinds = seen.kinds(config.options().max_op_vls);
        let site = match kinds.is_empty() {
            // Dump files do not tell what ports can do.
            true => Self::of_options(config),
            false => Self::of_ports(config, kinds),
        };
        Self { seen: Some(seen), ..site }
    }

    /// The options.
    #[must_use]
    pub fn options(&self) -> &'a Options {
        self.config.options()
    }

    /// What the file asks for at ports of a kind.
    #[must_use]
    pub fn wish(&self, kind: &PortKind) -> &QosSet {
        self.sets.get(kind.port.class)
    }

    /// What ports of a kind will hold of it.
    #[must_use]
    pub fn held(&self, kind: &PortKind) -> PortTables {
        PortTables::new(&self.sets, &kind.port)
    }

    /// Kinds of ports that differ in what rules look at: of kinds with the same set of options,
    /// OperVLs and capacities only the first.
    pub fn distinct_kinds(&self) -> impl Iterator<Item = &PortKind> {
        let same = |a: &PortKind, b: &PortKind| {
            self.wish(a) == self.wish(b)
                && a.mtu == b.mtu
                && (a.port.oper_vls, a.port.vlarb_low_cap, a.port.vlarb_high_cap)
                    == (b.port.oper_vls, b.port.vlarb_low_cap, b.port.vlarb_high_cap)
        };
        let first =
            move |at: usize| !self.kinds[..at].iter().any(|earlier| same(earlier, &self.kinds[at]));
        (0..self.kinds.len()).filter(move |at| first(*at)).map(|at| &self.kinds[at])
    }

    /// Points a finding at the line from which a field of a set came, if one did.
    #[must_use]
    pub fn at_set(
        &self,
        set: Option<QosSetName>,
        field: &str,
        text: &str,
        found: Diagnostic,
    ) -> Diagnostic {
        match set {
            Some(set) => self.at(&format!("{}{field}", set.prefix()), text, found),
            None => found.note(format!("{field} is not set: this is the built-in value")),
        }
    }

    /// Points a finding at the line from which an option came, if one did.
    #[must_use]
    pub fn at(&self, key: &str, text: &str, found: Diagnostic) -> Diagnostic {
        match self.place(key) {
            Some((source, span)) => found.at(source, span, text),
            None => found,
        }
    }

    /// Names the line of another option that has to do with it.
    #[must_use]
    pub fn also(&self, key: &str, text: &str, found: Diagnostic) -> Diagnostic {
        match self.place(key) {
            Some((source, span)) => found.also(source, span, text),
            None => found,
        }
    }

    fn place(&self, key: &str) -> Option<(&SourceFile, Span)> {
        self.config.origin(key).place()
    }

    /// Whether somebody set the option.
    #[must_use]
    pub fn is_set(&self, key: &str) -> bool {
        *self.config.origin(key) != Origin::Default
    }
}

/// Lanes in words: `VL0` or `VL0 to VL7`.
#[must_use]
pub fn lanes(code: VlCode) -> String {
    match code.data_vls() {
        1 => "VL0".to_owned(),
        n => format!("VL0 to VL{}", n - 1),
    }
}
