//! `cargo fuzz run message_decode`: the law is in `src/message_decode.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::message_decode::check(data));
