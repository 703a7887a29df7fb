//! Attributes as tables: one line for each field gives getter, setter, printing and test data.
//!
//! The architecture's own tables give a bit offset and a length for every field. The macro
//! `attribute!` takes the same columns and makes a struct around the bytes as they lie on the
//! wire. Reading a field is a shift and a mask at a constant place; nothing is decoded before it
//! is asked for.
//! [`tiles`] proves at compile time that the lines of a table leave no gap and do not overlap.
//!
//! Offsets are in network bit order: bit 0 is the most significant bit of byte 0. The attributes
//! themselves are in [`crate::attributes`].

use std::fmt;

/// One line of an attribute's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the getter, for example `vl_cap`.
    pub name: &'static str,
    /// The name that the field's tools print, for example `VLCap`. Empty for a field without a
    /// getter of its own kind: reserved bits and runs of bytes.
    pub label: &'static str,
    /// The first bit, counted from the most significant bit of byte 0.
    pub offset: usize,
    /// The length in bits.
    pub length: usize,
}

impl Field {
    /// Whether the field is a number with a getter and a setter, and not reserved bits or a run
    /// of bytes.
    #[must_use]
    pub const fn is_number(&self) -> bool {
        !self.label.is_empty()
    }
}

/// Whether `fields` cover exactly `bytes` bytes, in order, without a gap or an overlap, and every
/// number among them lies within eight bytes. Used at compile time for every table.
#[must_use]
pub const fn tiles(fields: &[Field], bytes: usize) -> bool {
    let mut next = 0;
    let mut i = 0;
    while i < fields.len() {
        let field = &fields[i];
        if field.offset != next || field.length == 0 {
            return false;
        }
        if field.is_number() && field.offset % 8 + field.length > 64 {
            return false;
        }
        next += field.length;
        i += 1;
    }
    next == bytes * 8
}

/// The number in `length` bits (at most 64, within eight bytes) from bit `offset` of `bytes`.
/// Bits that lie outside of `bytes` read as 0.
#[inline(always)]
#[must_use]
pub const fn get_bits(bytes: &[u8], offset: usize, length: usize) -> u64 {
    // GUIDs and keys: one load. The compiler does not see it in the loop below.
    if offset.is_multiple_of(8)
        && length == 64
        && let Some((_, tail)) = bytes.split_at_checked(offset / 8)
        && let Some(word) = tail.first_chunk()
    {
        return u64::from_be_bytes(*word);
    }
    let end = offset + length;
    let last = end.div_ceil(8);
    let mut value = 0_u64;
    let mut i = offset / 8;
    while i < last {
        let byte = if i < bytes.len() { bytes[i] } else { 0 };
        value = (value << 8) | byte as u64;
        i += 1;
    }
    (value >> (last * 8 - end)) & mask(length)
}

/// Stores the low `length` bits of `value` from bit `offset` of `bytes`; neighbours stay as they
/// are. Bits that lie outside of `bytes` are dropped.
#[inline(always)]
pub const fn set_bits(bytes: &mut [u8], offset: usize, length: usize, value: u64) {
    let end = offset + length;
    let first = offset / 8;
    let shift = end.div_ceil(8) * 8 - end;
    let mut value = (value & mask(length)) << shift;
    let mut keep = !(mask(length) << shift);
    let mut i = end.div_ceil(8);
    while i > first {
        i -= 1;
        if i < bytes.len() {
            bytes[i] = (bytes[i] & keep as u8) | value as u8;
        }
        value >>= 8;
        keep >>= 8;
    }
}

/// The lowest `length` bits set.
const fn mask(length: usize) -> u64 {
    if length >= 64 { u64::MAX } else { (1 << length) - 1 }
}

/// Prints the numbers of an attribute, one on a line, under the names that the field's tools use.
/// Wide fields (over 16 bits) are in hexadecimal.
pub(crate) fn display(f: &mut fmt::Formatter<'_>, fields: &[Field], bytes: &[u8]) -> fmt::Result {
    for field in fields.iter().filter(|field| field.is_number()) {
        let value = get_bits(bytes, field.offset, field.length);
        let dots = 33_usize.saturating_sub(field.label.len() + 1);
        write!(f, "{}:{:.<dots$}", field.label, "")?;
        if field.length > 16 {
            writeln!(f, "0x{value:0width$x}", width = field.length.div_ceil(4))?;
        } else {
            writeln!(f, "{value}")?;
        }
    }
    Ok(())
}

/// Prints an attribute as a struct: numbers by name, runs of bytes in hexadecimal. Reserved bits
/// are left out when they are 0.
pub(crate) fn debug(
    f: &mut fmt::Formatter<'_>,
    name: &str,
    fields: &[Field],
    bytes: &[u8],
) -> fmt::Result {
    let mut out = f.debug_struct(name);
    for field in fields {
        if field.length <= 64 && field.offset % 8 + field.length <= 64 {
            let value = get_bits(bytes, field.offset, field.length);
            if value != 0 || field.is_number() {
                out.field(field.name, &format_args!("{value:#x}"));
            }
        } else if field.offset.is_multiple_of(8) && field.length.is_multiple_of(8) {
            let range = field.offset / 8..(field.offset + field.length) / 8;
            let run = bytes.get(range).unwrap_or_default();
            if run.iter().any(|&b| b != 0) {
                out.field(field.name, &Hex(run));
            }
        }
    }
    out.finish()
}

/// Bytes in hexadecimal.
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Debug for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|b| write!(f, "{b:02x}"))
    }
}

/// A struct around the bytes of a payload: `Default` (zeros), `parse`, `as_bytes`.
macro_rules! payload {
    ($(#[$meta:meta])* $name:ident: $bytes:literal bytes) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(transparent)]
        pub struct $name(pub [u8; $bytes]);

        impl Default for $name {
            fn default() -> Self {
                Self([0; $bytes])
            }
        }

        impl $name {
            /// The length in bytes.
            pub const LEN: usize = $bytes;

            /// Reads the first [`Self::LEN`] bytes of `bytes`; what follows is ignored.
            ///
            /// # Errors
            /// Only when there are too few bytes.
            #[inline]
            pub fn parse(bytes: &[u8]) -> Result<Self, $crate::WireError> {
                match bytes.first_chunk::<$bytes>() {
                    Some(chunk) => Ok(Self(*chunk)),
                    None => Err($crate::WireError {
                        what: stringify!($name),
                        needed: $bytes,
                        got: bytes.len(),
                    }),
                }
            }

            /// The bytes as they lie on the wire.
            #[inline]
            #[must_use]
            pub const fn as_bytes(&self) -> &[u8; $bytes] {
                &self.0
            }
        }

        impl From<[u8; $bytes]> for $name {
            fn from(bytes: [u8; $bytes]) -> Self {
                Self(bytes)
            }
        }
    };
}

/// A [`payload!`] described by a table. Each line is bit offset, length in bits and a name; a
/// number goes on with `/ setter: type, "label", "documentation"`. A line without these is
/// reserved bits (name them `reserved_…`) or a run of bytes with accessors written by hand.
///
/// Setters store the low bits of the value; bits that do not fit in the field are dropped.
macro_rules! attribute {
    (
        $(#[$meta:meta])*
        $name:ident: $bytes:literal bytes {
            $(
                $offset:literal, $length:literal, $field:ident
                $(/ $set:ident: $ty:ident, $label:literal, $doc:literal)?;
            )*
        }
    ) => {
        $crate::field::payload! {
            $(#[$meta])*
            $name: $bytes bytes
        }

        impl $name {
            /// The attribute's table, in the order of the bits.
            pub const FIELDS: &'static [$crate::Field] = &[$(
                $crate::Field {
                    name: stringify!($field),
                    label: concat!($($label)?),
                    offset: $offset,
                    length: $length,
                },
            )*];

            $($(
                #[doc = $doc]
                #[inline]
                #[must_use]
                pub const fn $field(&self) -> $ty {
                    $crate::field::get_bits(&self.0, $offset, $length) as $ty
                }

                #[doc = concat!("Sets [`Self::", stringify!($field), "`].")]
                #[inline]
                pub const fn $set(&mut self, value: $ty) {
                    $crate::field::set_bits(&mut self.0, $offset, $length, value as u64);
                }
            )?)*

            /// A value with random numbers in every field and zeros in the reserved bits, from a
            /// stream of random words. For tests and fuzzing.
            #[must_use]
            pub fn random(mut next: impl FnMut() -> u64) -> Self {
                let mut value = Self::default();
                for field in Self::FIELDS.iter().filter(|field| field.is_number()) {
                    $crate::field::set_bits(&mut value.0, field.offset, field.length, next());
                }
                value
            }
        }

        const _: () = assert!(
            $crate::field::tiles($name::FIELDS, $bytes),
            concat!("the table of ", stringify!($name), " has a gap or an overlap")
        );

        $($(
            const _: () = assert!(
                $length <= $ty::BITS as usize,
                concat!(stringify!($field), " has more bits than its type")
            );
        )?)*

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::field::display(f, Self::FIELDS, &self.0)
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                $crate::field::debug(f, stringify!($name), Self::FIELDS, &self.0)
            }
        }
    };
}

/// A number with names: a struct around it with a constant and a text for every value that the
/// architecture defines. Other values survive and print as numbers.
macro_rules! named {
    (
        $(#[$meta:meta])*
        $name:ident: $ty:ident {
            $($constant:ident = $value:literal, $text:literal, $doc:literal;)*
        }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $ty);

        impl $name {
            $(
                #[doc = $doc]
                pub const $constant: Self = Self($value);
            )*

            /// The name of the value, or `None` when the architecture defines none.
            #[must_use]
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some($text),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                match self.name() {
                    Some(name) => f.pad(name),
                    None => std::fmt::Display::fmt(&self.0, f),
                }
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self)
            }
        }

        impl From<$ty> for $name {
            fn from(number: $ty) -> Self {
                Self(number)
            }
        }
    };
}

pub(crate) use {attribute, named, payload};

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const fn field(offset: usize, length: usize) -> Field {
        Field { name: "f", label: "F", offset, length }
    }

    #[test]
    fn tiles_takes_only_tables_without_gap_and_overlap() {
        assert!(tiles(&[field(0, 3), field(3, 5), field(8, 8)], 2));
        assert!(!tiles(&[field(0, 3), field(4, 4)], 1), "a gap");
        assert!(!tiles(&[field(0, 4), field(3, 5)], 1), "an overlap");
        assert!(!tiles(&[field(0, 7)], 1), "too few bits");
        assert!(!tiles(&[field(0, 9)], 1), "too many bits");
        assert!(!tiles(&[field(0, 8), field(8, 0)], 1), "an empty field");
        assert!(!tiles(&[field(8, 8), field(0, 8)], 2), "not in order");
        assert!(!tiles(&[field(0, 4), field(4, 64), field(68, 4)], 9), "a number of nine bytes");
        let run = Field { label: "", ..field(0, 432) };
        assert!(tiles(&[run], 54), "a run of bytes may be as long as it likes");
    }

    #[test]
    fn known_bits() {
        let bytes = [0b1010_0101, 0b1100_0011, 0xFF];
        assert_eq!(get_bits(&bytes, 0, 1), 1);
        assert_eq!(get_bits(&bytes, 1, 3), 0b010);
        assert_eq!(get_bits(&bytes, 4, 8), 0b0101_1100);
        assert_eq!(get_bits(&bytes, 0, 24), 0xA5_C3_FF);
        assert_eq!(get_bits(&bytes, 20, 8), 0xF0, "what is not there is 0");
    }

    /// The bits of `bytes`, first the most significant of byte 0.
    fn bits(bytes: &[u8]) -> Vec<bool> {
        bytes.iter().flat_map(|b| (0..8).map(move |i| b >> (7 - i) & 1 == 1)).collect()
    }

    /// Offset and length of a number in 16 bytes, within eight bytes.
    fn place() -> impl Strategy<Value = (usize, usize)> {
        (0_usize..64).prop_flat_map(|offset| (Just(offset), 1..=64 - offset % 8))
    }

    proptest! {
        #[test]
        fn set_bits_is_what_it_is_bit_by_bit(
            old in any::<[u8; 16]>(),
            (offset, length) in place(),
            value in any::<u64>(),
        ) {
            let mut new = old;
            set_bits(&mut new, offset, length, value);
            let mut expected = bits(&old);
            for i in 0..length {
                expected[offset + i] = value >> (length - 1 - i) & 1 == 1;
            }
            prop_assert_eq!(bits(&new), expected);
            let mask = if length == 64 { u64::MAX } else { (1 << length) - 1 };
            prop_assert_eq!(get_bits(&new, offset, length), value & mask);
        }

        #[test]
        fn nothing_outside_of_the_bytes_is_touched(
            mut bytes in proptest::collection::vec(any::<u8>(), 0..8),
            (offset, length) in place(),
            value in any::<u64>(),
        ) {
            set_bits(&mut bytes, offset, length, value);
            let _ = get_bits(&bytes, offset, length);
        }
    }
}
