//! `cargo fuzz run inflate`: the law is in `src/inflate.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::inflate::check(data));
