//! What the tables of the design document promise of key expressions, row by row, and the facts beside them. The rows
//! that one example covers stand in `key_columns/tables.rs`; here are those that take data of their own, which earlier
//! implementations got wrong: empty first records, roots, filters of every form. Promises about tensors are tested with
//! the features.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod columns;
mod keys;
mod types;
