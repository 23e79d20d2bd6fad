//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod convert;
mod damage;
mod escape;
mod json;
mod json_damage;
mod json_depths;
mod kinds;
mod laws;
mod losses;
mod numbers_in_texts;
mod reading;
mod rounded_numbers;
mod sets;
mod test_files;
mod types;
mod writing;
