//! `cargo fuzz run compression`: the law is in `src/compression.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::compression::check(data));
