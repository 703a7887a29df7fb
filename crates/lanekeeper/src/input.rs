//! Reading the files that commands are given.

use std::fs;
use std::io::Read;
use std::path::Path;

use anyhow::{Context, anyhow};
use lk_diag::SourceFile;
use lk_fabric::text::{self, FabricFile};

use crate::failure::Failure;
use crate::terminal;

/// A fabric from a file, and whether something in the file was wrong enough to tell by the code.
pub(crate) struct FabricInput {
    /// The fabric, without what could not be used.
    pub(crate) file: FabricFile,
    /// Whether there was a finding of severity error.
    pub(crate) flawed: bool,
}

/// Reads a file as it is; `-` is standard input.
///
/// # Errors
/// [`Failure::Unusable`] where it cannot be read.
pub(crate) fn source(path: &Path) -> Result<SourceFile, Failure> {
    let name = path.display().to_string();
    if path == Path::new("-") {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).context("cannot read standard input")?;
        return Ok(SourceFile::new("standard input", bytes));
    }
    let bytes = fs::read(path).with_context(|| format!("cannot read {name}"))?;
    Ok(SourceFile::new(name, bytes))
}

/// Reads a fabric, in ibnetdiscover's or ibsim's form, and shows what is to be said of the file.
///
/// # Errors
/// [`Failure::Unusable`] where the file cannot be read or holds no fabric.
pub(crate) fn fabric(path: &Path) -> Result<FabricInput, Failure> {
    let source = source(path)?;
    let (file, diagnostics) = text::read_fabric(&source);
    terminal::show(&diagnostics);
    let file = file.ok_or_else(|| anyhow!("{} holds no fabric", source.name()))?;
    Ok(FabricInput { file, flawed: diagnostics.has_errors() })
}
