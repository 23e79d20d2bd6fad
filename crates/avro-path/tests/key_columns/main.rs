//! Columns of key expressions: the examples of the design and of the documentation, every rule, errors, and a plain
//! interpreter beside the program.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../random/choices.rs"]
mod choices;
mod coverage;
#[path = "../random/data.rs"]
mod data;
mod document;
mod dtypes;
mod errors;
#[path = "../random/evolved.rs"]
mod evolved;
mod interpreter;
mod listing;
mod oracle;
mod person;
mod promises;
mod render;
mod resolved;
mod robustness;
mod rules;
mod tables;
