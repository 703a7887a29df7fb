//! Rules about partitions.conf: what its words do not do (`words`), who is in which partition and
//! cannot talk (`members`), and what shows on a fabric only (`ports`).

pub(super) mod members;
pub(super) mod ports;
pub(super) mod words;
