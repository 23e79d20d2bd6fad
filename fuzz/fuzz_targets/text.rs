//! `cargo fuzz run text`: the law is in `src/text.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::text::check(data));
