//! TFRecord files behind the seam.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod copying;
mod entering;
mod filtering;
#[path = "../laws/filters.rs"]
mod filters;
mod foreign;
mod inflating;
mod keeping;
mod laws;
mod made;
mod opening;
mod reading;
#[path = "../laws/records.rs"]
mod records;
mod scanning;
mod stdin;
#[cfg(feature = "async")]
mod streams;
#[cfg(feature = "tensors")]
mod tensors;
mod writing;
