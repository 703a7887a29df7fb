//! OpenSM's command line: one table of options, read as getopt_long_only reads it.
//!
//! `table` lists the options, `own` those of Lanekeeper, `getopt` splits arguments, `apply` puts
//! them over the file's options, `manual` writes help and manual page from the table. The caller
//! first asks [`CommandLine::config_file`], loads that file, and then applies the command line.

mod apply;
mod getopt;
mod manual;
mod own;
mod table;

use lk_diag::{SourceFile, Span};

pub use apply::Actions;
pub use manual::{help_text, man_page};
pub use own::{REQUIRE_LOOP_FREE, SM_OPTIONS};
pub use table::{Argument, CommandLineOption, Effect, OPTIONS};

/// The command line cannot be understood: the program prints this and its usage, and exits 2.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct UsageError(pub String);

/// The options that were given, in their order.
#[derive(Clone, Debug)]
pub struct CommandLine {
    /// The arguments, separated by blanks, as a source to point into.
    pub source: SourceFile,
    /// The options.
    pub given: Vec<Given>,
    /// Arguments that belong to no option. OpenSM ignores them.
    pub operands: Vec<Operand>,
}

/// An option that was given.
#[derive(Clone, Debug)]
pub struct Given {
    /// The option.
    pub option: &'static CommandLineOption,
    /// Its argument.
    pub value: Option<String>,
    /// Where it stands in [`CommandLine::source`].
    pub place: Span,
}

/// An argument that belongs to no option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Operand {
    /// The argument.
    pub text: String,
    /// Where it stands in [`CommandLine::source`].
    pub place: Span,
}

impl CommandLine {
    /// Reads the arguments, without the program's name. `extra` are options that the program has
    /// besides OpenSM's; OpenSM's go before them where a name is cut short.
    ///
    /// As with getopt_long_only, a long option may have one dash or two and may be cut to any
    /// unambiguous beginning, with its argument behind `=` or next; a single letter with one
    /// dash is a short option, several may stand together. `-` and `_` are the same in long
    /// names.
    ///
    /// # Errors
    ///
    /// An unknown or ambiguous option, a missing argument, or one where none belongs.
    pub fn parse(
        arguments: &[String],
        extra: &'static [CommandLineOption],
    ) -> Result<Self, UsageError> {
        getopt::parse(arguments, extra)
    }

    /// The file that `-F` names.
    ///
    /// # Errors
    ///
    /// `-F` is given twice, which OpenSM refuses too.
    pub fn config_file(&self) -> Result<Option<&str>, UsageError> {
        let mut files = self
            .given
            .iter()
            .filter(|given| given.option.effect == Effect::Config)
            .filter_map(|given| given.value.as_deref());
        let first = files.next();
        match files.next() {
            None => Ok(first),
            Some(second) => Err(UsageError(format!(
                "two configuration files are given: {} and {second}",
                first.unwrap_or_default()
            ))),
        }
    }

    /// The argument of an option that the program has besides OpenSM's: `None` when it was not
    /// given, `Some("")` when it has no argument. The last one counts.
    #[must_use]
    pub fn extra(&self, long: &str) -> Option<&str> {
        let mut given = self.given.iter().rev();
        given
            .find(|g| g.option.effect == Effect::Extra && g.option.long.contains(&long))
            .map(|g| g.value.as_deref().unwrap_or_default())
    }
}

/// The option of the file that a long name of the command line sets, for those who write the
/// one in place of the other.
pub(crate) fn key_of_long_name(long: &str) -> Option<&'static str> {
    let folded = getopt::fold(long);
    let option = OPTIONS.iter().find(|o| o.long.iter().any(|l| getopt::fold(l) == folded))?;
    option.key()
}
