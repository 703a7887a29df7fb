//! Files that are made from a table in the code: written by a command, compared by a test.

use std::fs;

use anyhow::{Context, Result};

use crate::{Finding, tree};

/// A file that is made.
pub(crate) struct Generated {
    /// Its place below the repository's root.
    pub(crate) place: &'static str,
    /// The command that writes it.
    pub(crate) command: &'static str,
    /// What it holds.
    pub(crate) text: fn() -> String,
}

impl Generated {
    /// Writes the file.
    pub(crate) fn write(&self) -> Result<()> {
        let path = tree::root().join(self.place);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make {}", folder.display()))?;
        }
        fs::write(&path, (self.text)()).with_context(|| format!("cannot write {}", path.display()))
    }

    /// Whether the file is what the table says.
    pub(crate) fn check(&self) -> Result<Vec<Finding>> {
        let path = tree::root().join(self.place);
        let text =
            fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        if text == (self.text)() {
            return Ok(Vec::new());
        }
        let message = format!("is not what the code says: run cargo xtask {}", self.command);
        Ok(vec![Finding::new(self.place, 0, message)])
    }
}
