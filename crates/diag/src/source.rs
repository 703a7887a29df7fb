//! A file that was read, and places in it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// A stretch of bytes of a file: `start` is the first byte, `end` the one after the last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: usize,
    /// Offset of the byte after the last; equal to `start` for a point.
    pub end: usize,
}

impl Span {
    /// The bytes from `start` up to, not including, `end`. An `end` before `start` gives a point.
    #[must_use]
    pub const fn new(start: usize, end: usize) -> Self {
        Self { start, end: if end < start { start } else { end } }
    }

    /// The point before the byte at `offset`.
    #[must_use]
    pub const fn point(offset: usize) -> Self {
        Self { start: offset, end: offset }
    }

    /// How many bytes it covers.
    #[must_use]
    pub const fn len(self) -> usize {
        self.end - self.start
    }

    /// Whether it is a point.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// As a range of offsets.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..{}", self.start, self.end)
    }
}

/// A place as people count: both numbers start at 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: usize,
    /// The column in characters, not bytes.
    pub column: usize,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A file's name and text. A clone is another handle on the same text.
///
/// Files of the field are old and come from many hands: Latin-1 names, NULs, whole binaries by
/// mistake. Every byte that is no part of UTF-8 is held as one [`SourceFile::SUBSTITUTE`]
/// character, which is one byte too, so an offset in the text is the offset in the file.
#[derive(Clone)]
pub struct SourceFile(Arc<Inner>);

struct Inner {
    name: String,
    text: String,
    /// Offset of each line's first byte; the first is 0.
    line_starts: Vec<usize>,
    /// How many characters begin before each [`STRIDE`]th byte.
    characters: Vec<usize>,
    undecodable: usize,
    first_undecodable: Option<usize>,
}

/// Characters are counted beforehand up to every so many bytes: a line can be megabytes long, and
/// have something to be said of each word.
const STRIDE: usize = 1024;

/// How many characters begin in these bytes of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
}

impl SourceFile {
    /// What stands in the text for a byte that is not UTF-8: the control character SUB.
    pub const SUBSTITUTE: char = '\u{1a}';

    /// A file of this name and content. The name is shown as given and never opened.
    #[must_use]
    pub fn new(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Self {
        let (text, bad) = decode(bytes.into());
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
            .collect();
        let strides = text.as_bytes().chunks(STRIDE).scan(0, |before, stride| {
            let here = *before;
            *before += count(stride);
            Some(here)
        });
        let characters = strides.collect();
        Self(Arc::new(Inner {
            name: name.into(),
            text,
            line_starts,
            characters,
            undecodable: bad.len(),
            first_undecodable: bad.first().copied(),
        }))
    }

    /// Whether both are the same reading of a file.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The name it was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The whole text, of exactly as many bytes as the file.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The text of a span; empty where the span lies outside the file or cuts a character.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.0.text.get(span.range()).unwrap_or_default()
    }

    /// How many bytes were not UTF-8, and where the first of them is.
    #[must_use]
    pub fn undecodable(&self) -> Option<(usize, Span)> {
        self.0.first_undecodable.map(|at| (self.0.undecodable, Span::new(at, at + 1)))
    }

    /// How many lines there are; a final newline opens no further line, an empty file has one.
    #[must_use]
    pub fn line_count(&self) -> usize {
        let starts = &self.0.line_starts;
        if starts.len() > 1 && starts.last() == Some(&self.0.text.len()) {
            starts.len() - 1
        } else {
            starts.len()
        }
    }

    /// The span of a line (counted from 1) without its line ending (`\n` or `\r\n`). A number
    /// past the end gives the point at the end of the file.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span {
        let end_of_file = self.0.text.len();
        let starts = &self.0.line_starts;
        let Some(&start) = line.checked_sub(1).and_then(|i| starts.get(i)) else {
            return Span::point(end_of_file);
        };
        let Some(&next) = starts.get(line) else {
            return Span::new(start, end_of_file);
        };
        let line = self.slice(Span::new(start, next));
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        Span::new(start, start + line.len())
    }

    /// Every line's number, span (without the line ending) and text.
    pub fn lines(&self) -> impl Iterator<Item = (usize, Span, &str)> {
        (1..=self.line_count()).map(|n| {
            let span = self.line_span(n);
            (n, span, self.slice(span))
        })
    }

    /// The line that holds an offset, counted from 1. An offset past the end gives the last line.
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        let line = self.0.line_starts.partition_point(|&s| s <= offset);
        line.min(self.line_count())
    }

    /// Line and column of an offset.
    #[must_use]
    pub fn position(&self, offset: usize) -> Position {
        let line = self.line_of(offset);
        let start = self.line_span(line).start;
        let mut end = offset.min(self.0.text.len());
        while !self.0.text.is_char_boundary(end) {
            end -= 1;
        }
        let column = self.characters_before(end) - self.characters_before(start) + 1;
        Position { line, column }
    }

    /// How many characters begin before an offset.
    fn characters_before(&self, offset: usize) -> usize {
        let (stride, bytes) = (offset / STRIDE, self.0.text.as_bytes());
        let whole = self.0.characters.get(stride).copied();
        // The end of a text that fills its last stride begins no further one.
        whole.map_or_else(|| count(bytes), |whole| whole + count(&bytes[stride * STRIDE..offset]))
    }
}

impl fmt::Debug for SourceFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SourceFile({:?}, {} bytes)", self.0.name, self.0.text.len())
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.0.name == other.0.name && self.0.text == other.0.text)
    }
}

impl Eq for SourceFile {}

/// The text of the bytes, and the offsets of those that are not UTF-8.
fn decode(bytes: Vec<u8>) -> (String, Vec<usize>) {
    let bytes = match String::from_utf8(bytes) {
        Ok(text) => return (text, Vec::new()),
        Err(e) => e.into_bytes(),
    };
    let mut text = String::with_capacity(bytes.len());
    let mut bad = Vec::new();
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for _ in chunk.invalid() {
            bad.push(text.len());
            text.push(SourceFile::SUBSTITUTE);
        }
    }
    (text, bad)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn positions_count_characters_from_one() {
        let file = SourceFile::new("f", "ab\né x\r\n\nlast");
        assert_eq!(file.line_count(), 4);
        assert_eq!(file.position(0), Position { line: 1, column: 1 });
        assert_eq!(file.position(2), Position { line: 1, column: 3 }, "the newline itself");
        assert_eq!(file.position(5), Position { line: 2, column: 2 }, "after a two-byte letter");
        assert_eq!(file.position(4), Position { line: 2, column: 1 }, "inside a letter");
        assert_eq!(file.slice(file.line_span(2)), "é x");
        assert_eq!(file.slice(file.line_span(3)), "");
        assert_eq!(file.position(999), Position { line: 4, column: 5 });
        assert_eq!(file.line_span(99), Span::point(file.text().len()));
        assert_eq!(file.line_span(0), Span::point(file.text().len()));
    }

    #[test]
    fn columns_of_long_lines_are_counted_in_characters_too() {
        for text in ["é".repeat(3000), "a\n".to_owned() + &"xé€".repeat(1500), "a".repeat(STRIDE)]
        {
            let file = SourceFile::new("f", text.clone());
            let start = text.find('\n').map_or(0, |at| at + 1);
            for (column, (offset, _)) in text[start..].char_indices().enumerate() {
                assert_eq!(file.position(start + offset).column, column + 1);
            }
            let all = text[start..].chars().count();
            assert_eq!(file.position(text.len()).column, all + 1);
        }
    }

    #[test]
    fn a_final_newline_opens_no_line() {
        assert_eq!(SourceFile::new("f", "a\nb\n").line_count(), 2);
        assert_eq!(SourceFile::new("f", "a\nb").line_count(), 2);
        assert_eq!(SourceFile::new("f", "").line_count(), 1);
        assert_eq!(SourceFile::new("f", "\n").line_count(), 1);
    }

    #[test]
    fn latin_1_keeps_its_offsets() {
        let file = SourceFile::new("f", b"caf\xe9 x\n\x00".to_vec());
        assert_eq!(file.text().len(), 8);
        assert_eq!(file.slice(Span::new(5, 6)), "x");
        assert_eq!(file.undecodable(), Some((1, Span::new(3, 4))));
        assert_eq!(SourceFile::new("f", "café").undecodable(), None);
    }

    proptest! {
        #[test]
        fn any_bytes_keep_length_and_lines_tile_them(
            bytes in proptest::collection::vec(any::<u8>(), 0..200)
        ) {
            let file = SourceFile::new("f", bytes.clone());
            prop_assert_eq!(file.text().len(), bytes.len());
            let mut at = 0;
            for (n, span, text) in file.lines() {
                prop_assert!(span.start >= at && !text.contains('\n'));
                prop_assert_eq!(file.line_of(span.start), n);
                at = span.end;
            }
            for offset in 0..=bytes.len() + 2 {
                let p = file.position(offset);
                prop_assert!(p.line >= 1 && p.line <= file.line_count() && p.column >= 1);
            }
        }
    }
}
