//! Data sets of Avro files.
#![cfg(feature = "avro")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

#[cfg(all(feature = "example", feature = "ipc", feature = "parquet"))]
mod convert;
mod errors;
mod made;
mod reading;
mod records;
mod schemas;
mod skip;
#[cfg(feature = "object-store")]
mod store;
#[cfg(feature = "tensors")]
mod tensors;
