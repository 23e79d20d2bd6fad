//! CSV files and JSON lines behind the seam.

mod convert;
mod damage;
mod escape;
mod json;
mod json_damage;
mod json_depths;
mod kinds;
mod laws;
mod losses;
mod made;
mod numbers_in_texts;
mod reading;
mod rounded_numbers;
mod sets;
use crate::laws::records;
mod types;
mod writing;
