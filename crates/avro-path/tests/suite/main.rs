//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod containers;
mod datum;
mod encode;
mod errors;
mod features;
mod key_columns;
mod key_syntax;
mod random;
mod records;
mod resolution;
mod schema;
mod serde_types;
