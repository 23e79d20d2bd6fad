//! `cargo fuzz run avro_datum`: the law is in `src/avro_datum.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::avro_datum::check(data));
