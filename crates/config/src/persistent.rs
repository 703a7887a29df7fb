//! The text form of OpenSM's cache files: guid2lid, guid2mkey and neighbors.
//!
//! A record is a key, a blank, a value and an empty line. The value may go on over several
//! lines. The folder is that of the environment variable `OSM_CACHE_DIR`, else
//! [`DEFAULT_FOLDER`].

use std::collections::BTreeMap;

use lk_diag::{Diagnostic, Diagnostics, SourceFile, Span};

use crate::codes;

/// Where OpenSM keeps its cache files when `OSM_CACHE_DIR` is not set.
pub const DEFAULT_FOLDER: &str = "/var/cache/opensm";

/// A record of a cache file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Record {
    /// What stands before the first blank.
    pub key: String,
    /// What stands behind it up to the next empty line; lines are separated by a newline.
    pub value: String,
    /// Where the record stands, without the empty line.
    pub place: Span,
}

/// Reads a cache file. Of two records with one key the first counts. A record that does not
/// start in the first column is an error, at which OpenSM ends unless `exit_on_fatal FALSE`;
/// it is skipped.
#[must_use]
pub fn parse(source: &SourceFile) -> (Vec<Record>, Diagnostics) {
    let mut out = Diagnostics::new();
    let mut records: Vec<Record> = Vec::new();
    let mut seen: BTreeMap<String, Span> = BTreeMap::new();
    let mut lines = source.lines().peekable();
    while let Some((_, first, text)) = lines.next() {
        if text.is_empty() {
            continue;
        }
        let mut place = first;
        let mut more = String::new();
        while let Some((_, span, text)) = lines.next_if(|(_, _, text)| !text.is_empty()) {
            place = place.cover(span);
            more.push('\n');
            more.push_str(text);
        }
        if text.starts_with([' ', '\t']) {
            out.push(
                Diagnostic::error(codes::CACHE_FORMAT, "a record must start in the first column")
                    .at(source, first, "the record is skipped")
                    .note("OpenSM ends here with ERR 6105 unless exit_on_fatal is FALSE"),
            );
            continue;
        }
        let (key, value) = text.split_once([' ', '\t']).unwrap_or((text, ""));
        if let Some(before) = seen.get(key) {
            out.push(
                Diagnostic::warning(codes::CACHE_TWICE, format!("{key} occurs twice"))
                    .at(source, place, "not used")
                    .also(source, *before, "this one counts"),
            );
            continue;
        }
        seen.insert(key.to_owned(), place);
        let value = format!("{}{more}", value.trim_start_matches([' ', '\t']));
        records.push(Record { key: key.to_owned(), value, place });
    }
    (records, out)
}

/// Writes records in OpenSM's form.
#[must_use]
pub fn write<K: AsRef<str>, V: AsRef<str>>(records: impl IntoIterator<Item = (K, V)>) -> String {
    let mut out = String::new();
    for (key, value) in records {
        out.push_str(key.as_ref());
        out.push(' ');
        out.push_str(value.as_ref());
        out.push_str("\n\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> (Vec<(String, String)>, Vec<lk_diag::Code>) {
        let (records, found) = parse(&SourceFile::new("f", text));
        let pairs = records.into_iter().map(|r| (r.key, r.value)).collect();
        (pairs, found.iter().map(|d| d.code).collect())
    }

    fn pairs(list: &[(&str, &str)]) -> Vec<(String, String)> {
        list.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn records_end_at_an_empty_line() {
        let (records, found) = read("a 1 2\n\nb 3\nmore\n\n\n\nc 4");
        assert_eq!(records, pairs(&[("a", "1 2"), ("b", "3\nmore"), ("c", "4")]));
        assert_eq!(found, []);
        assert_eq!(read("").0, []);
    }

    #[test]
    fn faults() {
        let (records, found) = read("a 1\n\n b 2\n\na 3\n\n");
        assert_eq!(records, pairs(&[("a", "1")]));
        assert_eq!(found, [codes::CACHE_FORMAT, codes::CACHE_TWICE]);
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            records in proptest::collection::btree_map(
                "[0-9a-fx:]{1,8}",
                "[0-9a-fx]{1,6}( [0-9a-f]{1,4}){0,2}",
                0..9,
            )
        ) {
            let text = write(&records);
            let (back, found) = read(&text);
            prop_assert_eq!(back, records.into_iter().collect::<Vec<_>>());
            prop_assert!(found.is_empty());
        }

        #[test]
        fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..300)) {
            let _ = parse(&SourceFile::new("f", bytes));
        }
    }
}
