//! opensm.conf: reading it as OpenSM reads it, and writing it.
//!
//! `statement` cuts a line into option and value, `value` reads the value and says what is odd
//! about it, `unknown` finds out what a strange name means, [`write()`] makes the commented file
//! of `-c`. What becomes of the values is the business of [`crate::Effective`].

mod statement;
mod unknown;
mod value;
mod write;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::codes;
use crate::kind::{self, FileKind};
use crate::lines::{Piece, pieces};
use crate::options::{self, OptionSpec, Value};
use statement::Statement;
use unknown::Unknown;

pub use write::write;

/// Where OpenSM looks when no file is named. It is no error when nothing is there.
pub const DEFAULT_PATH: &str = "/etc/opensm/opensm.conf";

/// How many bytes of a line OpenSM reads at a time, the newline included.
const LONGEST_LINE: usize = 1022;

/// What a file sets, in its order; an option may occur more than once.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OpensmConf {
    /// The file.
    pub source: SourceFile,
    /// The lines that set an option.
    pub entries: Vec<Entry>,
}

/// A line that sets an option.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The option.
    pub spec: &'static OptionSpec,
    /// Its value.
    pub value: Value,
    /// Where the option's name is.
    pub key: Span,
    /// Where the value is, without quotes; a point at the end of the line when there is none.
    pub text: Span,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.spec.key == other.spec.key
            && self.value == other.value
            && (self.key, self.text) == (other.key, other.text)
    }
}

impl Eq for Entry {}

impl OpensmConf {
    /// The line that counts for an option: the last.
    #[must_use]
    pub fn last(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rev().find(|entry| entry.spec.key == key)
    }
}

/// Reads an opensm.conf. Whatever OpenSM skips is skipped and said.
#[must_use]
pub fn parse(source: &SourceFile) -> (OpensmConf, Diagnostics) {
    let mut parser = Parser {
        source,
        entries: Vec::new(),
        diagnostics: Diagnostics::new(),
        unknown: Unknown::default(),
        told_long: None,
    };
    if let Some((count, first)) = source.undecodable() {
        let bytes = if count == 1 {
            "a byte that is".to_owned()
        } else {
            format!("{count} bytes that are")
        };
        parser.diagnostics.push(
            Diagnostic::warning(codes::NOT_UTF8, format!("the file has {bytes} not UTF-8"))
                .at(source, first, "")
                .note("outside comments such a byte is lost: file names must be UTF-8 here"),
        );
    }
    for piece in pieces(source.text().as_bytes(), LONGEST_LINE) {
        parser.piece(piece);
    }
    parser.unknown.summary(source, &mut parser.diagnostics);
    let Parser { entries, mut diagnostics, unknown, .. } = parser;
    if entries.is_empty() && unknown.is_all_there_is() {
        let wanted = FileKind::OpensmConf;
        diagnostics = kind::wrong(source, wanted, true)
            .unwrap_or_else(|| kind::only(source, wanted, "no line of it sets an option", None));
    }
    (OpensmConf { source: source.clone(), entries }, diagnostics)
}

struct Parser<'a> {
    source: &'a SourceFile,
    entries: Vec<Entry>,
    diagnostics: Diagnostics,
    unknown: Unknown,
    /// The line of which it was last said that it is too long.
    told_long: Option<usize>,
}

impl Parser<'_> {
    fn piece(&mut self, piece: Piece) {
        let Some(statement) = statement::read(self.source, piece.span) else { return };
        if piece.continues {
            self.long_line(piece.span);
        }
        self.oddities(&statement);
        let key = statement::text(self.source, statement.key);
        let Some(spec) = options::find(&key) else {
            if !piece.continues {
                self.unknown.report(self.source, &statement, &key, &mut self.diagnostics);
            }
            return;
        };
        if spec.key != key {
            self.diagnostics.push(
                Diagnostic::info(
                    codes::WRONG_NAME,
                    format!("`{key}` is the old name of `{}`", spec.key),
                )
                .at(self.source, statement.key, ""),
            );
        }
        let read = value::read(self.source, spec, &statement, &mut self.diagnostics);
        if let Some(value) = read {
            let entry = Entry { spec, value, key: statement.key, text: statement.value };
            self.set_twice(&entry);
            self.entries.push(entry);
        }
    }

    /// A line that OpenSM cuts: what follows the cut is taken for a line of its own.
    fn long_line(&mut self, tail: Span) {
        let line = self.source.line_of(tail.start);
        if self.told_long == Some(line) {
            return;
        }
        self.told_long = Some(line);
        let whole = self.source.line_span(line);
        self.diagnostics.push(
            Diagnostic::error(
                codes::LONG_LINE,
                format!("the line has {} bytes; OpenSM cuts it after 1022", whole.len()),
            )
            .at(self.source, Span::new(tail.start, whole.end), "read as a line of its own")
            .help("lists of SLs and VLs fit in a line when blanks are left out"),
        );
    }

    /// What is odd about the line whatever the option is.
    fn oddities(&mut self, statement: &Statement) {
        if let Some(nul) = statement.nul {
            self.diagnostics.push(
                Diagnostic::warning(codes::NUL, "OpenSM does not read on after a NUL in a line")
                    .at(self.source, nul, ""),
            );
        }
        if let Some(comment) = statement.comment_in_quotes {
            self.diagnostics.push(
                Diagnostic::warning(
                    codes::COMMENT_IN_QUOTES,
                    "`#` starts a comment inside quotes too",
                )
                .at(self.source, comment, "not read")
                .note("there is no way to write a `#` in a value"),
            );
        }
    }

    fn set_twice(&mut self, entry: &Entry) {
        if matches!(entry.value, Value::OneSl { .. }) {
            return; // one line for each SL is how these are meant
        }
        let Some(before) = self.entries.iter().rev().find(|e| e.spec.key == entry.spec.key) else {
            return;
        };
        let key = entry.spec.key;
        let found = if before.value == entry.value {
            Diagnostic::info(codes::SET_TWICE, format!("`{key}` is given twice, the same"))
        } else {
            Diagnostic::warning(
                codes::SET_TWICE,
                format!("`{key}` is given twice; the last counts"),
            )
        };
        self.diagnostics.push(
            found.at(self.source, entry.key.cover(entry.text), "this one counts").also(
                self.source,
                before.key.cover(before.text),
                "given before",
            ),
        );
    }
}
