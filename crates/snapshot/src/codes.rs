//! The codes of the diagnostics about snapshot files. A code keeps its meaning for ever.

use lk_diag::Code;

/// A file that is no snapshot.
pub const NO_SNAPSHOT: Code = Code::new("SN001", "not a snapshot");
/// A snapshot of a form that is not known here.
pub const VERSION: Code = Code::new("SN002", "snapshot of another version");
/// A line that cannot be understood.
pub const BAD_LINE: Code = Code::new("SN003", "bad line in a snapshot");
/// A snapshot that ends before its end.
pub const CUT_SHORT: Code = Code::new("SN004", "snapshot cut short");
/// Lines that contradict each other.
pub const CONTRADICTION: Code = Code::new("SN005", "contradiction in a snapshot");

/// All of them, in the order of their numbers.
pub const ALL: &[Code] = &[NO_SNAPSHOT, VERSION, BAD_LINE, CUT_SHORT, CONTRADICTION];
