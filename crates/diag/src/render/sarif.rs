//! Findings as a SARIF 2.1.0 log, the form that code hosts and editors import.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::{Code, Diagnostic, Diagnostics, Label, Severity};

/// The program that made the findings.
#[derive(Clone, Copy, Debug)]
pub struct Tool<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
}

/// The findings as one SARIF 2.1.0 document with a single run, indented, without a final
/// newline. The rules are the codes that occur, in their order; an info is level `note`.
#[must_use]
pub fn to_sarif(diagnostics: &Diagnostics, tool: Tool<'_>) -> String {
    let codes: BTreeMap<&str, Code> = diagnostics.iter().map(|d| (d.code.id, d.code)).collect();
    let rules: Vec<Value> = codes
        .values()
        .map(|c| json!({ "id": c.id, "shortDescription": { "text": c.title } }))
        .collect();
    let index: BTreeMap<&str, usize> = codes.keys().copied().zip(0..).collect();
    let results: Vec<Value> =
        diagnostics.iter().map(|d| result(d, index.get(d.code.id).copied())).collect();
    super::pretty(&json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": tool.name, "version": tool.version, "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    }))
}

fn result(d: &Diagnostic, rule_index: Option<usize>) -> Value {
    let mut text = d.message.clone();
    for (word, lines) in [("note", &d.notes), ("help", &d.help)] {
        for line in lines {
            text.push_str(&format!("\n{word}: {line}"));
        }
    }
    let places = |primary: bool| -> Vec<Value> {
        d.labels.iter().filter(|l| l.primary == primary).map(location).collect()
    };
    let mut out = json!({
        "ruleId": d.code.id,
        "level": match d.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Info => "note",
        },
        "message": { "text": text },
        "locations": places(true),
    });
    let related = places(false);
    if !related.is_empty() {
        out["relatedLocations"] = Value::Array(related);
    }
    if let Some(i) = rule_index {
        out["ruleIndex"] = json!(i);
    }
    out
}

fn location(label: &Label) -> Value {
    let (start, end) = (label.position(), label.source.position(label.span.end));
    let mut out = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(label.source.name()) },
            "region": {
                "startLine": start.line, "startColumn": start.column,
                "endLine": end.line, "endColumn": end.column,
                "byteOffset": label.span.start, "byteLength": label.span.len(),
            },
        },
    });
    if !label.text.is_empty() {
        out["message"] = json!({ "text": label.text });
    }
    out
}

/// A file name as a URI reference: what may not stand in one is percent-encoded.
fn uri(name: &str) -> String {
    let mut out = String::new();
    for b in name.bytes() {
        if b.is_ascii_alphanumeric() || b"/-._~+,@".contains(&b) {
            out.push(char::from(b));
        } else {
            out.push_str(&format!("%{b:02X}"));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, Span};

    #[test]
    fn levels_rules_and_places() {
        let (a, b) = (Code::new("CF001", "first kind"), Code::new("CF009", "other kind"));
        let file = SourceFile::new("my conf", "abc\ndef\n");
        let list: Diagnostics = [
            Diagnostic::info(b, "no place"),
            Diagnostic::error(a, "bad")
                .at(&file, Span::new(4, 7), "here")
                .also(&file, Span::new(0, 3), "")
                .help("mend it"),
        ]
        .into_iter()
        .collect();
        let tool = Tool { name: "lanekeeper", version: "1.2.3" };
        let got: Value = serde_json::from_str(&to_sarif(&list, tool)).unwrap();
        assert_eq!(got["version"], "2.1.0");
        let run = &got["runs"][0];
        assert_eq!(run["tool"]["driver"]["rules"][1]["id"], "CF009");
        assert_eq!(run["results"][0]["level"], "note");
        assert_eq!(run["results"][0]["ruleIndex"], 1);
        let second = &run["results"][1];
        assert_eq!(second["message"]["text"], "bad\nhelp: mend it");
        let place = &second["locations"][0]["physicalLocation"];
        assert_eq!(place["artifactLocation"]["uri"], "my%20conf");
        assert_eq!(
            place["region"],
            json!({ "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 4,
                "byteOffset": 4, "byteLength": 3 })
        );
        assert_eq!(second["relatedLocations"].as_array().map(Vec::len), Some(1));
    }
}
