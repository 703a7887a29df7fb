//! Words that the project does not use, with what to write instead.
//!
//! The list is a data file, so that this source does not break its own rule.

use anyhow::{Context, Result};

use crate::Finding;
use crate::tree::{self, TextFile};

/// A word and its replacement.
pub(super) struct Banned {
    word: String,
    instead: String,
}

/// Reads `xtask/words.txt`: `word = replacement`, `#` starts a comment.
pub(super) fn list() -> Result<Vec<Banned>> {
    let path = tree::root().join("xtask/words.txt");
    let text = std::fs::read_to_string(&path)
        .with_context(|| format!("cannot read {}", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#'));
    lines
        .map(|line| {
            let (word, instead) = line.split_once('=').with_context(|| format!("no =: {line}"))?;
            Ok(Banned { word: word.trim().to_owned(), instead: instead.trim().to_owned() })
        })
        .collect()
}

/// Every use of a listed word in a file.
pub(super) fn check(file: &TextFile, list: &[Banned]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.numbered() {
        let small = line.to_lowercase();
        let found = |banned: &&Banned| {
            let in_any_case = !banned.word.contains(char::is_uppercase);
            holds(if in_any_case { &small } else { line }, &banned.word)
        };
        for banned in list.iter().filter(found) {
            let text = format!("\"{}\": {}", banned.word, banned.instead);
            findings.push(Finding::new(&file.path, number, text));
        }
    }
    findings
}

/// Whether the word stands in the line with no letter on either side.
fn holds(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        let open = |c: Option<char>| !c.is_some_and(char::is_alphanumeric);
        open(before) && open(after)
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn whole_words_are_found_in_any_case_or_exactly() {
        let banned = |word: &str| Banned { word: word.to_owned(), instead: "z".to_owned() };
        let list = [banned("frobnicate"), banned("WHEE")];
        let text = "We Frobnicate it.\nfrobnicated\nwhee\n// WHEE: x\n";
        let findings = check(&file("a.md", text), &list);
        let lines: Vec<usize> = findings.iter().map(|finding| finding.line).collect();
        assert_eq!(lines, [1, 4]);
    }

    #[test]
    fn the_list_can_be_read() {
        assert!(list().unwrap().iter().all(|b| !b.word.is_empty() && !b.instead.is_empty()));
    }
}
