//! Splitting arguments into options as getopt_long_only does.

use lk_diag::{SourceFile, Span};

use super::{Argument, CommandLine, CommandLineOption, Given, OPTIONS, Operand, UsageError};

/// The name under which the command line appears in diagnostics.
const NAME: &str = "<command line>";

pub(super) fn parse(
    arguments: &[String],
    extra: &'static [CommandLineOption],
) -> Result<CommandLine, UsageError> {
    let mut parser = Parser { arguments, extra, at: 0, offset: 0, given: Vec::new() };
    let mut operands = Vec::new();
    let mut only_operands = false;
    while let Some((text, place)) = parser.next_argument() {
        match text.strip_prefix('-').filter(|name| !only_operands && !name.is_empty()) {
            Some("-") => only_operands = true,
            Some(name) => parser.option(text, name, place)?,
            None => operands.push(Operand { text: text.to_owned(), place }),
        }
    }
    let source = SourceFile::new(NAME, arguments.join(" "));
    Ok(CommandLine { source, given: parser.given, operands })
}

/// Long names are the same whatever dashes are in them.
pub(super) fn fold(name: &str) -> String {
    name.replace('-', "_")
}

struct Parser<'a> {
    arguments: &'a [String],
    extra: &'static [CommandLineOption],
    /// The next argument, and where it starts in the joined text.
    at: usize,
    offset: usize,
    given: Vec<Given>,
}

/// What a long name stands for.
enum Match {
    One(&'static CommandLineOption),
    Several(Vec<&'static str>),
    None,
}

impl<'a> Parser<'a> {
    fn next_argument(&mut self) -> Option<(&'a str, Span)> {
        let text = self.arguments.get(self.at)?;
        let place = Span::new(self.offset, self.offset + text.len());
        self.at += 1;
        self.offset = place.end + 1;
        Some((text, place))
    }

    fn all(&self) -> impl Iterator<Item = &'static CommandLineOption> + use<> {
        OPTIONS.iter().chain(self.extra)
    }

    /// The program's own letters go before OpenSM's: it has them because OpenSM's mean nothing
    /// there.
    fn letter(&self, letter: char) -> Option<&'static CommandLineOption> {
        self.extra.iter().chain(OPTIONS).find(|option| option.short.contains(&letter))
    }

    /// An argument that starts with a dash; `name` is what follows the first dash.
    fn option(&mut self, text: &str, name: &str, place: Span) -> Result<(), UsageError> {
        let long_form = name.strip_prefix('-');
        let mut letters = name.chars();
        let first = letters.next();
        let known_letter = long_form.is_none() && first.is_some_and(|l| self.letter(l).is_some());
        if known_letter && letters.as_str().is_empty() {
            return self.letters(name, place);
        }
        let name_and_value = long_form.unwrap_or(name);
        let (long, value) = match name_and_value.split_once('=') {
            Some((long, value)) => (long, Some(value)),
            None => (name_and_value, None),
        };
        match self.long_option(long) {
            Match::One(option) => self.long(text, option, value, place),
            Match::Several(names) => Err(UsageError(format!(
                "option `{text}` is ambiguous: it may be --{}",
                names.join(" or --")
            ))),
            Match::None if known_letter => self.letters(name, place),
            Match::None => Err(self.unknown(text, long)),
        }
    }

    /// The option of this name, else the only one whose name starts so. The program's own
    /// options do not make an abbreviation ambiguous that OpenSM takes.
    fn long_option(&self, name: &str) -> Match {
        let folded = fold(name);
        if folded.is_empty() {
            return Match::None;
        }
        let names = |options: &'static [CommandLineOption]| {
            options.iter().flat_map(|option| option.long.iter().map(move |long| (option, *long)))
        };
        let all = || names(OPTIONS).chain(names(self.extra));
        if let Some((option, _)) = all().find(|(_, long)| fold(long) == folded) {
            return Match::One(option);
        }
        for options in [OPTIONS, self.extra] {
            let begins: Vec<_> =
                names(options).filter(|(_, long)| fold(long).starts_with(&folded)).collect();
            match begins.as_slice() {
                [] => {}
                [(option, _)] => return Match::One(option),
                several => return Match::Several(several.iter().map(|(_, long)| *long).collect()),
            }
        }
        Match::None
    }

    fn long(
        &mut self,
        text: &str,
        option: &'static CommandLineOption,
        value: Option<&str>,
        mut place: Span,
    ) -> Result<(), UsageError> {
        let value = match (option.argument, value) {
            (Argument::None, Some(_)) => {
                return Err(UsageError(format!("option `{text}` takes no argument")));
            }
            (Argument::None | Argument::Optional(_), None) => None,
            (Argument::Required(_) | Argument::Optional(_), Some(value)) => Some(value.to_owned()),
            (Argument::Required(what), None) => Some(self.required(text, what, &mut place)?),
        };
        self.given.push(Given { option, value, place });
        Ok(())
    }

    /// Letters that stand together; the argument of one ends the row.
    fn letters(&mut self, row: &str, mut place: Span) -> Result<(), UsageError> {
        let mut rest = row.chars();
        while let Some(letter) = rest.next() {
            let option = self
                .letter(letter)
                .ok_or_else(|| UsageError(format!("there is no option `-{letter}`")))?;
            let behind = rest.as_str();
            let value = match option.argument {
                Argument::None => None,
                Argument::Optional(_) if behind.is_empty() => None,
                Argument::Required(what) if behind.is_empty() => {
                    Some(self.required(&format!("-{letter}"), what, &mut place)?)
                }
                Argument::Optional(_) | Argument::Required(_) => Some(behind.to_owned()),
            };
            let ends_row = value.is_some();
            self.given.push(Given { option, value, place });
            if ends_row {
                break;
            }
        }
        Ok(())
    }

    fn required(
        &mut self,
        option: &str,
        what: &str,
        place: &mut Span,
    ) -> Result<String, UsageError> {
        let (value, at) = self
            .next_argument()
            .ok_or_else(|| UsageError(format!("option `{option}` needs an argument: {what}")))?;
        *place = place.cover(at);
        Ok(value.to_owned())
    }

    fn unknown(&self, text: &str, long: &str) -> UsageError {
        let names = self.all().flat_map(|option| option.long).copied();
        let hint = lk_diag::nearest(long, names);
        let hint = hint.map(|name| format!("; did you mean `--{name}`?")).unwrap_or_default();
        UsageError(format!("there is no option `{text}`{hint}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command_line::Effect;
    use proptest::prelude::*;

    static EXTRA: &[CommandLineOption] = &[
        CommandLineOption {
            long: &["sim"],
            short: &[],
            argument: Argument::Required("FABRIC"),
            effect: Effect::Extra,
            doc: "",
        },
        CommandLineOption {
            long: &["all"],
            short: &[],
            argument: Argument::None,
            effect: Effect::Extra,
            doc: "",
        },
        CommandLineOption {
            long: &["json"],
            short: &[],
            argument: Argument::Optional("FILE"),
            effect: Effect::Extra,
            doc: "",
        },
    ];

    fn read(line: &str) -> Result<Vec<(&'static str, Option<String>)>, String> {
        let arguments: Vec<String> = line.split(' ').map(str::to_owned).collect();
        let parsed = parse(&arguments, EXTRA).map_err(|e| e.0)?;
        Ok(parsed.given.into_iter().map(|g| (g.option.long[0], g.value)).collect())
    }

    #[test]
    fn the_forms_of_getopt_long_only() {
        let with = |name, value: &str| vec![(name, Some(value.to_owned()))];
        for (line, expected) in [
            ("-s 5", with("sweep", "5")),
            ("-s5", with("sweep", "5")),
            ("-sweep 5", with("sweep", "5")),
            ("--sweep=5", with("sweep", "5")),
            ("--sw=5", with("sweep", "5")),
            ("-sw 5", with("sweep", "5")),
            ("-D0x43", with("D", "0x43")),
            ("-D=3", with("D", "3")),
            ("--rou nue", with("routing_engine", "nue")),
            ("--scatter_ports 8", with("scatter-ports", "8")),
            ("--create_config x", with("create-config", "x")),
            ("-J x", with("pidfile", "x")),
            ("--sim x", with("sim", "x")),
            ("-qos", vec![("qos", None)]),
            ("--json", vec![("json", None)]),
            ("--json=x", with("json", "x")),
            ("--js", vec![("json", None)]),
            ("--a", vec![("allow_both_pkeys", None)]),
            ("-vv", vec![("verbose", None), ("verbose", None)]),
            ("-Qs5", vec![("qos", None), ("sweep", Some("5".into()))]),
            ("-j", vec![("json", None)]),
            ("-? -h", vec![("help", None), ("help", None)]),
            ("x -Q y", vec![("qos", None)]),
            ("-Q -- -z", vec![("qos", None)]),
            ("-Q -", vec![("qos", None)]),
            ("-s -1", with("sweep", "-1")),
        ] {
            assert_eq!(read(line), Ok(expected), "{line}");
        }
    }

    #[test]
    fn what_is_refused() {
        for (line, why) in [
            ("--qo", "option `--qo` is ambiguous: it may be --qos or --qos_policy_file"),
            ("-sm 3", "option `-sm` is ambiguous: it may be --smkey or --sm_sl"),
            ("--qos=1", "option `--qos=1` takes no argument"),
            ("-s", "option `-s` needs an argument: SECONDS"),
            ("--sweep", "option `--sweep` needs an argument: SECONDS"),
            ("--swep 3", "there is no option `--swep`; did you mean `--sweep`?"),
            ("--=x", "there is no option `--=x`"),
            ("-QK", "there is no option `-K`"),
        ] {
            assert_eq!(read(line), Err(why.to_owned()), "{line}");
        }
    }

    #[test]
    fn every_name_of_opensm_is_known_and_none_twice() {
        let names = "version config create-config debug guid ignore_guids hop_weights_file \
            dimn_ports_file port_search_ordering_file lmc sweep timeout verbose D V log_file \
            log_limit erase_log_file Pconfig no_part_enforce part_enforce allow_both_pkeys qos \
            qos_policy_file congestion_control cc_key maxsmps console console-port help once \
            reassign_lids priority subnet_prefix smkey routing_engine ucast_cache \
            connect_roots lid_matrix_file lfts_file sadb_file root_guid_file cn_guid_file \
            io_guid_file port-shifting scatter-ports max_reverse_hops ids_guid_file \
            guid_routing_order_file guid_routing_order_no_scatter stay_on_fatal honor_guid2lid \
            daemon pidfile inactive perfmgr perfmgr_sweep_time_s prefix_routes_file \
            consolidate_ipv6_snm_req do_mesh_analysis lash_start_vl sm_sl retries log_prefix \
            torus_config nue_max_num_vls dump_files_dir";
        let mut expected: Vec<&str> = names.split(' ').collect();
        let mut long: Vec<&str> = OPTIONS.iter().flat_map(|o| o.long).copied().collect();
        expected.sort_unstable();
        long.sort_unstable();
        assert_eq!(long, expected);
        let letters: String = OPTIONS.iter().flat_map(|o| o.short).collect();
        for letter in "FciwOfeDglLstaumXRzMUSPYANZWBIQvVhoryxpnqkCGHdJ?".chars() {
            assert_eq!(letters.matches(letter).count(), 1, "{letter}");
        }
    }

    proptest! {
        #[test]
        fn any_arguments_are_read_or_refused(
            arguments in proptest::collection::vec("-{0,2}[a-zA-Z=_-]{0,6}|\\PC{0,8}", 0..6)
        ) {
            if let Ok(parsed) = parse(&arguments, EXTRA) {
                for given in &parsed.given {
                    prop_assert!(given.place.end <= parsed.source.text().len());
                }
            }
        }
    }
}
