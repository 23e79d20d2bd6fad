//! `cargo fuzz run salvage`: the law is in `src/salvage.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| tfxio_fuzz::salvage::check(data));
