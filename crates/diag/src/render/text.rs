//! Findings for a person: the message, the line with the place marked, notes and help.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::line::visible;
use crate::{Diagnostic, Diagnostics, Label, Severity, SourceFile, Span};

/// How the text looks. Whether the output is a terminal, and `NO_COLOR`, are the caller's to ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Style {
    /// No escape sequences.
    #[default]
    Plain,
    /// ANSI colours.
    Colour,
}

/// One finding as several lines, with a final newline.
///
/// Control characters are shown as escapes and a line that is too long for a terminal is cut
/// around the place, so a binary file or a megabyte without a newline does no harm.
#[must_use]
pub fn text(diagnostic: &Diagnostic, style: Style) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Info => Level::INFO,
    };
    let title = level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.id);
    let mut group = Group::with_title(title);
    let lines = lines_to_show(diagnostic);
    for shown in &lines {
        group = group.element(shown.snippet());
    }
    for note in &diagnostic.notes {
        group = group.element(Level::NOTE.message(visible(note)));
    }
    for help in &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let mut out = renderer.render(&[group]);
    for (told, real) in lines.iter().filter_map(Shown::places) {
        out = shift_column(&out, &told, &real);
    }
    out.push('\n');
    out
}

/// Puts the column right of a line that was given to the renderer without its beginning.
fn shift_column(out: &str, told: &str, real: &str) -> String {
    let place = |line: &str| line.trim_end_matches("\u{1b}[0m").ends_with(told);
    let mut lines = out.split('\n').map(|line| match place(line) {
        true => line.replacen(told, real, 1),
        false => line.to_owned(),
    });
    let first = lines.next().unwrap_or_default();
    lines.fold(first, |all, line| all + "\n" + &line)
}

/// All findings, a blank line after each, and how many there were. Empty for an empty list.
#[must_use]
pub fn report(diagnostics: &Diagnostics, style: Style) -> String {
    let mut out = String::new();
    for diagnostic in diagnostics {
        out.push_str(&text(diagnostic, style));
        out.push('\n');
    }
    let counts = [Severity::Error, Severity::Warning, Severity::Info]
        .map(|severity| (severity, diagnostics.count(severity)))
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| {
            let plural = if count == 1 || severity == Severity::Info { "" } else { "s" };
            format!("{count} {severity}{plural}")
        });
    let counts = counts.collect::<Vec<_>>().join(", ");
    if !counts.is_empty() {
        out.push_str(&counts);
        out.push('\n');
    }
    out
}

/// A line of a file with the labels on it.
struct Shown<'a> {
    source: &'a SourceFile,
    line: usize,
    labels: Vec<&'a Label>,
}

/// The lines that the labels start on: the primary label's first, the others in their order.
fn lines_to_show(diagnostic: &Diagnostic) -> Vec<Shown<'_>> {
    let mut shown: Vec<Shown<'_>> = Vec::new();
    let primary = diagnostic.primary();
    let rest = diagnostic.labels.iter().filter(|l| primary.is_none_or(|p| !std::ptr::eq(p, *l)));
    for label in primary.into_iter().chain(rest) {
        let line = label.position().line;
        match shown.iter_mut().find(|s| s.line == line && s.source == &label.source) {
            Some(s) => s.labels.push(label),
            None => shown.push(Shown { source: &label.source, line, labels: vec![label] }),
        }
    }
    shown
}

/// A line that is longer than this is cut before the renderer sees it, which goes through every
/// character several times.
const LONGEST: usize = 2000;
/// So many bytes around the first label of such a line are kept.
const AROUND: usize = 400;

impl<'a> Shown<'a> {
    /// The span of the line that is shown. Of a very long one that is the part around the first
    /// label; it then lies so far within the line that the renderer marks it as cut.
    fn window(&self) -> Span {
        let line = self.source.line_span(self.line);
        let Some(first) = self.labels.first().filter(|_| line.len() > LONGEST) else { return line };
        let text = self.source.text();
        let start = first.span.start.clamp(line.start, line.end);
        let mut from = start.saturating_sub(AROUND).max(line.start);
        while !text.is_char_boundary(from) {
            from -= 1;
        }
        let mut to = start.saturating_add(AROUND).min(line.end);
        while !text.is_char_boundary(to) {
            to += 1;
        }
        Span::new(from, to)
    }

    /// The line with its labels. What was cut off on the left is to be counted in with the column:
    /// see [`shift_column`].
    fn snippet(&self) -> Snippet<'a, Annotation<'a>> {
        let window = self.window();
        let text = self.source.slice(window);
        let within = |offset: usize| {
            let mut at = offset.clamp(window.start, window.end) - window.start;
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let annotations = self.labels.iter().map(|label| {
            let kind =
                if label.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(within(label.span.start)..within(label.span.end));
            if label.text.is_empty() { annotation } else { annotation.label(visible(&label.text)) }
        });
        // The renderer shows C0 controls as pictures; it lets C1 through, so they become a
        // middle dot, which has two bytes as they have.
        let shown = text.replace(|c| ('\u{80}'..='\u{9f}').contains(&c), "\u{b7}");
        Snippet::source(shown)
            .line_start(self.line)
            .path(visible(self.source.name()))
            .annotations(annotations)
    }

    /// Where the renderer says that the label is, and where it is, if a part was cut off.
    fn places(&self) -> Option<(String, String)> {
        let (window, line) = (self.window(), self.source.line_span(self.line));
        if window.start == line.start {
            return None;
        }
        let first = self.labels.first()?;
        let start = first.span.start.clamp(window.start, window.end);
        let cut = self.source.slice(Span::new(window.start, start)).chars().count();
        let name = visible(self.source.name());
        let place = |column: usize| format!("{name}:{}:{column}", self.line);
        Some((place(cut + 1), place(first.position().column)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use proptest::prelude::*;

    const CODE: Code = Code::new("XX001", "a test");

    #[test]
    fn the_place_is_marked() {
        let file = SourceFile::new("a.conf", "# x\r\nqos\ttrue\r\nsm_sl 1\n");
        let found = Diagnostic::warning(CODE, "`true` is read as FALSE")
            .at(&file, Span::new(9, 13), "only TRUE is true")
            .also(&file, Span::new(15, 20), "")
            .note("a note")
            .help("write TRUE");
        let expected = "\
warning[XX001]: `true` is read as FALSE
 --> a.conf:2:5
  |
2 | qos    true
  |        ^^^^ only TRUE is true
  |
 ::: a.conf:3:1
  |
3 | sm_sl 1
  | -----
  |
  = note: a note
  = help: write TRUE
";
        assert_eq!(text(&found, Style::Plain), expected);
        assert!(text(&found, Style::Colour).contains("\u{1b}["));
    }

    #[test]
    fn no_place_no_snippet() {
        let found = Diagnostic::error(CODE, "nothing to read");
        assert_eq!(text(&found, Style::Plain), "error[XX001]: nothing to read\n");
    }

    #[test]
    fn a_report_counts() {
        let list: Diagnostics = [
            Diagnostic::error(CODE, "one"),
            Diagnostic::warning(CODE, "two"),
            Diagnostic::warning(CODE, "three"),
        ]
        .into_iter()
        .collect();
        let expected = "error[XX001]: one\n\nwarning[XX001]: two\n\nwarning[XX001]: three\n\n\
                        1 error, 2 warnings\n";
        assert_eq!(report(&list, Style::Plain), expected);
        assert_eq!(report(&Diagnostics::new(), Style::Plain), "");
    }

    #[test]
    fn a_megabyte_line_is_cut_around_the_place() {
        let mut bytes = vec![b'a'; 1 << 20];
        bytes[500_000..500_003].copy_from_slice(b"bad");
        let file = SourceFile::new("big", bytes);
        let found = Diagnostic::error(CODE, "x").at(&file, Span::new(500_000, 500_003), "");
        let shown = text(&found, Style::Plain);
        assert!(shown.len() < 1000, "{} bytes", shown.len());
        assert!(shown.contains(" --> big:1:500001\n"), "{shown}");
        assert!(shown.contains("bad"));
    }

    /// A hundred findings in one line of a megabyte, each with a second place far away: what the
    /// renderer sees does not grow with the line.
    #[test]
    fn findings_in_a_megabyte_line_cost_what_others_do() {
        let mut bytes = "\u{e9}".repeat(1 << 19).into_bytes();
        bytes[900_000..900_003].copy_from_slice(b"bad");
        let file = SourceFile::new("big", bytes);
        let found = Diagnostic::error(CODE, "x")
            .at(&file, Span::new(900_000, 900_003), "here")
            .also(&file, Span::new(10, 12), "and here")
            .also(&file, Span::new(700, 1_000_000), "and all of this");
        let start = std::time::Instant::now();
        for _ in 0..100 {
            let shown = text(&found, Style::Plain);
            assert!(shown.contains(" --> big:1:450001\n"), "{shown}");
            assert!(shown.contains("bad") && shown.contains("here"), "{shown}");
            assert!(shown.len() < 4000, "{} bytes", shown.len());
        }
        // It was 35 ms each at the least.
        assert!(start.elapsed().as_secs() < 2, "{:?}", start.elapsed());
        let coloured = text(&found, Style::Colour);
        assert!(coloured.contains("big:1:450001"), "{coloured}");
    }

    #[test]
    fn a_place_at_either_end_of_a_long_line_keeps_its_column() {
        let file = SourceFile::new("f", format!("first\n{}\nlast", "a".repeat(5000)));
        for (at, column) in [(6, 1), (300, 295), (407, 402), (5003, 4998), (5006, 5001)] {
            let found = Diagnostic::error(CODE, "x").at(&file, Span::new(at, at + 2), "");
            let shown = text(&found, Style::Plain);
            assert!(shown.contains(&format!(" --> f:2:{column}\n")), "{at}: {shown}");
        }
    }

    #[test]
    fn nul_and_latin_1_are_shown_as_something_printable() {
        let file = SourceFile::new("f", b"a\0b\xe9c\x1b[31m\n".to_vec());
        let found = Diagnostic::error(CODE, "x").at(&file, Span::new(4, 5), "c");
        let shown = text(&found, Style::Plain);
        assert!(shown.chars().all(|c| !c.is_control() || c == '\n'), "{shown:?}");
    }

    proptest! {
        #[test]
        fn any_bytes_and_any_span_render(
            bytes in proptest::collection::vec(any::<u8>(), 0..400),
            spans in proptest::collection::vec((0usize..450, 0usize..450), 1..4),
        ) {
            let file = SourceFile::new("f", bytes);
            let mut found = Diagnostic::error(CODE, "m");
            for (i, (a, b)) in spans.into_iter().enumerate() {
                let span = Span::new(a, b);
                found =
                    if i == 0 { found.at(&file, span, "l") } else { found.also(&file, span, "") };
            }
            let shown = text(&found, Style::Plain);
            prop_assert!(shown.chars().all(|c| !c.is_control() || c == '\n'));
        }
    }
}
