//! Lines as C programs with a fixed buffer see them.

use lk_diag::Span;

/// What one call of fgets returns: a line, or a part of one that is too long for the buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Piece {
    /// Where it is, without the newline.
    pub(crate) span: Span,
    /// Whether it continues the line of the piece before.
    pub(crate) continues: bool,
}

/// The pieces of a text for a buffer that takes `most` bytes at a time, the newline included.
pub(crate) fn pieces(bytes: &[u8], most: usize) -> impl Iterator<Item = Piece> {
    let mut at = 0;
    let mut continues = false;
    std::iter::from_fn(move || {
        let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
        let window = rest.get(..most).unwrap_or(rest);
        let newline = window.iter().position(|b| *b == b'\n');
        let end = at + newline.unwrap_or(window.len());
        let piece = Piece { span: Span::new(at, end), continues };
        continues = newline.is_none();
        at = end + usize::from(newline.is_some());
        Some(piece)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn split(text: &str, most: usize) -> Vec<(&str, bool)> {
        pieces(text.as_bytes(), most).map(|p| (&text[p.span.range()], p.continues)).collect()
    }

    #[test]
    fn long_lines_come_in_pieces() {
        assert_eq!(split("", 4), []);
        assert_eq!(split("ab\n\nc", 4), [("ab", false), ("", false), ("c", false)]);
        assert_eq!(split("abc\nd", 4), [("abc", false), ("d", false)]);
        assert_eq!(split("abcd\ne", 4), [("abcd", false), ("", true), ("e", false)]);
        assert_eq!(split("abcdef\n", 4), [("abcd", false), ("ef", true)]);
    }

    proptest! {
        #[test]
        fn pieces_lose_nothing_but_newlines(text in "[ab\n]{0,60}", most in 1usize..8) {
            let joined: String = split(&text, most).iter().map(|(s, _)| *s).collect();
            prop_assert_eq!(joined, text.replace('\n', ""));
        }
    }
}
