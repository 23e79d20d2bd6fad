//! Avro files behind the seam.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    reason = "outside of a test function a panic is a failed test too"
)]

mod across;
mod bounded;
mod counts;
mod damage;
#[cfg(feature = "tensors")]
mod features;
mod filtering;
#[path = "../laws/filters.rs"]
mod filters;
mod hostile;
mod keeping;
mod laws;
mod made;
mod opening;
mod serialized;
mod writing;
