//! `cargo fuzz run framing`: the law is in `src/framing.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::framing::check(data));
