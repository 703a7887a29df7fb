//! The texts of `qos_*_sl2vl`, `qos_*_vlarb_high` and `qos_*_vlarb_low`, read as OpenSM reads
//! them.
//!
//! The reader goes by position and never refuses: it takes a number, steps over one byte without
//! looking at it, takes the next number, and so on; past the end every number is 0. So a blank
//! before a comma, or a stray letter, inserts a zero and shifts all that follows. The warnings
//! about such texts are made where the file is read (`lk-config`); they do not change what is
//! programmed.

use lk_wire::{SlToVlTable, Vl, VlArbEntry};

/// How many entries an arbitration table can have at most (IBA 14.2.5.9).
pub const ARB_ENTRIES: usize = 64;

/// A whole arbitration list, before it is cut to a port. Lanes are 0 to 14.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArbList(pub [VlArbEntry; ARB_ENTRIES]);

/// Reads an `sl2vl` text: the lanes of SL 0 to SL 15, each the low four bits of a number. What
/// is missing at the end is VL 0.
#[must_use]
pub fn read_sl2vl(text: &str) -> SlToVlTable {
    let mut numbers = Positional::new(text);
    SlToVlTable::from_fn(|_| Vl((numbers.next_number() & 0xF) as u8))
}

/// Reads a `vlarb_high` or `vlarb_low` text: 64 pairs of lane and weight, the lane modulo 15,
/// the weight modulo 256. What is missing at the end is lane 0 with weight 0.
#[must_use]
pub fn read_vlarb(text: &str) -> ArbList {
    let mut numbers = Positional::new(text);
    ArbList(std::array::from_fn(|_| {
        let vl = Vl((numbers.next_number() % 15) as u8);
        VlArbEntry { vl, weight: (numbers.next_number() & 0xFF) as u8 }
    }))
}

/// The cursor of the reader.
struct Positional<'a> {
    rest: &'a [u8],
}

impl<'a> Positional<'a> {
    const fn new(text: &'a str) -> Self {
        Self { rest: text.as_bytes() }
    }

    /// The number at the cursor, 0 if there is none; then one byte is stepped over. OpenSM keeps
    /// the low 32 bits of what C's strtoul returns.
    fn next_number(&mut self) -> u32 {
        let (number, length) = strtoul(self.rest);
        let after = self.rest.get(length..).unwrap_or_default();
        self.rest = after.get(1..).unwrap_or_default();
        number as u32
    }
}

/// C's strtoul with base 0 for a 64-bit `unsigned long`: the number and how many bytes it took,
/// 0 bytes where no number starts.
fn strtoul(text: &[u8]) -> (u64, usize) {
    let blanks = text.iter().take_while(|b| is_space(**b)).count();
    let mut at = blanks;
    let negative = text.get(at) == Some(&b'-');
    if negative || text.get(at) == Some(&b'+') {
        at += 1;
    }
    let digit = |at: usize, radix: u32| {
        text.get(at).and_then(|b| char::from(*b).to_digit(radix)).map(u64::from)
    };
    let hex_prefix = text.get(at) == Some(&b'0') && matches!(text.get(at + 1), Some(b'x' | b'X'));
    let (radix, first) = match text.get(at) {
        Some(b'0') if hex_prefix && digit(at + 2, 16).is_some() => (16, at + 2),
        Some(b'0') => (8, at),
        _ => (10, at),
    };
    let mut value = Some(0u64);
    let mut end = first;
    while let Some(d) = digit(end, radix) {
        value = value.and_then(|v| v.checked_mul(u64::from(radix))?.checked_add(d));
        end += 1;
    }
    if end == first {
        return (0, 0);
    }
    let number = match value {
        Some(v) if negative => v.wrapping_neg(),
        Some(v) => v,
        None => u64::MAX,
    };
    (number, end)
}

/// C's isspace in the C locale.
const fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0B | 0x0C | b'\r')
}

#[cfg(test)]
mod tests {
    use super::*;
    use lk_wire::Sl;
    use proptest::prelude::*;

    fn lanes(text: &str) -> [u8; 16] {
        let table = read_sl2vl(text);
        std::array::from_fn(|sl| table.get(Sl(sl as u8)).0)
    }

    fn pairs(text: &str, count: usize) -> Vec<(u8, u8)> {
        let list = read_vlarb(text).0;
        assert!(list[count..].iter().all(|e| *e == VlArbEntry::default()), "a tail of zeros");
        list[..count].iter().map(|e| (e.vl.0, e.weight)).collect()
    }

    #[test]
    fn sl2vl_rows() {
        assert_eq!(lanes(""), [0; 16]);
        assert_eq!(lanes("1,2,3"), [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(
            lanes("0, 1 ,2,x,4,-1,17,0x10,15,9"),
            [0, 1, 0, 2, 0, 0, 4, 15, 1, 0, 15, 9, 0, 0, 0, 0]
        );
        assert_eq!(
            lanes("0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"),
            [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 7]
        );
        assert_eq!(lanes("1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,9,9"), [1; 16]);
        assert_eq!(lanes("16,17,-1"), [0, 1, 15, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    }

    /// What opensm 3.3.23 wrote for this text to a port of 8 lanes was 1, 6, 15, 15, 7, then
    /// zeros, 5, 6, 0, 15.
    #[test]
    fn sl2vl_signs_overflows_and_radixes() {
        let odd =
            "4294967297,-2,-99999999999999999999,99999999999999999999,07,08,0x,0xg,+5, +6,--1";
        assert_eq!(lanes(odd), [1, 14, 15, 15, 7, 0, 0, 0, 0, 0, 0, 0, 5, 6, 0, 15]);
        assert_eq!(lanes("1\t,2,3")[..4], [1, 0, 2, 3]);
    }

    #[test]
    fn vlarb_rows() {
        assert!(pairs("", 0).is_empty());
        assert_eq!(pairs("15:10", 1), [(0, 10)]);
        assert_eq!(pairs("16:20", 1), [(1, 20)]);
        assert_eq!(pairs("1:300", 1), [(1, 44)]);
        assert_eq!(pairs("2,3:4:5", 2), [(2, 3), (4, 5)]);
        assert_eq!(pairs("1:1;2:2", 2), [(1, 1), (2, 2)]);
        assert_eq!(pairs("x:7,4:4", 3), [(0, 0), (7, 4), (4, 0)]);
        let long: String = (0..70).map(|n| format!("{}:{},", n % 15, n + 1)).collect();
        assert_eq!(pairs(&long, 64)[63], (3, 64));
    }

    /// Written by opensm 3.3.23, apart from its mask of 8 lanes: the lane is taken modulo 15
    /// after the number was cut to 32 bits.
    #[test]
    fn vlarb_numbers_are_cut_to_32_bits_first() {
        assert_eq!(
            pairs("4294967297:4294967299,-2:-2,99999999999999999999:7,+3:4,-1:1", 5),
            [(1, 3), (14, 254), (0, 7), (3, 4), (0, 1)]
        );
        assert_eq!(pairs("18446744073709551615:3,18446744073709551614:2", 2), [(0, 3), (14, 2)]);
        assert_eq!(pairs("0x:1,2:08,3:1", 4), [(0, 0), (1, 2), (0, 0), (3, 1)]);
    }

    proptest! {
        #[test]
        fn any_text_gives_lanes_in_range(text in ".{0,200}") {
            let table = read_sl2vl(&text);
            prop_assert!((0..16).all(|sl| table.get(Sl(sl)).0 < 16));
            prop_assert!(read_vlarb(&text).0.iter().all(|e| e.vl.0 < 15));
        }

        #[test]
        fn any_text_of_the_usual_letters(text in "[-+0-9a-fx,:; \t]{0,200}") {
            let table = read_sl2vl(&text);
            prop_assert!((0..16).all(|sl| table.get(Sl(sl)).0 < 16));
            prop_assert!(read_vlarb(&text).0.iter().all(|e| e.vl.0 < 15));
        }

        /// A list that is written well is read as it says.
        #[test]
        fn well_written_lists(list in proptest::collection::vec((0u8..15, any::<u8>()), 0..=64)) {
            let text: Vec<String> = list.iter().map(|(vl, w)| format!("{vl}:{w}")).collect();
            let mut wanted = [VlArbEntry::default(); ARB_ENTRIES];
            for (entry, (vl, weight)) in wanted.iter_mut().zip(&list) {
                *entry = VlArbEntry { vl: Vl(*vl), weight: *weight };
            }
            prop_assert_eq!(read_vlarb(&text.join(",")).0, wanted);
        }
    }
}
