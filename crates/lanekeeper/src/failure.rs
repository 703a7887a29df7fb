//! Why a command ends without its result, and the exit code that says so.

use std::process::ExitCode;

use crate::terminal;

/// The code for a finding of severity error, a refused fabric or a failed proof.
pub(crate) const FOUND: u8 = 1;
/// The code for wrong usage and for input that cannot be read.
pub(crate) const UNUSABLE: u8 = 2;

/// Why a command gives no result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What was given cannot be used: options, files.
    Unusable(anyhow::Error),
    /// It was understood, and the answer is no.
    Refused(anyhow::Error),
}

impl Failure {
    /// Says why on standard error; gives the exit code.
    pub(crate) fn report(&self) -> ExitCode {
        let (code, error) = match self {
            Self::Unusable(error) => (UNUSABLE, error),
            Self::Refused(error) => (FOUND, error),
        };
        terminal::complain(&format!("lanekeeper: {error:#}"));
        ExitCode::from(code)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unusable(error) | Self::Refused(error) => write!(f, "{error:#}"),
        }
    }
}

/// An error that is about what was given, unless it is said otherwise.
impl From<anyhow::Error> for Failure {
    fn from(error: anyhow::Error) -> Self {
        Self::Unusable(error)
    }
}
