//! Where the field's files are, for the tests that read them.

use std::path::PathBuf;

/// A folder under `shared/`: beside the repository's root, or where `LANEKEEPER_SHARED` says.
/// Where it is missing, says so and returns `None`: the test has nothing to work on.
pub(crate) fn folder(name: &str) -> Option<PathBuf> {
    let root = std::env::var_os("LANEKEEPER_SHARED").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        PathBuf::from,
    );
    let folder = root.join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    None
}
