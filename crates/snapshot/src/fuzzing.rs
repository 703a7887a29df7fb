//! Entry points for fuzzing: the reader on bytes of any content.
//!
//! The folder `fuzz` beside the crates has a target that calls this; the crate's own tests call it
//! with bytes that look random and with mangled snapshots.

use lk_diag::SourceFile;

/// Reads any bytes as a snapshot. One that can be read is written, read again, and must be the
/// same.
pub fn snapshot(bytes: &[u8]) {
    let (Some(first), _) = crate::read(&SourceFile::new("fuzz", bytes)) else { return };
    let text = crate::write(&first);
    let (second, found) = crate::read(&SourceFile::new("fuzz", text.clone()));
    assert!(found.is_empty(), "what was written is refused: {found:?}");
    assert!(second.is_some_and(|second| second == first), "a snapshot does not come back:\n{text}");
}
