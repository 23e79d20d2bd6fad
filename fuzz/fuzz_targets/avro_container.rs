//! `cargo fuzz run avro_container`: the law is in `src/avro_container.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::avro_container::check(data));
