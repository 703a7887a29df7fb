//! Reading the files that commands are given.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use lk_diag::SourceFile;
use lk_fabric::text::{self, FabricFile, Files};

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

/// Reads a fabric, in any of the forms of docs/formats.md, and shows what is to be said of the
/// file. `ibnl` are folders with definitions of systems, in the way of a search path.
///
/// # Errors
/// [`Failure::Unusable`] where the file cannot be read or holds no fabric.
pub(crate) fn fabric(path: &Path, ibnl: Option<&str>) -> Result<FabricInput, Failure> {
    let source = source(path)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let (file, diagnostics) =
        text::read_fabric_with(&source, &mut Beside { folder, ibnl: ibnl.unwrap_or_default() });
    terminal::show(&diagnostics);
    let file = file.ok_or_else(|| anyhow!("{} holds no fabric", source.name()))?;
    Ok(FabricInput { file, flawed: diagnostics.has_errors() })
}

/// The files beside a fabric's own.
struct Beside<'a> {
    folder: &'a Path,
    ibnl: &'a str,
}

impl Files for Beside<'_> {
    fn include(&mut self, name: &str) -> Result<Vec<u8>, String> {
        fs::read(self.folder.join(name)).map_err(|error| error.to_string())
    }

    /// First what the command line and then what the environment names, as ibdm has it; then the
    /// topology's own folder, and what the package of ibdm has installed.
    fn systems(&mut self) -> Vec<SourceFile> {
        let named = std::env::var("IBDM_IBNL_PATH").unwrap_or_default();
        let words = self.ibnl.split([':', ',']).chain(named.split([':', ',']));
        let mut folders: Vec<PathBuf> =
            words.filter(|word| !word.is_empty()).map(PathBuf::from).collect();
        folders.extend([self.folder.to_owned(), self.folder.join("systems")]);
        folders.extend(installed());
        let mut files = Vec::new();
        for folder in folders {
            // Most of these folders are not there, and none of them has to be.
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            let mut paths = entries(folder);
            paths.retain(|path| path.extension().is_some_and(|end| end == "ibnl"));
            files.extend(paths.iter().filter_map(|path| source(path).ok()));
        }
        files
    }
}

/// The folders with definitions that packages of ibdm install: `/usr/lib/ibdm1.5.7/ibnl`, perhaps
/// below a folder for the machine's kind.
fn installed() -> Vec<PathBuf> {
    let mut roots = vec![PathBuf::from("/usr/lib"), PathBuf::from("/usr/lib64")];
    roots.extend(entries(Path::new("/usr/lib")).into_iter().filter(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().contains("-linux-"))
    }));
    let of_ibdm = |path: &PathBuf| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("ibdm"))
    };
    let folders = roots.iter().flat_map(|root| entries(root)).filter(of_ibdm);
    folders.map(|folder| folder.join("ibnl")).collect()
}

/// What is in a folder, by name; nothing where it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| e.ok()).map(|e| e.path()).collect();
    paths.sort();
    paths
}
