//! Bytes as hexadecimal digits.

/// The bytes as digits; a block of 64 equal bytes as `00x64`.
pub(super) fn push(to: &mut String, bytes: &[u8]) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let equal = bytes.len() == 64 && bytes.iter().all(|byte| *byte == bytes[0]);
    for byte in if equal { &bytes[..1] } else { bytes } {
        to.push(char::from(DIGITS[usize::from(byte >> 4)]));
        to.push(char::from(DIGITS[usize::from(byte & 15)]));
    }
    if equal {
        to.push_str("x64");
    }
}

/// The value of each character as a digit; 255 where it is none.
const VALUES: [u8; 256] = {
    let mut values = [255; 256];
    let mut digit = 0;
    while digit < 16 {
        values[b"0123456789abcdef"[digit as usize] as usize] = digit;
        values[b"0123456789ABCDEF"[digit as usize] as usize] = digit;
        digit += 1;
    }
    values
};

/// Exactly `N` bytes.
pub(super) fn parse<const N: usize>(word: &str) -> Option<[u8; N]> {
    let (digits, repeated) = match word.strip_suffix("x64") {
        Some(digits) if N == 64 => (digits, true),
        _ => (word, false),
    };
    let (pairs, odd) = digits.as_bytes().as_chunks::<2>();
    if !odd.is_empty() || pairs.len() != if repeated { 1 } else { N } {
        return None;
    }
    let mut bytes = [0; N];
    let mut bad = 0;
    for (byte, [high, low]) in bytes.iter_mut().zip(pairs) {
        let (high, low) = (VALUES[usize::from(*high)], VALUES[usize::from(*low)]);
        bad |= (high | low) & 0xF0;
        *byte = high << 4 | low & 15;
    }
    if repeated {
        let byte = *bytes.first()?;
        bytes.fill(byte);
    }
    (bad == 0).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_come_back_and_equal_ones_are_short() {
        let round = |bytes: [u8; 64]| {
            let mut text = String::new();
            push(&mut text, &bytes);
            assert_eq!(parse::<64>(&text), Some(bytes));
            text
        };
        assert_eq!(round([0xff; 64]), "ffx64");
        assert_eq!(round(std::array::from_fn(|i| i as u8)).len(), 128);
        assert_eq!(parse::<2>("0aFf"), Some([10, 255]));
        for wrong in ["", "0", "0a", "0g00", "000000", "00x64"] {
            assert_eq!(parse::<2>(wrong), None, "{wrong}");
        }
        assert_eq!(parse::<64>("x64"), None);
    }
}
