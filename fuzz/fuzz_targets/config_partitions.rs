//! partitions.conf of any bytes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_config::fuzzing::partitions(bytes));
