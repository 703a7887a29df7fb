//! Where a snapshot comes from.

use std::path::PathBuf;

use anyhow::anyhow;
use lk_sm::Settings;
use lk_snapshot::{Snapshot, read};

use super::{dumps, live, simulated};
use crate::failure::Failure;
use crate::{input, terminal};

/// Where a snapshot comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::commands) enum Source {
    /// The fabric that one of this machine's ports is on.
    Live,
    /// A fabric's file, brought up on the embedded simulator.
    Simulated(PathBuf),
    /// A folder of opensm's dump files.
    Dumps(PathBuf),
    /// A snapshot's file.
    File(PathBuf),
}

/// A snapshot, and how it was come by.
pub(in crate::commands) struct Taken {
    /// The snapshot.
    pub(in crate::commands) snapshot: Snapshot,
    /// How many requests reading it took, where it was read from ports.
    pub(in crate::commands) requests: Option<u64>,
    /// Whether files held something wrong; it was shown.
    pub(in crate::commands) flawed: bool,
}

impl Source {
    /// Takes the snapshot. `settings` say which port to ask from, and by which options a simulated
    /// fabric is brought up.
    ///
    /// # Errors
    /// A port that cannot be opened; a fabric that cannot be read or brought up; files that cannot
    /// be read.
    pub(in crate::commands) fn take(&self, settings: &Settings) -> Result<Taken, Failure> {
        let whole =
            |(snapshot, requests)| Taken { snapshot, requests: Some(requests), flawed: false };
        match self {
            Self::Live => live::read(settings).map(whole),
            Self::Simulated(path) => simulated::read(path, settings),
            Self::Dumps(folder) => dumps::read(folder),
            Self::File(path) => {
                let source = input::source(path)?;
                let (snapshot, said) = read(&source);
                terminal::show(&said);
                let snapshot = snapshot
                    .ok_or_else(|| anyhow!("{} cannot be read as a snapshot", source.name()))?;
                Ok(Taken { snapshot, requests: None, flawed: said.has_errors() })
            }
        }
    }

    /// The source in a few words.
    pub(in crate::commands) fn name(&self) -> String {
        match self {
            Self::Live => "the live fabric".to_owned(),
            Self::Simulated(path) | Self::Dumps(path) | Self::File(path) => {
                path.display().to_string()
            }
        }
    }
}
