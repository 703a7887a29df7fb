//! The files that make a port a subnet manager's for as long as somebody has them open.
//!
//! Each is a named pipe. The system tells when one is opened; whether somebody still has it open
//! is seen at the other end, which is held here.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use lk_fabric::PortId;
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat};

/// The files of all ports that were asked for.
#[derive(Debug)]
pub(super) struct Issm {
    folder: PathBuf,
    events: OwnedFd,
    files: BTreeMap<PortId, IssmFile>,
}

#[derive(Debug)]
struct IssmFile {
    path: PathBuf,
    /// The other end, while somebody has the file open.
    held: Option<File>,
}

impl Issm {
    pub(super) fn new(folder: &Path) -> Result<Self> {
        let events = inotify::init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC);
        let events = events.context("cannot watch files")?;
        Ok(Self { folder: folder.to_owned(), events, files: BTreeMap::new() })
    }

    /// The file of a port.
    pub(super) fn path(&mut self, port: PortId) -> Result<&Path> {
        if !self.files.contains_key(&port) {
            let path = self.folder.join(format!("issm{}", port.0));
            mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)
                .and_then(|()| inotify::add_watch(&self.events, &path, WatchFlags::OPEN))
                .with_context(|| format!("cannot make {}", path.display()))?;
            self.files.insert(port, IssmFile { path, held: None });
        }
        Ok(&self.files[&port].path)
    }

    /// What tells that a file was opened.
    pub(super) fn events(&self) -> BorrowedFd<'_> {
        self.events.as_fd()
    }

    /// What tells that a file was closed.
    pub(super) fn held(&self) -> impl Iterator<Item = BorrowedFd<'_>> {
        self.files.values().filter_map(|file| file.held.as_ref()).map(AsFd::as_fd)
    }

    /// Looks which files are open; gives the ports where that has changed.
    pub(super) fn look(&mut self) -> Vec<(PortId, bool)> {
        let mut buffer = [0_u8; 4096];
        // Which file it was does not matter: all are looked at.
        while rustix::io::read(&self.events, &mut buffer).is_ok_and(|got| got > 0) {}
        let mut changes = Vec::new();
        for (port, file) in &mut self.files {
            let is_open = match &file.held {
                Some(held) => !has_no_reader(held),
                None => {
                    // Fails where nobody has the other end.
                    let mut options = OpenOptions::new();
                    options.write(true).custom_flags(OFlags::NONBLOCK.bits().cast_signed());
                    file.held = options.open(&file.path).ok();
                    if file.held.is_none() {
                        continue;
                    }
                    changes.push((*port, true));
                    continue;
                }
            };
            if !is_open {
                file.held = None;
                changes.push((*port, false));
            }
        }
        changes
    }
}

fn has_no_reader(file: &File) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut one = [PollFd::new(file, PollFlags::empty())];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    poll(&mut one, Some(&now)).is_ok_and(|ready| ready > 0)
        && one[0].revents().contains(PollFlags::ERR)
}
