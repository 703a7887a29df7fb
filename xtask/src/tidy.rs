//! The house style, where a machine can see it.
//!
//! Each rule is a function from a file to its findings. Sizes may be exceeded by the files that
//! ARCHITECTURE.md lists, with the reason, under the heading [`EXCEPTIONS`].

mod documents;
mod sources;
mod words;

use anyhow::Result;

use crate::Finding;
use crate::tree::{self, TextFile};

/// The heading in ARCHITECTURE.md under which files that exceed a size are listed.
const EXCEPTIONS: &str = "## Exceptions to the size rules";

/// Everything in the tree that breaks the house style.
pub(crate) fn check() -> Result<Vec<Finding>> {
    let files = tree::files(&["rs", "md", "toml", "sh", "py"])?;
    let exceptions = exceptions(&files);
    let list = words::list()?;
    let mut findings = Vec::new();
    for file in &files {
        findings.extend(blanks(file));
        findings.extend(words::check(file, &list));
        if file.has_extension("rs") {
            findings.extend(sources::check(file, exceptions.contains(&file.path.as_str())));
        }
        if file.has_extension("md") {
            findings.extend(documents::check(file));
        }
    }
    findings.extend(sources::forbid_unsafe(&files));
    findings.extend(documents::crates_are_described(&files)?);
    findings.extend(documents::differences_are_tested(&files));
    Ok(findings)
}

/// Paths in backticks at the start of the list items below the heading.
fn exceptions(files: &[TextFile]) -> Vec<&str> {
    let Some(file) = files.iter().find(|file| file.path == "ARCHITECTURE.md") else {
        return Vec::new();
    };
    let section = file.text.split_once(EXCEPTIONS).map_or("", |(_, below)| below);
    let section = section.split("\n## ").next().unwrap_or_default();
    section
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("- `"))
        .filter_map(|item| item.split_once('`').map(|(path, _)| path))
        .collect()
}

fn blanks(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.numbered() {
        if line.ends_with([' ', '\t']) {
            findings.push(Finding::new(&file.path, number, "blanks at the end of the line"));
        }
        if line.contains('\t') && file.has_extension("rs") && !line.contains("\\t") {
            findings.push(Finding::new(&file.path, number, "a tab: write four blanks, or \\t"));
        }
    }
    if !file.text.is_empty() && !file.text.ends_with('\n') {
        findings.push(Finding::new(&file.path, 0, "does not end with a line feed"));
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn the_tree_is_tidy() {
        let findings = check().unwrap();
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn blanks_and_tabs_are_found() {
        let findings = blanks(&file("a.rs", "one \n\ttwo\nthree"));
        let lines: Vec<usize> = findings.iter().map(|f| f.line).collect();
        assert_eq!(lines, [1, 2, 0]);
    }

    #[test]
    fn exceptions_are_read_from_their_section_only() {
        let text = "- `no.rs`\n## Exceptions to the size rules\n\n- `a.rs`: a table.\n\
                    - `b.rs`: generated.\n## Next\n- `c.rs`\n";
        assert_eq!(exceptions(&[file("ARCHITECTURE.md", text)]), ["a.rs", "b.rs"]);
    }
}
