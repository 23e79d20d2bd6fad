//! Laws of every data set: each test of a format checks them over its own files.
//!
//! Everything here serves tests: a law that does not hold is a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

pub mod filters;
pub mod records;
