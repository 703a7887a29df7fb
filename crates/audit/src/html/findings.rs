//! The findings, with the lines that they are about.

use lk_diag::{Diagnostic, Diagnostics, Label, Severity};

use super::{class, rules};
use crate::picture::escaped;

/// Characters of a line that are shown; of a longer one the part around the place.
const LONGEST: usize = 160;
/// Characters before the place that are kept of a line that is cut.
const BEFORE: usize = 40;

/// The section.
pub(super) fn section(out: &mut String, found: &Diagnostics) {
    out.push_str("<section id=\"findings\">\n<h2>Findings</h2>\n");
    if found.is_empty() {
        out.push_str("<p>Nothing was found.</p>\n");
    }
    for severity in [Severity::Error, Severity::Warning, Severity::Info] {
        for finding in found.iter().filter(|finding| finding.severity == severity) {
            one(out, finding);
        }
    }
    out.push_str("</section>\n");
}

fn one(out: &mut String, finding: &Diagnostic) {
    let class = class(finding.severity);
    let (id, title) = (escaped(finding.code.id), escaped(finding.code.title));
    out.push_str(&format!(
        "<article class=\"{class}\">\n<h3><span class=\"badge {class}\">{class}"
    ));
    out.push_str(&format!("</span> {}</h3>\n", code(&finding.message)));
    let link = match rules::has_page(finding.code.id) {
        true => format!("<a href=\"#rule-{id}\">{id}</a>"),
        false => id,
    };
    out.push_str(&format!("<p class=\"soft\">{link}: {title}</p>\n"));
    for label in &finding.labels {
        excerpt(out, label);
    }
    for note in series(&finding.notes) {
        out.push_str(&note);
    }
    for help in &finding.help {
        out.push_str(&format!("<p class=\"help\"><b>To mend it:</b> {}</p>\n", code(help)));
    }
    out.push_str("</article>\n");
}

/// The line of a label, with the place marked.
fn excerpt(out: &mut String, label: &Label) {
    let at = label.position();
    let line = label.source.line_span(at.line);
    let text = label.source.slice(line);
    // Spans lie within their text; one that goes on beyond the line is cut at its end.
    let start = label.span.start.clamp(line.start, line.end) - line.start;
    let end = label.span.end.clamp(line.start + start, line.end) - line.start;
    let (before, marked, after) = (&text[..start], &text[start..end], &text[end..]);
    let cut = before.chars().count().saturating_sub(BEFORE);
    let cut = if text.chars().count() > LONGEST { cut } else { 0 };
    let front: String = before.chars().skip(cut).collect();
    let room = LONGEST.saturating_sub(front.chars().count());
    let mark: String = marked.chars().take(room).collect();
    let room = room - mark.chars().count();
    let back: String = after.trim_end().chars().take(room).collect();
    let left = if cut > 0 { "…" } else { "" };
    let cut_right = mark.len() < marked.len() || back.len() < after.trim_end().len();
    let right = if cut_right { "…" } else { "" };
    let said = match label.text.is_empty() {
        true => String::new(),
        false => format!(" <span class=\"said\">{}</span>", escaped(&label.text)),
    };
    let place = format!("{}:{}:{}", label.source.name(), at.line, at.column);
    out.push_str(&format!(
        "<figure class=\"excerpt\"><figcaption>{}{said}</figcaption><pre><code>{left}{}<mark>{}\
         </mark>{}{right}</code></pre></figure>\n",
        escaped(&place),
        escaped(&front),
        escaped(&mark),
        escaped(&back)
    ));
}

/// Notes as a list; several that are the rows of a table stand in a block of their own, as they
/// were aligned.
fn series(notes: &[String]) -> Vec<String> {
    let is_row = |note: &String| note.contains("  ") || note.starts_with("SL  ");
    let mut out = Vec::new();
    let mut at = 0;
    while at < notes.len() {
        let rows = notes[at..].iter().take_while(|note| is_row(note)).count();
        if rows > 1 {
            let text: Vec<String> = notes[at..at + rows].iter().map(|n| escaped(n)).collect();
            out.push(format!("<pre class=\"rows\" tabindex=\"0\">{}</pre>\n", text.join("\n")));
            at += rows;
        } else {
            out.push(format!("<p>{}</p>\n", code(&notes[at])));
            at += 1;
        }
    }
    out
}

/// Text with what stands in backquotes as code.
pub(super) fn code(text: &str) -> String {
    let mut out = String::new();
    for (at, part) in text.split('`').enumerate() {
        // An odd number of backquotes is no pair.
        let is_code = at % 2 == 1 && text.split('`').count() > at + 1;
        match is_code {
            true => out.push_str(&format!("<code>{}</code>", escaped(part))),
            false if at % 2 == 1 => out.push_str(&format!("`{}", escaped(part))),
            false => out.push_str(&escaped(part)),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use lk_diag::{Code, SourceFile, Span};

    use super::*;

    #[test]
    fn backquotes_make_code_where_they_are_a_pair() {
        assert_eq!(code("set `a<b` now"), "set <code>a&lt;b</code> now");
        assert_eq!(code("a ` b"), "a ` b");
    }

    #[test]
    fn a_long_line_is_cut_around_its_place() {
        let text = format!("{}qos_x{}\nsecond", "a".repeat(5000), "b".repeat(5000));
        let file = SourceFile::new("<f>", text);
        let found = Diagnostic::error(Code::new("QO001", "t"), "m");
        let found = found.at(&file, Span::new(5000, 5005), "here & now");
        let mut out = String::new();
        excerpt(&mut out, &found.labels[0]);
        assert!(out.contains("&lt;f&gt;:1:5001") && out.contains("here &amp; now"));
        assert!(out.contains("<code>…aaaa") && out.contains("<mark>qos_x</mark>bbb"));
        assert!(out.len() < 500, "{}", out.len());
    }
}
