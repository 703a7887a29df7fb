//! The options of `lanekeeper sm` that opensm does not have.
//!
//! They stand here, beside opensm's, because the help text and the manual page are made of both.

use super::{Argument, CommandLineOption, Effect};

/// What `lanekeeper sm` knows beside opensm's options; see [`super::CommandLine::extra`].
pub static SM_OPTIONS: &[CommandLineOption] = &[
    CommandLineOption::own(
        &["sim"],
        Argument::Required("FABRIC"),
        "Run on a simulated fabric: a file in ibnetdiscover's, ibsim's or ibdm's form. Needs no hardware. \
         The log goes to standard output, and no cache or dump is written unless its folder is \
         named.",
    ),
    CommandLineOption::own(
        &["ibnl-path"],
        Argument::Required("DIRS"),
        "With --sim: folders with definitions of systems (.ibnl) for a topology file of ibdm, with \
         colons between them.",
    ),
    CommandLineOption::own(
        &["sim-state"],
        Argument::Required("FILE"),
        "With --sim: the state of the simulated ports and switches is read from this file at the \
         start, if it exists, and written to it at the end.",
    ),
    CommandLineOption::own(
        &["sim-seed"],
        Argument::Required("N"),
        "With --sim: the seed of everything that is left to chance there.",
    ),
    CommandLineOption::own(
        &["plan"],
        Argument::None,
        "Read the fabric, say what would be changed and why, and write nothing. Exits 0 if nothing \
         would change, 1 otherwise.",
    ),
    CommandLineOption::own(&["json"], Argument::None, "With --plan: print the plan as JSON."),
    CommandLineOption::own(
        &["all"],
        Argument::None,
        "With --plan: name every port, not the first few of each kind.",
    ),
    REQUIRE_LOOP_FREE,
];

/// For every command that routes.
pub const REQUIRE_LOOP_FREE: CommandLineOption = CommandLineOption {
    effect: Effect::Fixed("require_loop_free", "TRUE"),
    ..CommandLineOption::own(
        &["require-loop-free"],
        Argument::None,
        "Use no routes that can deadlock: an engine that makes such declines, and the next one of \
         the list is tried.",
    )
};

impl CommandLineOption {
    /// A long option of a program's own, whose argument [`super::CommandLine::extra`] gives.
    #[must_use]
    pub const fn own(long: &'static [&'static str], argument: Argument, doc: &'static str) -> Self {
        Self { long, short: &[], argument, effect: Effect::Extra, doc }
    }
}
