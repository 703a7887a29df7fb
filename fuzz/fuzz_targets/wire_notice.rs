//! Notices of any bytes, with their traps.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_wire::fuzzing::notice(bytes));
