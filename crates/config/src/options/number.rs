//! Numbers as C's strtoull and strtol read them with base 0: `0x` is hexadecimal, a leading `0`
//! octal, everything else decimal.

/// Why a text is no unsigned number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberError {
    /// There are no digits, or something follows them.
    NotANumber,
    /// More than 64 bits.
    OutOfRange,
}

/// The digits at the start of a text.
pub(crate) struct Digits<'a> {
    /// The number, `None` when it exceeds 64 bits.
    pub(crate) value: Option<u64>,
    /// Whether a minus sign stands before it.
    pub(crate) negative: bool,
    /// What follows the digits.
    pub(crate) rest: &'a str,
}

/// Reads the number at the start of a text: blanks, a sign, a radix prefix, digits. `None` when
/// there are no digits.
pub(crate) fn leading_digits(text: &str) -> Option<Digits<'_>> {
    let text = text.trim_start_matches(c_space);
    let negative = text.starts_with('-');
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (radix, digits) = split_radix(text);
    let end = digits.find(|c: char| !c.is_digit(radix)).unwrap_or(digits.len());
    let (number, rest) = digits.split_at(end);
    if number.is_empty() {
        return None;
    }
    let mut value = Some(0u64);
    for digit in number.chars().filter_map(|c| c.to_digit(radix)) {
        value = value
            .and_then(|v| v.checked_mul(u64::from(radix)))
            .and_then(|v| v.checked_add(u64::from(digit)));
    }
    Some(Digits { value, negative, rest })
}

/// `0x` counts as a prefix only before a hexadecimal digit; else the number is the `0` alone.
fn split_radix(text: &str) -> (u32, &str) {
    if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X"))
        && hex.starts_with(|c: char| c.is_ascii_hexdigit())
    {
        return (16, hex);
    }
    if text.starts_with('0') { (8, text) } else { (10, text) }
}

/// C's isspace in the C locale.
pub(crate) const fn c_space(c: char) -> bool {
    matches!(c, ' ' | '\t' | '\n' | '\u{b}' | '\u{c}' | '\r')
}

/// The whole text as an unsigned number. A negative number wraps as in C: `-1` is the largest.
pub(crate) fn base0_unsigned(text: &str) -> Result<u64, NumberError> {
    let digits = leading_digits(text).ok_or(NumberError::NotANumber)?;
    if !digits.rest.is_empty() {
        return Err(NumberError::NotANumber);
    }
    let value = digits.value.ok_or(NumberError::OutOfRange)?;
    Ok(if digits.negative { value.wrapping_neg() } else { value })
}

/// The number at the start of the text, 0 if there is none; a negative one wraps and too large
/// a one is the largest.
pub(crate) fn base0_lenient(text: &str) -> u64 {
    let Some(digits) = leading_digits(text) else { return 0 };
    match digits.value {
        None => u64::MAX,
        Some(value) if digits.negative => value.wrapping_neg(),
        Some(value) => value,
    }
}

/// The number at the start of the text, 0 if there is none, limited to 64 bits and then cut to
/// 32 as C does when a long is stored in an int.
pub(crate) fn base0_signed(text: &str) -> i32 {
    let Some(digits) = leading_digits(text) else { return 0 };
    let magnitude = i128::from(digits.value.unwrap_or(u64::MAX));
    let signed = if digits.negative { -magnitude } else { magnitude };
    let long = signed.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
    long as i32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base_zero() {
        for (text, expected) in [
            ("0", Ok(0)),
            ("12", Ok(12)),
            ("0x1F", Ok(31)),
            ("0X1f", Ok(31)),
            ("010", Ok(8)),
            ("-1", Ok(u64::MAX)),
            ("+7", Ok(7)),
            ("0xffffffffffffffff", Ok(u64::MAX)),
            ("0x10000000000000000", Err(NumberError::OutOfRange)),
            ("", Err(NumberError::NotANumber)),
            ("08", Err(NumberError::NotANumber)),
            ("0x", Err(NumberError::NotANumber)),
            ("12k", Err(NumberError::NotANumber)),
            ("é", Err(NumberError::NotANumber)),
        ] {
            assert_eq!(base0_unsigned(text), expected, "{text}");
        }
    }

    #[test]
    fn signed_numbers_are_not_checked() {
        for (text, expected) in [
            ("255", 255),
            ("-5", -5),
            ("abc", 0),
            ("12abc", 12),
            ("0x10", 16),
            ("", 0),
            ("4294967297", 1),
            ("99999999999999999999", -1),
        ] {
            assert_eq!(base0_signed(text), expected, "{text}");
        }
    }
}
