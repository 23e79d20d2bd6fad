//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod errors;
mod images;
mod json;
mod laws;
mod reading;
mod real_statistics;
mod records;
mod row_counts;
mod statistics;
