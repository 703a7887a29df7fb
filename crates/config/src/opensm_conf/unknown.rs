//! What a name may mean that is no option.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, nearest};

use super::statement::{self, Statement};
use crate::codes;
use crate::options::{self, foreign};

/// After this many unknown words a file is no opensm.conf, and the rest is only counted.
const MOST: usize = 50;

/// Fewer unknown words may be slips of the pen.
const FEW: usize = 3;

/// Reports unknown names, up to a limit.
#[derive(Default)]
pub(super) struct Unknown {
    count: usize,
    /// Names that others know.
    known: usize,
}

impl Unknown {
    /// Says what is the matter with a line whose first word is no option.
    pub(super) fn report(
        &mut self,
        source: &SourceFile,
        statement: &Statement,
        key: &str,
        out: &mut Diagnostics,
    ) {
        if let Some(found) = known_to_others(source, statement, key) {
            out.push(found);
            self.known += 1;
            return;
        }
        self.count += 1;
        if self.count > MOST {
            return;
        }
        if let Some((name, value)) = key.split_once('=')
            && options::find(name).is_some()
        {
            out.push(
                Diagnostic::error(
                    codes::EQUALS_SIGN,
                    "OpenSM takes an option with `=` for one unknown word and skips the line",
                )
                .at(source, statement.key, "")
                .help(format!("write `{name} {value}`")),
            );
            return;
        }
        let mut found = Diagnostic::error(
            codes::UNKNOWN_OPTION,
            format!("`{key}` is not an option"),
        )
        .at(source, statement.key, "unknown; the line is skipped");
        if key.starts_with('\u{feff}') {
            found = found.help("the file starts with a byte-order mark; save it without one");
        } else if let Some(name) = likely_name(key) {
            found = found.help(format!("did you mean `{name}`?"));
        }
        out.push(found);
    }

    /// Whether the lines are so many unknown words and nothing else.
    pub(super) const fn is_all_there_is(&self) -> bool {
        self.count >= FEW && self.known == 0
    }

    /// Says how many were not reported.
    pub(super) fn summary(&self, source: &SourceFile, out: &mut Diagnostics) {
        if let Some(more @ 1..) = self.count.checked_sub(MOST) {
            out.push(
                Diagnostic::error(
                    codes::UNKNOWN_OPTION,
                    format!("{more} more lines start with an unknown word"),
                )
                .at(source, source.line_span(1), "is this an opensm.conf at all?"),
            );
        }
    }
}

fn known_to_others(source: &SourceFile, statement: &Statement, key: &str) -> Option<Diagnostic> {
    if let Some(family) = foreign::vendor_family(key) {
        let value = statement::text(source, statement.value);
        let found = Diagnostic::warning(
            codes::VENDOR_OPTION,
            format!("`{key}` is an option of NVIDIA's OpenSM only: not supported"),
        );
        return Some(
            found.at(source, statement.key.cover(statement.value), "the line is skipped").note(
                format!("there it belongs to {}; here `{value}` has no effect", family.about),
            ),
        );
    }
    let wrong = foreign::wrong_name(key)?;
    Some(
        Diagnostic::error(codes::WRONG_NAME, format!("`{key}` is not an option: {}", wrong.why))
            .at(source, statement.key, "the line is skipped")
            .help(format!("use `{}`", wrong.instead)),
    )
}

/// The option that was probably meant: by the name it has on the command line, else by spelling.
fn likely_name(key: &str) -> Option<&'static str> {
    let all = || options::all().map(|spec| spec.key);
    crate::command_line::key_of_long_name(key)
        .or_else(|| nearest(key, all()))
        .or_else(|| nearest(key, foreign::VENDOR.iter().flat_map(|f| f.keys).copied()))
}
