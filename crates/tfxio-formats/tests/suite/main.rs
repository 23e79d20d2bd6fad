//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

#[cfg(feature = "avro")]
mod avro;
#[cfg(all(feature = "ipc", feature = "parquet"))]
mod columnar;
#[cfg(feature = "example")]
mod laws;
#[cfg(feature = "proto")]
mod proto;
#[cfg(feature = "example")]
mod seam;
#[cfg(all(feature = "csv", feature = "example", feature = "jsonl"))]
mod text;
#[cfg(all(feature = "avro", feature = "example", feature = "parquet", feature = "tensors"))]
mod values;
#[cfg(all(feature = "avro", feature = "csv", feature = "example", feature = "jsonl", feature = "parquet"))]
mod views;
