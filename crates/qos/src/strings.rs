//! The texts of `qos_*_sl2vl`, `qos_*_vlarb_high` and `qos_*_vlarb_low`, read as OpenSM reads
//! them.
//!
//! The reader goes by position and never refuses: it takes a number, steps over one byte without
//! looking at it, takes the next number, and so on; past the end every number is 0. So a blank
//! before a comma, or a stray letter, inserts a zero and shifts all that follows. The reader, and
//! the warnings about such texts, are in [`lk_config::effective`]; the warnings do not change what
//! is programmed.

use lk_config::effective;
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
    let lanes = effective::read_sl2vl(text);
    SlToVlTable::from_fn(|sl| Vl(lanes[usize::from(sl.0)]))
}

/// Reads a `vlarb_high` or `vlarb_low` text: 64 pairs of lane and weight, the lane modulo 15,
/// the weight modulo 256. What is missing at the end is lane 0 with weight 0.
#[must_use]
pub fn read_vlarb(text: &str) -> ArbList {
    let mut list = ArbList([VlArbEntry::default(); ARB_ENTRIES]);
    for (entry, read) in list.0.iter_mut().zip(effective::read_vlarb(text)) {
        *entry = VlArbEntry { vl: Vl(read.vl), weight: read.weight };
    }
    list
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
