//! Files of GUIDs: root switches, compute nodes, ids, hop weights, node names.
//!
//! They share a reader with its own rules: a GUID in base 0 at the start of a line, and the rest
//! of the line for whoever wants it. A line that does not start with a number ends the reading;
//! what was read before has taken effect. [`parse`] is that reader. What the rest of a line
//! means in each file is in [`crate::guid_files`], node names are in [`crate::node_names`].

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};
use lk_wire::Guid;

use crate::codes;
use crate::kind::{self, FileKind};
use crate::lines::{Piece, pieces};
use crate::options::number::{Digits, c_space, leading_digits};

/// How many bytes of a line OpenSM reads at a time, the newline included.
const LONGEST_LINE: usize = 255;

/// A file of GUIDs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuidMap {
    /// Its lines, also those behind a bad one.
    pub entries: Vec<GuidEntry>,
    /// The first bad line, where OpenSM stops.
    pub stop: Option<Span>,
}

/// A line of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GuidEntry {
    /// The GUID.
    pub guid: Guid,
    /// Where it stands.
    pub place: Span,
    /// What follows it, without the blanks before.
    pub rest: String,
    /// Where that stands.
    pub rest_place: Span,
}

impl GuidMap {
    /// The lines that OpenSM has read: those before the first bad one.
    #[must_use]
    pub fn before_stop(&self) -> &[GuidEntry] {
        let Some(stop) = self.stop else { return &self.entries };
        let end = self.entries.partition_point(|entry| entry.place.start < stop.start);
        self.entries.get(..end).unwrap_or_default()
    }
}

/// Reads a file of GUIDs. Lines that are bad are reported, each, and the reading goes on behind
/// them so that all of them are; the map says where OpenSM would have stopped.
#[must_use]
pub fn parse(source: &SourceFile) -> (GuidMap, Diagnostics) {
    let mut reader = Reader {
        source,
        map: GuidMap { entries: Vec::new(), stop: None },
        bad: 0,
        diagnostics: Diagnostics::new(),
    };
    for piece in pieces(source.text().as_bytes(), LONGEST_LINE) {
        reader.piece(piece);
    }
    if let Some(more @ 1..) = reader.bad.checked_sub(MOST) {
        reader.diagnostics.push(
            Diagnostic::error(
                codes::GUID_LINE,
                format!("{more} more lines do not start with a GUID"),
            )
            .at(source, source.line_span(1), "is this a file of GUIDs at all?"),
        );
    }
    let nothing = reader.map.entries.is_empty();
    // In a program there is a line by chance that begins like a number.
    if reader.bad > 3
        && let Some(wrong) = kind::wrong(source, FileKind::Guids, nothing)
    {
        return (reader.map, wrong);
    }
    (reader.map, reader.diagnostics)
}

/// After this many bad lines the rest is only counted.
const MOST: usize = 50;

struct Reader<'a> {
    source: &'a SourceFile,
    map: GuidMap,
    bad: usize,
    diagnostics: Diagnostics,
}

impl Reader<'_> {
    fn piece(&mut self, piece: Piece) {
        let all = self.source.text().as_bytes().get(piece.span.range()).unwrap_or_default();
        let nul = all.iter().position(|b| *b == 0).unwrap_or(all.len());
        let line = String::from_utf8_lossy(all.get(..nul).unwrap_or_default()).into_owned();
        let text = line.trim_start_matches(c_space);
        if text.is_empty() || text.starts_with('#') {
            return;
        }
        if piece.continues {
            self.diagnostics.push(
                Diagnostic::error(
                    codes::GUID_LONG_LINE,
                    "OpenSM cuts a line after 255 bytes and takes the rest for another line",
                )
                .at(self.source, piece.span, "read as a line of its own"),
            );
        }
        let start = piece.span.start + (line.len() - text.len());
        let digits = leading_digits(text)
            .filter(|d| d.rest.is_empty() || d.rest.starts_with(|c: char| c == '#' || c_space(c)));
        let Some(digits) = digits else {
            return self.bad_line(text, Span::new(start, piece.span.end));
        };
        let place = Span::new(start, start + (text.len() - digits.rest.len()));
        let value = digits.value.unwrap_or(u64::MAX);
        let guid = Guid(if digits.negative { value.wrapping_neg() } else { value });
        let word = text.get(..place.len()).unwrap_or_default();
        self.odd_number(word, &digits, guid, place);
        let rest = digits.rest.trim_start_matches(c_space);
        let rest_start = place.end + (digits.rest.len() - rest.len());
        self.map.entries.push(GuidEntry {
            guid,
            place,
            rest: rest.to_owned(),
            rest_place: Span::new(rest_start, rest_start + rest.len()),
        });
    }

    fn bad_line(&mut self, text: &str, place: Span) {
        self.map.stop.get_or_insert(place);
        self.bad += 1;
        if self.bad > MOST {
            return;
        }
        let word: String = text.chars().take_while(|c| !c_space(*c)).take(60).collect();
        let place = Span::new(place.start, (place.start + word.len()).min(place.end));
        let first = self.map.stop.is_some_and(|stop| stop.start == place.start);
        let mut found = Diagnostic::error(codes::GUID_LINE, format!("`{word}` is no GUID")).at(
            self.source,
            place,
            if first { "OpenSM stops reading here" } else { "" },
        );
        found = if !word.is_empty() && word.bytes().all(|b| b.is_ascii_hexdigit()) {
            found.help(format!("hexadecimal needs a prefix: `0x{word}`"))
        } else if word.starts_with(|c: char| c.is_ascii_alphabetic()) {
            found.note(
                "the name of a port group may stand here in NVIDIA's OpenSM, which looks it up \
                 in pgrp_policy_file; here only GUIDs may",
            )
        } else {
            found
        };
        self.diagnostics.push(found);
    }

    /// Numbers that are valid but probably not what was meant.
    fn odd_number(&mut self, word: &str, digits: &Digits<'_>, guid: Guid, place: Span) {
        let hex = word.starts_with("0x") || word.starts_with("0X");
        let why = if digits.value.is_none() {
            "it has more than 64 bits"
        } else if digits.negative {
            "a negative number wraps around"
        } else if !hex && word.len() > 1 && word.starts_with('0') {
            "a leading 0 makes the number octal; hexadecimal needs 0x"
        } else if !hex && word.len() == 16 {
            "without 0x the number is decimal"
        } else {
            return;
        };
        self.diagnostics.push(
            Diagnostic::warning(codes::GUID_OTHERWISE, format!("`{word}` is read as {guid}"))
                .at(self.source, place, "")
                .note(why),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<(u64, String)>, usize, Vec<&'static str>) {
        let (map, found) = parse(&SourceFile::new("f", text));
        let entries = map.entries.iter().map(|e| (e.guid.0, e.rest.clone())).collect();
        (entries, map.before_stop().len(), found.iter().map(|d| d.code.id).collect())
    }

    #[test]
    fn guids_and_the_rest_of_their_lines() {
        let text = "# roots\n\n0x200000\n  0x200001 # first\n 0x200002\t7 8 \r\n16#x\n";
        let (entries, usable, found) = read(text);
        let expected = [(0x20_0000, ""), (0x20_0001, "# first"), (0x20_0002, "7 8 \r"), (16, "#x")];
        assert_eq!(entries, expected.map(|(g, r)| (g, r.to_owned())));
        assert_eq!((usable, found.len()), (4, 0));
    }

    #[test]
    fn a_bad_line_stops_opensm_but_not_the_report() {
        let (entries, usable, found) = read("0x1\n<guid> \"a\"\n0x2\nroot_switches\n0x3x\n");
        assert_eq!(entries.len(), 2);
        assert_eq!(usable, 1);
        assert_eq!(found, ["CF030", "CF030", "CF030"]);
        assert_eq!(read("0x1\nbad\n").1, 1);
        let (map, _) = parse(&SourceFile::new("f", "bad"));
        assert_eq!((map.stop.is_some(), map.before_stop().len()), (true, 0));
    }

    #[test]
    fn numbers_without_a_prefix_are_told() {
        let (entries, _, found) = read("0000200000\n-1\n1234567890123456\n0002c90300a1b2c3\n");
        assert_eq!(entries[0].0, 0x10000, "octal");
        assert_eq!(entries[1].0, u64::MAX);
        assert_eq!(found, ["CF031", "CF031", "CF031", "CF030"]);
    }

    #[test]
    fn long_lines_come_in_pieces() {
        let text = format!("0x1 {}0x2 y\n", " ".repeat(251));
        let (entries, _, found) = read(&text);
        assert_eq!(entries.iter().map(|e| e.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(found, ["CF033"]);
    }

    #[test]
    fn a_program_is_one_though_a_line_begins_like_a_number() {
        let mut bytes = b"\x7fELF\n0x12\n".to_vec();
        bytes.extend((0..4000_u32).flat_map(|n| [0, 7, b'\n', (n % 200) as u8]));
        let (map, found) = parse(&SourceFile::new("f", bytes));
        assert!(!map.entries.is_empty());
        assert!(found.find(codes::WRONG_FILE).is_some() && found.len() == 1, "{found:?}");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..600)) {
            let source = SourceFile::new("f", bytes);
            let (map, found) = parse(&source);
            let told = [codes::GUID_LINE, codes::WRONG_FILE].map(|code| found.find(code));
            prop_assert_eq!(map.stop.is_none(), told == [None, None]);
            for entry in &map.entries {
                prop_assert!(entry.place.end <= source.text().len());
            }
        }
    }
}
