//! The examples in the documents do what the documents say.
//!
//! A block that is marked `console` and starts with `$ lanekeeper` is run command by command, all
//! blocks of one file in one empty folder. What a command prints, standard error first, must be
//! what stands below it: `…` on a line of its own stands for any lines, within a line for any
//! text; `[exit code N]` is the last line where the code is not 0. A block that is marked
//! `conf NAME` is put into the folder under that name.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A command with what it must print.
struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
}

/// What a document asks for, in its order.
enum Step {
    Run(Example),
    /// A file's name and text.
    Write(String, String),
}

/// What kind of block a line stands in.
enum Place {
    Outside,
    Console,
    File,
    Other,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The steps of a document.
fn steps(text: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut place = Place::Outside;
    for (index, line) in text.lines().enumerate() {
        match (line.strip_prefix("```"), &place) {
            (Some("console"), Place::Outside) => place = Place::Console,
            (Some(mark), Place::Outside) => match mark.strip_prefix("conf ") {
                Some(name) => {
                    steps.push(Step::Write(name.to_owned(), String::new()));
                    place = Place::File;
                }
                None => place = Place::Other,
            },
            (Some(_), _) => place = Place::Outside,
            (None, Place::Console) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step::Run(Example {
                    line: index + 1,
                    command: command.to_owned(),
                    expected: Vec::new(),
                })),
                (None, Some(Step::Run(example))) => example.expected.push(line.to_owned()),
                (None, _) => panic!("line {}: a block starts with a command", index + 1),
            },
            (None, Place::File) => {
                if let Some(Step::Write(_, text)) = steps.last_mut() {
                    text.push_str(line);
                    text.push('\n');
                }
            }
            (None, Place::Outside | Place::Other) => {}
        }
    }
    steps
}

/// Runs a command line; its words are split at blanks and there is no quoting.
fn run(command: &str, folder: &Path) -> Vec<String> {
    let mut words = command.split_whitespace();
    assert_eq!(words.next(), Some("lanekeeper"), "only our own commands can be run: {command}");
    let output = Command::new(env!("CARGO_BIN_EXE_lanekeeper"))
        .args(words)
        .current_dir(folder)
        .env("OSM_TMP_DIR", folder)
        .env("OSM_CACHE_DIR", folder)
        .output()
        .expect("the binary was built for this test");
    let mut text = String::from_utf8_lossy(&output.stderr).into_owned();
    text.push_str(&String::from_utf8_lossy(&output.stdout));
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    match output.status.code() {
        Some(0) => {}
        Some(code) => lines.push(format!("[exit code {code}]")),
        None => lines.push("[killed]".to_owned()),
    }
    lines
}

/// Whether lines are as expected, with `…` for what may be anything.
fn matches(expected: &[String], lines: &[String]) -> bool {
    match expected.split_first() {
        None => lines.is_empty(),
        Some((first, rest)) if first == "…" => {
            (0..=lines.len()).any(|skipped| matches(rest, &lines[skipped..]))
        }
        Some((first, rest)) => lines
            .split_first()
            .is_some_and(|(line, others)| line_matches(first, line) && matches(rest, others)),
    }
}

fn line_matches(expected: &str, line: &str) -> bool {
    match expected.split_once('…') {
        None => expected == line,
        Some((before, after)) => line.strip_prefix(before).is_some_and(|rest| {
            (0..=rest.len())
                .filter(|at| rest.is_char_boundary(*at))
                .any(|at| line_matches(after, &rest[at..]))
        }),
    }
}

#[test]
fn documents_show_what_happens() {
    let mut run_so_far = 0;
    let mut documents = vec![root().join("README.md")];
    for entry in fs::read_dir(root().join("docs")).expect("the documents") {
        documents.push(entry.expect("a document").path());
    }
    documents.sort();
    for document in documents.iter().filter(|d| d.extension().is_some_and(|e| e == "md")) {
        let folder = tempfile::TempDir::new().expect("a temporary folder");
        let text = fs::read_to_string(document).expect("a document");
        for step in steps(&text) {
            let example = match step {
                Step::Run(example) => example,
                Step::Write(name, text) => {
                    fs::write(folder.path().join(name), text).expect("a file of the document");
                    continue;
                }
            };
            let lines = run(&example.command, folder.path());
            let place = format!("{}:{}", document.display(), example.line);
            assert!(
                matches(&example.expected, &lines),
                "{place}: `{}` prints\n{}",
                example.command,
                lines.join("\n")
            );
            run_so_far += 1;
        }
    }
    assert!(run_so_far > 0, "there are examples in the documents");
}

#[test]
fn dots_stand_for_anything_and_nothing_else_does() {
    let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
    assert!(matches(&lines("a\n…\nd"), &lines("a\nb\nc\nd")));
    assert!(matches(&lines("a\n…"), &lines("a")));
    assert!(matches(&lines("seconds …"), &lines("seconds 0.1")));
    assert!(matches(&lines("…x…"), &lines("axb")));
    assert!(!matches(&lines("a\n…\nd"), &lines("a\nb")));
    assert!(!matches(&lines("a"), &lines("a\nb")));
    assert!(!matches(&lines("seconds …!"), &lines("seconds 0.1")));
}
