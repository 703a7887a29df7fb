//! Rules for Rust sources.

use crate::Finding;
use crate::tree::TextFile;

/// Columns of a line.
const WIDTH: usize = 100;
/// Lines of a file.
const FILE_LINES: usize = 600;
/// Lines of a function, from `fn` to its closing brace.
const FUNCTION_LINES: usize = 80;
/// Names that say nothing about what is in a module.
const EMPTY_NAMES: [&str; 6] = ["common", "helper", "helpers", "misc", "util", "utils"];
/// The crates with the only unsafe code: both stand at the border to C.
const UNSAFE: [&str; 2] = ["crates/umad/", "crates/umad-standin/"];

/// Everything in one source file; `long` where ARCHITECTURE.md allows it to be.
pub(super) fn check(file: &TextFile, long: bool) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in file.numbered() {
        let width = line.chars().count();
        // A string that must not be broken, such as an address or sample output, is let through.
        if width > WIDTH && !line.trim_start().starts_with('"') && !line.contains("://") {
            findings.push(Finding::new(&file.path, number, format!("{width} columns")));
        }
    }
    if let Some(name) = module_name(&file.path).filter(|name| EMPTY_NAMES.contains(name)) {
        let text = format!("a module called {name}: name it after what it holds");
        findings.push(Finding::new(&file.path, 0, text));
    }
    if !long {
        findings.extend(sizes(file));
    }
    findings
}

fn module_name(path: &str) -> Option<&str> {
    let mut parts = path.rsplit('/');
    let name = parts.next()?.strip_suffix(".rs")?;
    if name == "mod" { parts.next() } else { Some(name) }
}

fn sizes(file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    let lines: Vec<&str> = file.text.lines().collect();
    if lines.len() > FILE_LINES {
        let text = format!("{} lines: split it, at {FILE_LINES} at the latest", lines.len());
        findings.push(Finding::new(&file.path, 0, text));
    }
    for (index, line) in lines.iter().enumerate().filter(|(_, line)| opens_function(line)) {
        // rustfmt puts the closing brace below the `fn`, at the same depth.
        let depth = line.len() - line.trim_start().len();
        let close = format!("{}}}", " ".repeat(depth));
        let length = lines[index..].iter().position(|l| **l == close).map_or(0, |n| n + 1);
        if length > FUNCTION_LINES {
            let text = format!("a function of {length} lines: {FUNCTION_LINES} are the limit");
            findings.push(Finding::new(&file.path, index + 1, text));
        }
    }
    findings
}

fn opens_function(line: &str) -> bool {
    let mut words = line.split_whitespace();
    let is_prefix = |word: &str| {
        matches!(word, "pub" | "const" | "unsafe" | "async" | "extern")
            || word.starts_with("pub(")
            || word.starts_with('"')
    };
    words.find(|word| !is_prefix(word)) == Some("fn") && !line.trim_end().ends_with(';')
}

/// Every crate's root forbids unsafe code, but for the one that calls a C library.
pub(super) fn forbid_unsafe(files: &[TextFile]) -> Vec<Finding> {
    let is_root = |path: &str| path.ends_with("src/lib.rs") || path.ends_with("src/main.rs");
    files
        .iter()
        .filter(|file| {
            is_root(&file.path) && !UNSAFE.iter().any(|folder| file.path.starts_with(folder))
        })
        .filter(|file| !file.text.contains("#![forbid(unsafe_code)]"))
        .map(|file| Finding::new(&file.path, 0, "lacks #![forbid(unsafe_code)]"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn long_lines_are_found_unless_they_are_one_string() {
        let long = "x".repeat(101);
        let text = format!("let a = {long};\n    \"{long}\",\n");
        let findings = check(&file("a.rs", &text), false);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 1);
    }

    #[test]
    fn empty_module_names_are_found() {
        assert_eq!(check(&file("crates/a/src/utils.rs", ""), false).len(), 1);
        assert_eq!(check(&file("crates/a/src/helpers/mod.rs", ""), false).len(), 1);
        assert!(check(&file("crates/a/src/lft.rs", ""), false).is_empty());
    }

    #[test]
    fn long_functions_and_files_are_found_unless_excused() {
        let body = "    x();\n".repeat(79);
        let long = format!("pub(crate) const fn a() {{\n{body}}}\nfn b() {{\n{body}}}\n");
        let findings = check(&file("a.rs", &long), false);
        assert_eq!(findings.len(), 2);
        assert_eq!(findings[1].line, 82);
        assert!(check(&file("a.rs", &long), true).is_empty());
        assert_eq!(check(&file("a.rs", &"\n".repeat(601)), false).len(), 1);
    }

    #[test]
    fn only_umad_may_leave_unsafe_open() {
        let files = [
            file("crates/a/src/lib.rs", "//! a\n"),
            file("crates/umad/src/lib.rs", "//! b\n"),
            file("crates/b/src/lib.rs", "#![forbid(unsafe_code)]\n"),
        ];
        let findings = forbid_unsafe(&files);
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].place, "crates/a/src/lib.rs");
    }
}
