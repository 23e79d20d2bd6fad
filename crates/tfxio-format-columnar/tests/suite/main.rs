//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod borders;
mod columns;
mod counting;
mod counts_in_pages;
mod damage;
mod fetching;
mod filters;
mod footers;
mod foreign;
mod index_claims;
mod inspecting;
mod intervals_and_times;
mod laws;
mod limits;
mod lists;
mod mixed;
mod odd_footers;
mod old_arrow;
mod parallel;
mod physical_types;
mod reading;
mod sets;
mod statistics;
mod streams;
mod test_files;
mod text_values;
mod thrift;
mod values_not_held;
