//! Putting the command line over the options of the file.

use lk_diag::{Diagnostic, Diagnostics};

use super::{CommandLine, Effect, Given, UsageError};
use crate::codes;
use crate::effective::Effective;
use crate::options::number::base0_unsigned;
use crate::options::{self, OptionSpec, Value};

/// What the command line asks for besides options of the file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Actions {
    /// Print the version and exit.
    pub version: bool,
    /// Print help and exit 2, as OpenSM does.
    pub help: bool,
    /// Write the options in force to this file and exit.
    pub create_config: Option<String>,
    /// One sweep, then exit.
    pub once: bool,
    /// Write the process id to this file.
    pub pid_file: Option<String>,
    /// `-g 0`: list the local ports and ask for one.
    pub ask_for_port: bool,
}

/// Options with a limit on the command line that the file's value does not have, or has as a
/// correction.
const LIMITS: &[(&str, u8)] = &[
    ("lmc", 7),
    ("sm_priority", 15),
    ("sm_sl", 15),
    ("lash_start_vl", 15),
    ("nue_max_num_vls", 15),
];

/// The longest sweep interval, in seconds, that OpenSM can count in microseconds.
const LONGEST_SWEEP: u32 = 4294;

impl CommandLine {
    /// Puts the options over those of the file, which must have been loaded before.
    ///
    /// # Errors
    ///
    /// An argument that is no value of its option or out of its range.
    pub fn apply(&self, effective: &mut Effective) -> Result<(Actions, Diagnostics), UsageError> {
        let mut apply = Apply {
            line: self,
            effective,
            actions: Actions::default(),
            diagnostics: Diagnostics::new(),
        };
        for given in &self.given {
            apply.given(given)?;
        }
        for operand in &self.operands {
            apply.diagnostics.push(
                Diagnostic::warning(codes::NO_EFFECT, "the argument belongs to no option").at(
                    &self.source,
                    operand.place,
                    "ignored",
                ),
            );
        }
        let Apply { actions, diagnostics, effective, .. } = apply;
        if actions.ask_for_port && effective.options().daemon {
            return Err(UsageError(
                "-g 0 asks for a port, which cannot be done in the background: name a GUID".into(),
            ));
        }
        Ok((actions, diagnostics))
    }
}

struct Apply<'a> {
    line: &'a CommandLine,
    effective: &'a mut Effective,
    actions: Actions,
    diagnostics: Diagnostics,
}

impl Apply<'_> {
    fn given(&mut self, given: &Given) -> Result<(), UsageError> {
        let text = given.value.as_deref().unwrap_or_default();
        match given.option.effect {
            Effect::Version => self.actions.version = true,
            Effect::Help => self.actions.help = true,
            Effect::Once => self.actions.once = true,
            Effect::CreateConfig => self.actions.create_config = Some(text.to_owned()),
            Effect::PidFile => self.actions.pid_file = Some(text.to_owned()),
            Effect::Config | Effect::Extra => {}
            Effect::Set(key) => self.set(given, key, text)?,
            Effect::SetHex(key) => self.set_hex(given, key, text)?,
            Effect::Fixed(key, value) => self.put(given, key, value)?,
            Effect::Verbose => {
                let flags = self.effective.options().log_flags << 1 | 1;
                self.put(given, "log_flags", &flags.to_string())?;
            }
            Effect::VeryVerbose => {
                self.put(given, "log_flags", "0xff")?;
                self.put(given, "force_log_flush", "TRUE")?;
            }
            Effect::Debug => self.debug(given, text)?,
        }
        Ok(())
    }

    fn set(&mut self, given: &Given, key: &'static str, text: &str) -> Result<(), UsageError> {
        let value = parse(given, spec(key)?, text)?;
        if let Value::U8(n) = value
            && let Some((_, most)) = LIMITS.iter().find(|(k, _)| *k == key)
            && n > *most
        {
            return Err(refuse(given, text, &format!("it goes from 0 to {most}")));
        }
        let words: &[&str] = match key {
            "console" => &["off", "local", "loopback", "socket"],
            "part_enforce" => &["both", "in", "out", "off"],
            _ => &[],
        };
        if !words.is_empty() && !words.contains(&text) {
            self.ignore(given, format!("`{text}` is none of {}", words.join(", ")));
            return Ok(());
        }
        match (key, &value) {
            ("transaction_timeout", Value::U32(0)) => {
                self.ignore(given, "a timeout of 0 cannot work".into());
            }
            ("sweep_interval", Value::U32(n)) if *n > LONGEST_SWEEP => {
                self.ignore(given, format!("an interval has at most {LONGEST_SWEEP} seconds"));
            }
            _ => self.take(given, spec(key)?, &value),
        }
        Ok(())
    }

    fn set_hex(&mut self, given: &Given, key: &'static str, text: &str) -> Result<(), UsageError> {
        let digits = text.strip_prefix("0x").or(text.strip_prefix("0X")).unwrap_or(text);
        let number = u64::from_str_radix(digits, 16)
            .ok()
            .filter(|_| !digits.starts_with('+'))
            .ok_or_else(|| refuse(given, text, "it is a hexadecimal number of 64 bits"))?;
        if key == "guid" {
            self.actions.ask_for_port = number == 0;
        }
        self.take(given, spec(key)?, &Value::X64(number));
        Ok(())
    }

    fn debug(&mut self, given: &Given, text: &str) -> Result<(), UsageError> {
        match base0_unsigned(text) {
            Ok(0) => self.put(given, "ignore_other_sm", "TRUE"),
            Ok(1) => self.put(given, "single_thread", "TRUE"),
            Ok(2) => self.put(given, "force_log_flush", "TRUE"),
            Ok(3) => self.put(given, "disable_multicast", "TRUE"),
            Ok(n) => {
                self.ignore(given, format!("there is no debug option {n}"));
                Ok(())
            }
            Err(_) => Err(refuse(given, text, "it is a number")),
        }
    }

    fn put(&mut self, given: &Given, key: &'static str, text: &str) -> Result<(), UsageError> {
        let value = parse(given, spec(key)?, text)?;
        self.take(given, spec(key)?, &value);
        Ok(())
    }

    fn take(&mut self, given: &Given, spec: &'static OptionSpec, value: &Value) {
        if spec.key == "cc_key"
            && let Value::X64(number) = value
            && *number != number.swap_bytes()
        {
            let message =
                "OpenSM 3.3.23 takes --cc_key in the other order of bytes than the file's";
            self.diagnostics.push(
                Diagnostic::info(codes::OPENSM_OTHERWISE, message)
                    .at(&self.line.source, given.place, "")
                    .note("here both are the number as it is written")
                    .help("write `cc_key` into opensm.conf: it means the same everywhere"),
            );
        }
        self.effective.set(spec, value, &self.line.source, given.place);
    }

    fn ignore(&mut self, given: &Given, why: String) {
        let name = given.option.long.first().copied().unwrap_or_default();
        self.diagnostics.push(
            Diagnostic::warning(codes::BAD_VALUE, format!("--{name} is ignored: {why}")).at(
                &self.line.source,
                given.place,
                "ignored",
            ),
        );
    }
}

/// The option of the file; a test holds that every one that the table names exists.
fn spec(key: &'static str) -> Result<&'static OptionSpec, UsageError> {
    options::find(key).ok_or_else(|| UsageError(format!("there is no option `{key}`")))
}

fn parse(given: &Given, spec: &OptionSpec, text: &str) -> Result<Value, UsageError> {
    spec.parse(text).map_err(|e| refuse(given, text, &e.to_string()))
}

fn refuse(given: &Given, text: &str, why: &str) -> UsageError {
    let name = given.option.long.first().copied().unwrap_or_default();
    UsageError(format!("--{name} does not take `{text}`: {why}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::OPTIONS;
    use crate::opensm_conf;
    use lk_diag::SourceFile;

    fn run(file: &str, line: &str) -> Result<(Effective, Actions, Diagnostics), UsageError> {
        let mut effective = Effective::new(None);
        let (conf, _) = opensm_conf::parse(&SourceFile::new("f", file));
        effective.load(&conf);
        let arguments: Vec<String> =
            line.split(' ').filter(|a| !a.is_empty()).map(str::to_owned).collect();
        let (actions, diagnostics) = CommandLine::parse(&arguments, &[])?.apply(&mut effective)?;
        Ok((effective, actions, diagnostics))
    }

    #[test]
    fn every_key_of_the_table_exists_and_takes_its_value() {
        for option in OPTIONS {
            match option.effect {
                Effect::Set(key) | Effect::SetHex(key) => {
                    assert!(options::find(key).is_some(), "{key}");
                }
                Effect::Fixed(key, value) => {
                    assert!(options::find(key).is_some_and(|s| s.parse(value).is_ok()), "{key}");
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_command_line_wins() {
        let (e, _, _) = run("qos FALSE\nsm_sl 3\nlmc 2", "-Q --sm_sl 4").unwrap();
        assert!(e.options().qos);
        assert_eq!((e.options().sm_sl, e.options().lmc), (4, 2));
    }

    #[test]
    fn hexadecimal_and_other_numbers() {
        let (e, a, _) = run("", "-g 10 -k 0x1f --subnet_prefix fe -D 0x43 -n 0x10").unwrap();
        let o = e.options();
        assert_eq!((o.guid.0, o.sm_key, o.subnet_prefix), (0x10, 0x1f, 0xfe));
        assert_eq!((o.log_flags, o.max_wire_smps), (0x43, 16));
        assert!(!a.ask_for_port);
        assert!(run("", "-g 0").unwrap().1.ask_for_port);
    }

    #[test]
    fn log_levels_and_debug_numbers() {
        let flags = |line| run("", line).map(|(e, _, _)| e.options().log_flags);
        assert_eq!(flags("-v"), Ok(7));
        assert_eq!(flags("-vv"), Ok(15));
        assert_eq!(flags("-V"), Ok(0xff));
        let (e, _, d) = run("", "-d 0 -d 1 -d 2 -d 3 -d 10").unwrap();
        let o = e.options();
        assert!(o.ignore_other_sm && o.single_thread && o.force_log_flush && o.disable_multicast);
        assert_eq!(d.len(), 1, "there is no debug option 10");
    }

    #[test]
    fn what_opensm_ignores_is_ignored_and_said() {
        let (e, _, d) = run("", "-t 0 -s 5000 -q bad -Z foo stray").unwrap();
        let o = e.options();
        assert_eq!((o.transaction_timeout, o.sweep_interval), (200, 10));
        assert_eq!(o.part_enforce.as_deref(), Some("both"));
        assert_eq!(d.len(), 5);
    }

    #[test]
    fn what_is_fatal() {
        for line in [
            "-l 8",
            "-p 16",
            "--sm_sl 16",
            "--lash_start_vl 16",
            "--nue_max_num_vls 16",
            "-l x",
            "-D 300",
            "-g zz",
            "-g +1",
            "-B -g 0",
            "-d x",
        ] {
            assert!(run("", line).is_err(), "{line}");
        }
    }
}
