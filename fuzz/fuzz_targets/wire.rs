//! `cargo fuzz run wire`: the law is in `src/wire.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::wire::check(data));
