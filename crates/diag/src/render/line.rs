//! One line for each finding, in the form that editors and `grep` know.

use crate::Diagnostic;

/// `file:line:column: severity[CODE]: message`, without a newline. A finding without a place
/// has only the part from the severity on. Control characters in the message are escaped, so
/// that it is one line whatever the file held.
#[must_use]
pub fn line(diagnostic: &Diagnostic) -> String {
    let place = diagnostic
        .primary()
        .map(|l| format!("{}:{}: ", visible(l.source.name()), l.position()))
        .unwrap_or_default();
    let Diagnostic { severity, code, message, .. } = diagnostic;
    format!("{place}{severity}[{code}]: {}", visible(message))
}

/// The text with every control character written as an escape.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() {
            out.extend(c.escape_default());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, SourceFile, Span};

    const CODE: Code = Code::new("XX001", "a test");

    #[test]
    fn one_line_each() {
        let file = SourceFile::new("a.conf", "one\ntwo three\n");
        let found = Diagnostic::warning(CODE, "odd").at(&file, Span::new(8, 13), "here");
        assert_eq!(line(&found), "a.conf:2:5: warning[XX001]: odd");
        assert_eq!(line(&Diagnostic::error(CODE, "a\nb\0")), "error[XX001]: a\\nb\\u{0}");
    }
}
