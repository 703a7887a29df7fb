//! The lines of both kinds of files, taken apart into words.

use lk_diag::Span;

use crate::graph::LinkRate;

/// A word and its place in the file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Word<'t> {
    pub(super) text: &'t str,
    pub(super) span: Span,
}

/// A line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Line<'t> {
    /// Nothing, or a comment.
    Blank,
    /// Words without an arrow.
    Words(Vec<Word<'t>>),
    /// `FROM -WIDTH-SPEED-> TO...`
    Cable { from: Word<'t>, rate: LinkRate, to: Vec<Word<'t>> },
    /// A line with an arrow that is no cable: what was expected, and where.
    Flawed(Span, &'static str),
}

/// Widths by their names, as codes of LinkWidthActive.
const WIDTHS: [(&str, u8); 5] = [("1x", 1), ("2x", 16), ("4x", 2), ("8x", 4), ("12x", 8)];

/// Speeds of a lane by their names: codes of LinkSpeedActive and LinkSpeedExtActive. The first
/// three are ibdm's; the others are those that came later, named in the same way.
const SPEEDS: [(&str, u8, u8); 8] = [
    ("2.5G", 1, 0),
    ("5G", 2, 0),
    ("10G", 4, 0),
    ("14G", 4, 1),
    ("25G", 4, 2),
    ("50G", 4, 4),
    ("100G", 4, 8),
    ("200G", 4, 16),
];

/// Takes a line apart that begins at `start` in its file.
pub(super) fn line(text: &str, start: usize) -> Line<'_> {
    let text = without_comment(text);
    let Some(at) = text.find("->") else {
        let words = words(text, start);
        return if words.is_empty() { Line::Blank } else { Line::Words(words) };
    };
    let before = words(&text[..at], start);
    let to = words(&text[at + 2..], start + at + 2);
    let arrow = Span::new(start + at, start + at + 2);
    let Some((from, attributes)) = before.split_first() else {
        return Line::Flawed(arrow, "a port before the arrow");
    };
    let mut rate = LinkRate::default();
    for word in attributes {
        for part in word.text.split('-').filter(|part| !part.is_empty()) {
            if !attribute(part, &mut rate) {
                return Line::Flawed(
                    word.span,
                    "a width (1x, 4x, 8x, 12x) or a speed (2.5G, 5G, 10G)",
                );
            }
        }
    }
    // ibdm's links are four lanes wide unless they say otherwise.
    if rate.width == 0 && rate.speed != 0 {
        rate.width = 2;
    }
    if to.is_empty() {
        return Line::Flawed(arrow, "the other end behind the arrow");
    }
    Line::Cable { from: *from, rate, to }
}

fn attribute(text: &str, rate: &mut LinkRate) -> bool {
    if let Some((_, code)) = WIDTHS.iter().find(|(name, _)| name.eq_ignore_ascii_case(text)) {
        rate.width = *code;
        return true;
    }
    let Some((_, plain, extended)) =
        SPEEDS.iter().find(|(name, ..)| name.eq_ignore_ascii_case(text))
    else {
        return false;
    };
    (rate.speed, rate.speed_ext) = (*plain, *extended);
    true
}

/// A comment begins with `#` at the start of a word.
fn without_comment(text: &str) -> &str {
    let mut blank = true;
    for (at, c) in text.char_indices() {
        if c == '#' && blank {
            return &text[..at];
        }
        blank = c.is_whitespace();
    }
    text
}

fn words(text: &str, start: usize) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut rest = text;
    let mut at = start;
    loop {
        let trimmed = rest.trim_start();
        at += rest.len() - trimmed.len();
        if trimmed.is_empty() {
            return out;
        }
        let end = trimmed.find(char::is_whitespace).unwrap_or(trimmed.len());
        out.push(Word { text: &trimmed[..end], span: Span::new(at, at + end) });
        rest = &trimmed[end..];
        at += end;
    }
}

/// Whether a line cables a plug of a topology: one port, the arrow, and three words. No quotes:
/// the names in the other forms of fabrics stand in quotes and may hold arrows.
pub(super) fn is_topology_cable(text: &str) -> bool {
    text.contains("->")
        && !text.contains('"')
        && matches!(line(text, 0), Line::Cable { to, .. } if to.len() == 3)
}

/// The number of a plug that is called `P` and a number from 1 to 254.
pub(super) fn plain_port(name: &str) -> Option<u8> {
    let digits = name.strip_prefix('P')?;
    let plain = digits.bytes().all(|b| b.is_ascii_digit()) && !digits.starts_with('0');
    digits.parse().ok().filter(|n| plain && (1..=254).contains(n))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cable(text: &str) -> (String, String, Vec<String>) {
        match line(text, 0) {
            Line::Cable { from, rate, to } => {
                let to = to.iter().map(|w| w.text.to_owned()).collect();
                (from.text.to_owned(), rate.to_string(), to)
            }
            other => panic!("{text}: {other:?}"),
        }
    }

    #[test]
    fn cables_with_and_without_attributes() {
        for (text, rate) in [
            ("  P1 -> MT23108 H-1 P1", "?????"),
            ("  P1 -4x-5G-> MT23108 H-1 P1 # one", "4xDDR"),
            ("\tP1 -10G->MT23108 H-1 P1", "4xQDR"),
            ("P1 -12x-> MT23108 H-1 P1", "12x???"),
            ("P1 - 4x - 2.5G -> MT23108 H-1 P1\r", "4xSDR"),
        ] {
            let (from, found, to) = cable(text);
            assert_eq!((from.as_str(), found.as_str()), ("P1", rate), "{text}");
            assert_eq!(to, ["MT23108", "H-1", "P1"], "{text}");
            assert!(is_topology_cable(text), "{text}");
        }
    }

    #[test]
    fn flaws_say_where() {
        assert_eq!(line("-> A B C", 7), Line::Flawed(Span::new(7, 9), "a port before the arrow"));
        let width = line("P1 -5x-> A B C", 100);
        assert!(matches!(width, Line::Flawed(span, _) if span == Span::new(103, 106)));
        assert!(matches!(line("P1 ->", 0), Line::Flawed(_, "the other end behind the arrow")));
    }

    #[test]
    fn comments_and_blanks() {
        for blank in ["", "  \t", "# MTS800 x", "  #", "\u{a0}"] {
            assert_eq!(line(blank, 0), Line::Blank, "{blank}");
        }
        let Line::Words(words) = line("MTS800 SW#1 # x", 10) else { panic!("words") };
        assert_eq!(words[1], Word { text: "SW#1", span: Span::new(17, 21) });
        assert!(!is_topology_cable("[1] \"a\" # \"x -> a b c\""));
    }

    #[test]
    fn plain_ports() {
        assert_eq!((plain_port("P1"), plain_port("P254")), (Some(1), Some(254)));
        for other in ["P", "P0", "P01", "P255", "P1-12x", "L1/P1", "1", "P+1"] {
            assert_eq!(plain_port(other), None, "{other}");
        }
    }
}
