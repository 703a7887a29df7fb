//! SMPs of any bytes, with every attribute that they may carry.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| lk_wire::fuzzing::smp(bytes));
