//! The library in a folder, for the loader to find.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::Path;

use tempfile::TempDir;

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libibumad.so.3"));

/// The variable by which the loader is told where to look first.
const LOADER_PATH: &str = "LD_LIBRARY_PATH";

/// The stand-in in a folder that only this user may read; gone when it is dropped.
#[derive(Debug)]
pub struct Installed(TempDir);

impl Installed {
    /// Writes the library into a new folder.
    ///
    /// # Errors
    /// The folder for temporary files is full or cannot be written to.
    pub fn new() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("lanekeeper-").tempdir()?;
        fs::write(folder.path().join("libibumad.so.3"), LIBRARY)?;
        Ok(Self(folder))
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.0.path()
    }

    /// The environment that a program needs to use the stand-in on the fabric behind a socket,
    /// from a node that is named or is the fabric's first.
    #[must_use]
    pub fn environment(&self, socket: &Path, node: Option<&str>) -> Vec<(&'static str, OsString)> {
        let mut path = OsString::from(self.folder());
        if let Some(others) = env::var_os(LOADER_PATH).filter(|others| !others.is_empty()) {
            path.push(":");
            path.push(others);
        }
        let mut variables = vec![(LOADER_PATH, path), (crate::protocol::SOCKET, socket.into())];
        if let Some(node) = node {
            variables.push((crate::protocol::NODE, node.into()));
        }
        variables
    }
}
