//! Makes the chips of a system, and the lines between them.

use lk_diag::Diagnostic;
use lk_wire::Guid;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ibnl::{Definition, End, Library, Part, TypeId, What};
use super::topo::System;
use crate::graph::{LinkRate, NodeKind, NodeSpec};
use crate::text::draft::{Draft, DraftNode, DraftPort, Place};
use crate::text::findings::{
    CABLE_DISAGREES, Findings, NODE_TWICE, PORT_RANGE, PORT_TO_ITSELF, SYSTEM_FILE,
};

/// A port of a chip: the node's place in the draft, and the number.
pub(super) type Port = (u32, u8);

/// The plugs of a system or a board.
#[derive(Clone, Default, Debug)]
pub(super) struct Plugs {
    pub(super) ports: FxHashMap<String, Port>,
    /// Plugs of boards that are left out.
    pub(super) gone: FxHashSet<String>,
}

/// A line or cable that was taken.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wired {
    pub(super) ends: [Port; 2],
    pub(super) place: Place,
}

/// How deep boards may stand in each other.
const DEEPEST: usize = 16;
/// How many chips and boards are made at most: many times what LIDs there are for.
const MOST_PARTS: usize = 500_000;

/// What nodes are made in.
pub(super) struct Expander<'f> {
    pub(super) draft: Draft,
    pub(super) findings: &'f mut Findings,
    pub(super) wired: Vec<Wired>,
    /// Width and speed of ports by the innermost line that says any.
    pub(super) rates: FxHashMap<Port, LinkRate>,
    taken: FxHashMap<Port, usize>,
    /// The next GUID of an adapter and of a switch.
    guids: [u64; 2],
    parts: usize,
    /// Places of definitions that something was said of: the next system has the same there.
    said: FxHashSet<(usize, usize)>,
}

/// A part that was made.
enum Made {
    Chip(u32, u8),
    Board(Plugs),
    /// A board that is left out.
    Gone,
}

impl<'f> Expander<'f> {
    pub(super) fn new(draft: Draft, findings: &'f mut Findings) -> Self {
        Self {
            draft,
            findings,
            wired: Vec::new(),
            rates: FxHashMap::default(),
            taken: FxHashMap::default(),
            guids: [0x1000_0000, 0x2000_0000],
            parts: 0,
            said: FxHashSet::default(),
        }
    }

    pub(super) fn say(&mut self, finding: Diagnostic, place: Place, text: &str) {
        self.findings.push(self.draft.at(finding, place, text));
    }

    /// Says something of a definition, once.
    fn say_once(&mut self, finding: Diagnostic, place: Place, text: &str) {
        if self.said.insert((place.file, place.span.start)) {
            self.say(finding, place, text);
        }
    }

    /// Makes a chip; `None` where its name is taken.
    pub(super) fn chip(
        &mut self,
        name: &str,
        (kind, ports, device): (NodeKind, u8, u16),
        system_guid: &mut Option<Guid>,
        place: Place,
    ) -> Option<u32> {
        let slot = &mut self.guids[usize::from(kind == NodeKind::Switch)];
        let guid = Guid(*slot);
        *slot += if kind == NodeKind::Switch { 1 } else { u64::from(ports) + 1 };
        let mut spec = NodeSpec::new(guid, kind, name, ports);
        spec.system_guid = *system_guid.get_or_insert(guid);
        spec.device_id = device;
        let id = self.draft.name(name);
        let node = DraftNode { name: id, place, spec, port0: DraftPort::default() };
        match self.draft.add(node) {
            Ok(index) => Some(index),
            Err(_) => {
                let message = format!("two chips would be called `{name}`; the second is left out");
                self.say(Diagnostic::error(NODE_TWICE, message), place, "");
                None
            }
        }
    }

    /// Makes everything in a system and gives its plugs.
    pub(super) fn system(&mut self, library: &Library, id: TypeId, system: &System) -> Plugs {
        let mut work = Work {
            library,
            file: id.0,
            system,
            system_guid: None,
            used: vec![false; system.boards.len()],
        };
        let plugs = work.expand(self, library.definition(id), "", 0);
        let unused = work.used.iter().zip(&system.boards).filter(|(used, _)| !**used);
        for (_, flavour) in unused {
            let message =
                format!("`{}` ({}) has no board `{}`", system.name, system.kind, flavour.board);
            let definition = library.definition(id);
            let boards = definition.parts.iter().map(|part| part.name.as_str());
            let mut finding = Diagnostic::error(SYSTEM_FILE, message);
            if let Some(near) = lk_diag::nearest(&flavour.board, boards) {
                finding = finding.help(format!("did you mean `{near}`?"));
            }
            self.say(finding, flavour.place, "without effect");
        }
        plugs
    }

    /// Joins two ports. The same line may be stated from both ends.
    pub(super) fn connect(&mut self, a: Port, b: Port, place: Place) {
        if a == b {
            let message = format!("{} is cabled to itself", self.name(a));
            return self.say(Diagnostic::error(PORT_TO_ITSELF, message), place, "left out");
        }
        for (this, other) in [(a, b), (b, a)] {
            let Some(held) = self.taken.get(&this).map(|at| self.wired[*at]) else { continue };
            if held.ends == [a, b] || held.ends == [b, a] {
                return;
            }
            let there = held.ends[usize::from(held.ends[0] == this)];
            let message = format!(
                "{} is cabled to {} and to {}",
                self.name(this),
                self.name(there),
                self.name(other)
            );
            let finding = Diagnostic::error(CABLE_DISAGREES, message);
            let finding = self.draft.at(finding, place, "this cable is left out");
            self.findings.push(self.draft.also(finding, held.place, "the first one"));
            return;
        }
        let at = self.wired.len();
        self.wired.push(Wired { ends: [a, b], place });
        self.taken.insert(a, at);
        self.taken.insert(b, at);
    }

    fn name(&self, (node, port): Port) -> String {
        format!("port {port} of `{}`", self.draft.nodes[node as usize].spec.description)
    }

    /// Notes the rate of a port, unless an inner line has done so.
    pub(super) fn rate(&mut self, port: Port, rate: LinkRate) {
        if !rate.is_unknown() {
            self.rates.entry(port).or_insert(rate);
        }
    }
}

/// One system in the making.
struct Work<'a> {
    library: &'a Library,
    /// The file that defines it.
    file: usize,
    system: &'a System,
    system_guid: Option<Guid>,
    /// Which words of `CFG:` named a board.
    used: Vec<bool>,
}

impl<'a> Work<'a> {
    /// Makes what is in a board, `path` being its place in the system.
    fn expand(
        &mut self,
        out: &mut Expander<'_>,
        definition: &'a Definition,
        path: &str,
        depth: usize,
    ) -> Plugs {
        let made: Vec<Made> =
            definition.parts.iter().map(|part| self.part(out, part, path, depth)).collect();
        let mut plugs = Plugs::default();
        for (at, part) in definition.parts.iter().enumerate() {
            for wire in &part.wires {
                let here = port(out, &made[at], part, &wire.port, wire.place);
                if let Some(here) = here {
                    out.rate(here, wire.rate);
                }
                match &wire.to {
                    End::Plug(plug) => match (here, &made[at]) {
                        (Some(here), _) => {
                            let first = *plugs.ports.entry(plug.clone()).or_insert(here);
                            if first != here {
                                let message = format!("two lines lead to the plug `{plug}`");
                                let finding = Diagnostic::error(CABLE_DISAGREES, message);
                                out.say_once(finding, wire.place, "this one is left out");
                            }
                        }
                        (None, Made::Gone) => {
                            plugs.gone.insert(plug.clone());
                        }
                        // Another flavour of the board is in its place.
                        (None, _) => {}
                    },
                    End::Part(name, far) => {
                        let Some(to) = definition.by_name.get(name).copied() else {
                            let message = format!("there is no part `{name}` here");
                            let finding = Diagnostic::error(SYSTEM_FILE, message);
                            out.say_once(finding, wire.place, "the line is left out");
                            continue;
                        };
                        let there = port(out, &made[to], &definition.parts[to], far, wire.place);
                        if let (Some(here), Some(there)) = (here, there) {
                            out.connect(here, there, wire.place);
                        }
                    }
                }
            }
        }
        plugs
    }

    fn part(&mut self, out: &mut Expander<'_>, part: &Part, path: &str, depth: usize) -> Made {
        let path =
            if path.is_empty() { part.name.clone() } else { format!("{path}/{}", part.name) };
        out.parts += 1;
        if out.parts > MOST_PARTS || depth > DEEPEST {
            let message = if depth > DEEPEST {
                format!("boards stand in each other more than {DEEPEST} deep")
            } else {
                format!("the systems have more than {MOST_PARTS} boards and chips")
            };
            out.say_once(Diagnostic::error(SYSTEM_FILE, message), part.place, "left out");
            return Made::Gone;
        }
        let mut flavour = None;
        for (at, board) in self.system.boards.iter().enumerate() {
            if board.board == path {
                self.used[at] = true;
                flavour = Some(board);
            }
        }
        if flavour.is_some_and(|board| board.modifier == "R") {
            return Made::Gone;
        }
        match &part.what {
            What::Chip { kind, ports, device } => {
                let name = format!("{}/{path}", self.system.name);
                let chip = (*kind, *ports, *device);
                out.chip(&name, chip, &mut self.system_guid, self.system.place)
                    .map_or(Made::Gone, |node| Made::Chip(node, *ports))
            }
            What::Board(kind) => {
                let (library, names) = (self.library, &self.library.files[self.file].by_name);
                let wanted = flavour.map(|board| format!("{kind}:{}", board.modifier));
                if let (Some(wanted), Some(board)) = (&wanted, flavour)
                    && !names.contains_key(wanted)
                {
                    let message = format!(
                        "there is no flavour `{}` of the board `{path}`, which is a {kind}",
                        board.modifier
                    );
                    let finding = Diagnostic::error(SYSTEM_FILE, message);
                    out.say(finding, board.place, "the usual one is taken");
                }
                let found =
                    wanted.and_then(|wanted| names.get(&wanted)).or_else(|| names.get(kind));
                let Some(found) = found else {
                    let message = format!("the file defines no board `{kind}`");
                    out.say_once(Diagnostic::error(SYSTEM_FILE, message), part.place, "left out");
                    return Made::Gone;
                };
                let definition = library.definition((self.file, *found));
                Made::Board(self.expand(out, definition, &path, depth + 1))
            }
        }
    }
}

/// The port of a chip behind a name of a part's port; none where the part has no such port.
fn port(
    out: &mut Expander<'_>,
    made: &Made,
    part: &Part,
    name: &str,
    place: Place,
) -> Option<Port> {
    match made {
        Made::Gone => None,
        Made::Board(plugs) => plugs.ports.get(name).copied(),
        Made::Chip(node, ports) => {
            let number = name.parse().ok().filter(|n| (1..=*ports).contains(n));
            if number.is_none() {
                let message = format!("`{}` has ports 1 to {ports}, not {name}", part.name);
                out.say_once(Diagnostic::error(PORT_RANGE, message), place, "left out");
            }
            number.map(|number| (*node, number))
        }
    }
}
