//! What clients have stored in the subnet administration, kept over restarts.

use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use lk_config::Effective;
use lk_config::sa_db::{self, SaDb};
use lk_diag::Diagnostics;
use lk_sm::Settings;

use super::files;

/// Reads what clients of an earlier run have stored. A file that cannot be read is said, and the
/// run begins with nothing stored, as opensm does.
pub(super) fn read(effective: &Effective, settings: &mut Settings, said: &mut Diagnostics) {
    let Some(path) = settings.options.sa_db_file.as_deref() else { return };
    let instead = "clients have to register anew";
    if let Some(source) = files::source(effective, ("sa_db_file", path), instead, said) {
        let (db, found) = sa_db::parse(&source);
        said.extend(found);
        settings.sa_db = Some(Arc::new(db));
    }
}

/// Writes what clients have stored: beside the old file, then in its place. It holds keys, so that
/// only its owner may read it.
pub(super) fn write(folder: &Path, db: &SaDb, fsync: bool) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let (path, fresh) = (folder.join("opensm-sa.dump"), folder.join("opensm-sa.dump.tmp"));
    let cannot = || format!("cannot write {}", path.display());
    // A file that was left over would keep its own mode.
    if let Err(e) = fs::remove_file(&fresh)
        && e.kind() != ErrorKind::NotFound
    {
        return Err(e).with_context(cannot);
    }
    let mut options = File::options();
    let options = options.write(true).create_new(true).mode(0o600);
    let mut file = options.open(&fresh).with_context(cannot)?;
    file.write_all(sa_db::write(db).as_bytes()).with_context(cannot)?;
    if fsync {
        file.sync_all().with_context(cannot)?;
    }
    fs::rename(&fresh, &path).with_context(cannot)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use lk_config::Options;

    use super::*;

    #[test]
    fn what_is_written_can_be_read_by_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let mut db = SaDb::default();
        db.services.push(sa_db::Service {
            record: lk_wire::sa::ServiceRecord::default(),
            modified: 1,
            lease_period: 2,
        });
        write(folder.path(), &SaDb::default(), false).unwrap();
        write(folder.path(), &db, true).unwrap();
        let path = folder.path().join("opensm-sa.dump");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        let sa_db_file = Some(path.display().to_string());
        let options = Options { sa_db_file, ..Options::default() };
        let mut settings = Settings::new(options, lk_sm::Guid2Lid::new());
        read(&Effective::new(None), &mut settings, &mut Diagnostics::new());
        assert_eq!(settings.sa_db.as_deref(), Some(&db));
    }
}
