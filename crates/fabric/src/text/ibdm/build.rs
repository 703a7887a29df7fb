//! Puts the systems of a topology and the cables between them into a draft.

use lk_diag::Diagnostic;
use rustc_hash::{FxHashMap, FxHashSet};

use super::expand::{Expander, Plugs, Port};
use super::ibnl::{Library, TypeId};
use super::topo::{System, Topology};
use super::words::plain_port;
use crate::graph::{LinkRate, NodeKind};
use crate::text::draft::{Draft, DraftEnd, DraftPort, Place};
use crate::text::findings::{Findings, NODE_TWICE, PORT_RANGE, UNKNOWN_SYSTEM};

/// What the file shows of a type that is defined nowhere.
#[derive(Clone, Copy, Debug)]
struct Shown {
    /// The highest plug; none where some plug is not called `P` and a number.
    ports: Option<u8>,
    /// Whether some system of this type has a section.
    described: bool,
}

impl Shown {
    /// Adapters have a port or two, and nobody describes them.
    fn kind(self, ports: u8) -> NodeKind {
        let adapter = ports == 1 || (ports == 2 && !self.described);
        if adapter { NodeKind::Ca } else { NodeKind::Switch }
    }
}

/// Makes a draft of a topology.
pub(super) struct Builder<'a> {
    out: Expander<'a>,
    library: &'a Library,
    /// Files of which something was used, and types that something was said of.
    used: FxHashSet<usize>,
    said: FxHashSet<String>,
}

impl<'a> Builder<'a> {
    pub(super) fn new(draft: Draft, library: &'a Library, findings: &'a mut Findings) -> Self {
        let out = Expander::new(draft, findings);
        Self { out, library, used: FxHashSet::default(), said: FxHashSet::default() }
    }

    pub(super) fn build(mut self, topology: &Topology) -> Draft {
        let shown = shown(topology);
        let plugs: Vec<Option<Plugs>> = topology
            .systems
            .iter()
            .map(|system| {
                self.compare_types(system);
                match self.library.find(&system.kind) {
                    Some(id) => Some(self.defined(id, system)),
                    None => self.undefined(system, shown.get(system.kind.as_str()).copied()),
                }
            })
            .collect();
        for cable in &topology.cables {
            let ends = cable.ends.each_ref().map(|(system, plug)| {
                let plugs = plugs[*system].as_ref()?;
                let port = plugs.ports.get(plug).copied();
                if port.is_none() {
                    self.no_plug(&topology.systems[*system], plugs, plug, cable.place);
                }
                port
            });
            let [Some(a), Some(b)] = ends else { continue };
            self.out.rate(a, cable.rate);
            self.out.rate(b, cable.rate);
            self.out.connect(a, b, cable.place);
        }
        self.finish()
    }

    fn defined(&mut self, id: TypeId, system: &System) -> Plugs {
        if self.used.insert(id.0) {
            for finding in &self.library.files[id.0].findings {
                self.out.findings.push(finding.clone());
            }
        }
        self.out.system(self.library, id, system)
    }

    /// Says where two lines give a system types that are not the same.
    fn compare_types(&mut self, system: &System) {
        let id = self.library.find(&system.kind);
        for (other, place) in &system.also {
            if id.is_some() && self.library.find(other) == id {
                continue;
            }
            let message =
                format!("`{}` is a {} here and a {other} there", system.name, system.kind);
            let finding = Diagnostic::error(NODE_TWICE, message);
            let finding = self.out.draft.at(finding, system.place, "taken");
            self.out.findings.push(self.out.draft.also(finding, *place, "the other type"));
        }
    }

    /// A system of a type without a definition: one chip, if its plugs are those of one.
    fn undefined(&mut self, system: &System, shown: Option<Shown>) -> Option<Plugs> {
        let chip = shown.and_then(|shown| shown.ports.map(|n| (shown.kind(n), n)));
        if self.said.insert(system.kind.clone()) {
            let kind = &system.kind;
            let message = format!("there is no definition of the system type `{kind}`");
            let finding = match chip {
                Some((node, ports)) => Diagnostic::warning(UNKNOWN_SYSTEM, message).note(format!(
                    "by its cables it is taken as a {} of {ports} ports",
                    if node == NodeKind::Switch { "switch" } else { "channel adapter" }
                )),
                None => Diagnostic::error(UNKNOWN_SYSTEM, message)
                    .note("systems of this type and their cables are left out"),
            };
            let help = match lk_diag::nearest(kind, self.library.names()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => "definitions (.ibnl files) are looked for beside the topology, in its \
                         folder `systems` and where --ibnl-path says"
                    .to_owned(),
            };
            self.out.say(finding.help(help), system.place, "");
        }
        let (kind, ports) = chip?;
        let name = format!("{}/U1", system.name);
        let node = self.out.chip(&name, (kind, ports, 0), &mut None, system.place)?;
        let ports = (1..=ports).map(|port| (format!("P{port}"), (node, port))).collect();
        Some(Plugs { ports, ..Plugs::default() })
    }

    fn no_plug(&mut self, system: &System, plugs: &Plugs, plug: &str, place: Place) {
        let message = format!("`{}` ({}) has no plug `{plug}`", system.name, system.kind);
        let mut finding = Diagnostic::error(PORT_RANGE, message);
        if plugs.gone.contains(plug) {
            finding = finding.note("CFG takes the board out on which it is");
        } else {
            let mut names: Vec<&str> = plugs.ports.keys().map(String::as_str).collect();
            names.sort_unstable();
            if let Some(near) = lk_diag::nearest(plug, names) {
                finding = finding.help(format!("did you mean `{near}`?"));
            }
        }
        self.out.say(finding, place, "the cable is left out");
    }

    /// Turns lines and cables into the draft's port lines, two for each.
    fn finish(self) -> Draft {
        let Expander { mut draft, wired, rates, .. } = self.out;
        for wire in wired {
            let [a, b] = wire.ends.map(|end| rates.get(&end).copied().unwrap_or_default());
            let rate = slower(a, b);
            let [a, b] = wire.ends;
            for (near, far) in [(a, b), (b, a)] {
                draft.ends.push(end(&draft, near, far, rate, wire.place));
            }
        }
        draft
    }
}

fn end(draft: &Draft, near: Port, far: Port, rate: LinkRate, place: Place) -> DraftEnd {
    DraftEnd {
        node: near.0,
        port: near.1,
        place,
        this: DraftPort::default(),
        far: draft.nodes[far.0 as usize].name,
        far_port: u32::from(far.1),
        far_guid: None,
        far_lid: None,
        rate,
        enabled: None,
        by_alias: false,
    }
}

/// The rate at which two ports meet: that of the slower one, or of the one that is known.
fn slower(a: LinkRate, b: LinkRate) -> LinkRate {
    match (a.decigigabits(), b.decigigabits()) {
        (0, _) if a.is_unknown() => b,
        (_, 0) => a,
        (0, _) => b,
        (x, y) => {
            if x <= y {
                a
            } else {
                b
            }
        }
    }
}

/// What the file shows of each type.
fn shown(topology: &Topology) -> FxHashMap<&str, Shown> {
    let mut all: FxHashMap<&str, Shown> = FxHashMap::default();
    for system in &topology.systems {
        let shown =
            all.entry(system.kind.as_str()).or_insert(Shown { ports: Some(1), described: false });
        shown.described |= system.described;
        // No definition, no boards to take out.
        if !system.boards.is_empty() {
            shown.ports = None;
        }
    }
    for (system, plug) in topology.cables.iter().flat_map(|cable| &cable.ends) {
        let kind = topology.systems[*system].kind.as_str();
        if let Some(shown) = all.get_mut(kind) {
            shown.ports = shown.ports.and_then(|most| Some(most.max(plain_port(plug)?)));
        }
    }
    all
}
