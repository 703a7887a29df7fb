//! What is wrong with a partitions.conf, as it is found.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::codes;

/// Where faults go.
pub(super) struct Findings<'a> {
    pub(super) source: &'a SourceFile,
    pub(super) list: Diagnostics,
    /// Whether OpenSM throws the file away.
    pub(super) refused: bool,
}

impl Findings<'_> {
    /// A fault for which the whole file is thrown away.
    pub(super) fn refuse(&mut self, place: Span, message: impl Into<String>, help: &str) {
        self.refused = true;
        let fault =
            Diagnostic::error(codes::PARTITIONS_REFUSED, message).at(self.source, place, "").note(
                "OpenSM then throws the whole file away: every port becomes a full member of the \
                 default partition, and all other partitions vanish",
            );
        self.list.push(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// A word that does something else than it looks like.
    pub(super) fn otherwise(&mut self, place: Span, message: impl Into<String>, note: &str) {
        self.warn(codes::PARTITIONS_OTHERWISE, place, message, note);
    }

    /// A word that does nothing.
    pub(super) fn ignored(&mut self, place: Span, message: impl Into<String>, note: &str) {
        self.warn(codes::PARTITIONS_IGNORED, place, message, note);
    }

    fn warn(&mut self, code: lk_diag::Code, place: Span, message: impl Into<String>, note: &str) {
        let found = Diagnostic::warning(code, message).at(self.source, place, "");
        self.list.push(if note.is_empty() { found } else { found.note(note) });
    }
}
