//! Where the fabric files of the field are.

use std::fs;
use std::path::{Path, PathBuf};

/// The folder with the field's files; says so where it is missing.
#[expect(clippy::print_stderr, reason = "a test that is skipped must say so")]
pub(crate) fn shared() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("LANEKEEPER_SHARED").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("SKIPPED: the folder shared/ with the field's files is missing");
    None
}

/// Files of ibnetdiscover, ibsim and ibdm in a folder or one below it, by name.
pub(crate) fn fabrics(folder: &Path) -> Vec<PathBuf> {
    let list = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder of files");
        entries.map(|entry| entry.expect("an entry").path()).collect()
    };
    let mut files = Vec::new();
    for path in list(folder) {
        if path.is_dir() {
            files.extend(list(&path).into_iter().filter(|path| path.ends_with("fabric.net")));
        } else {
            files.push(path);
        }
    }
    let is_fabric = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let ends = [".ibnetdiscover", ".net", ".topo"];
        ends.iter().any(|end| name.ends_with(end)) || name.starts_with("t18-")
    };
    files.retain(is_fabric);
    files.sort();
    files
}
