//! Help and manual page, made from the tables of options.

use std::fmt::Write as _;

use super::{Argument, CommandLineOption, Effect, OPTIONS};
use crate::options::{self, Group, OptionSpec, Status};

/// Where descriptions start and lines end in the help text.
const INDENT: usize = 10;
const WIDTH: usize = 78;

/// The help text: all options with what they mean. `program` is how it is called, as in
/// `lanekeeper sm`; `extra` are the program's own options, which come first.
#[must_use]
pub fn help_text(program: &str, extra: &[CommandLineOption]) -> String {
    let mut out = format!("Usage: {program} [OPTIONS]\n\nOptions:\n");
    for option in extra.iter().chain(OPTIONS) {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "  {}", option.forms());
        wrap(&mut out, &description(option));
    }
    out.push_str("\nLong options may have one dash or two and may be cut short.\n");
    out
}

/// What an option means: its own words, else those of the option of the file.
fn description(option: &CommandLineOption) -> String {
    let spec = option.key().and_then(options::find);
    let mut text = option.doc.to_owned();
    if text.is_empty()
        && let Some(spec) = spec
    {
        text = doc(spec);
        if let Effect::Fixed(key, value) = option.effect {
            text = format!("Set {key} to {value}. {text}");
        }
    }
    if let (Some(spec), Argument::Required(_)) = (spec, option.argument) {
        let _ = write!(text, " Default: {}.", spec.show(&spec.default_value()));
    }
    match spec.map(|spec| spec.status) {
        Some(Status::NotYet) => text.push_str(" Accepted, not acted on yet."),
        Some(Status::NoEffect(why)) => {
            let _ = write!(text, " Accepted, without effect: {why}.");
        }
        _ => {}
    }
    text
}

fn doc(spec: &OptionSpec) -> String {
    spec.doc().collect::<Vec<_>>().join(" ")
}

fn wrap(out: &mut String, text: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        if column + 1 + word.len() > WIDTH || column == 0 {
            if column > 0 {
                out.push('\n');
            }
            out.push_str(&" ".repeat(INDENT));
            column = INDENT;
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += word.len();
    }
    out.push('\n');
}

/// The manual page in roff: the command line, then every option of the file. `extra` are the
/// program's own options.
#[must_use]
pub fn man_page(program: &str, extra: &[CommandLineOption]) -> String {
    let title = program.replace(' ', "-");
    let mut out = format!(
        ".TH {} 8\n.SH NAME\n{} \\- InfiniBand subnet manager\n.SH SYNOPSIS\n.B {}\n[OPTIONS]\n",
        escape(&title.to_uppercase()),
        escape(&title),
        escape(program)
    );
    out.push_str(".SH OPTIONS\n");
    for option in extra.iter().chain(OPTIONS) {
        entry(&mut out, &option.forms(), &description(option));
    }
    out.push_str(".SH CONFIGURATION FILE\n");
    let mut group: Option<Group> = None;
    for spec in options::all() {
        if group.replace(spec.group) != Some(spec.group) {
            let _ = writeln!(out, ".SS {}", escape(spec.group.title()));
        }
        let default = spec.show(&spec.default_value());
        entry(&mut out, &format!("{} {default}", spec.key), &file_option(spec));
    }
    out
}

fn file_option(spec: &OptionSpec) -> String {
    let mut text = doc(spec);
    if !spec.reload {
        text.push_str(" Read at the start only.");
    }
    for option in OPTIONS.iter().filter(|option| option.key() == Some(spec.key)) {
        let _ = write!(text, " Command line: {}.", option.forms());
    }
    match spec.status {
        Status::Applied => {}
        Status::NotYet => text.push_str(" Not acted on yet."),
        Status::NoEffect(why) => {
            let _ = write!(text, " Without effect: {why}.");
        }
    }
    text
}

fn entry(out: &mut String, name: &str, text: &str) {
    let _ = writeln!(out, ".TP\n.B {}\n{}", escape(name), escape(text));
}

/// Text that roff prints as it is.
fn escape(text: &str) -> String {
    let text = text.replace('\\', "\\e").replace('-', "\\-");
    if text.starts_with(['.', '\'']) { format!("\\&{text}") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_names_every_option_and_keeps_to_the_width() {
        let help = help_text("lanekeeper sm", &[]);
        for option in OPTIONS {
            assert!(help.contains(&option.forms()), "{:?}", option.long);
            assert!(!description(option).is_empty(), "{:?}", option.long);
        }
        assert!(help.lines().all(|line| line.len() <= WIDTH), "{help}");
        assert!(help.contains("  -s, --sweep SECONDS\n          Seconds between sweeps;"));
    }

    #[test]
    fn the_manual_has_every_option_of_the_file() {
        let manual = man_page("lanekeeper sm", &[]);
        for spec in options::all() {
            assert!(manual.contains(&format!("\n.B {} ", spec.key)), "{}", spec.key);
        }
        assert!(manual.starts_with(".TH LANEKEEPER\\-SM 8\n"));
    }
}
