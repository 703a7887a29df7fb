//! Numbers as C reads them, and the modifiers `w=`, `s=` and `e=` of port lines.

use super::super::draft::Enabled;

/// The number at the start of a text as `strtoull` with base 0 reads it: blanks, then decimal,
/// `0x` hexadecimal or `0` octal digits, then anything. `None` where there is no digit, or where
/// the number does not fit in 64 bits.
pub(super) fn number(text: &str) -> Option<u64> {
    let text = text.trim_start();
    let (digits, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => (hex, 16),
        _ if text.starts_with('0') => (text, 8),
        _ => (text, 10),
    };
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    u64::from_str_radix(&digits[..end], radix).ok()
}

/// Puts a number into `slot` if it is one from `low` to `high`; else returns `None`.
pub(super) fn in_range(
    number: Option<u64>,
    low: u8,
    high: u8,
    slot: &mut Option<u8>,
) -> Option<u64> {
    let number = number.filter(|n| (u64::from(low)..=u64::from(high)).contains(n))?;
    *slot = Some(number as u8);
    Some(number)
}

/// Takes the modifiers of a port line's tail into `enabled`. The name in it, from the first quote
/// to the last, is none of them.
///
/// # Errors
/// The byte of the tail at which a modifier's value is out of range.
pub(super) fn take(tail: &str, enabled: &mut Enabled) -> Result<(), usize> {
    let name = match (tail.find('"'), tail.rfind('"')) {
        (Some(first), Some(last)) => first..last,
        _ => tail.len()..tail.len(),
    };
    let mut letter = ' ';
    for (at, c) in tail.char_indices().filter(|(at, _)| !name.contains(at)) {
        if c.is_ascii_alphabetic() {
            letter = c;
        }
        if c != '=' {
            continue;
        }
        let value = number(&tail[at + 1..]);
        let taken = match letter {
            'w' => in_range(value, 1, 31, &mut enabled.width),
            // 0 stands for QDR.
            's' if value == Some(0) => in_range(Some(4), 1, 7, &mut enabled.speed),
            's' => in_range(value, 1, 7, &mut enabled.speed),
            'e' => in_range(value, 0, 15, &mut enabled.speed_ext),
            _ => Some(0),
        };
        if taken.is_none() {
            return Err(at + 1);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_as_c_reads_them() {
        assert_eq!(number(" 12abc"), Some(12));
        assert_eq!(number("0x1Fz"), Some(31));
        assert_eq!(number("017"), Some(15));
        assert_eq!(number("0"), Some(0));
        assert_eq!(number("0x"), Some(0));
        assert_eq!(number("08"), Some(0));
        assert_eq!(number("x"), None);
        assert_eq!(number(""), None);
        assert_eq!(number("0xFFFFFFFFFFFFFFFF1"), None);
    }

    #[test]
    fn modifiers_are_taken_and_checked() {
        let mut enabled = Enabled::default();
        assert_eq!(take(" w=3 s=0 v=99 # \"a\" e=77\" x\"", &mut enabled), Ok(()));
        assert_eq!(enabled, Enabled { width: Some(3), speed: Some(4), speed_ext: None });
        assert_eq!(take(" e=15", &mut enabled), Ok(()));
        assert_eq!(enabled.speed_ext, Some(15));
        assert_eq!(take(" w=32", &mut enabled), Err(3));
        assert_eq!(take(" s=", &mut enabled), Err(3));
    }
}
