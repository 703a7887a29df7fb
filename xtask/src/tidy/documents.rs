//! Rules for Markdown files.

use anyhow::Result;

use crate::tree::{self, TextFile};
use crate::{Finding, metadata};

/// Everything in one document.
pub(super) fn check(file: &TextFile) -> Vec<Finding> {
    let mut findings = titles(file);
    findings.extend(links(file));
    findings
}

/// Lines of a document outside fenced blocks.
fn prose(file: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    file.numbered().filter(move |(_, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

fn titles(file: &TextFile) -> Vec<Finding> {
    let lines: Vec<usize> =
        prose(file).filter(|(_, line)| line.starts_with("# ")).map(|(n, _)| n).collect();
    match lines.as_slice() {
        [_] => Vec::new(),
        [] => vec![Finding::new(&file.path, 0, "has no title (one line with a single #)")],
        [_, rest @ ..] => {
            rest.iter().map(|&n| Finding::new(&file.path, n, "a second title: use ##")).collect()
        }
    }
}

/// Links to files of the tree must lead somewhere.
fn links(file: &TextFile) -> Vec<Finding> {
    let here = tree::root().join(&file.path);
    let mut findings = Vec::new();
    for (number, line) in prose(file) {
        for target in targets(line) {
            let path = target.split('#').next().unwrap_or_default();
            let foreign = target.contains("://") || target.starts_with("mailto:");
            if path.is_empty() || foreign {
                continue;
            }
            let exists = here.parent().is_some_and(|folder| folder.join(path).exists());
            if !exists {
                let text = format!("a link to {target}, which does not exist");
                findings.push(Finding::new(&file.path, number, text));
            }
        }
    }
    findings
}

/// What stands in the brackets of `[text](target)`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    line.split("](").skip(1).filter_map(|rest| rest.split_once(')').map(|(target, _)| target))
}

/// ARCHITECTURE.md must say what every crate is for.
pub(super) fn crates_are_described(files: &[TextFile]) -> Result<Vec<Finding>> {
    const PLACE: &str = "ARCHITECTURE.md";
    let Some(file) = files.iter().find(|file| file.path == PLACE) else {
        return Ok(vec![Finding::new(PLACE, 0, "is missing")]);
    };
    let packages = metadata::workspace()?;
    let missing = packages.iter().filter(|p| !file.text.contains(&format!("`{}`", p.folder)));
    Ok(missing
        .map(|p| Finding::new(PLACE, 0, format!("does not describe the folder `{}`", p.folder)))
        .collect())
}

/// Every row of docs/differences.md names tests in its last cell, and they exist.
pub(super) fn differences_are_tested(files: &[TextFile]) -> Vec<Finding> {
    const PLACE: &str = "docs/differences.md";
    let Some(file) = files.iter().find(|file| file.path == PLACE) else {
        return vec![Finding::new(PLACE, 0, "is missing")];
    };
    let rows = prose(file).filter(|(_, line)| line.starts_with('|') && !line.starts_with("|--"));
    let mut findings = Vec::new();
    // The first row of a table is its head.
    let mut last = 0;
    for (number, row) in rows {
        let is_head = number > last + 2 || last == 0;
        last = number;
        if is_head {
            continue;
        }
        let cell = row.trim_end().trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let names: Vec<&str> = cell.split('`').skip(1).step_by(2).collect();
        if names.is_empty() {
            findings.push(Finding::new(PLACE, number, "names no test"));
        }
        for name in names.iter().filter(|name| !has_test(files, name)) {
            findings.push(Finding::new(PLACE, number, format!("there is no test {name}")));
        }
    }
    findings
}

fn has_test(files: &[TextFile], name: &str) -> bool {
    let function = format!("fn {name}(");
    files.iter().any(|file| file.has_extension("rs") && file.text.contains(&function))
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn one_title_is_asked_for() {
        assert!(check(&file("a.md", "# One\n\n```\n# not a title\n```\n")).is_empty());
        assert_eq!(check(&file("a.md", "text\n")).len(), 1);
        assert_eq!(
            check(&file("a.md", "# One\n# Two\n")),
            [Finding::new("a.md", 2, "a second title: use ##")]
        );
    }

    #[test]
    fn differences_without_a_test_are_found() {
        let table = "# D\n\n| ours | test |\n|---|---|\n| a | `one` |\n| b | `two` |\n| c | - |\n";
        let files = [file("docs/differences.md", table), file("a.rs", "fn one() {}\n")];
        let lines: Vec<usize> = differences_are_tested(&files).iter().map(|f| f.line).collect();
        assert_eq!(lines, [6, 7]);
    }

    #[test]
    fn dead_links_are_found() {
        let text = "# One\n[a](xtask/Cargo.toml#x) [b](nowhere.md) [c](https://example.org)\n";
        let findings = check(&file("README.md", text));
        assert_eq!(findings.len(), 1);
        assert!(findings[0].message.contains("nowhere.md"));
    }
}
