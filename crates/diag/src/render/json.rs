//! Findings as JSON with a fixed schema.

use serde::Serialize;

use crate::{Diagnostic, Diagnostics, Severity};

/// The findings as one JSON document, indented, without a final newline.
///
/// The schema, version 1; fields may be added, none is renamed or removed within a version:
///
/// ```json
/// {
///   "version": 1,
///   "errors": 1, "warnings": 0, "infos": 0,
///   "diagnostics": [
///     {
///       "code": "CF001", "title": "unknown option", "severity": "error",
///       "message": "`qoz` is not an option",
///       "labels": [
///         { "file": "opensm.conf", "primary": true, "text": "unknown",
///           "start": 0, "end": 3, "line": 1, "column": 1, "end_line": 1, "end_column": 4 }
///       ],
///       "notes": [], "help": ["did you mean `qos`?"]
///     }
///   ]
/// }
/// ```
///
/// `start` and `end` are byte offsets, `end` exclusive. Lines and columns start at 1, columns
/// count characters, and `end_column` is the column after the last character.
#[must_use]
pub fn to_json(diagnostics: &Diagnostics) -> String {
    let report = Report {
        version: 1,
        errors: diagnostics.count(Severity::Error),
        warnings: diagnostics.count(Severity::Warning),
        infos: diagnostics.count(Severity::Info),
        diagnostics: diagnostics.iter().map(Finding::from).collect(),
    };
    super::pretty(&report)
}

#[derive(Serialize)]
struct Report<'a> {
    version: u32,
    errors: usize,
    warnings: usize,
    infos: usize,
    diagnostics: Vec<Finding<'a>>,
}

#[derive(Serialize)]
struct Finding<'a> {
    code: &'a str,
    title: &'a str,
    severity: Severity,
    message: &'a str,
    labels: Vec<Place<'a>>,
    notes: &'a [String],
    help: &'a [String],
}

#[derive(Serialize)]
struct Place<'a> {
    file: &'a str,
    primary: bool,
    text: &'a str,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    end_line: usize,
    end_column: usize,
}

impl<'a> From<&'a Diagnostic> for Finding<'a> {
    fn from(d: &'a Diagnostic) -> Self {
        let place = |l: &'a crate::Label| {
            let (start, end) = (l.position(), l.source.position(l.span.end));
            Place {
                file: l.source.name(),
                primary: l.primary,
                text: &l.text,
                start: l.span.start,
                end: l.span.end,
                line: start.line,
                column: start.column,
                end_line: end.line,
                end_column: end.column,
            }
        };
        Self {
            code: d.code.id,
            title: d.code.title,
            severity: d.severity,
            message: &d.message,
            labels: d.labels.iter().map(place).collect(),
            notes: &d.notes,
            help: &d.help,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Code, SourceFile, Span};

    #[test]
    fn the_documented_example() {
        let file = SourceFile::new("opensm.conf", "qoz TRUE\n");
        let code = Code::new("CF001", "unknown option");
        let list = [Diagnostic::error(code, "`qoz` is not an option")
            .at(&file, Span::new(0, 3), "unknown")
            .help("did you mean `qos`?")]
        .into_iter()
        .collect();
        let got: serde_json::Value = serde_json::from_str(&to_json(&list)).unwrap();
        let expected = serde_json::json!({
            "version": 1, "errors": 1, "warnings": 0, "infos": 0,
            "diagnostics": [{
                "code": "CF001", "title": "unknown option", "severity": "error",
                "message": "`qoz` is not an option",
                "labels": [{ "file": "opensm.conf", "primary": true, "text": "unknown",
                    "start": 0, "end": 3, "line": 1, "column": 1, "end_line": 1, "end_column": 4 }],
                "notes": [], "help": ["did you mean `qos`?"],
            }],
        });
        assert_eq!(got, expected);
    }
}
