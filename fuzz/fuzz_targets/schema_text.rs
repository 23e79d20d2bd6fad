//! `cargo fuzz run schema_text`: the law is in `src/schema_text.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::schema_text::check(data));
