//! Feature specs over key expressions: the columns of Avro data as tensors, by rules and by example.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod bind;
mod case;
mod defaults;
mod dense;
mod document;
mod errors;
mod laws;
#[path = "../key_columns/person.rs"]
#[allow(dead_code, reason = "another test needs the rest")]
mod person;
mod promises;
mod render;
mod sparse;
mod table;
mod varlen;
