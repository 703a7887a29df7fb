//! The files of the repository, read once and in a fixed order.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// Folders that hold no text of ours.
const SKIPPED: [&str; 4] = [".git", "target", "corpus", "artifacts"];

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR"));
    manifest.parent().map_or_else(|| manifest.to_owned(), Path::to_owned)
}

/// A text file of the tree.
pub(crate) struct TextFile {
    /// The path below the root, with `/` between the parts.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl TextFile {
    /// Whether the file's name ends in a dot and this extension.
    pub(crate) fn has_extension(&self, extension: &str) -> bool {
        Path::new(&self.path).extension().is_some_and(|e| e == extension)
    }

    /// The lines with their numbers, from 1.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// All files under the root with one of the extensions, by path.
pub(crate) fn files(extensions: &[&str]) -> Result<Vec<TextFile>> {
    let root = root();
    let mut found = Vec::new();
    walk(&root, &root, extensions, &mut found)?;
    found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

fn walk(root: &Path, folder: &Path, extensions: &[&str], found: &mut Vec<TextFile>) -> Result<()> {
    for entry in
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_ref()) {
                walk(root, &path, extensions, found)?;
            }
            continue;
        }
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if extensions.contains(&extension.as_ref()) {
            let text = fs::read_to_string(&path)
                .with_context(|| format!("cannot read {}", path.display()))?;
            let below = path.strip_prefix(root).unwrap_or(&path);
            found.push(TextFile { path: below.to_string_lossy().into_owned(), text });
        }
    }
    Ok(())
}
