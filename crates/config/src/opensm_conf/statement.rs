//! A line of opensm.conf cut into option and value.

use lk_diag::{SourceFile, Span};

use crate::options::number::c_space;

/// A line with an option in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Statement {
    /// The option's name.
    pub(super) key: Span,
    /// The value without blanks around it and without its quotes; a point when there is none.
    pub(super) value: Span,
    /// Whether the value stood in quotes.
    pub(super) quoted: bool,
    /// A quote at one end of the value without its partner.
    pub(super) lone_quote: Option<Span>,
    /// A NUL with something behind it, which is not read.
    pub(super) nul: Option<Span>,
    /// A comment that a quote before and after it seems to enclose.
    pub(super) comment_in_quotes: Option<Span>,
}

/// Cuts a line. `None` when it is blank or only a comment.
pub(super) fn read(source: &SourceFile, line: Span) -> Option<Statement> {
    let whole = bytes(source, line);
    let nul = whole.iter().position(|b| *b == 0);
    let seen = whole.get(..nul.unwrap_or(whole.len()))?;
    let hash = seen.iter().position(|b| *b == b'#');
    let code = seen.get(..hash.unwrap_or(seen.len()))?;

    let blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\n');
    let start = code.iter().position(|b| !blank(b))?;
    let end = code[start..].iter().position(blank).map_or(code.len(), |n| start + n);
    let (value_start, value_end) = trim(code, end);

    let text = code.get(value_start..value_end).unwrap_or_default();
    let (quoted, lone_quote) = match (quote(text.first()), quote(text.last())) {
        (Some(a), Some(b)) if a == b => (true, None),
        (Some(_), _) => (false, Some(value_start)),
        (None, Some(_)) => (false, Some(value_end - 1)),
        (None, None) => (false, None),
    };
    let value = if quoted {
        // A quote alone is its own partner: nothing is left.
        Span::new(value_start + 1, (value_end - 1).max(value_start + 1))
    } else {
        Span::new(value_start, value_end)
    };
    let place = |s: Span| Span::new(line.start + s.start, line.start + s.end);
    let comment = hash.map(|at| (at, seen.get(at..).unwrap_or_default()));
    let comment_in_quotes = comment
        .filter(|(_, comment)| quote(text.first()).is_some_and(|q| !quoted && comment.contains(&q)))
        .map(|(at, comment)| place(Span::new(at, at + comment.len())));
    Some(Statement {
        key: place(Span::new(start, end)),
        value: place(value),
        quoted,
        lone_quote: lone_quote.map(|at| place(Span::new(at, at + 1))),
        nul: nul
            .map(|at| place(Span::new(at, at + 1)))
            .filter(|_| whole.iter().skip(seen.len() + 1).any(|b| !c_space(char::from(*b)))),
        comment_in_quotes,
    })
}

/// The text of a span, also where the buffer's end cut a character.
pub(super) fn text(source: &SourceFile, span: Span) -> String {
    String::from_utf8_lossy(bytes(source, span)).into_owned()
}

fn bytes(source: &SourceFile, span: Span) -> &[u8] {
    source.text().as_bytes().get(span.range()).unwrap_or_default()
}

/// What is left from `from` on when white space at both ends is taken away.
fn trim(code: &[u8], from: usize) -> (usize, usize) {
    let space = |b: &u8| c_space(char::from(*b));
    let rest = code.get(from..).unwrap_or_default();
    let start = rest.iter().position(|b| !space(b)).unwrap_or(rest.len());
    let end = rest.iter().rposition(|b| !space(b)).map_or(start, |n| n + 1);
    (from + start, from + end)
}

fn quote(byte: Option<&u8>) -> Option<u8> {
    byte.copied().filter(|b| matches!(b, b'"' | b'\''))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(line: &str) -> Option<(String, String)> {
        let source = SourceFile::new("f", line);
        let s = read(&source, Span::new(0, line.len()))?;
        Some((text(&source, s.key), text(&source, s.value)))
    }

    #[test]
    fn option_and_value() {
        for (line, expected) in [
            ("sm_sl 3", Some(("sm_sl", "3"))),
            (" \t sm_sl \t 3 \r", Some(("sm_sl", "3"))),
            ("sm_sl", Some(("sm_sl", ""))),
            ("sm_sl#3", Some(("sm_sl", ""))),
            ("sm_sl 3 # c", Some(("sm_sl", "3"))),
            ("qos=TRUE", Some(("qos=TRUE", ""))),
            ("sm_sl\u{b}3", Some(("sm_sl\u{b}3", ""))),
            ("sm_sl \u{b}3\u{c}", Some(("sm_sl", "3"))),
            ("a b c", Some(("a", "b c"))),
            ("a \"  b \"", Some(("a", "  b "))),
            ("a '\"b\"'", Some(("a", "\"b\""))),
            ("a \"", Some(("a", ""))),
            ("a \"\"", Some(("a", ""))),
            ("a 'b\"", Some(("a", "'b\""))),
            ("a \"b", Some(("a", "\"b"))),
            ("a \"b # c\"", Some(("a", "\"b"))),
            ("a b\0c", Some(("a", "b"))),
            ("\0a b", None),
            ("# a b", None),
            ("", None),
            (" \t", None),
        ] {
            let expected = expected.map(|(k, v)| (k.to_owned(), v.to_owned()));
            assert_eq!(cut(line), expected, "{line:?}");
        }
    }

    #[test]
    fn oddities_are_marked() {
        let odd = |line: &str| read(&SourceFile::new("f", line), Span::new(0, line.len()));
        let found = odd("a \"b # c\"").unwrap();
        assert_eq!(found.comment_in_quotes, Some(Span::new(5, 9)));
        assert_eq!(found.lone_quote, Some(Span::new(2, 3)));
        assert_eq!(odd("a b # \"c\"").unwrap().comment_in_quotes, None);
        assert_eq!(odd("a b\0c").unwrap().nul, Some(Span::new(3, 4)));
        assert_eq!(odd("a b\0\r").unwrap().nul, None);
    }
}
