//! `cargo fuzz run sequence_decode`: the law is in `src/sequence_decode.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::sequence_decode::check(data));
