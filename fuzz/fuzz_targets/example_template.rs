//! `cargo fuzz run example_template`: the law is in `src/example_template.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::example_template::check(data));
