//! The files of a site.

use lk_config::Effective;
use lk_diag::Diagnostics;
use lk_qos::ResolvedSets;
use lk_sm::{Guid2Lid, Settings};

use crate::commands::sm::setup;

/// A site's options, and what the files hold that they name.
pub(super) struct Site {
    /// The options in force.
    pub(super) effective: Effective,
    /// The same with the files.
    pub(super) settings: Settings,
    /// The `qos_` options for each class of ports.
    pub(super) sets: ResolvedSets,
}

impl Site {
    /// Reads the files that the options name, and gives what is to be said of them.
    pub(super) fn read(effective: &Effective) -> (Self, Diagnostics) {
        let mut said = Diagnostics::new();
        let settings = setup::settings(effective, true, Guid2Lid::new(), None, &mut said);
        let sets = ResolvedSets::new(&effective.options().qos_sets);
        (Self { effective: effective.clone(), settings, sets }, said)
    }
}
