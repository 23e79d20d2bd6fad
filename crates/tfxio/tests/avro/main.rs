//! Data sets of Avro files.
#![cfg(feature = "avro")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod errors;
mod made;
mod reading;
mod schemas;
#[cfg(feature = "object-store")]
mod store;
