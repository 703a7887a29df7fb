//! Keywords and values: where each ends, as OpenSM's scanner sees it.

use lk_diag::{Code, Diagnostic, Diagnostics, SourceFile, Span};

use crate::{Placed, codes};

/// Words that open and close sections.
pub(super) const SECTIONS: [&str; 24] = [
    "port-groups",
    "end-port-groups",
    "port-group",
    "end-port-group",
    "qos-setup",
    "end-qos-setup",
    "vlarb-tables",
    "end-vlarb-tables",
    "vlarb-scope",
    "end-vlarb-scope",
    "sl2vl-tables",
    "end-sl2vl-tables",
    "sl2vl-scope",
    "end-sl2vl-scope",
    "qos-levels",
    "end-qos-levels",
    "qos-level",
    "end-qos-level",
    "qos-match-rules",
    "end-qos-match-rules",
    "qos-match-rule",
    "end-qos-match-rule",
    "qos-ulps",
    "end-qos-ulps",
];

/// Words that a colon and a value follow.
pub(super) const ATTRIBUTES: [&str; 27] = [
    "name",
    "use",
    "port-guid",
    "port-name",
    "pkey",
    "partition",
    "node-type",
    "group",
    "across",
    "across-from",
    "across-to",
    "from",
    "to",
    "vlarb-high",
    "vlarb-low",
    "vl-high-limit",
    "sl2vl-table",
    "sl",
    "mtu-limit",
    "rate-limit",
    "packet-life",
    "path-bits",
    "qos-class",
    "qos-level-name",
    "source",
    "destination",
    "service-id",
];

/// What stands at the place where a keyword is expected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Head<'a> {
    /// The end of the file.
    End,
    /// A word that opens or closes a section.
    Section(&'static str),
    /// A word with a colon behind it; the colon has been read.
    Attribute(&'a str),
    /// Another word, or a single sign.
    Word(&'a str),
}

/// A value that cannot be read.
pub(super) struct Fault {
    pub(super) place: Span,
    pub(super) message: String,
    pub(super) help: String,
}

/// A result of reading a value.
pub(super) type Read<T> = Result<T, Fault>;

/// A text, and how it was written.
pub(super) struct Text {
    pub(super) value: String,
    /// Whether blanks were taken out because they were not in quotes.
    pub(super) lost_blanks: bool,
    /// Whether it goes on in a further line.
    pub(super) continued: bool,
}

/// The file and how far it has been read.
pub(super) struct Lexer<'a> {
    pub(super) source: &'a SourceFile,
    pub(super) at: usize,
    pub(super) found: Diagnostics,
    /// Whether OpenSM loses the policy.
    pub(super) refused: bool,
    /// A comment that ends the file without a line feed.
    pub(super) open_comment: Option<Span>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(source: &'a SourceFile) -> Self {
        Self { source, at: 0, found: Diagnostics::new(), refused: false, open_comment: None }
    }

    fn rest(&self) -> &'a str {
        self.source.text().get(self.at..).unwrap_or_default()
    }

    /// The next character.
    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    /// Reads this character if it is the next one.
    pub(super) fn take(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(sign);
        if is_next {
            self.at += sign.len_utf8();
        }
        is_next
    }

    /// The point that has been reached.
    pub(super) fn here(&self) -> Span {
        Span::point(self.at)
    }

    /// Says a fault for which the policy is refused.
    pub(super) fn refuse(
        &mut self,
        place: Span,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        self.refused = true;
        let fault = Diagnostic::error(codes::POLICY_REFUSED, message).at(self.source, place, "");
        let help = help.into();
        self.found.push(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// Says something that does not make the policy unusable.
    pub(super) fn warn(
        &mut self,
        code: Code,
        place: Span,
        message: impl Into<String>,
        note: impl Into<String>,
    ) {
        let found = Diagnostic::warning(code, message).at(self.source, place, "");
        self.found.push(found.note(note));
    }

    /// The value, or its fault told and the rest of the line left out.
    pub(super) fn or_skip<T>(&mut self, read: Read<T>) -> Option<T> {
        match read {
            Ok(value) => Some(value),
            Err(fault) => {
                self.refuse(fault.place, fault.message, fault.help);
                self.skip_line();
                None
            }
        }
    }

    /// Passes blanks of this line. A carriage return counts as one.
    pub(super) fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r']).len();
    }

    /// Passes blanks, ends of lines and comments.
    pub(super) fn skip_all(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            if !self.rest().starts_with('#') {
                return;
            }
            self.skip_comment();
        }
    }

    /// Passes a comment up to its line feed.
    fn skip_comment(&mut self) {
        let start = self.at;
        match self.rest().find('\n') {
            Some(length) => self.at += length,
            None => {
                self.at = self.source.text().len();
                self.open_comment = Some(Span::new(start, self.at));
            }
        }
    }

    /// Passes the rest of the line, up to a word of a section.
    pub(super) fn skip_line(&mut self) {
        loop {
            self.skip_blanks();
            match self.peek() {
                None | Some('\n') => return,
                Some('#') => return self.skip_comment(),
                Some(_) => {}
            }
            let before = self.at;
            let (word, _) = self.word();
            if SECTIONS.contains(&word) {
                self.at = before;
                return;
            }
        }
    }

    /// A word up to a blank, colon, comma, quote or comment; else one sign.
    pub(super) fn word(&mut self) -> (&'a str, Span) {
        let rest = self.rest();
        let ends = [' ', '\t', '\r', '\n', ':', ',', '"', '#'];
        let length = match rest.find(ends) {
            Some(0) => rest.chars().next().map_or(0, char::len_utf8),
            Some(length) => length,
            None => rest.len(),
        };
        let place = Span::new(self.at, self.at + length);
        self.at = place.end;
        (self.source.slice(place), place)
    }

    /// What stands here, where a keyword is expected.
    pub(super) fn head(&mut self) -> (Head<'a>, Span) {
        self.skip_all();
        let (word, place) = self.word();
        if word.is_empty() {
            return (Head::End, place);
        }
        if let Some(section) = SECTIONS.iter().find(|s| **s == word) {
            return (Head::Section(section), place);
        }
        let after = self.at;
        self.skip_blanks();
        if !word.starts_with([':', ',', '"']) && self.take(':') {
            return (Head::Attribute(word), place);
        }
        self.at = after;
        (Head::Word(word), place)
    }

    /// The longest of some words that the text starts with here.
    fn keyword_here(&self, words: &[&'static str]) -> Option<&'static str> {
        let rest = self.rest();
        words.iter().copied().filter(|w| rest.starts_with(w)).max_by_key(|w| w.len())
    }

    /// The attribute that starts here, with its colon.
    fn attribute_here(&self) -> Option<&'static str> {
        let rest = self.rest();
        let with_colon = |w: &&&str| {
            let after = rest.strip_prefix(**w);
            after.is_some_and(|a| a.trim_start_matches([' ', '\t']).starts_with(':'))
        };
        ATTRIBUTES.iter().filter(with_colon).max_by_key(|w| w.len()).copied()
    }

    /// The text of `use`: the rest of the line up to a comment.
    pub(super) fn free_text(&mut self) -> Read<Placed<String>> {
        let rest = self.rest();
        let length = rest.find(['\n', '#']).unwrap_or(rest.len());
        let text = &rest[..length];
        let start = self.at + (text.len() - text.trim_start().len());
        self.at += length;
        let value = text.trim().to_owned();
        let place = Span::new(start, start + value.len());
        if value.is_empty() {
            let message = "`use` has no text".to_owned();
            let help = "write a description, or leave the line out".to_owned();
            return Err(Fault { place, message, help });
        }
        Ok(Placed { value, place })
    }

    /// Texts with commas between them.
    pub(super) fn texts(&mut self) -> Read<Vec<Placed<Text>>> {
        let mut list = Vec::new();
        loop {
            list.push(self.text()?);
            if !self.take(',') {
                return Ok(list);
            }
        }
    }

    /// A text that no comma may follow.
    pub(super) fn single_text(&mut self) -> Read<Placed<Text>> {
        let text = self.text()?;
        if self.peek() == Some(',') {
            let place = Span::new(self.at, self.at + 1);
            let message = "only one name may stand here".to_owned();
            let help = "put a name that has a comma in double quotes".to_owned();
            return Err(Fault { place, message, help });
        }
        Ok(text)
    }

    /// A text up to a comma, a keyword or the end of the file. Blanks count only in quotes; a
    /// line feed alone does not end it.
    fn text(&mut self) -> Read<Placed<Text>> {
        let mut text = Text { value: String::new(), lost_blanks: false, continued: false };
        let mut place: Option<Span> = None;
        let mut blank = false;
        let mut fresh_line = false;
        loop {
            match self.peek() {
                None | Some(',') => break,
                Some(' ' | '\t' | '\r') => {
                    self.skip_blanks();
                    blank = true;
                    continue;
                }
                Some('\n' | '#') => {
                    self.skip_all();
                    fresh_line = true;
                    continue;
                }
                Some(_) => {}
            }
            if self.ends_text(fresh_line)? {
                break;
            }
            text.continued |= fresh_line && place.is_some();
            text.lost_blanks |= (blank || fresh_line) && place.is_some();
            (blank, fresh_line) = (false, false);
            let start = self.at;
            let piece = self.piece();
            text.value.push_str(piece);
            let here = Span::new(start, self.at);
            place = Some(place.map_or(here, |p| p.cover(here)));
        }
        let Some(place) = place else {
            let message = "there is no value".to_owned();
            return Err(Fault { place: self.here(), message, help: String::new() });
        };
        text.value = text.value.trim().to_owned();
        Ok(Placed { value: text, place })
    }

    /// What stands in quotes, or one character.
    fn piece(&mut self) -> &'a str {
        let rest = self.rest();
        if let Some(quoted) = rest.strip_prefix('"')
            && let Some(length) = quoted.find('"')
        {
            self.at += length + 2;
            return &quoted[..length];
        }
        // A quote that nothing closes is a character like others.
        let length = rest.chars().next().map_or(0, char::len_utf8);
        self.at += length;
        &rest[..length]
    }

    /// Whether a keyword ends a text here. One that OpenSM does not expect there is a fault.
    fn ends_text(&self, fresh_line: bool) -> Read<bool> {
        let fault = |word: &str, help: &str| Fault {
            place: Span::new(self.at, self.at + word.len()),
            message: format!("`{word}` is a keyword, also within a name"),
            help: help.to_owned(),
        };
        if let Some(word) = self.keyword_here(&SECTIONS) {
            if fresh_line || word.starts_with("end-") {
                return Ok(true);
            }
            return Err(fault(word, "put the name in double quotes"));
        }
        match self.attribute_here() {
            Some(_) if fresh_line => Ok(true),
            Some(word) => {
                Err(fault(word, "start a new line with it, or put the name in double quotes"))
            }
            None => Ok(false),
        }
    }
}
