//! What smpquery prints, as values.

use std::collections::BTreeMap;

/// The fields of an attribute by name, and in `flags` the lines below a mask that name its bits.
pub type Fields = BTreeMap<String, String>;

/// Reads `Name:.....value` lines, as of portinfo and nodeinfo.
#[must_use]
pub fn fields(text: &str) -> Fields {
    let mut fields = Fields::new();
    for line in text.lines().filter(|line| !line.starts_with(['#', '\t', ' '])) {
        if let Some((name, value)) = line.split_once(':') {
            let value = value.trim_start_matches('.').trim();
            fields.insert(name.to_owned(), value.to_owned());
        }
    }
    fields
}

/// Reads the rows of an sl2vl answer: ingress port and the VL of each SL.
///
/// # Panics
/// On a row that has no 16 numbers.
#[must_use]
pub fn sl2vl(text: &str) -> Vec<(u8, [u8; 16])> {
    let rows = text.lines().filter_map(|line| line.strip_prefix("ports: in"));
    rows.map(|row| {
        let (ports, values) = row.split_once(':').expect("a row has a colon");
        let ingress = ports.split(',').next().unwrap_or_default().trim();
        let vls: Vec<u8> = values.split('|').filter_map(|v| v.trim().parse().ok()).collect();
        let vls = vls.try_into().unwrap_or_else(|_| panic!("no 16 VLs in: {row}"));
        (ingress.parse().expect("an ingress port"), vls)
    })
    .collect()
}

/// VL arbitration tables: VL and weight by entry, low table first, then high.
pub type Arbitration = [Vec<(u8, u8)>; 2];

/// Reads a vlarb answer.
///
/// # Panics
/// If a VL row and its weight row differ in length.
#[must_use]
pub fn vlarb(text: &str) -> Arbitration {
    let mut tables: Arbitration = [Vec::new(), Vec::new()];
    let mut table = 0;
    let mut vls = Vec::new();
    for line in text.lines() {
        if line.starts_with("# High") {
            table = 1;
        } else if line.starts_with("VL ") {
            vls = numbers(line);
        } else if line.starts_with("WEIGHT") {
            let weights = numbers(line);
            assert_eq!(vls.len(), weights.len(), "{text}");
            tables[table].extend(vls.iter().copied().zip(weights));
        }
    }
    tables
}

fn numbers(line: &str) -> Vec<u8> {
    let cells = line.split('|').skip(1).map(str::trim).filter(|cell| !cell.is_empty());
    cells
        .map(|cell| u8::from_str_radix(cell.trim_start_matches("0x"), 16).expect("a hex number"))
        .collect()
}

/// Reads a pkeys answer.
#[must_use]
pub fn pkeys(text: &str) -> Vec<u16> {
    let rows = text.lines().filter_map(|line| line.split_once(':'));
    rows.flat_map(|(_, keys)| keys.split_whitespace())
        .filter_map(|key| u16::from_str_radix(key.strip_prefix("0x")?, 16).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_lose_their_dots() {
        let text = "# Port info: Lid 5 port 1\nLid:.............................0\n\
                    CapMask:.........................0xc048\n\t\t\t\tIsTrapSupported\n\
                    McastPkeyTrapSuppressionEnabled:.0\n";
        let fields = fields(text);
        assert_eq!(fields["Lid"], "0");
        assert_eq!(fields["CapMask"], "0xc048");
        assert_eq!(fields["McastPkeyTrapSuppressionEnabled"], "0");
        assert_eq!(fields.len(), 3);
    }

    #[test]
    fn rows_of_sl2vl_keep_their_ingress_port() {
        let text = "# SL2VL table: Lid 5\n\
            #                 SL: | 0| 1| 2| 3| 4| 5| 6| 7| 8| 9|10|11|12|13|14|15|\n\
            ports: in  3, out  1: | 0| 1| 0| 1| 0| 1| 0| 1| 0| 1| 0| 1| 0| 1|14|15|\n";
        let expected = [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 14, 15];
        assert_eq!(sl2vl(text), [(3, expected)]);
    }

    #[test]
    fn arbitration_tables_of_several_blocks_are_joined() {
        let text = "# VLArbitration tables: Lid 5 port 1 LowCap 8 HighCap 8\n\
            # Low priority VL Arbitration Table:\n\
            VL    : |0x0 |0x1 |\nWEIGHT: |0x0 |0x4 |\n\
            VL    : |0xe |\nWEIGHT: |0xff|\n\
            # High priority VL Arbitration Table:\nVL    : |0x2 |\nWEIGHT: |0x10|\n";
        assert_eq!(vlarb(text), [vec![(0, 0), (1, 4), (14, 255)], vec![(2, 16)]]);
    }

    #[test]
    fn keys_are_read_in_order() {
        let text = "   0: 0xffff 0x0000 0x8001\n   8: 0x0001\n64 pkeys capacity for this port\n";
        assert_eq!(pkeys(text), [0xffff, 0, 0x8001, 1]);
    }
}
