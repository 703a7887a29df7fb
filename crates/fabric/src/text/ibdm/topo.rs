//! The topology: systems, and the cables between their plugs.

use lk_diag::{Diagnostic, SourceFile, Span};
use rustc_hash::FxHashMap;

use super::words::{self, Line, Word};
use crate::graph::LinkRate;
use crate::text::draft::{Draft, Place};
use crate::text::findings::{Findings, MALFORMED, NODE_TWICE, ORPHAN_PORT};

/// A system as the file names it.
#[derive(Clone, Debug)]
pub(super) struct System {
    pub(super) name: String,
    pub(super) kind: String,
    /// Where it is described, else where it is named first.
    pub(super) place: Place,
    /// Whether it is described by a section of its own.
    pub(super) described: bool,
    /// Boards that are left out or of another flavour than usual.
    pub(super) boards: Vec<Flavour>,
    /// Other types that the file gives it.
    pub(super) also: Vec<(String, Place)>,
}

/// What `CFG:` says of a board.
#[derive(Clone, Debug)]
pub(super) struct Flavour {
    pub(super) board: String,
    pub(super) modifier: String,
    pub(super) place: Place,
}

/// A cable: system (its place in [`Topology::systems`]) and plug of both ends.
#[derive(Clone, Debug)]
pub(super) struct Cable {
    pub(super) ends: [(usize, String); 2],
    pub(super) rate: LinkRate,
    pub(super) place: Place,
}

/// A file.
#[derive(Clone, Default, Debug)]
pub(super) struct Topology {
    pub(super) systems: Vec<System>,
    pub(super) cables: Vec<Cable>,
    by_name: FxHashMap<String, usize>,
}

/// Takes a topology file apart.
pub(super) fn read(source: &SourceFile, draft: &Draft, findings: &mut Findings) -> Topology {
    let mut topology = Topology::default();
    let mut here = None;
    for (_, span, text) in source.lines() {
        let place = Place { file: 0, span };
        let malformed = |place: Place, expected: &str| {
            let message = format!("expected {expected}; the line is left out");
            draft.at(Diagnostic::error(MALFORMED, message), place, "")
        };
        match words::line(text, span.start) {
            Line::Blank => {}
            Line::Flawed(span, expected) => {
                findings.push(malformed(Place { span, ..place }, expected));
            }
            Line::Words(words) => match topology.header(draft, place, &words, findings) {
                Ok(system) => here = Some(system),
                Err((place, expected)) => findings.push(malformed(place, expected)),
            },
            Line::Cable { from, rate, to } => match (to.as_slice(), here) {
                ([kind, name, port], Some(near)) => {
                    let far = topology.named(kind.text, name.text, place);
                    let ends = [(near, from.text.to_owned()), (far, port.text.to_owned())];
                    topology.cables.push(Cable { ends, rate, place });
                }
                (_, None) => {
                    let message = "no system stands before this cable; it is left out";
                    findings.push(draft.at(Diagnostic::error(ORPHAN_PORT, message), place, ""));
                }
                _ => {
                    let expected = "type, name and plug of the system at the other end";
                    findings.push(malformed(place, expected));
                }
            },
        }
    }
    topology
}

impl Topology {
    /// The system of this name, which is of this type by the line at `place`.
    fn named(&mut self, kind: &str, name: &str, place: Place) -> usize {
        if let Some(at) = self.by_name.get(name).copied() {
            let system = &mut self.systems[at];
            if system.kind != kind && system.also.iter().all(|(other, _)| other != kind) {
                system.also.push((kind.to_owned(), place));
            }
            return at;
        }
        let at = self.systems.len();
        self.by_name.insert(name.to_owned(), at);
        self.systems.push(System {
            name: name.to_owned(),
            kind: kind.to_owned(),
            place,
            described: false,
            boards: Vec::new(),
            also: Vec::new(),
        });
        at
    }

    /// Takes the head of a section.
    fn header(
        &mut self,
        draft: &Draft,
        place: Place,
        words: &[Word<'_>],
        findings: &mut Findings,
    ) -> Result<usize, (Place, &'static str)> {
        let [kind, name, rest @ ..] = words else {
            return Err((place, "a system's type and its name"));
        };
        let boards = flavours(rest, place)?;
        let at = self.named(kind.text, name.text, place);
        let system = &mut self.systems[at];
        if system.described {
            let message = format!("`{}` is described twice", name.text);
            let finding = draft.at(Diagnostic::warning(NODE_TWICE, message), place, "added");
            findings.push(draft.also(finding, system.place, "the first one"));
        } else {
            // What a section says of its system counts more than what others call it.
            if system.kind != kind.text {
                let other = std::mem::replace(&mut system.kind, kind.text.to_owned());
                system.also.retain(|(also, _)| also != kind.text);
                system.also.push((other, system.place));
            }
            system.place = place;
            system.described = true;
        }
        system.boards.extend(boards);
        Ok(at)
    }
}

/// What stands behind type and name: nothing, or `CFG: board=modifier, ...`.
fn flavours(words: &[Word<'_>], place: Place) -> Result<Vec<Flavour>, (Place, &'static str)> {
    let Some((first, rest)) = words.split_first() else { return Ok(Vec::new()) };
    let at = |word: &Word<'_>| Place { span: word.span, ..place };
    let Some(head) = first.text.strip_prefix("CFG:") else { return Err((at(first), "`CFG:`")) };
    let mut all = Vec::new();
    let texts = std::iter::once((head, first)).chain(rest.iter().map(|w| (w.text, w)));
    for (text, word) in texts {
        let mut start = word.span.end - text.len();
        for part in text.split(',') {
            let place = Place { span: Span::new(start, start + part.len()), ..place };
            start += part.len() + 1;
            if part.is_empty() {
                continue;
            }
            let split = part
                .split_once('=')
                .filter(|(board, modifier)| !board.is_empty() && !modifier.is_empty());
            let (board, modifier) = split.ok_or((place, "BOARD=MODIFIER"))?;
            let (board, modifier) = (board.to_owned(), modifier.to_owned());
            all.push(Flavour { board, modifier, place });
        }
    }
    Ok(all)
}
