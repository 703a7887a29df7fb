//! Directed routes of any text.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_wire::fuzzing::dr_path(bytes));
