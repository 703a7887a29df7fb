//! The commented file that `-c` writes.

use std::fmt::Write as _;

use lk_diag::{Diagnostic, Diagnostics};

use super::LONGEST_LINE;
use crate::codes;
use crate::options::number::c_space;
use crate::options::{self, Class, Group, NULL, OptionSpec, Options, Value, meaning};

const HEADER: &str = "\
# Options of the subnet manager, in the form of opensm.conf: a name, a blank and a value on a
# line. Only TRUE is true. A number may be decimal, 0x hexadecimal or 0 octal. (null) is none.
# Everything after a number sign is a comment.
";

/// Writes all options as a file that OpenSM and Lanekeeper read back to the same values, each
/// with a comment that says what it means.
///
/// Options that OpenSM 3.3.23 does not know are commented out while they have their default.
/// A text that the file's grammar cannot express is left out and reported.
#[must_use]
pub fn write(options: &Options) -> (String, Diagnostics) {
    let mut out = HEADER.to_owned();
    let mut diagnostics = Diagnostics::new();
    let mut group = None;
    for spec in options::all() {
        if group.replace(spec.group) != Some(spec.group) {
            heading(&mut out, spec.group);
        }
        option(&mut out, spec, options, &mut diagnostics);
    }
    (out, diagnostics)
}

fn heading(out: &mut String, group: Group) {
    // Writing to a String cannot fail.
    let _ = write!(out, "\n#\n# {}\n#\n", group.title());
}

fn option(out: &mut String, spec: &OptionSpec, options: &Options, diagnostics: &mut Diagnostics) {
    out.push('\n');
    for line in spec.doc() {
        let _ = writeln!(out, "# {line}");
    }
    let value = spec.get(options);
    if let Some(words) = meaning(spec.key, &value) {
        let _ = writeln!(out, "# {} is {words}.", spec.show(&value));
    }
    let is_default = value == spec.default_value();
    let foreign = match spec.class {
        Class::Upstream => None,
        Class::MasterOnly => Some("OpenSM 3.3.23 does not know this option."),
        Class::Vendor => Some("Of other managers, only NVIDIA's OpenSM knows this option."),
        Class::Own => Some("No other manager knows this option."),
    };
    if let Some(text) = foreign {
        let _ = writeln!(out, "# {text}");
    }
    let hidden = if foreign.is_some() && is_default { "# " } else { "" };
    match lines(spec, &value) {
        Ok(lines) => {
            for line in lines {
                let _ = writeln!(out, "{hidden}{line}");
            }
        }
        Err(why) => {
            let _ = writeln!(out, "# The value in force cannot be written here: {why}.");
            diagnostics.push(Diagnostic::error(
                codes::NOT_WRITABLE,
                format!("the value of `{}` cannot be written to a file: {why}", spec.key),
            ));
        }
    }
}

/// The lines that set an option to a value.
fn lines(spec: &OptionSpec, value: &Value) -> Result<Vec<String>, &'static str> {
    let key = spec.key;
    match value {
        Value::AllSls(all) => {
            let set: Vec<String> = all
                .iter()
                .enumerate()
                .filter(|(_, v)| **v != 0)
                .map(|(sl, v)| format!("{key} {sl} {v}"))
                .collect();
            Ok(if set.is_empty() { vec![format!("{key} 0 0")] } else { set })
        }
        Value::Text(Some(text)) => text_line(key, text).map(|line| vec![line]),
        other => fits(format!("{key} {}", spec.show(other))).map(|line| vec![line]),
    }
}

fn text_line(key: &str, text: &str) -> Result<String, &'static str> {
    if text == NULL {
        return Err("the text `(null)` means none");
    }
    if text.contains(['#', '\n', '\0']) {
        return Err("a value cannot hold `#`, a newline or a NUL");
    }
    let bare = |c: Option<char>| c.is_some_and(|c| !c_space(c) && c != '"' && c != '\'');
    let line = if bare(text.chars().next()) && bare(text.chars().next_back()) {
        format!("{key} {text}")
    } else {
        format!("{key} \"{text}\"")
    };
    fits(line)
}

fn fits(line: String) -> Result<String, &'static str> {
    if line.len() <= LONGEST_LINE { Ok(line) } else { Err("the line would be too long") }
}
