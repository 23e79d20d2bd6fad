//! Arrow batches as Avro: each type, given schemas, names, errors, and what another implementation reads.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod back;
#[path = "../random/choices.rs"]
mod choices;
mod errors;
mod files;
mod given;
mod made;
mod names;
mod others;
mod random;
mod same;
mod types;
