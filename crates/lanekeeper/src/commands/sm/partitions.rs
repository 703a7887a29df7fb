//! partitions.conf, read at the start, at SIGHUP and when it has changed.

use std::fs;
use std::io::ErrorKind;
use std::sync::Arc;

use lk_config::{Effective, PartitionsConf, codes, partitions};
use lk_diag::{Diagnostic, Diagnostics, SourceFile};

/// The partitions of the site; none where there is no file. On a simulated fabric the file counts
/// only if it is named. A file that has become bad does not take the place of the last good one.
pub(super) fn read(
    effective: &Effective,
    simulated: bool,
    last: Option<&Arc<PartitionsConf>>,
    said: &mut Diagnostics,
) -> Option<Arc<PartitionsConf>> {
    let named = effective.origin("partition_config_file").place().is_some();
    let path = effective.options().partition_config_file.as_deref()?;
    if simulated && !named {
        return None;
    }
    let conf = match fs::read(path) {
        Ok(bytes) => {
            let (conf, found) = partitions::parse(&SourceFile::new(path, bytes));
            said.extend(found);
            conf
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            if named {
                let message = format!("{path} is not there");
                said.push(Diagnostic::warning(codes::UNREADABLE, message).note(
                    "every port becomes a full member of the default partition; there is no other",
                ));
            }
            return None;
        }
        Err(error) => {
            let message = format!("cannot read {path}: {error}");
            said.push(Diagnostic::error(codes::UNREADABLE, message));
            PartitionsConf { refused: true, ..PartitionsConf::default() }
        }
    };
    match last.filter(|last| conf.refused && !last.refused) {
        Some(last) => {
            let message = format!("{path} is not used: the partitions stay as they were");
            let found = Diagnostic::error(codes::PARTITIONS_REFUSED, message);
            let note = "OpenSM would make every port a full member of the default partition";
            said.push(found.note(note).help("mend the file and send SIGHUP"));
            Some(Arc::clone(last))
        }
        None => Some(Arc::new(conf)),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use lk_config::CommandLine;

    use super::*;

    fn effective(path: &str) -> Effective {
        let line = CommandLine::parse(&["-P".to_owned(), path.to_owned()], &[]).expect("known");
        let mut effective = Effective::new(None);
        line.apply(&mut effective).expect("good values");
        effective
    }

    fn reread(
        path: &Path,
        last: Option<&Arc<PartitionsConf>>,
    ) -> (Option<Arc<PartitionsConf>>, usize) {
        let mut said = Diagnostics::new();
        let conf = read(&effective(path.to_str().expect("text")), true, last, &mut said);
        (conf, said.as_slice().len())
    }

    #[test]
    fn partitions_that_became_bad_stay_as_they_were() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("partitions.conf");
        assert_eq!(reread(&file, None), (None, 1), "it is named and not there");
        fs::write(&file, "Default=0x7fff : ALL=full ;\n").expect("a file");
        let (good, said) = reread(&file, None);
        assert_eq!((good.as_ref().map(|c| c.refused), said), (Some(false), 0));
        fs::write(&file, "Default=0x7fff : ALLL=full ;\n").expect("a file");
        let (bad, said) = reread(&file, None);
        assert_eq!((bad.map(|c| c.refused), said), (Some(true), 1));
        assert_eq!(reread(&file, good.as_ref()), (good, 2));
    }

    #[test]
    fn the_file_of_the_machine_is_not_for_simulated_fabrics() {
        let mut said = Diagnostics::new();
        assert_eq!(read(&Effective::new(None), true, None, &mut said), None);
        assert!(said.is_empty());
    }
}
