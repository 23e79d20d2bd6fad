//! Parquet and Arrow IPC files behind the seam.

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
mod made;
mod mixed;
mod odd_footers;
mod old_arrow;
mod parallel;
mod reading;
mod sets;
mod statistics;
mod streams;
mod text_values;
pub mod thrift;
mod values_not_held;
