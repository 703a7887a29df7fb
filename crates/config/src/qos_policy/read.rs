//! Sections: what may stand in which, and going on after a fault.

use lk_diag::{Diagnostics, SourceFile, Span, nearest};

use super::QosPolicy;
use super::lex::{ATTRIBUTES, Head, Lexer, SECTIONS};
use crate::{Placed, codes};

/// The sections of a file.
const TOP: [&str; 5] = ["port-groups", "qos-setup", "qos-levels", "qos-match-rules", "qos-ulps"];

pub(super) fn read(source: &SourceFile) -> (QosPolicy, Diagnostics) {
    let mut policy = QosPolicy::default();
    let mut reader = Reader { lex: Lexer::new(source), open: Vec::new() };
    if let Some((_, first)) = source.undecodable() {
        let note = "names with such bytes fit no node";
        let message = "the file has bytes that are not UTF-8";
        reader.lex.warn(codes::NOT_UTF8, first, message, note);
    }
    if source.text().starts_with('\u{feff}') {
        reader.lex.at = '\u{feff}'.len_utf8();
        reader.opensm_refuses(
            Span::new(0, 3),
            "a byte order mark stands at the start",
            "remove it",
        );
    }
    reader.file(&mut policy);
    let lex = &reader.lex;
    let dos = source.text().find("\r\n").map(|at| Span::new(at, at + 2));
    let comment = lex.open_comment;
    if let Some(place) = dos {
        reader.opensm_refuses(place, "the file has DOS line ends", "convert it with dos2unix");
    }
    if let Some(place) = comment {
        let what = "the last comment has no line feed behind it";
        reader.opensm_refuses(place, what, "end the file with an empty line");
    }
    policy.refused = reader.lex.refused;
    (policy, reader.lex.found)
}

/// A section that is open.
struct Open {
    name: &'static str,
    allowed: &'static [&'static str],
}

/// The lexer and the sections that are open.
pub(super) struct Reader<'a> {
    pub(super) lex: Lexer<'a>,
    open: Vec<Open>,
}

impl Reader<'_> {
    fn opensm_refuses(&mut self, place: Span, what: &str, help: &str) {
        let found = lk_diag::Diagnostic::warning(codes::POLICY_OPENSM_REFUSES, what);
        let found = found.at(self.lex.source, place, "");
        let found = found.note("OpenSM loses the whole policy by it; here it makes no difference");
        self.lex.found.push(found.help(help));
    }

    fn file(&mut self, policy: &mut QosPolicy) {
        self.open.push(Open { name: "", allowed: &TOP });
        loop {
            let (head, place) = self.lex.head();
            match head {
                Head::End => return,
                Head::Section(name) if TOP.contains(&name) => self.section(name, place, policy),
                _ => {
                    self.out_of_place(head, place, "");
                }
            }
        }
    }

    fn section(&mut self, name: &'static str, opened: Span, policy: &mut QosPolicy) {
        match name {
            "port-groups" => {
                let before = policy.groups.len();
                let close = self.inside(name, opened, &["port-group"], |r, _, place| {
                    let group = r.group(place);
                    policy.groups.push(group);
                });
                if policy.groups.len() == before {
                    self.empty(name, opened.cover(close));
                }
            }
            "qos-setup" => {
                let before = policy.setup.len();
                self.setup(opened, &mut policy.setup);
                if policy.setup.len() == before {
                    let message = "qos-setup is read and never applied";
                    let found = lk_diag::Diagnostic::info(codes::POLICY_SETUP, message);
                    let found = found.at(self.lex.source, opened, "");
                    self.lex.found.push(
                        found.note("tables of ports come from the qos_ options of opensm.conf"),
                    );
                }
            }
            "qos-levels" => {
                self.inside(name, opened, &["qos-level"], |r, _, place| {
                    let level = r.level(place);
                    policy.levels.push(level);
                });
            }
            "qos-match-rules" => {
                self.inside(name, opened, &["qos-match-rule"], |r, _, place| {
                    let rule = r.rule(place);
                    policy.rules.push(rule);
                });
            }
            _ => {
                let before = policy.ulps.len();
                let close = self.ulps(opened, &mut policy.ulps);
                if policy.ulps.len() == before {
                    self.empty("qos-ulps", opened.cover(close));
                }
            }
        }
    }

    /// A section that must have content and has none.
    fn empty(&mut self, name: &str, place: Span) {
        let message = format!("{name} is empty");
        self.lex.refuse(place, message, "leave the section out");
    }

    /// Reads a section up to its end: `each` is called for every attribute and section of the
    /// list that stands in it, behind its keyword. Gives the place of the end.
    pub(super) fn inside(
        &mut self,
        name: &'static str,
        opened: Span,
        allowed: &'static [&'static str],
        mut each: impl FnMut(&mut Self, &'static str, Span),
    ) -> Span {
        self.open.push(Open { name, allowed });
        let close = loop {
            let before = self.lex.at;
            let (head, place) = self.lex.head();
            let word = match head {
                Head::Section(word) | Head::Attribute(word) => word,
                Head::End | Head::Word(_) => "",
            };
            if let Some(known) = allowed.iter().find(|a| **a == word) {
                each(self, known, place);
                continue;
            }
            match self.closes(head, name, opened, place) {
                Close::Here => break place,
                Close::Before => {
                    self.lex.at = before;
                    break Span::point(before);
                }
                Close::No => {
                    if self.is_heading(name, opened, place) {
                        self.text_behind_heading(name, place);
                    } else {
                        self.out_of_place(head, place, name);
                    }
                }
            }
        };
        self.open.pop();
        close
    }

    /// Whether a head closes the section that is being read.
    fn closes(&mut self, head: Head<'_>, name: &str, opened: Span, place: Span) -> Close {
        let unclosed = format!("{name} is not closed");
        let help = format!("write `end-{name}` behind it");
        match head {
            Head::End => {
                self.lex.refuse(opened, unclosed, help);
                Close::Before
            }
            Head::Section(word) if word.strip_prefix("end-") == Some(name) => Close::Here,
            // Something that belongs further out.
            Head::Section(word) if self.belongs_outside(word) => {
                self.lex.refuse(place, format!("{unclosed} before `{word}`"), help);
                Close::Before
            }
            _ => Close::No,
        }
    }

    /// Whether an enclosing section ends with this word, or may have it.
    fn belongs_outside(&self, word: &str) -> bool {
        let outer = self.open.len().saturating_sub(1);
        let closes = word.strip_prefix("end-");
        self.open.iter().take(outer).any(|o| Some(o.name) == closes || o.allowed.contains(&word))
    }

    /// Whether a place lies in the line of the section's keyword.
    fn is_heading(&self, name: &str, opened: Span, place: Span) -> bool {
        let line = |span: Span| self.lex.source.line_of(span.start);
        let between = Span::new(opened.end, place.start);
        ["port-group", "qos-level", "qos-match-rule"].contains(&name)
            && line(opened) == line(place)
            && self.lex.source.slice(between).trim().is_empty()
    }

    fn text_behind_heading(&mut self, name: &str, place: Span) {
        self.lex.skip_line();
        let text = Span::new(place.start, self.lex.at);
        let text = self.lex.source.slice(text).split('#').next().unwrap_or_default().trim();
        let (message, help) = if name == "qos-match-rule" {
            ("a rule has no name", format!("write `use: {text}` in the next line"))
        } else {
            (
                "a name does not stand behind the keyword",
                format!("write `name: {text}` in the next line"),
            )
        };
        let place = Span::new(place.start, place.start + text.len());
        self.lex.refuse(place, message, help);
    }

    /// Something that cannot stand where it stands.
    pub(super) fn out_of_place(&mut self, head: Head<'_>, place: Span, name: &str) {
        let allowed = self.open.last().map_or(&[][..], |o| o.allowed);
        let here = if name.is_empty() { "the file".to_owned() } else { format!("`{name}`") };
        let rest = self.rest_of_line();
        let (word, message) = match head {
            Head::Section(word) => (word, format!("`{word}` cannot stand in {here}")),
            Head::Attribute(word) if ATTRIBUTES.contains(&word) => {
                (word, format!("`{word}:` cannot stand in {here}"))
            }
            Head::Attribute(word) => (word, format!("`{word}` is no keyword")),
            Head::Word(word) if allowed.contains(&word) => {
                (word, format!("there is no colon behind `{word}`"))
            }
            Head::Word(word) => (word, format!("`{word}` is not expected in {here}")),
            Head::End => return,
        };
        let help = if message.starts_with("there is no colon") {
            format!("write `{word}: {rest}`")
        } else {
            suggestion(word, rest, allowed, name)
        };
        self.lex.refuse(place, message, help);
        self.lex.skip_line();
    }

    /// What else stands in this line, without a comment.
    fn rest_of_line(&self) -> &str {
        let end = self.lex.source.line_span(self.lex.source.line_of(self.lex.at)).end;
        let rest = self.lex.source.slice(Span::new(self.lex.at, end));
        rest.split('#').next().unwrap_or_default().trim()
    }

    /// Takes a value that may be given only once.
    pub(super) fn once<T>(&mut self, slot: &mut Option<Placed<T>>, value: Placed<T>, what: &str) {
        match slot {
            None => *slot = Some(value),
            Some(_) => {
                let message = format!("`{what}` is given twice");
                self.lex.refuse(value.place, message, "leave one of them");
            }
        }
    }

    /// A name that must be there.
    pub(super) fn required<T: Default>(
        &mut self,
        slot: Option<Placed<T>>,
        place: Span,
        what: &str,
        section: &str,
    ) -> Placed<T> {
        slot.unwrap_or_else(|| {
            let message = format!("this {section} has no `{what}`");
            self.lex.refuse(place, message, format!("add a line `{what}: …`"));
            Placed::new(T::default(), place)
        })
    }
}

/// Whether a section ends, and whether what ends it has still to be read.
enum Close {
    No,
    Here,
    Before,
}

/// What was probably meant.
fn suggestion(word: &str, rest: &str, allowed: &[&str], section: &str) -> String {
    let lower = word.to_ascii_lowercase();
    if lower != word && (allowed.contains(&lower.as_str()) || SECTIONS.contains(&lower.as_str())) {
        return format!("keywords are in lower case: write `{lower}`");
    }
    let meant = match (section, word) {
        ("qos-level", "mtu" | "rate") => format!("{word}-limit"),
        ("qos-match-rule", "qos-level" | "level" | "name") => "qos-level-name".to_owned(),
        ("qos-level", "packet-lifetime" | "life") => "packet-life".to_owned(),
        ("vlarb-scope", "vlarb-high-limit" | "high-limit") => "vl-high-limit".to_owned(),
        _ => match nearest(word, allowed.iter().copied()) {
            Some(near) => near.to_owned(),
            None => {
                return match allowed {
                    [] => String::new(),
                    _ => format!("here may stand: {}", allowed.join(", ")),
                };
            }
        },
    };
    match (SECTIONS.contains(&meant.as_str()), meant.as_str()) {
        (true, _) => format!("did you mean `{meant}`?"),
        (false, "mtu-limit" | "rate-limit") => {
            format!("write `{meant}: CODE`{}", super::advice::code_for(&meant, rest))
        }
        (false, _) => format!("write `{meant}: {}`", rest.trim_start_matches(':').trim_start()),
    }
}
