//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`; `damaged` counts the panics of its
//! process, and `examples` runs in the root of the repository.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod avro;
mod changing;
mod convert;
mod derive;
mod dictionaries;
mod errors;
mod loading;
mod on_error;
#[cfg(feature = "tensors")]
mod ragged_columns;
mod reading;
#[cfg(feature = "tensors")]
mod records;
mod s3;
mod schema;
mod sequence;
mod store;
mod tensors;
mod threads;
