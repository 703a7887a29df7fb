//! The words of a line. Blanks stand between them, text is quoted, `#` begins a comment.

use lk_diag::Span;

/// A word, and where it stands in the file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    /// As it is written, quotes included.
    pub(super) text: &'a str,
    /// Where.
    pub(super) span: Span,
}

/// The words of a line that begins at `start` in its file.
pub(super) struct Words<'a> {
    line: &'a str,
    start: usize,
    at: usize,
}

impl<'a> Words<'a> {
    /// The words of a line that begins at `start` in its file.
    pub(super) const fn new(line: &'a str, start: usize) -> Self {
        Self { line, start, at: 0 }
    }

    /// The place after the last word that was taken.
    pub(super) const fn here(&self) -> Span {
        Span::point(self.start + self.at)
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Word<'a>;

    fn next(&mut self) -> Option<Word<'a>> {
        let bytes = self.line.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let from = self.at;
        match *bytes.get(from)? {
            b'#' => return None,
            b'"' => {
                let mut to = from + 1;
                loop {
                    match bytes.get(to) {
                        None => break,
                        Some(b'\\') => to += 2,
                        Some(b'"') => {
                            to += 1;
                            break;
                        }
                        Some(_) => to += 1,
                    }
                }
                self.at = to.min(bytes.len());
            }
            _ => {
                let end = |byte: &u8| byte.is_ascii_whitespace();
                let length = bytes[from..].iter().position(end);
                self.at = length.map_or(bytes.len(), |length| from + length);
            }
        }
        // A cut after a backslash may fall inside a character: such a word is none.
        let text = self.line.get(from..self.at).unwrap_or_default();
        Some(Word { text, span: Span::new(self.start + from, self.start + self.at) })
    }
}

/// Text in quotes. What is not printable is written as its number.
pub(super) fn push_quoted(to: &mut String, text: &str) {
    to.push('"');
    for character in text.chars() {
        match character {
            '"' | '\\' => {
                to.push('\\');
                to.push(character);
            }
            c if c.is_control() => to.push_str(&format!("\\u{{{:x}}}", u32::from(c))),
            c => to.push(c),
        }
    }
    to.push('"');
}

/// The text of a quoted word.
pub(super) fn unquoted(word: &str) -> Option<String> {
    let inner = word.strip_prefix('"')?.strip_suffix('"').filter(|_| word.len() > 1)?;
    let mut text = String::with_capacity(inner.len());
    let mut rest = inner.chars();
    while let Some(character) = rest.next() {
        if character != '\\' {
            text.push(character);
            continue;
        }
        match rest.next()? {
            c @ ('"' | '\\') => text.push(c),
            'u' => {
                let (number, after) = rest.as_str().strip_prefix('{')?.split_once('}')?;
                text.push(char::from_u32(u32::from_str_radix(number, 16).ok()?)?);
                rest = after.chars();
            }
            _ => return None,
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_in_quotes_comes_back() {
        for text in ["", "a b", "say \"hi\"", "back\\slash\\", "tab\tnul\0\u{1a}", "é#"] {
            let mut line = String::from("x ");
            push_quoted(&mut line, text);
            line.push_str(" y # comment");
            let words: Vec<&str> = Words::new(&line, 0).map(|word| word.text).collect();
            assert_eq!((words.len(), words[0], words[2]), (3, "x", "y"), "{line}");
            assert_eq!(unquoted(words[1]).as_deref(), Some(text));
        }
    }

    #[test]
    fn broken_quotes_are_no_text() {
        for word in ["\"", "\"abc", "abc", "\"a\\\"", "\"\\u{110000}\"", "\"\\x\"", "\"\\u{1\""] {
            assert_eq!(unquoted(word), None, "{word}");
        }
        assert_eq!(Words::new("\"é\\", 3).map(|word| word.text).collect::<Vec<_>>().len(), 1);
    }
}
