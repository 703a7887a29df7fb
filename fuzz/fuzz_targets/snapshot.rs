//! Snapshot files of any bytes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_snapshot::fuzzing::snapshot(bytes));
