//! The ranks of the crates and what the lower ranks must not touch.
//!
//! ARCHITECTURE.md says why the ranks are as they are; this is the table that holds them.

use anyhow::Result;

use crate::Finding;
use crate::metadata::{self, Package};
use crate::tree::{self, TextFile};

/// A crate may use only crates of a smaller rank.
const RANKS: [(&str, u8); 14] = [
    ("lk-wire", 1),
    ("lk-diag", 1),
    ("lk-config", 2),
    ("lk-fabric", 2),
    ("lk-qos", 3),
    ("lk-routing", 3),
    ("lk-snapshot", 3),
    ("lk-sm", 4),
    ("lk-audit", 4),
    ("lk-sim", 5),
    ("lk-umad", 5),
    ("lk-umad-standin", 5),
    ("lk-web", 5),
    ("lanekeeper", 6),
];

/// Packages that are not part of the product: they may use everything and nothing uses them.
const OUTSIDE: [&str; 2] = ["xtask", "lk-peers"];

/// Crates in which the same input gives the same output: no clock, file, thread or environment.
const PURE: [&str; 10] =
    ["wire", "diag", "config", "fabric", "qos", "routing", "snapshot", "sm", "audit", "sim"];

/// What a pure crate must not name, and what stands in for it.
const IMPURE: [(&str, &str); 11] = [
    ("std::time::Instant", "time comes in with the input"),
    ("SystemTime", "time comes in with the input"),
    ("std::fs", "the binary reads and writes files"),
    ("std::env", "the binary reads the environment"),
    ("TcpStream", "the binary opens sockets"),
    ("TcpListener", "the binary opens sockets"),
    ("UdpSocket", "the binary opens sockets"),
    ("UnixStream", "the binary opens sockets"),
    ("std::thread", "the binary starts threads; rayon's are allowed in routing"),
    ("std::process", "the binary starts and ends processes"),
    ("std::io::stdin", "the binary talks to the terminal"),
];

/// Everything in the workspace that breaks the order of the crates.
pub(crate) fn check() -> Result<Vec<Finding>> {
    let mut findings = dependencies(&metadata::workspace()?);
    for file in tree::files(&["rs"])? {
        findings.extend(impure(&file));
        findings.extend(node_models_use_the_sm(&file));
    }
    Ok(findings)
}

fn rank(name: &str) -> Option<u8> {
    RANKS.iter().find(|(known, _)| *known == name).map(|(_, rank)| *rank)
}

fn dependencies(packages: &[Package]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for package in packages {
        if OUTSIDE.contains(&package.name.as_str()) {
            continue;
        }
        let Some(own) = rank(&package.name) else {
            let text = "has no rank: give it one in xtask/src/layers.rs and in ARCHITECTURE.md";
            findings.push(Finding::new(&package.name, 0, text));
            continue;
        };
        for used in &package.dependencies {
            if OUTSIDE.contains(&used.as_str()) {
                findings.push(Finding::new(&package.name, 0, format!("must not use {used}")));
            }
            if let Some(other) = rank(used).filter(|other| *other >= own) {
                let text = format!("of rank {own} uses {used} of rank {other}");
                findings.push(Finding::new(&package.name, 0, text));
            }
        }
    }
    findings
}

/// The lines of a source file before its test module.
fn before_tests(file: &TextFile) -> impl Iterator<Item = (usize, &str)> {
    file.numbered().take_while(|(_, line)| line.trim() != "#[cfg(test)]")
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with("//")
}

fn impure(file: &TextFile) -> Vec<Finding> {
    let pure = PURE.iter().any(|name| file.path.starts_with(&format!("crates/{name}/src/")));
    if !pure || file.path.ends_with("tests.rs") || file.path.contains("/tests/") {
        return Vec::new();
    }
    let code = before_tests(file).filter(|(_, line)| !is_comment(line));
    let mut findings = Vec::new();
    for (number, line) in code {
        for (word, instead) in IMPURE.iter().filter(|(word, _)| line.contains(word)) {
            let text = format!("{word} in a crate without I/O: {instead}");
            findings.push(Finding::new(&file.path, number, text));
        }
    }
    findings
}

/// The simulated nodes must not share the subnet manager's bugs, so only the test world sees it.
fn node_models_use_the_sm(file: &TextFile) -> Vec<Finding> {
    let in_sim = file.path.strip_prefix("crates/sim/src/");
    let Some(name) = in_sim.filter(|name| !name.starts_with("world")) else {
        return Vec::new();
    };
    if name == "lib.rs" {
        return Vec::new();
    }
    file.numbered()
        .filter(|(_, line)| line.contains("lk_sm") && !is_comment(line))
        .map(|(number, _)| {
            Finding::new(&file.path, number, "node models must not use the subnet manager")
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(name: &str, dependencies: &[&str]) -> Package {
        Package {
            name: name.to_owned(),
            version: "0.1.0".to_owned(),
            licence: None,
            folder: String::new(),
            dependencies: dependencies.iter().map(|&d| d.to_owned()).collect(),
        }
    }

    fn file(path: &str, text: &str) -> TextFile {
        TextFile { path: path.to_owned(), text: text.to_owned() }
    }

    #[test]
    fn the_workspace_keeps_its_order() {
        let findings = check().unwrap();
        assert!(findings.is_empty(), "{findings:#?}");
    }

    #[test]
    fn a_higher_or_equal_rank_is_found() {
        let packages = [
            package("lk-fabric", &["lk-wire", "rustc-hash"]),
            package("lk-qos", &["lk-routing"]),
            package("lk-wire", &["lk-sm"]),
            package("lk-sm", &["xtask"]),
        ];
        let text: Vec<String> = dependencies(&packages).iter().map(ToString::to_string).collect();
        let expected = [
            "lk-qos: of rank 3 uses lk-routing of rank 3",
            "lk-wire: of rank 1 uses lk-sm of rank 4",
            "lk-sm: must not use xtask",
        ];
        assert_eq!(text, expected);
    }

    #[test]
    fn a_crate_without_a_rank_is_found() {
        assert_eq!(dependencies(&[package("lk-new", &[])]).len(), 1);
    }

    #[test]
    fn a_clock_below_the_binary_is_found_but_not_in_tests_or_comments() {
        let bad = "use std::time::Instant;\n// std::fs is not used\n#[cfg(test)]\nuse std::fs;\n";
        let findings = impure(&file("crates/sm/src/lib.rs", bad));
        assert_eq!(findings.len(), 1);
        assert_eq!(findings[0].line, 1);
        assert!(impure(&file("crates/lanekeeper/src/main.rs", bad)).is_empty());
    }

    #[test]
    fn a_node_model_that_sees_the_sm_is_found() {
        let text = "use lk_sm::Core;\n";
        assert_eq!(node_models_use_the_sm(&file("crates/sim/src/node.rs", text)).len(), 1);
        assert!(node_models_use_the_sm(&file("crates/sim/src/world.rs", text)).is_empty());
    }
}
