//! `port-group`.

use lk_diag::Span;

use super::lex::{Fault, Read, Text};
use super::read::Reader;
use super::{NodeType, PortGroup, PortName};
use crate::options::number::leading_digits;
use crate::{Placed, codes};

const ATTRIBUTES: [&str; 7] =
    ["name", "use", "port-guid", "port-name", "pkey", "partition", "node-type"];

const BLANKS: &str =
    "blanks outside of quotes are taken out, so it fits no node whose name has them";

impl Reader<'_> {
    pub(super) fn group(&mut self, opened: Span) -> Placed<PortGroup> {
        let mut group = PortGroup::default();
        let (mut name, mut usage) = (None, None);
        let close =
            self.inside("port-group", opened, &ATTRIBUTES, |r, attribute, _| match attribute {
                "name" => r.name_into(&mut name, attribute),
                "use" => r.usage_into(&mut usage),
                "port-guid" => {
                    let read = r.lex.ranges();
                    group.guids.extend(r.lex.or_skip(read).unwrap_or_default());
                }
                "port-name" => r.port_names(&mut group.port_names),
                "pkey" => {
                    let read = r.lex.pkeys();
                    group.pkeys.extend(r.lex.or_skip(read).unwrap_or_default());
                }
                "partition" => r.names_into(&mut group.partitions),
                _ => r.node_types(&mut group.node_types),
            });
        group.usage = usage;
        group.name = self.required(name, opened, "name", "port-group");
        Placed::new(group, opened.cover(close))
    }

    /// A name into a place for one.
    pub(super) fn name_into(&mut self, slot: &mut Option<Placed<String>>, what: &str) {
        let read = self.lex.single_text();
        if let Some(text) = self.lex.or_skip(read) {
            self.continued(&text);
            let name = Placed::new(text.value.value, text.place);
            self.once(slot, name, what);
        }
    }

    /// A description.
    pub(super) fn usage_into(&mut self, slot: &mut Option<Placed<String>>) {
        let read = self.lex.free_text();
        if let Some(text) = self.lex.or_skip(read) {
            self.once(slot, text, "use");
        }
    }

    /// Names, of which there may be any number.
    pub(super) fn names_into(&mut self, list: &mut Vec<Placed<String>>) {
        let read = self.lex.texts();
        for text in self.lex.or_skip(read).unwrap_or_default() {
            self.continued(&text);
            list.push(Placed::new(text.value.value, text.place));
        }
    }

    /// Says that a text goes on in a further line.
    fn continued(&mut self, text: &Placed<Text>) {
        if text.value.continued {
            let message = format!("the name is read as `{}`", text.value.value);
            let note = "the end of a line does not end a name, only a keyword or a comma does";
            self.lex.warn(codes::POLICY_NAME, text.place, message, note);
        }
    }

    fn port_names(&mut self, list: &mut Vec<Placed<PortName>>) {
        let read = self.lex.texts();
        for text in self.lex.or_skip(read).unwrap_or_default() {
            match port_name(&text) {
                Ok(name) => {
                    if text.value.lost_blanks {
                        let message = format!("the node's name is read as `{}`", name.node);
                        let written = self.lex.source.slice(text.place).to_owned();
                        let found = lk_diag::Diagnostic::warning(codes::POLICY_NAME, message)
                            .at(self.lex.source, text.place, "")
                            .note(BLANKS)
                            .help(format!("write it in double quotes: \"{written}\""));
                        self.lex.found.push(found);
                    }
                    list.push(Placed::new(name, text.place));
                }
                Err(fault) => self.lex.refuse(fault.place, fault.message, fault.help),
            }
        }
    }

    fn node_types(&mut self, list: &mut Vec<Placed<NodeType>>) {
        loop {
            self.lex.skip_all();
            let (word, place) = self.lex.word();
            let known = NodeType::WORDS.iter().find(|(_, name)| name.eq_ignore_ascii_case(word));
            let Some((kind, _)) = known else {
                let message = format!("`{word}` is no type of nodes");
                self.lex.refuse(place, message, "types are CA, SWITCH, ROUTER, ALL and SELF");
                return self.lex.skip_line();
            };
            list.push(Placed::new(*kind, place));
            self.lex.skip_all();
            if !self.lex.take(',') {
                return;
            }
        }
    }
}

/// `NODE/Pn`, split at the last slash.
fn port_name(text: &Placed<Text>) -> Read<PortName> {
    let fault = |message: String| Fault {
        place: text.place,
        message,
        help: "write NODE/P and the port's number, for example \"node1 HCA-1/P1\"".to_owned(),
    };
    let whole = &text.value.value;
    let Some((node, port)) = whole.rsplit_once('/') else {
        return Err(fault(format!("`{whole}` has no port behind a slash")));
    };
    let Some(number) = port.strip_prefix(['P', 'p']) else {
        return Err(fault(format!("`{port}` does not start with P")));
    };
    // What follows the digits does not count.
    let digits = leading_digits(number).filter(|d| !d.negative);
    match digits.and_then(|d| d.value).and_then(|v| u32::try_from(v).ok()) {
        Some(port) if port > 0 => Ok(PortName { node: node.to_owned(), port }),
        _ => Err(fault(format!("`{number}` is no number of a port"))),
    }
}
