//! The tests of the benchmarks in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod measure;
mod memory;
mod same_columns;
