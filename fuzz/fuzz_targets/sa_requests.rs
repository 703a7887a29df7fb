//! Requests of any bytes to the subnet administration.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_sim::fuzzing::sa_requests(bytes));
