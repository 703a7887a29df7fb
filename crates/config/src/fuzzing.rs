//! Entry points for fuzzing: the readers of files that clients of a fabric depend on, on bytes of
//! any content and length.
//!
//! The folder `fuzz` beside the crates has targets that call these; the crate's own tests call
//! them with text that nearly makes sense. Nothing is returned: what is looked for is a panic, a
//! finding that cannot be shown, and a file that is not read back as it was written.

use lk_diag::{Diagnostics, SourceFile, render};

use crate::{partitions, qos_policy, sa_db};

fn shown(found: &Diagnostics) {
    for one in found {
        assert!(!render::text(one, render::Style::Plain).is_empty());
    }
}

/// qos-policy.conf.
pub fn qos_policy(bytes: &[u8]) {
    let (policy, found) = qos_policy::parse(&SourceFile::new("f", bytes));
    shown(&found);
    if !found.has_errors() {
        let written = qos_policy::write(&policy);
        let (again, found) = qos_policy::parse(&SourceFile::new("f", written.as_str()));
        assert!(!found.has_errors(), "{written}");
        assert!(qos_policy::write(&again) == written, "{written}");
    }
}

/// partitions.conf.
pub fn partitions(bytes: &[u8]) {
    let (conf, found) = partitions::parse(&SourceFile::new("f", bytes));
    shown(&found);
    if !found.has_errors() {
        let written = partitions::write(&conf);
        let (again, found) = partitions::parse(&SourceFile::new("f", written.as_str()));
        assert!(!found.has_errors(), "{written}");
        assert!(partitions::write(&again) == written, "{written}");
    }
}

/// opensm-sa.dump.
pub fn sa_db(bytes: &[u8]) {
    let (db, found) = sa_db::parse(&SourceFile::new("f", bytes));
    shown(&found);
    let written = sa_db::write(&db);
    let (again, found) = sa_db::parse(&SourceFile::new("f", written.as_str()));
    assert!(found.is_empty() && again == db, "{written}");
}
