//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

#[cfg(feature = "example")]
mod laws;
#[cfg(feature = "example")]
mod seam;
#[cfg(all(feature = "avro", feature = "example", feature = "parquet", feature = "tensors"))]
mod values;
#[cfg(all(feature = "avro", feature = "csv", feature = "example", feature = "jsonl", feature = "parquet"))]
mod views;
