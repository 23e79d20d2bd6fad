//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod damage;
mod error_texts;
mod errors;
mod index;
mod members;
#[cfg(feature = "gzip")]
mod pushing;
mod reading;
mod realdata;
mod salvage;
mod shards;
mod splits;
mod store;
mod threads;
mod writing;
