//! Files that each heavy sweep reads: opensm.conf and those that it names. They are looked at
//! between sweeps, so that the next one finds what stands in them.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use lk_config::Options;

/// How long a change may go unnoticed.
const INTERVAL: Duration = Duration::from_secs(1);

/// What tells two versions of a file apart without reading them; none: there is no such file.
type Stamp = Option<(SystemTime, u64)>;

/// The files and their stamps.
pub(super) struct Watched {
    files: Vec<(PathBuf, Stamp)>,
    looked: Instant,
}

impl Watched {
    /// Watches the files of a run.
    pub(super) fn new(config: Option<&Path>, options: &Options) -> Self {
        let named = [
            &options.partition_config_file,
            &options.qos_policy_file,
            &options.prefix_routes_file,
            &options.torus_config,
        ];
        let named = named.into_iter().flatten().map(PathBuf::from);
        let files = config.map(Path::to_owned).into_iter().chain(named);
        let files = files.map(|path| (stamp(&path), path)).map(|(s, p)| (p, s)).collect();
        Self { files, looked: Instant::now() }
    }

    /// Whether one of them has changed since this was last asked.
    pub(super) fn changed(&mut self) -> bool {
        if self.looked.elapsed() < INTERVAL {
            return false;
        }
        self.looked = Instant::now();
        let mut changed = false;
        for (path, known) in &mut self.files {
            let now = stamp(path);
            changed |= now != *known;
            *known = now;
        }
        changed
    }
}

fn stamp(path: &Path) -> Stamp {
    let about = fs::metadata(path).ok()?;
    Some((about.modified().ok()?, about.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_seen_once() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("partitions.conf");
        let options = Options {
            partition_config_file: file.to_str().map(str::to_owned),
            ..Options::default()
        };
        let mut watched = Watched::new(None, &options);
        let mut later = |text: Option<&str>| {
            if let Some(text) = text {
                fs::write(&file, text).expect("a file");
            }
            watched.looked = Instant::now() - 2 * INTERVAL;
            watched.changed()
        };
        assert!(!later(None));
        assert!(later(Some("a")));
        assert!(!later(None));
        assert!(later(Some("ab")));
    }
}
