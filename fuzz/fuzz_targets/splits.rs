//! `cargo fuzz run splits`: the law is in `src/splits.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::splits::check(data));
