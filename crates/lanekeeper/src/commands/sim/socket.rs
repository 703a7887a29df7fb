//! Where fabrics are served: sockets in a folder of this user's own.

use std::fs::{self, DirBuilder};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use tempfile::TempDir;

use crate::failure::Failure;

/// The socket of a name: a path where the name has a slash, else a file in this user's folder.
pub(super) fn path(name: &str) -> PathBuf {
    if name.contains('/') {
        return PathBuf::from(name);
    }
    folder().join(format!("{name}.sock"))
}

/// The folder of this user's sockets.
fn folder() -> PathBuf {
    match std::env::var_os("XDG_RUNTIME_DIR").filter(|folder| !folder.is_empty()) {
        Some(folder) => PathBuf::from(folder).join("lanekeeper"),
        None => std::env::temp_dir().join(format!("lanekeeper-{}", own_id())),
    }
}

fn own_id() -> u32 {
    rustix::process::getuid().as_raw()
}

/// Says so where nobody serves a fabric under a name.
pub(super) fn ask_whether_served(path: &Path, name: &str) -> Result<(), Failure> {
    match UnixStream::connect(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(anyhow!(
            "no fabric is served as {name} ({}: {error}); start it with: lanekeeper sim FABRIC \
             --listen {name}",
            path.display()
        )
        .into()),
    }
}

/// A socket that a fabric is served on, with a folder for files beside it. Both are gone when it
/// is dropped.
#[derive(Debug)]
pub(super) struct Place {
    path: PathBuf,
    files: TempDir,
    named: bool,
}

impl Place {
    /// A place under a name, or one that only a child of this process learns of.
    pub(super) fn new(name: Option<&str>) -> Result<Self, Failure> {
        let files = tempfile::Builder::new().prefix("lanekeeper-").tempdir();
        let files = files.context("cannot make a folder for temporary files")?;
        let path = match name {
            None => files.path().join("fabric.sock"),
            Some(name) => {
                let path = path(name);
                if !name.contains('/') {
                    make_own_folder(&folder())?;
                }
                clear(&path, name)?;
                path
            }
        };
        Ok(Self { path, files, named: name.is_some() })
    }

    /// The socket.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The folder for files.
    pub(super) fn folder(&self) -> &Path {
        self.files.path()
    }

    /// Starts to listen.
    pub(super) fn listen(&self) -> Result<UnixListener, Failure> {
        let listener = UnixListener::bind(&self.path);
        let listener = listener.with_context(|| format!("cannot serve on {}", self.path.display()));
        let listener = listener?;
        listener.set_nonblocking(true).context("cannot set up the socket")?;
        Ok(listener)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if self.named {
            // It may have been taken away already.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A folder that only this user may look into.
fn make_own_folder(folder: &Path) -> Result<(), Failure> {
    let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    made.with_context(|| format!("cannot make {}", folder.display()))?;
    let there = fs::metadata(folder).context("cannot look at the folder of sockets")?;
    if there.uid() != own_id() {
        return Err(anyhow!("{} belongs to somebody else", folder.display()).into());
    }
    Ok(())
}

/// Takes away what a server has left behind that is there no more.
fn clear(path: &Path, name: &str) -> Result<(), Failure> {
    match UnixStream::connect(path) {
        Ok(_) => Err(anyhow!("a fabric is served as {name} already").into()),
        Err(error) if error.kind() == ErrorKind::ConnectionRefused => {
            fs::remove_file(path).with_context(|| format!("cannot remove {}", path.display()))?;
            Ok(())
        }
        // Nothing is there, or binding will say what is wrong.
        Err(_) => Ok(()),
    }
}
