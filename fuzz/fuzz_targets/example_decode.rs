//! `cargo fuzz run example_decode`: the law is in `src/example_decode.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::example_decode::check(data));
