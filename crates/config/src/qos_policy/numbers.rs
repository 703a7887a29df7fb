//! Numbers and ranges of them.

use lk_diag::Span;

use super::lex::{Fault, Lexer, Read};
use super::{Range, Ranges};
use crate::options::number::base0_lenient;
use crate::{Placed, codes};

/// Membership is not part of the number of a partition.
const PKEY: u64 = 0x7FFF;

impl Lexer<'_> {
    /// One number: decimal, with `0x` hexadecimal, with a leading 0 octal.
    pub(super) fn number(&mut self) -> Read<Placed<u64>> {
        self.skip_all();
        let start = self.at;
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric()) {
            self.at += 1;
        }
        let place = Span::new(start, self.at);
        let text = self.source.slice(place);
        let hex = text.strip_prefix("0x").or(text.strip_prefix("0X"));
        let good = match hex {
            Some(digits) => !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit()),
            None => !text.is_empty() && text.chars().all(|c| c.is_ascii_digit()),
        };
        if !good {
            let wrong = match text {
                "" => "there is no number here".to_owned(),
                text => format!("`{text}` is no number"),
            };
            let help = "write a decimal number, or one with 0x in front".to_owned();
            return Err(Fault { place, message: wrong, help });
        }
        let value = base0_lenient(text);
        if hex.is_none() && text.len() > 1 && text.starts_with('0') {
            let message = format!("`{text}` is read as {value}");
            self.warn(codes::READ_OTHERWISE, place, message, OCTAL);
        } else if value == u64::MAX && !text.to_ascii_lowercase().ends_with("ffffffffffffffff") {
            let message = format!("`{text}` is read as {value:#x}");
            self.warn(codes::READ_OTHERWISE, place, message, "it has more than 64 bits");
        }
        Ok(Placed { value, place })
    }

    /// A number that stands alone.
    pub(super) fn single_number(&mut self) -> Read<Placed<u64>> {
        let number = self.number()?;
        self.skip_all();
        if matches!(self.peek(), Some(',' | '-')) {
            let place = Span::new(self.at, self.at + 1);
            let message = "one number only may stand here".to_owned();
            return Err(Fault { place, message, help: String::new() });
        }
        Ok(number)
    }

    /// A single number, cut to 8 bits as OpenSM keeps it.
    pub(super) fn byte(&mut self) -> Read<Placed<u8>> {
        let number = self.single_number()?;
        let value = (number.value & 0xFF) as u8;
        if u64::from(value) != number.value {
            let message = format!("{} is read as {value}", number.value);
            self.warn(codes::READ_OTHERWISE, number.place, message, "only 8 bits are kept");
        }
        Ok(Placed { value, place: number.place })
    }

    /// Numbers and ranges with commas between them.
    pub(super) fn ranges(&mut self) -> Read<Ranges> {
        let mut list = Ranges::new();
        loop {
            let low = self.number()?;
            let mut range = Placed { value: Range::one(low.value), place: low.place };
            self.skip_all();
            if self.take('-') {
                let high = self.number()?;
                let place = low.place.cover(high.place);
                range = Placed { value: Range::new(low.value, high.value), place };
                if low.value > high.value {
                    let message = format!("the range is read as {}", range.value);
                    let note = "its first number is the greater one";
                    self.warn(codes::READ_OTHERWISE, place, message, note);
                }
                self.skip_all();
            }
            list.push(range);
            if !self.take(',') {
                return Ok(list);
            }
        }
    }

    /// Ranges of P_Keys: the membership bit is taken off each end.
    pub(super) fn pkeys(&mut self) -> Read<Ranges> {
        let mut list = self.ranges()?;
        for range in &mut list {
            let written = range.value;
            range.value = Range::new(written.low & PKEY, written.high & PKEY);
            let width = |r: Range| r.high - r.low;
            if written.high > 0xFFFF || width(written) != width(range.value) {
                let message = format!("P_Keys {written} are read as {}", range.value);
                let note = "of each end only the lowest 15 bits count, then they are put in order";
                self.warn(codes::READ_OTHERWISE, range.place, message, note);
            }
        }
        Ok(list)
    }

    /// Pairs of numbers with colons in them, and commas between them.
    pub(super) fn pairs(&mut self) -> Read<Vec<(u64, u64)>> {
        let mut list = Vec::new();
        loop {
            let first = self.number()?.value;
            self.skip_all();
            if !self.take(':') {
                let message = "a VL and its weight are written VL:WEIGHT".to_owned();
                return Err(Fault { place: self.here(), message, help: String::new() });
            }
            list.push((first, self.number()?.value));
            self.skip_all();
            if !self.take(',') {
                return Ok(list);
            }
        }
    }
}

/// Why a number is not what it looks like.
const OCTAL: &str = "a leading 0 makes the number octal; at a digit that is not octal it ends";
