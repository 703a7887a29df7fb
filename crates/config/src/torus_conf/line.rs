//! The words of one line, and the numbers among them.

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use super::Placed;
use crate::codes;
use crate::options::number::leading_digits;

/// A word of a line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word<'a> {
    pub(super) text: &'a str,
    pub(super) place: Span,
}

/// The words of a line that starts at a place of the file. Only blank, tab and the ends of lines
/// separate them.
pub(super) fn words(text: &str, start: usize) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut at = 0;
    for piece in text.split([' ', '\t', '\r', '\n']) {
        if !piece.is_empty() {
            let place = Span::new(start + at, start + at + piece.len());
            words.push(Word { text: piece, place });
        }
        // What separates is one byte long.
        at += piece.len() + 1;
    }
    words
}

/// Where faults of a line go.
pub(super) struct Findings<'a> {
    pub(super) source: &'a SourceFile,
    pub(super) list: Diagnostics,
    /// Whether OpenSM refuses to route by the file.
    pub(super) refused: bool,
}

impl Findings<'_> {
    /// A fault for which the file is refused.
    pub(super) fn refuse(&mut self, place: Span, message: impl Into<String>, help: &str) {
        self.refused = true;
        let fault = Diagnostic::error(codes::TORUS_LINE, message).at(self.source, place, "");
        self.list.push(if help.is_empty() { fault } else { fault.help(help) });
    }

    /// The number that a word starts with, as C reads it. A word that starts with none, or with
    /// one of more than 64 bits, is refused.
    pub(super) fn number(&mut self, word: Word<'_>, what: &str) -> Option<Placed<i128>> {
        let digits = leading_digits(word.text);
        let Some((digits, value)) = digits.and_then(|d| d.value.map(|v| (d, v))) else {
            self.refuse(word.place, format!("`{}` is no {what}", word.text), "");
            return None;
        };
        let value = if digits.negative { -i128::from(value) } else { i128::from(value) };
        let unsigned = word.text.trim_start_matches(['-', '+']);
        let why = if !digits.rest.is_empty() {
            "what follows the number is ignored"
        } else if unsigned.len() > 1
            && unsigned.starts_with('0')
            && !unsigned.starts_with("0x")
            && !unsigned.starts_with("0X")
        {
            "a leading 0 makes the number octal; hexadecimal needs 0x"
        } else {
            return Some(Placed { value, place: word.place });
        };
        let message = format!("`{}` is read as {value}", word.text);
        self.list.push(
            Diagnostic::warning(codes::READ_OTHERWISE, message)
                .at(self.source, word.place, "")
                .note(why),
        );
        Some(Placed { value, place: word.place })
    }

    /// A number of 32 bits that is not negative.
    pub(super) fn count(&mut self, word: Word<'_>, what: &str) -> Option<Placed<u32>> {
        let number = self.number(word, what)?;
        let Ok(value) = u32::try_from(number.value) else {
            self.refuse(word.place, format!("{} is out of range for a {what}", number.value), "");
            return None;
        };
        Some(Placed { value, place: word.place })
    }

    /// Says which words of a line are not used. A comment needs no word.
    pub(super) fn unused(&mut self, words: &[Word<'_>]) {
        let used = words.iter().position(|w| w.text.starts_with('#')).unwrap_or(words.len());
        let Some(words) = words.get(..used) else { return };
        if let (Some(first), Some(last)) = (words.first(), words.last()) {
            let place = first.place.cover(last.place);
            let message = format!("`{}` is not used", self.source.slice(place).trim_end());
            self.list.push(
                Diagnostic::warning(codes::TORUS_UNUSED, message)
                    .at(self.source, place, "")
                    .note("what follows the arguments of a keyword is ignored"),
            );
        }
    }
}
