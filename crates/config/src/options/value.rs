//! What an option's value can be, how it is read from text as OpenSM reads it, and how it is
//! written.

use std::fmt;

use super::congestion::{CctEntry, CctTable, PortMask};
use super::number::{NumberError, base0_lenient, base0_signed, base0_unsigned};

/// The type of an option's value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Kind {
    /// TRUE or FALSE.
    Bool,
    /// An unsigned number of 8 bits.
    U8,
    /// An unsigned number of 16 bits.
    U16,
    /// An unsigned number of 32 bits.
    U32,
    /// A signed number of 32 bits, read without any check.
    I32,
    /// A 64-bit number, written in hexadecimal: a GUID, a key, a prefix.
    X64,
    /// Text, or `(null)` for none.
    Text,
    /// 256 bits in hexadecimal.
    Mask,
    /// `shift:multiplier`.
    CctEntry,
    /// A list of `shift:multiplier`.
    CctTable,
    /// An SL, a blank and a number of 8 bits; may be given once for each SL.
    SlU8,
    /// An SL, a blank and a number of 16 bits; may be given once for each SL.
    SlU16,
}

impl Kind {
    /// How the type is called in messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "TRUE or FALSE",
            Self::U8 => "a number from 0 to 255",
            Self::U16 => "a number from 0 to 65535",
            Self::U32 => "a number from 0 to 4294967295",
            Self::I32 => "a number",
            Self::X64 => "a 64-bit number",
            Self::Text => "text",
            Self::Mask => "up to 64 hexadecimal digits",
            Self::CctEntry => "shift:multiplier",
            Self::CctTable => "a list of shift:multiplier, separated by commas",
            Self::SlU8 => "an SL and a number from 0 to 255",
            Self::SlU16 => "an SL and a number from 0 to 65535",
        }
    }
}

/// A value of any of the types.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Value {
    /// Of [`Kind::Bool`].
    Bool(bool),
    /// Of [`Kind::U8`].
    U8(u8),
    /// Of [`Kind::U16`].
    U16(u16),
    /// Of [`Kind::U32`].
    U32(u32),
    /// Of [`Kind::I32`].
    I32(i32),
    /// Of [`Kind::X64`].
    X64(u64),
    /// Of [`Kind::Text`]; `None` is `(null)`.
    Text(Option<String>),
    /// Of [`Kind::Mask`].
    Mask(PortMask),
    /// Of [`Kind::CctEntry`].
    CctEntry(CctEntry),
    /// Of [`Kind::CctTable`].
    CctTable(CctTable),
    /// What one line sets of an option of [`Kind::SlU8`] or [`Kind::SlU16`].
    OneSl {
        /// The SL, 0 to 15.
        sl: u8,
        /// Its value.
        value: u16,
    },
    /// The whole of an option of [`Kind::SlU8`] or [`Kind::SlU16`].
    AllSls([u16; 16]),
}

/// Why a text is no value of its option. The option then keeps what it had.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ValueError {
    /// There is no number, or something follows it.
    #[error("not a number")]
    NotANumber,
    /// The number does not fit.
    #[error("out of range")]
    OutOfRange,
    /// A mask holds something else than hexadecimal digits, or none at all.
    #[error("not a hexadecimal mask")]
    NotAMask,
    /// An entry has no colon.
    #[error("no `:` between shift and multiplier")]
    NoColon,
    /// There is an SL but no value for it.
    #[error("no value after the SL")]
    NoSlValue,
    /// The SL is above 15.
    #[error("there is no such SL")]
    NoSuchSl,
}

impl From<NumberError> for ValueError {
    fn from(e: NumberError) -> Self {
        match e {
            NumberError::NotANumber => Self::NotANumber,
            NumberError::OutOfRange => Self::OutOfRange,
        }
    }
}

impl Value {
    /// Reads a value as OpenSM does. The text has no blanks around it and no quotes.
    ///
    /// # Errors
    ///
    /// What OpenSM refuses, with its reason. Much that looks wrong is not refused: any text but
    /// TRUE is the boolean FALSE, and a signed number stops at the first strange letter.
    pub fn parse(kind: Kind, text: &str) -> Result<Self, ValueError> {
        Ok(match kind {
            Kind::Bool => Self::Bool(text == "TRUE"),
            Kind::U8 => Self::U8(unsigned(text)?),
            Kind::U16 => Self::U16(unsigned(text)?),
            Kind::U32 => Self::U32(unsigned(text)?),
            Kind::I32 => Self::I32(base0_signed(text)),
            Kind::X64 => Self::X64(base0_unsigned(text)?),
            Kind::Text => Self::Text((text != NULL).then(|| text.to_owned())),
            Kind::Mask => Self::Mask(mask(text)?),
            Kind::CctEntry => Self::CctEntry(cct_entry(text)?),
            Kind::CctTable => Self::CctTable(cct_table(text)?),
            Kind::SlU8 => one_sl(text, |t| unsigned::<u8>(t).map(u16::from))?,
            Kind::SlU16 => one_sl(text, unsigned)?,
        })
    }
}

/// How the absence of a text is written.
pub const NULL: &str = "(null)";

fn unsigned<T: TryFrom<u64>>(text: &str) -> Result<T, ValueError> {
    T::try_from(base0_unsigned(text)?).map_err(|_| ValueError::OutOfRange)
}

fn mask(text: &str) -> Result<PortMask, ValueError> {
    let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return Err(ValueError::NotAMask);
    }
    let mut out = PortMask::NONE;
    // Right-aligned, at most 64 digits: the first of a longer text are those that count.
    let kept = digits.get(..64).unwrap_or(digits);
    for (i, digit) in kept.chars().rev().enumerate() {
        let nibble = u8::try_from(digit.to_digit(16).unwrap_or(0)).unwrap_or(0);
        out.0[31 - i / 2] |= nibble << (4 * (i % 2)); // i < 64
    }
    Ok(out)
}

/// Both numbers are read as far as they go and cut to the field's width.
fn cct_entry(text: &str) -> Result<CctEntry, ValueError> {
    let (shift, multiplier) = text.split_once(':').ok_or(ValueError::NoColon)?;
    Ok(CctEntry { shift: base0_lenient(shift) as u8, multiplier: base0_lenient(multiplier) as u16 })
}

fn cct_table(text: &str) -> Result<CctTable, ValueError> {
    if text == NULL {
        return Ok(CctTable::default());
    }
    let items = text.split(',').filter(|item| !item.is_empty());
    let mut entries = items.map(cct_entry).collect::<Result<Vec<_>, _>>()?;
    entries.truncate(CctTable::MOST);
    Ok(CctTable(entries))
}

/// The SL is read as far as it goes and cut to eight bits; its value is read strictly.
fn one_sl(
    text: &str,
    value: impl Fn(&str) -> Result<u16, ValueError>,
) -> Result<Value, ValueError> {
    let (sl, rest) = text.split_once([' ', '\t']).ok_or(ValueError::NoSlValue)?;
    let sl = base0_lenient(sl) as u8;
    if sl > 15 {
        return Err(ValueError::NoSuchSl);
    }
    Ok(Value::OneSl { sl, value: value(rest)? })
}

/// As the file writes it, numbers in decimal. See [`super::OptionSpec::show`] for the radix that
/// an option is written in.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(b) => f.write_str(if *b { "TRUE" } else { "FALSE" }),
            Self::U8(n) => write!(f, "{n}"),
            Self::U16(n) => write!(f, "{n}"),
            Self::U32(n) => write!(f, "{n}"),
            Self::I32(n) => write!(f, "{n}"),
            Self::X64(n) => write!(f, "0x{n:016x}"),
            Self::Text(None) => f.write_str(NULL),
            Self::Text(Some(s)) => f.write_str(s),
            Self::Mask(m) => write!(f, "{m}"),
            Self::CctEntry(e) => write!(f, "{e}"),
            Self::CctTable(t) => write!(f, "{t}"),
            Self::OneSl { sl, value } => write!(f, "{sl} {value}"),
            Self::AllSls(all) => {
                let set = all.iter().enumerate().filter(|(_, v)| **v != 0);
                for (i, (sl, value)) in set.enumerate() {
                    if i > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{sl} {value}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(shift: u8, multiplier: u16) -> Value {
        Value::CctEntry(CctEntry { shift, multiplier })
    }

    #[test]
    fn only_the_word_true_is_true() {
        for text in ["true", "True", "yes", "1", "on", "TRUE x", "", "FALSE", "(null)"] {
            assert_eq!(Value::parse(Kind::Bool, text), Ok(Value::Bool(false)), "{text}");
        }
        assert_eq!(Value::parse(Kind::Bool, "TRUE"), Ok(Value::Bool(true)));
    }

    #[test]
    fn unsigned_numbers_are_checked() {
        for (text, expected) in [
            ("255", Ok(Value::U8(255))),
            ("0x1f", Ok(Value::U8(31))),
            ("010", Ok(Value::U8(8))),
            ("256", Err(ValueError::OutOfRange)),
            ("-1", Err(ValueError::OutOfRange)),
            ("", Err(ValueError::NotANumber)),
            ("3 ", Err(ValueError::NotANumber)),
            ("(null)", Err(ValueError::NotANumber)),
        ] {
            assert_eq!(Value::parse(Kind::U8, text), expected, "{text}");
        }
        assert_eq!(Value::parse(Kind::X64, "-1"), Ok(Value::X64(u64::MAX)));
    }

    #[test]
    fn masks_are_right_aligned_and_keep_the_first_64_digits() {
        let mut low = PortMask::NONE;
        low.0[30..].copy_from_slice(&[0x01, 0x23]);
        assert_eq!(Value::parse(Kind::Mask, "0x123"), Ok(Value::Mask(low)));
        assert_eq!(Value::parse(Kind::Mask, "0X123"), Ok(Value::Mask(low)));
        let long = format!("0x{}1", "f".repeat(64));
        assert_eq!(Value::parse(Kind::Mask, &long), Ok(Value::Mask(PortMask([0xff; 32]))));
        for text in ["", "0x", "-1", "12 34", "g", "é"] {
            assert_eq!(Value::parse(Kind::Mask, text), Err(ValueError::NotAMask), "{text}");
        }
    }

    #[test]
    fn table_entries_are_cut_to_width() {
        for (text, expected) in [
            ("3:5", Ok(entry(3, 5))),
            ("300:70000", Ok(entry(44, 4464))),
            ("a:b", Ok(entry(0, 0))),
            ("1:2:3", Ok(entry(1, 2))),
            ("-1:-1", Ok(entry(255, 65535))),
            ("1 : 2", Ok(entry(1, 2))),
            ("3", Err(ValueError::NoColon)),
        ] {
            assert_eq!(Value::parse(Kind::CctEntry, text), expected, "{text}");
        }
    }

    #[test]
    fn a_table_is_all_or_nothing() {
        let table = |text| Value::parse(Kind::CctTable, text).map(|v| v.to_string());
        assert_eq!(table("1:2,3:4, 5:6"), Ok("1:2,3:4,5:6".into()));
        assert_eq!(table(",1:2,,3:4"), Ok("1:2,3:4".into()));
        assert_eq!(table("1:2 3:4"), Ok("1:2".into()));
        assert_eq!(table("1:2,3"), Err(ValueError::NoColon));
        assert_eq!(table(""), Ok("(null)".into()));
        assert_eq!(table("(null)"), Ok("(null)".into()));
    }

    #[test]
    fn a_value_for_one_sl() {
        for (text, expected) in [
            ("3 700", Ok(Value::OneSl { sl: 3, value: 700 })),
            ("3x\t7", Ok(Value::OneSl { sl: 3, value: 7 })),
            ("x 7", Ok(Value::OneSl { sl: 0, value: 7 })),
            ("257   7", Ok(Value::OneSl { sl: 1, value: 7 })),
            ("16 7", Err(ValueError::NoSuchSl)),
            ("-1 7", Err(ValueError::NoSuchSl)),
            ("3", Err(ValueError::NoSlValue)),
            ("3 70000", Err(ValueError::OutOfRange)),
            ("2 0x10 junk", Err(ValueError::NotANumber)),
        ] {
            assert_eq!(Value::parse(Kind::SlU16, text), expected, "{text}");
        }
    }
}
