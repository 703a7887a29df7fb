//! The files of a run: the cache that outlives it, names of nodes, the dumps.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, BufWriter, ErrorKind, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};
use lk_config::guid2lid::{self, Guid2Lid};
use lk_config::{Effective, codes, node_names};
use lk_diag::{Diagnostic, Diagnostics, SourceFile};
use lk_sm::{Settings, View, dumps};

use crate::failure::Failure;

/// The LIDs of earlier runs. A file that is not there is an empty one.
pub(super) fn read_guid2lid(
    folder: &Path,
    lmc: u8,
    said: &mut Diagnostics,
) -> Result<Guid2Lid, Failure> {
    let path = folder.join("guid2lid");
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Guid2Lid::new()),
        Err(e) => {
            let why = format!("cannot read {}: without it ports may change LIDs", path.display());
            return Err(anyhow!(e).context(why).into());
        }
    };
    let (known, found) = guid2lid::parse(&SourceFile::new(path.display().to_string(), bytes), lmc);
    said.extend(found);
    Ok(known)
}

/// Keeps the LIDs for later runs: written beside the old file, then put in its place.
pub(super) fn write_guid2lid(folder: &Path, map: &Guid2Lid, fsync: bool) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (path, fresh) = (folder.join("guid2lid"), folder.join("guid2lid.tmp"));
    let cannot = || format!("cannot write {}", path.display());
    let mut file = File::create(&fresh).with_context(cannot)?;
    file.write_all(guid2lid::write(map).as_bytes()).with_context(cannot)?;
    if fsync {
        file.sync_all().with_context(cannot)?;
    }
    fs::rename(&fresh, &path).with_context(cannot)
}

/// Reads the names that stand in for what nodes call themselves.
pub(super) fn node_names(effective: &Effective, settings: &mut Settings, said: &mut Diagnostics) {
    let Some(path) = settings.options.node_name_map_name.as_deref() else { return };
    let option = ("node_name_map_name", path);
    if let Some(source) = source(effective, option, "nodes keep their own names", said) {
        let (names, found) = node_names::parse(&source);
        said.extend(found);
        settings.names = Arc::new(names);
    }
}

/// The text of a file that an option names. One that cannot be read is told, with what happens
/// `instead`.
pub(super) fn source(
    effective: &Effective,
    (option, path): (&str, &str),
    instead: &str,
    said: &mut Diagnostics,
) -> Option<SourceFile> {
    match fs::read(path) {
        Ok(bytes) => Some(SourceFile::new(path, bytes)),
        Err(e) => {
            let message = format!("cannot read {path} ({option}): {e}");
            let found = Diagnostic::error(codes::UNREADABLE, message).note(instead);
            said.push(match effective.origin(option).place() {
                Some((source, place)) => found.at(source, place, ""),
                None => found,
            });
            None
        }
    }
}

/// The bit of `log_flags` that asks for dumps of the routing.
const ROUTING: u8 = 0x40;

/// Writes what changes with multicast groups.
pub(super) fn write_groups(folder: &Path, view: &View, log_flags: u8) -> Result<()> {
    if log_flags & ROUTING == 0 {
        return Ok(());
    }
    write(folder, "opensm.mcfdbs", |out| dumps::mcfdbs(view, out))
}

/// Writes the dumps that scripts read: `opensm-subnet.lst` always, the others with log flag 0x40,
/// as opensm does.
pub(in crate::commands) fn write_dumps(folder: &Path, view: &View, log_flags: u8) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    write(folder, "opensm-subnet.lst", |out| dumps::subnet_lst(view, out))?;
    if let Some(order) = dumps::ca_order(view) {
        write(folder, "opensm-ftree-ca-order.dump", |out| fmt::Write::write_str(out, &order))?;
    }
    if log_flags & ROUTING == 0 {
        return Ok(());
    }
    write(folder, "opensm.fdbs", |out| dumps::fdbs(view, out))?;
    write(folder, "opensm.mcfdbs", |out| dumps::mcfdbs(view, out))?;
    write(folder, "opensm-lfts.dump", |out| dumps::lfts(view, out))?;
    write(folder, "opensm-lid-matrix.dump", |out| dumps::lid_matrix(view, out))?;
    if !view.desired.qos.is_empty() {
        write(folder, "opensm-sl2vl.dump", |out| dumps::sl2vl(view, out))?;
    }
    if dumps::has_torus(view) {
        write(folder, "opensm-torus.dump", |out| dumps::torus(view, out))?;
    }
    Ok(())
}

/// Writes a file as it comes: the tables of a large fabric do not fit into memory as text.
fn write(
    folder: &Path,
    name: &str,
    contents: impl FnOnce(&mut TextFile) -> fmt::Result,
) -> Result<()> {
    write_text(&folder.join(name), contents)
}

/// Writes a file whose text is formatted piece by piece.
pub(in crate::commands) fn write_text(
    path: &Path,
    contents: impl FnOnce(&mut TextFile) -> fmt::Result,
) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let file = File::create(path).with_context(cannot)?;
    let mut out = TextFile { file: BufWriter::new(file), error: None };
    let written = contents(&mut out);
    if let Some(error) = out.error.take() {
        return Err(error).with_context(cannot);
    }
    written.with_context(cannot)?;
    out.file.flush().with_context(cannot)
}

/// A file that text is formatted into; formatting knows only that something failed, so the
/// reason is kept.
pub(in crate::commands) struct TextFile {
    file: BufWriter<File>,
    error: Option<io::Error>,
}

impl fmt::Write for TextFile {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.file.write_all(text.as_bytes()).map_err(|error| {
            self.error = Some(error);
            fmt::Error
        })
    }
}
