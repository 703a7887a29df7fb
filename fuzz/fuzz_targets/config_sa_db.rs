//! opensm-sa.dump of any bytes.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_config::fuzzing::sa_db(bytes));
