//! `cargo fuzz run index`: the law is in `src/index.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::index::check(data));
