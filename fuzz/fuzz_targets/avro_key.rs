//! `cargo fuzz run avro_key`: the law is in `src/avro_key.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::avro_key::check(data));
