//! Definitions of systems (`.ibnl`).

use lk_diag::{Diagnostic, SourceFile, Span};
use rustc_hash::FxHashMap;

use super::words::{self, Line, Word};
use crate::graph::{LinkRate, NodeKind};
use crate::text::draft::{Draft, Place};
use crate::text::findings::{BAD_NUMBER, MALFORMED, NODE_TWICE, SYSTEM_FILE};

/// The system or board that a definition describes.
#[derive(Clone, Debug)]
pub(super) struct Definition {
    /// What is in it, in the order of the file.
    pub(super) parts: Vec<Part>,
    /// The parts by name.
    pub(super) by_name: FxHashMap<String, usize>,
}

/// A chip or a board.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) place: Place,
    pub(super) what: What,
    /// The lines that leave it.
    pub(super) wires: Vec<Wire>,
}

/// What a part is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A chip with its number of ports and the number in its device's name.
    Chip { kind: NodeKind, ports: u8, device: u16 },
    /// A board of a type of the same file.
    Board(String),
}

/// A line on a board: from a port of a part to a plug, or to a port of another part.
#[derive(Clone, Debug)]
pub(super) struct Wire {
    pub(super) port: String,
    pub(super) rate: LinkRate,
    pub(super) to: End,
    pub(super) place: Place,
}

/// The other end of a [`Wire`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum End {
    /// A plug of what is being defined.
    Plug(String),
    /// A part and its port.
    Part(String, String),
}

/// One file.
#[derive(Clone, Default, Debug)]
pub(super) struct SystemFile {
    pub(super) definitions: Vec<Definition>,
    /// All definitions by each of their names.
    pub(super) by_name: FxHashMap<String, usize>,
    /// What is to be said of the file if something of it is used.
    pub(super) findings: Vec<Diagnostic>,
}

/// Where a type is defined: file and definition.
pub(super) type TypeId = (usize, usize);

/// All definitions that can be had.
#[derive(Clone, Default, Debug)]
pub(super) struct Library {
    pub(super) files: Vec<SystemFile>,
    types: FxHashMap<String, TypeId>,
}

impl Library {
    /// Reads files with definitions, which are those of `draft` from the second on.
    pub(super) fn read(draft: &Draft, sources: &[SourceFile]) -> Self {
        let mut library = Self::default();
        for (at, source) in sources.iter().enumerate() {
            let mut reader = Reader { draft, file: at + 1, out: SystemFile::default(), top: None };
            let names = reader.read(source);
            if let Some(top) = reader.top {
                for name in names {
                    library.types.entry(name).or_insert((at, top));
                }
            }
            library.files.push(reader.out);
        }
        library
    }

    /// Where a type of system is defined.
    pub(super) fn find(&self, name: &str) -> Option<TypeId> {
        self.types.get(name).copied()
    }

    /// The names of all types.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let mut names: Vec<&str> = self.types.keys().map(String::as_str).collect();
        names.sort_unstable();
        names.into_iter()
    }

    /// The definition behind an id.
    pub(super) fn definition(&self, (file, at): TypeId) -> &Definition {
        &self.files[file].definitions[at]
    }
}

struct Reader<'d> {
    draft: &'d Draft,
    file: usize,
    out: SystemFile,
    /// The top system.
    top: Option<usize>,
}

impl Reader<'_> {
    /// Reads a file and gives the names of its top system.
    fn read(&mut self, source: &SourceFile) -> Vec<String> {
        let mut names = Vec::new();
        for (_, span, text) in source.lines() {
            let place = Place { file: self.file, span };
            match words::line(text, span.start) {
                Line::Blank => {}
                Line::Flawed(span, expected) => self.malformed(Place { span, ..place }, expected),
                Line::Cable { from, rate, to } => self.wire(place, from, rate, &to),
                Line::Words(words) => match words[0].text {
                    "SYSTEM" => drop(self.header(place, &words)),
                    "TOPSYSTEM" => {
                        let found = self.header(place, &words);
                        if self.top.is_none() && !found.is_empty() {
                            self.top = Some(self.out.definitions.len() - 1);
                            names = found;
                        }
                    }
                    "NODE" => self.chip(place, &words),
                    "SUBSYSTEM" => self.board(place, &words),
                    // Attributes of chips (`U1=isChaBma`) say nothing of cables.
                    _ if words.len() == 1 && words[0].text.contains('=') => {}
                    _ => self.malformed(place, "SYSTEM, TOPSYSTEM, SUBSYSTEM, NODE or a line"),
                },
            }
        }
        if self.top.is_none() {
            let message = format!("{} defines no TOPSYSTEM", source.name());
            self.say(
                Diagnostic::error(SYSTEM_FILE, message),
                Place { file: self.file, span: Span::point(0) },
                "",
            );
        }
        names
    }

    fn say(&mut self, finding: Diagnostic, place: Place, text: &str) {
        self.out.findings.push(self.draft.at(finding, place, text));
    }

    fn malformed(&mut self, place: Place, expected: &str) {
        let message = format!("expected {expected}; the line is left out");
        self.say(Diagnostic::error(MALFORMED, message), place, "");
    }

    /// Begins a definition; its names.
    fn header(&mut self, place: Place, words: &[Word<'_>]) -> Vec<String> {
        let names: Vec<String> = words[1..]
            .iter()
            .flat_map(|w| w.text.split(','))
            .filter(|name| !name.is_empty())
            .map(str::to_owned)
            .collect();
        if names.is_empty() {
            self.malformed(place, "the names of a system");
            return names;
        }
        for name in &names {
            if self.out.by_name.insert(name.clone(), self.out.definitions.len()).is_some() {
                let message = format!("`{name}` is defined twice; the last one counts");
                self.say(Diagnostic::warning(NODE_TWICE, message), place, "");
            }
        }
        let (parts, by_name) = (Vec::new(), FxHashMap::default());
        self.out.definitions.push(Definition { parts, by_name });
        names
    }

    fn chip(&mut self, place: Place, words: &[Word<'_>]) {
        let [_, kind, ports, device, name] = words else {
            return self.malformed(place, "NODE, SW or CA, the number of ports, device and name");
        };
        let kind = match kind.text {
            "SW" => NodeKind::Switch,
            "CA" | "HCA" => NodeKind::Ca,
            _ => return self.malformed(Place { span: kind.span, ..place }, "SW, CA or HCA"),
        };
        let Some(ports) = ports.text.parse().ok().filter(|n| (1..=254).contains(n)) else {
            let message = format!("`{}` is no number of ports (1 to 254)", ports.text);
            let finding = Diagnostic::error(BAD_NUMBER, message);
            return self.say(finding, Place { span: ports.span, ..place }, "");
        };
        let digits = device.text.trim_start_matches(|c: char| !c.is_ascii_digit());
        let device = digits.parse().unwrap_or(0);
        self.part(place, name.text, What::Chip { kind, ports, device });
    }

    fn board(&mut self, place: Place, words: &[Word<'_>]) {
        let [_, system, name] = words else {
            return self.malformed(place, "SUBSYSTEM, the board's type and its name");
        };
        self.part(place, name.text, What::Board(system.text.to_owned()));
    }

    fn part(&mut self, place: Place, name: &str, what: What) {
        let Some(definition) = self.out.definitions.last_mut() else {
            return self.malformed(place, "SYSTEM or TOPSYSTEM before it");
        };
        let part = Part { name: name.to_owned(), place, what, wires: Vec::new() };
        if definition.by_name.contains_key(name) {
            let message = format!("there is a `{name}` already; this one is left out");
            return self.say(Diagnostic::error(NODE_TWICE, message), place, "");
        }
        definition.by_name.insert(name.to_owned(), definition.parts.len());
        definition.parts.push(part);
    }

    fn wire(&mut self, place: Place, from: Word<'_>, rate: LinkRate, to: &[Word<'_>]) {
        let to = match to {
            [plug] => End::Plug(plug.text.to_owned()),
            [part, port] => End::Part(part.text.to_owned(), port.text.to_owned()),
            _ => return self.malformed(place, "a plug, or a part and its port"),
        };
        let parts = self.out.definitions.last_mut().and_then(|d| d.parts.last_mut());
        match parts {
            Some(part) => part.wires.push(Wire { port: from.text.to_owned(), rate, to, place }),
            None => self.malformed(place, "NODE or SUBSYSTEM before it"),
        }
    }
}
