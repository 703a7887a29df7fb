//! Findings that a site knows of and accepts.
//!
//! Three ways: a code on the command line, a comment in the file (`# allow QO004: why`) that
//! stands on the line of the finding or on the one before, and a baseline file with the lines of
//! an earlier report.

use std::collections::BTreeSet;

use lk_diag::{Diagnostic, Diagnostics, render};

/// What is accepted.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Accepted {
    codes: BTreeSet<String>,
    baseline: BTreeSet<String>,
}

impl Accepted {
    /// Accepts all findings of a code.
    pub fn code(&mut self, code: &str) {
        self.codes.insert(code.to_ascii_uppercase());
    }

    /// Accepts the findings that a baseline names: one line each, as [`Self::line`] writes them.
    /// Lines that are empty or begin with `#` do not count. Line and column numbers are left out
    /// of account, so that a file may grow.
    pub fn baseline(&mut self, text: &str) {
        let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
        self.baseline.extend(lines.map(str::to_owned));
    }

    /// A finding as a line of a baseline: code, file and message.
    #[must_use]
    pub fn line(found: &Diagnostic) -> String {
        let file = found.primary().map_or("-", |label| label.source.name());
        let line = format!("{} {file}: {}", found.code, found.message);
        line.replace(['\n', '\r'], " ").trim().to_owned()
    }

    /// Parts the findings into those that are left and the number of those that are accepted.
    #[must_use]
    pub fn part(&self, found: Diagnostics) -> (Diagnostics, usize) {
        let all = found.len();
        let left: Diagnostics = found.into_iter().filter(|d| !self.accepts(d)).collect();
        let accepted = all - left.len();
        (left, accepted)
    }

    fn accepts(&self, found: &Diagnostic) -> bool {
        self.codes.contains(found.code.id)
            || self.baseline.contains(&Self::line(found))
            || by_comment(found)
    }
}

/// Whether a comment on the finding's line, or on the line before, allows its code and gives a
/// reason.
fn by_comment(found: &Diagnostic) -> bool {
    let Some(label) = found.primary() else { return false };
    let line = label.position().line;
    let lines = [Some(line), line.checked_sub(1).filter(|before| *before > 0)];
    lines.into_iter().flatten().any(|line| {
        let text = label.source.slice(label.source.line_span(line));
        let Some((_, comment)) = text.split_once('#') else { return false };
        let Some(allowed) = comment.trim().strip_prefix("allow ") else { return false };
        let (codes, reason) = allowed.split_once(':').unwrap_or((allowed, ""));
        let named = codes.split([',', ' ']).any(|c| c.eq_ignore_ascii_case(found.code.id));
        named && !reason.trim().is_empty()
    })
}

/// All findings as a baseline that accepts them.
#[must_use]
pub fn baseline_of(found: &Diagnostics) -> String {
    let mut out = String::from("# Findings that are known and accepted; one line each.\n");
    let lines: BTreeSet<String> = found.iter().map(Accepted::line).collect();
    for line in lines {
        out.push_str(&line);
        out.push('\n');
    }
    out
}

/// One line each, for an editor.
#[must_use]
pub fn lines(found: &Diagnostics) -> String {
    found.iter().map(|d| render::line(d) + "\n").collect()
}

#[cfg(test)]
mod tests {
    use lk_diag::{Code, SourceFile, Span};

    use super::*;

    const CODE: Code = Code::new("QO001", "a test");

    fn list(text: &str, at: usize) -> Diagnostics {
        let file = SourceFile::new("opensm.conf", text);
        [Diagnostic::warning(CODE, "few lanes").at(&file, Span::point(at), "")]
            .into_iter()
            .collect()
    }

    fn accepted(by: &Accepted, text: &str, at: usize) -> usize {
        by.part(list(text, at)).1
    }

    #[test]
    fn a_comment_with_a_reason_silences_a_finding() {
        let nothing = Accepted::default();
        assert_eq!(accepted(&nothing, "max_op_vls 2 # allow QO001: two lanes will do", 0), 1);
        assert_eq!(accepted(&nothing, "# allow qo001, QO002: known\nmax_op_vls 2", 30), 1);
        for said in ["# allow QO001", "# allow QO001:", "# allow QO002: why", "# QO001: why"] {
            assert_eq!(accepted(&nothing, &format!("max_op_vls 2 {said}"), 0), 0, "{said}");
        }
    }

    #[test]
    fn a_code_and_a_baseline_silence_findings_whatever_the_line() {
        let mut by = Accepted::default();
        by.code("qo001");
        assert_eq!(accepted(&by, "x", 0), 1);
        let mut by = Accepted::default();
        by.baseline(&baseline_of(&list("x", 0)));
        assert_eq!(accepted(&by, "\n\n\nx", 3), 1);
        assert_eq!(accepted(&Accepted::default(), "x", 0), 0);
    }
}
