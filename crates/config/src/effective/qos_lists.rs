//! The lists of the QoS sets: what OpenSM warns about in them, and what it reads all the same.
//!
//! OpenSM's warnings and its reader do not know of each other. The reader is positional: a
//! number, then exactly one byte whatever it is, then the next number; where no number
//! stands it reads 0 and does not move. So a stray blank shifts everything behind it.

use lk_diag::Diagnostic;

use crate::codes;
use crate::options::number::leading_digits;

/// Looks at a list; `None` when it is as it should be.
pub(super) type Check = fn(&str, &str) -> Option<Diagnostic>;

/// An entry of a VL arbitration list.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct VlWeight {
    /// The VL, 0 to 14: the number of the list modulo 15.
    pub vl: u8,
    /// The weight: the number of the list modulo 256.
    pub weight: u8,
}

/// The VLs of the 16 SLs as OpenSM reads them from a list, each reduced to four bits. What the
/// list does not reach is VL0.
#[must_use]
pub fn read_sl2vl(text: &str) -> [u8; 16] {
    let mut numbers = Positional::new(text);
    std::array::from_fn(|_| (numbers.next_number() & 15) as u8)
}

/// The entries of a VL arbitration list as OpenSM reads them: as many as the text reaches, at
/// most 64. The rest of the table is zeros.
#[must_use]
pub fn read_vlarb(text: &str) -> Vec<VlWeight> {
    let mut numbers = Positional::new(text);
    let mut out = Vec::new();
    while out.len() < 64 && !numbers.is_at_end() {
        let vl = (numbers.next_number() % 15) as u8;
        let weight = (numbers.next_number() & 0xff) as u8;
        out.push(VlWeight { vl, weight });
    }
    out
}

/// What is left to read of a list.
struct Positional<'a> {
    rest: &'a str,
    /// Bytes of a character before `rest` that are still to be stepped over, one for a number.
    inside: usize,
}

impl<'a> Positional<'a> {
    const fn new(text: &'a str) -> Self {
        Self { rest: text, inside: 0 }
    }

    const fn is_at_end(&self) -> bool {
        self.rest.is_empty() && self.inside == 0
    }

    /// The next number, 0 where there is none, cut to 32 bits; then one byte is stepped over.
    fn next_number(&mut self) -> u32 {
        if self.inside > 0 {
            self.inside -= 1;
            return 0;
        }
        let number = match leading_digits(self.rest) {
            None => 0,
            Some(digits) => {
                self.rest = digits.rest;
                // As strtoul: what does not fit is all ones, whatever its sign.
                let value = match digits.value {
                    Some(value) if digits.negative => value.wrapping_neg(),
                    Some(value) => value,
                    None => u64::MAX,
                };
                value as u32
            }
        };
        let mut chars = self.rest.chars();
        self.inside = chars.next().map_or(0, |c| c.len_utf8() - 1);
        self.rest = chars.as_str();
        number
    }
}

/// What is faulty about a VL arbitration list.
pub(super) fn check_vlarb(key: &str, text: &str) -> Option<Diagnostic> {
    let mut faults = Vec::new();
    let mut items = 0;
    for item in text.split(',').filter(|item| !item.is_empty()) {
        items += 1;
        let Some((vl, weight)) = item.split_once(':') else {
            faults.push(format!("`{item}` has no `:` between VL and weight"));
            continue;
        };
        match whole(vl) {
            None => faults.push(format!("`{vl}` is no VL")),
            Some(n) if n > 14 => faults.push(format!("VL {n} is read as VL {}", n % 15)),
            Some(_) => {}
        }
        match whole(weight) {
            None => faults.push(format!("`{weight}` is no weight")),
            Some(n) if n > 255 => faults.push(format!("weight {n} is read as {}", n & 255)),
            Some(_) => {}
        }
    }
    if items > 64 {
        faults.push(format!("it has {items} entries; a table has 64"));
    }
    if text.starts_with(',') || text.contains(",,") {
        faults.push("an empty entry is read as VL 0 with weight 0".to_owned());
    }
    let read: Vec<String> =
        read_vlarb(text).iter().map(|e| format!("{}:{}", e.vl, e.weight)).collect();
    report(codes::VLARB_LIST, key, &faults, &read.join(","))
}

/// What is faulty about an SL2VL list.
pub(super) fn check_sl2vl(key: &str, text: &str) -> Option<Diagnostic> {
    let mut faults = Vec::new();
    let mut items = 0;
    for item in text.split(',').filter(|item| !item.is_empty()) {
        items += 1;
        match whole(item) {
            None => faults.push(format!("`{item}` is no VL")),
            Some(n) if n > 15 => faults.push(format!("VL {n} is read as VL {}", n & 15)),
            Some(_) => {}
        }
    }
    if items < 16 {
        let first = if items == 15 { "SL15 goes".to_owned() } else { format!("SL{items}-15 go") };
        faults.push(format!("it has {items} of 16 entries; {first} to VL0"));
    }
    if items > 16 {
        faults.push(format!("it has {items} entries; there are 16 SLs"));
    }
    if text.starts_with(',') || text.contains(",,") {
        faults.push("an empty entry is read as VL0".to_owned());
    }
    let read = read_sl2vl(text).map(|vl| vl.to_string());
    report(codes::SL2VL_LIST, key, &faults, &read.join(","))
}

/// A number with nothing behind it; blanks before it are allowed.
fn whole(item: &str) -> Option<u64> {
    let digits = leading_digits(item)?;
    if !digits.rest.is_empty() {
        return None;
    }
    let value = digits.value.unwrap_or(u64::MAX);
    Some(if digits.negative && value != 0 { u64::MAX } else { value })
}

fn report(code: lk_diag::Code, key: &str, faults: &[String], read: &str) -> Option<Diagnostic> {
    /// More faults than this are of one kind.
    const MOST: usize = 8;
    if faults.is_empty() {
        return None;
    }
    let mut found = Diagnostic::warning(code, format!("the list of `{key}` is faulty"));
    for fault in faults.iter().take(MOST) {
        found = found.note(fault.clone());
    }
    if let Some(more @ 1..) = faults.len().checked_sub(MOST) {
        found = found.note(format!("and {more} more"));
    }
    Some(found.note(format!("it is read as {read}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn pairs(text: &str) -> Vec<(u8, u8)> {
        read_vlarb(text).iter().map(|e| (e.vl, e.weight)).collect()
    }

    #[test]
    fn sl2vl_lists_are_read_by_position() {
        let short = [1, 2, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        assert_eq!(read_sl2vl("1,2,3"), short);
        let strange = [0, 1, 0, 2, 0, 0, 4, 15, 1, 0, 15, 9, 0, 0, 0, 0];
        assert_eq!(read_sl2vl("0, 1 ,2,x,4,-1,17,0x10,15,9"), strange);
        assert_eq!(read_sl2vl(""), [0; 16]);
    }

    /// OpenSM steps over one byte, and a letter may have several: each of them is a number.
    #[test]
    fn a_letter_of_several_bytes_counts_as_several() {
        assert_eq!(read_sl2vl("1\u{2013}2,3")[..6], [1, 0, 0, 2, 3, 0]);
        assert_eq!(pairs("1:2\u{e9}"), [(1, 2), (0, 0)]);
    }

    #[test]
    fn vlarb_lists_are_read_by_position() {
        assert_eq!(pairs("15:10"), [(0, 10)]);
        assert_eq!(pairs("16:20"), [(1, 20)]);
        assert_eq!(pairs("1:300"), [(1, 44)]);
        assert_eq!(pairs("2,3:4:5"), [(2, 3), (4, 5)]);
        assert_eq!(pairs("1:1;2:2"), [(1, 1), (2, 2)]);
        assert_eq!(pairs("x:7,4:4"), [(0, 0), (7, 4), (4, 0)]);
        assert_eq!(pairs(&"1:1,".repeat(70)).len(), 64);
    }

    #[test]
    fn faults_are_named_and_the_table_shown() {
        let notes = |found: Option<Diagnostic>| found.map(|d| d.notes).unwrap_or_default();
        assert_eq!(check_sl2vl("k", "0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,7"), None);
        assert_eq!(
            notes(check_sl2vl("k", "0,1")),
            [
                "it has 2 of 16 entries; SL2-15 go to VL0",
                "it is read as 0,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0"
            ]
        );
        assert_eq!(check_vlarb("k", "0:4,1:0, 2:255"), None);
        assert_eq!(
            notes(check_vlarb("k", "1,2:x,15:3,3:256")),
            [
                "`1` has no `:` between VL and weight",
                "`x` is no weight",
                "VL 15 is read as VL 0",
                "weight 256 is read as 0",
                "it is read as 1:2,0:0,0:3,3:0"
            ]
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[0-9a-fx:, +-]{0,80}|\\PC{0,40}") {
            let _ = read_sl2vl(&text);
            prop_assert!(read_vlarb(&text).len() <= 64);
            let _ = (check_sl2vl("k", &text), check_vlarb("k", &text));
        }
    }
}
