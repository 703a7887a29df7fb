//! One finding, and a list of them.

use std::fmt;

use serde::Serialize;

use crate::{Position, SourceFile, Span};

/// How bad a finding is. The order is the order of weight: an error is greatest.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing is wrong; something deserves to be known.
    Info,
    /// What was written does something else than its author probably thinks.
    Warning,
    /// What was written is refused or cannot work.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        })
    }
}

/// What kind of finding it is. A code keeps its meaning for ever: scripts filter by it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Code {
    /// Two letters for the family and three digits, as in `CF001`.
    pub id: &'static str,
    /// The kind in a few words, the same for every finding of this code.
    pub title: &'static str,
}

impl Code {
    /// A code with its title.
    #[must_use]
    pub const fn new(id: &'static str, title: &'static str) -> Self {
        Self { id, title }
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.id)
    }
}

/// A place in a file that a finding points at.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// The file.
    pub source: SourceFile,
    /// The place in it.
    pub span: Span,
    /// What is there, in a few words; may be empty.
    pub text: String,
    /// Whether this is the place the finding is about, not one that explains it.
    pub primary: bool,
}

impl Label {
    /// Line and column of its first byte.
    #[must_use]
    pub fn position(&self) -> Position {
        self.source.position(self.span.start)
    }
}

/// One finding. Made by [`Diagnostic::error`], [`Diagnostic::warning`] or [`Diagnostic::info`]
/// and completed by the methods that follow.
///
/// ```
/// use lk_diag::{Code, Diagnostic, SourceFile, Span};
///
/// const UNKNOWN: Code = Code::new("XX001", "unknown word");
/// let file = SourceFile::new("x.conf", "qoz TRUE\n");
/// let found = Diagnostic::error(UNKNOWN, "`qoz` is not an option")
///     .at(&file, Span::new(0, 3), "unknown")
///     .help("did you mean `qos`?");
/// assert_eq!(found.primary().map(|l| l.position().line), Some(1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// What kind it is.
    pub code: Code,
    /// How bad it is.
    pub severity: Severity,
    /// What is the matter, in one sentence without a full stop.
    pub message: String,
    /// Where: the primary places first as a rule.
    pub labels: Vec<Label>,
    /// Facts that explain it.
    pub notes: Vec<String>,
    /// What can be done about it.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// A finding of the given severity without a place.
    pub fn new(code: Code, severity: Severity, message: impl Into<String>) -> Self {
        Self {
            code,
            severity,
            message: bounded(message.into()),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
        }
    }

    /// A finding of severity error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message)
    }

    /// A finding of severity warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message)
    }

    /// A finding of severity info.
    pub fn info(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Info, message)
    }

    /// Adds a primary place. The text may be empty.
    #[must_use]
    pub fn at(self, source: &SourceFile, span: Span, text: impl Into<String>) -> Self {
        self.label(source, span, text, true)
    }

    /// Adds a place that explains the finding.
    #[must_use]
    pub fn also(self, source: &SourceFile, span: Span, text: impl Into<String>) -> Self {
        self.label(source, span, text, false)
    }

    fn label(
        mut self,
        source: &SourceFile,
        span: Span,
        text: impl Into<String>,
        primary: bool,
    ) -> Self {
        let text = bounded(text.into());
        self.labels.push(Label { source: source.clone(), span, text, primary });
        self
    }

    /// Adds a fact that explains the finding.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(bounded(text.into()));
        self
    }

    /// Adds what can be done about it.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(bounded(text.into()));
        self
    }

    /// The place the finding is about: the first primary label, else the first.
    #[must_use]
    pub fn primary(&self) -> Option<&Label> {
        self.labels.iter().find(|l| l.primary).or(self.labels.first())
    }
}

/// A text with its end cut off where it is longer than anybody reads: words of a file may have any
/// length.
fn bounded(mut text: String) -> String {
    const MOST: usize = 1000;
    if let Some((end, _)) = text.char_indices().nth(MOST) {
        text.truncate(end);
        text.push_str("...");
    }
    text
}

/// Findings in the order in which they were made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// An empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self(Vec::new())
    }

    /// Adds a finding at the end.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        self.0.push(diagnostic);
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them as a slice.
    #[must_use]
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.0
    }

    /// All of them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Whether one is an error.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.worst() == Some(Severity::Error)
    }

    /// The greatest severity, `None` for an empty list.
    #[must_use]
    pub fn worst(&self) -> Option<Severity> {
        self.0.iter().map(|d| d.severity).max()
    }

    /// How many have this severity.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.0.iter().filter(|d| d.severity == severity).count()
    }

    /// The first with this code.
    #[must_use]
    pub fn find(&self, code: Code) -> Option<&Diagnostic> {
        self.0.iter().find(|d| d.code == code)
    }

    /// Keeps of the findings with one code in one file the first `most`, and of those on lines of
    /// many kilobytes the first few: nobody reads more, and a file of another kind has a fault in
    /// each line. How many more there are is said at the end.
    #[must_use]
    pub fn thinned(self, most: usize) -> Self {
        const LONG_LINE: usize = 8192;
        const FEW: usize = 4;
        let mut kinds: Vec<(Code, SourceFile, usize, Severity)> = Vec::new();
        let mut kept = Vec::new();
        for found in self.0 {
            let Some(label) = found.primary() else {
                kept.push(found);
                continue;
            };
            let line = label.source.line_span(label.source.line_of(label.span.start));
            let most = if line.len() > LONG_LINE { FEW.min(most) } else { most };
            let same = |k: &&mut (Code, SourceFile, usize, Severity)| {
                k.0 == found.code && k.1.is(&label.source)
            };
            let count = match kinds.iter_mut().find(same) {
                Some(kind) => {
                    kind.2 += 1;
                    kind.3 = kind.3.max(found.severity);
                    kind.2
                }
                None => {
                    kinds.push((found.code, label.source.clone(), 1, found.severity));
                    1
                }
            };
            if count <= most {
                kept.push(found);
            }
        }
        for (code, source, count, severity) in kinds {
            let of_kind = |d: &&Diagnostic| {
                d.code == code && d.primary().is_some_and(|label| label.source.is(&source))
            };
            let left = count - kept.iter().filter(of_kind).count();
            if left > 0 {
                let message = format!("{}: {left} more in this file", code.title);
                let end = Span::point(source.line_span(1).start);
                kept.push(Diagnostic::new(code, severity, message).at(&source, end, ""));
            }
        }
        Self(kept)
    }

    /// Puts them in the order of their places: file name, then offset; those without a place
    /// come first. The order among equals is kept.
    pub fn sort_by_place(&mut self) {
        self.0.sort_by(|a, b| {
            let key = |d: &Diagnostic| {
                d.primary().map(|l| (l.source.name().to_owned(), l.span.start, l.span.end))
            };
            key(a).cmp(&key(b))
        });
    }
}

impl Extend<Diagnostic> for Diagnostics {
    fn extend<T: IntoIterator<Item = Diagnostic>>(&mut self, iter: T) {
        self.0.extend(iter);
    }
}

impl FromIterator<Diagnostic> for Diagnostics {
    fn from_iter<T: IntoIterator<Item = Diagnostic>>(iter: T) -> Self {
        Self(iter.into_iter().collect())
    }
}

impl IntoIterator for Diagnostics {
    type Item = Diagnostic;
    type IntoIter = std::vec::IntoIter<Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: Code = Code::new("XX001", "a test");

    #[test]
    fn texts_that_are_longer_than_anybody_reads_are_cut() {
        let found = Diagnostic::info(CODE, "x".repeat(5000)).note("\u{fc}".repeat(1000));
        assert_eq!(found.message.len(), 1003);
        assert_eq!(found.notes[0].len(), 2000);
    }

    #[test]
    fn the_worst_severity_counts() {
        let mut list = Diagnostics::new();
        assert_eq!(list.worst(), None);
        list.push(Diagnostic::info(CODE, "i"));
        list.push(Diagnostic::warning(CODE, "w"));
        assert!(!list.has_errors());
        list.push(Diagnostic::error(CODE, "e"));
        assert!(list.has_errors());
        assert_eq!(list.count(Severity::Warning), 1);
    }

    #[test]
    fn of_many_alike_the_first_are_kept_and_the_others_counted() {
        let file = SourceFile::new("f", "x\n".repeat(100));
        let at = |n: usize| Diagnostic::warning(CODE, "w").at(&file, Span::point(2 * n), "");
        let all: Diagnostics = (0..100).map(at).collect();
        let thin = all.clone().thinned(10);
        assert_eq!(thin.len(), 11);
        assert_eq!(thin.as_slice()[10].message, "a test: 90 more in this file");
        assert_eq!(all.clone().thinned(100), all);
        let long = SourceFile::new("f", "x".repeat(10_000));
        let at = |n: usize| Diagnostic::warning(CODE, "w").at(&long, Span::point(n), "");
        assert_eq!((0..100).map(at).collect::<Diagnostics>().thinned(10).len(), 5);
    }

    #[test]
    fn sorting_follows_the_primary_place() {
        let a = SourceFile::new("a", "0123456789");
        let b = SourceFile::new("b", "0123456789");
        let at = |f: &SourceFile, n| Diagnostic::info(CODE, "").at(f, Span::point(n), "");
        let mut list: Diagnostics = [
            at(&b, 1),
            at(&a, 5),
            at(&a, 2).also(&b, Span::point(0), ""),
            Diagnostic::info(CODE, ""),
        ]
        .into_iter()
        .collect();
        list.sort_by_place();
        let places: Vec<_> = list
            .iter()
            .map(|d| d.primary().map(|l| (l.source.name().to_owned(), l.span.start)))
            .collect();
        let expected = [None, Some(("a", 2)), Some(("a", 5)), Some(("b", 1))];
        assert_eq!(places, expected.map(|p| p.map(|(n, o)| (n.to_owned(), o))));
    }
}
