//! The licences of everything that gets linked, against a list of those that we accept.
//!
//! `deny.toml` says the same to cargo-deny, for people who have it; this check needs nothing but
//! cargo itself.

use anyhow::Result;

use crate::Finding;
use crate::metadata::{self, Package};

/// SPDX names of the licences that a dependency may be under.
const ALLOWED: [&str; 10] = [
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "ISC",
    "MIT",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Packages whose licence leaves us no choice on the list.
pub(crate) fn check() -> Result<Vec<Finding>> {
    Ok(metadata::everything()?.iter().filter_map(finding).collect())
}

fn finding(package: &Package) -> Option<Finding> {
    let place = format!("{} {}", package.name, package.version);
    let Some(licence) = &package.licence else {
        return Some(Finding::new(place, 0, "names no licence"));
    };
    let refused = match acceptable(licence) {
        Some(true) => return None,
        Some(false) => format!("is under {licence}, which is not on the list"),
        None => format!("has a licence that is no SPDX expression: {licence}"),
    };
    Some(Finding::new(place, 0, refused))
}

/// Whether an SPDX expression leaves a choice on the list; `None` if it cannot be read.
fn acceptable(expression: &str) -> Option<bool> {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut reader = Reader { words: &words };
    let value = reader.either()?;
    reader.words.is_empty().then_some(value)
}

/// Reads `a OR b AND (c WITH d)`; AND binds closer than OR, as SPDX has it.
struct Reader<'a> {
    words: &'a [&'a str],
}

impl Reader<'_> {
    fn take(&mut self, word: &str) -> bool {
        match self.words.split_first() {
            Some((first, rest)) if *first == word => {
                self.words = rest;
                true
            }
            _ => false,
        }
    }

    fn either(&mut self) -> Option<bool> {
        let mut value = self.both()?;
        while self.take("OR") {
            value |= self.both()?;
        }
        Some(value)
    }

    fn both(&mut self) -> Option<bool> {
        let mut value = self.single()?;
        while self.take("AND") {
            value &= self.single()?;
        }
        Some(value)
    }

    fn single(&mut self) -> Option<bool> {
        if self.take("(") {
            let value = self.either()?;
            return self.take(")").then_some(value);
        }
        let (first, rest) = self.words.split_first()?;
        if matches!(*first, ")" | "OR" | "AND" | "WITH") {
            return None;
        }
        self.words = rest;
        let mut name = (*first).to_owned();
        if self.take("WITH") {
            let (exception, rest) = self.words.split_first()?;
            self.words = rest;
            name = format!("{name} WITH {exception}");
        }
        Some(ALLOWED.contains(&name.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_dependencies_are_acceptable() {
        let findings = check().unwrap();
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn expressions_are_read_as_spdx_has_them() {
        for (expression, expected) in [
            ("MIT", Some(true)),
            ("MIT OR Apache-2.0", Some(true)),
            ("MIT/Apache-2.0", Some(true)),
            ("GPL-2.0-only", Some(false)),
            ("GPL-2.0-only OR MIT", Some(true)),
            ("GPL-2.0-only AND MIT", Some(false)),
            ("(MIT OR Apache-2.0) AND Unicode-3.0", Some(true)),
            ("MIT OR GPL-2.0-only AND GPL-3.0-only", Some(true)),
            ("Apache-2.0 WITH LLVM-exception OR MIT", Some(true)),
            ("Apache-2.0 WITH something-else", Some(false)),
            ("", None),
            ("MIT OR", None),
            ("(MIT", None),
            ("MIT Apache-2.0", None),
        ] {
            assert_eq!(acceptable(expression), expected, "{expression}");
        }
    }
}
