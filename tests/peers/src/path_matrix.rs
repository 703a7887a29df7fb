//! A table of policies, queries for paths, and what opensm answers, as a text.
//!
//! `== NAME` starts a case, `-- FILE` the text of one of its files, `-- queries` its queries. A
//! query is a line; what is answered follows in lines that start with `>`: a status, or a record
//! each. Datagrams are made and read here by IBA 15.2.5.16 and 15.2.5.20 alone, with nothing of
//! the product's.

use std::fmt::Write as _;
use std::net::Ipv6Addr;

/// One policy with its queries.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Case {
    /// Its name.
    pub name: String,
    /// Files by name, with their texts.
    pub files: Vec<(String, String)>,
    /// Queries, each with the lines that answer it.
    pub queries: Vec<(String, Vec<String>)>,
}

impl Case {
    /// The text of a file.
    #[must_use]
    pub fn file(&self, name: &str) -> Option<&str> {
        self.files.iter().find(|f| f.0 == name).map(|f| f.1.as_str())
    }
}

/// Reads a table: the text before its first case, and the cases.
#[must_use]
pub fn read(text: &str) -> (String, Vec<Case>) {
    let mut head = String::new();
    let mut cases: Vec<Case> = Vec::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("== ") {
            cases.push(Case { name: name.to_owned(), ..Case::default() });
            section.clear();
            continue;
        }
        let Some(case) = cases.last_mut() else {
            head += line;
            head.push('\n');
            continue;
        };
        if let Some(name) = line.strip_prefix("-- ") {
            section = name.to_owned();
            if section != "queries" {
                case.files.push((section.clone(), String::new()));
            }
        } else if section != "queries" {
            if let Some((_, text)) = case.files.last_mut() {
                text.push_str(line);
                text.push('\n');
            }
        } else if let (Some(answer), Some(query)) =
            (line.strip_prefix("> "), case.queries.last_mut())
        {
            query.1.push(answer.to_owned());
        } else if !line.is_empty() {
            case.queries.push((line.to_owned(), Vec::new()));
        }
    }
    (head, cases)
}

/// Writes a table that [`read`] reads.
#[must_use]
pub fn write(head: &str, cases: &[Case]) -> String {
    let mut out = head.to_owned();
    for case in cases {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "== {}", case.name);
        for (name, text) in &case.files {
            let _ = write!(out, "-- {name}\n{text}");
        }
        out.push_str("-- queries\n");
        for (query, answers) in &case.queries {
            let _ = writeln!(out, "{query}");
            for answer in answers {
                let _ = writeln!(out, "> {answer}");
            }
        }
    }
    out
}

/// Where a record starts: behind the common header, that of RMPP and that of the class.
const RECORD: usize = 56;

/// Where a component is: offset in bits, length in bits, and its bit in the mask.
type Field = (&'static str, usize, usize, u64);

/// The components of PathRecord (IBA 15.2.5.16).
const PATH: [Field; 15] = [
    ("sid", 0, 64, 0b11),
    ("dlid", 320, 16, 1 << 4),
    ("slid", 336, 16, 1 << 5),
    ("raw", 352, 1, 1 << 6),
    ("flow", 356, 20, 1 << 8),
    ("hop", 376, 8, 1 << 9),
    ("tclass", 384, 8, 1 << 10),
    ("rev", 392, 1, 1 << 11),
    ("numb", 393, 7, 1 << 12),
    ("pkey", 400, 16, 1 << 13),
    ("class", 416, 12, 1 << 14),
    ("sl", 428, 4, 1 << 15),
    ("mtu", 432, 8, 0b11 << 16),
    ("rate", 440, 8, 0b11 << 18),
    ("life", 448, 8, 0b11 << 20),
];

/// The components of MultiPathRecord (IBA 15.2.5.20). The counts of GIDs come from the GIDs.
const MULTI: [Field; 11] = [
    ("raw", 0, 1, 1),
    ("flow", 4, 20, 1 << 2),
    ("hop", 24, 8, 1 << 3),
    ("tclass", 32, 8, 1 << 4),
    ("rev", 40, 1, 1 << 5),
    ("numb", 41, 7, 1 << 6),
    ("pkey", 48, 16, 1 << 7),
    ("class", 64, 12, 1 << 8),
    ("sl", 76, 4, 1 << 9),
    ("mtu", 80, 8, 0b11 << 10),
    ("rate", 88, 8, 0b11 << 12),
];

/// The datagram of a query.
///
/// A query is `get`, `table` or `multi` and words `NAME=VALUE`: names of components, `sguid` and
/// `dguid` for GIDs of the default subnet, `sgid` and `dgid` for others (with `multi` any number
/// of them), `mask` for further bits of the mask, `unmask` for bits to be left out. Values of
/// `mtu`, `rate` and `life` are `SELECTOR:CODE`.
///
/// # Panics
/// If the query is not one.
#[must_use]
pub fn question(query: &str, token: u32) -> Vec<u8> {
    let mut words = query.split_whitespace();
    let kind = words.next().unwrap_or_default();
    let (method, attribute, fields): (u8, u16, &[Field]) = match kind {
        "get" => (1, 0x35, &PATH),
        "table" => (0x12, 0x35, &PATH),
        "multi" => (0x14, 0x3A, &MULTI),
        other => panic!("`{other}` in {query}"),
    };
    let mut mad = vec![0; 256];
    mad[..4].copy_from_slice(&[1, 3, 2, method]);
    mad[12..16].copy_from_slice(&token.to_be_bytes());
    mad[16..18].copy_from_slice(&attribute.to_be_bytes());
    let (mut mask, mut unmask) = (0, 0);
    let (mut sources, mut destinations) = (Vec::new(), Vec::new());
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or_else(|| panic!("`{word}` in {query}"));
        match name {
            "sguid" => sources.push(gid_of(value)),
            "dguid" => destinations.push(gid_of(value)),
            "sgid" => sources.push(value.parse::<Ipv6Addr>().expect("a GID").octets()),
            "dgid" => destinations.push(value.parse::<Ipv6Addr>().expect("a GID").octets()),
            "mask" => mask |= number(value),
            "unmask" => unmask |= number(value),
            _ => {
                let field = fields.iter().find(|f| f.0 == name);
                let field = field.unwrap_or_else(|| panic!("`{word}` in {query}"));
                put(&mut mad[RECORD..], field, number(value));
                mask |= field.3;
            }
        }
    }
    if kind == "multi" {
        gids_behind(&mut mad, &sources, &destinations);
        mask |= 1 << 19 | 1 << 20;
    } else {
        for (list, at, bit) in [(&destinations, 8, 2), (&sources, 24, 3)] {
            if let Some(gid) = list.first() {
                mad[RECORD + at..RECORD + at + 16].copy_from_slice(gid);
                mask |= 1 << bit;
            }
        }
    }
    mad[48..56].copy_from_slice(&u64::to_be_bytes(mask & !unmask));
    mad
}

/// The GIDs of a MultiPathRecord, their counts, and an RMPP header for one segment.
fn gids_behind(mad: &mut [u8], sources: &[[u8; 16]], destinations: &[[u8; 16]]) {
    mad[RECORD + 15] = sources.len() as u8;
    mad[RECORD + 16] = destinations.len() as u8;
    let mut at = RECORD + 24;
    for gid in sources.iter().chain(destinations) {
        mad[at..at + 16].copy_from_slice(gid);
        at += 16;
    }
    mad[24..27].copy_from_slice(&[1, 1, 7]);
    mad[31] = 1;
    mad[32..36].copy_from_slice(&((at - 36) as u32).to_be_bytes());
}

/// The GID of a GUID in the default subnet.
fn gid_of(guid: &str) -> [u8; 16] {
    let all = 0xfe80_u128 << 112 | u128::from(number(guid));
    all.to_be_bytes()
}

/// A number, or a selector and a code in eight bits.
fn number(text: &str) -> u64 {
    if let Some((selector, code)) = text.split_once(':') {
        return number(selector) << 6 | number(code);
    }
    let parsed = match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.unwrap_or_else(|_| panic!("`{text}` is no number"))
}

fn put(record: &mut [u8], field: &Field, value: u64) {
    for bit in 0..field.2 {
        let at = field.1 + field.2 - 1 - bit;
        let mask = 1 << (7 - at % 8);
        match value >> bit & 1 {
            1 => record[at / 8] |= mask,
            _ => record[at / 8] &= !mask,
        }
    }
}

fn get(record: &[u8], field: &Field) -> u64 {
    let bit = |at: usize| u64::from(record[at / 8] >> (7 - at % 8) & 1);
    (field.1..field.1 + field.2).fold(0, |value, at| value << 1 | bit(at))
}

/// The lines for an answer: its status, or its records as far as they are in the first datagram.
#[must_use]
pub fn answer(mad: &[u8]) -> Vec<String> {
    let Some(status) = mad.get(4..6) else { return vec!["no answer".to_owned()] };
    let status = u16::from_be_bytes([status[0], status[1]]);
    if status != 0 {
        return vec![format!("status {status:#06x}")];
    }
    let mad = &mad[..mad.len().min(256)];
    // A third record would fit too, but ibsim brings rubbish in its place.
    let records = mad.get(RECORD..).unwrap_or_default().chunks_exact(64).take(2);
    // A path has a destination. What is behind the records is zeros.
    let lines: Vec<String> = records.filter(|r| r[40..42] != [0, 0]).map(line).collect();
    if lines.is_empty() { vec!["no records".to_owned()] } else { lines }
}

fn line(record: &[u8]) -> String {
    let gid = |at: usize| {
        let bytes: [u8; 16] = record[at..at + 16].try_into().expect("16 bytes");
        Ipv6Addr::from(bytes)
    };
    let mut line = format!("dgid={} sgid={}", gid(8), gid(24));
    let eight = |v: u64| format!("{}:{}", v >> 6, v & 63);
    for field in &PATH {
        let value = get(record, field);
        // Writing to a String cannot fail.
        let _ = match field.0 {
            "mtu" | "rate" | "life" => write!(line, " {}={}", field.0, eight(value)),
            "pkey" => write!(line, " pkey={value:#06x}"),
            "dlid" | "slid" | "rev" | "sl" => write!(line, " {}={value}", field.0),
            // Told only where there is something to tell.
            name if value != 0 => write!(line, " {name}={value:#x}"),
            _ => Ok(()),
        };
    }
    if record[57] != 0 {
        let _ = write!(line, " preference={}", record[57]);
    }
    line
}

/// Bytes as hexadecimal digits.
#[must_use]
pub fn to_hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Bytes from hexadecimal digits.
#[must_use]
pub fn from_hex(text: &str) -> Option<Vec<u8>> {
    let pairs = text.as_bytes().chunks(2);
    pairs.map(|p| u8::from_str_radix(std::str::from_utf8(p).ok()?, 16).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_and_written() {
        let text = "# head\n== one\n-- opensm.conf\nqos TRUE\n-- queries\nget slid=1 dlid=2\n\
                    > status 0x0300\n== two\n-- queries\ntable sguid=0x1\n";
        let (head, cases) = read(text);
        assert_eq!(write(&head, &cases), text);
        assert_eq!(cases[0].file("opensm.conf"), Some("qos TRUE\n"));
        assert_eq!(cases[0].queries[0].1, ["status 0x0300"]);
    }

    #[test]
    fn questions_and_answers_have_the_same_fields() {
        let mut mad =
            question("get sguid=0x11 dguid=0x12 dlid=5 pkey=0x8001 sl=3 mtu=2:4 rev=1", 7);
        assert_eq!(u64::from_be_bytes(mad[48..56].try_into().unwrap()), 0x3A81C);
        assert_eq!(
            answer(&mad),
            ["dgid=fe80::12 sgid=fe80::11 dlid=5 slid=0 rev=1 pkey=0x8001 sl=3 mtu=2:4 rate=0:0 \
              life=0:0"]
        );
        mad[4] = 3;
        assert_eq!(answer(&mad), ["status 0x0300"]);
        let multi = question("multi sguid=1 dguid=2 dguid=3 numb=2", 1);
        assert_eq!(multi[RECORD + 15..RECORD + 17], [1, 2]);
        assert_eq!(multi[RECORD + 24 + 47], 3);
        assert_eq!(from_hex(&to_hex(&multi)), Some(multi));
    }
}
