//! CSV files and JSON lines behind the seam.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "tests")]

mod convert;
mod damage;
mod json;
mod json_damage;
mod kinds;
mod laws;
mod losses;
mod made;
mod reading;
#[path = "../laws/records.rs"]
mod records;
mod types;
mod writing;
