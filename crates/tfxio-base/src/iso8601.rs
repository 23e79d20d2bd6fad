//! Dates and times of ISO 8601 in the Gregorian calendar, of any year: one of more than four digits, or before 0, has a sign.

mod read;
mod write;

pub use read::{Time, take_date, take_offset, take_time};
pub use write::{date, date_or_time, date_time};

const DAY_SECONDS: i64 = 86_400;
/// Days of 400 years.
const ERA_DAYS: i64 = 146_097;
/// Days from 0000-03-01 to 1970-01-01. Years that begin in March have their leap day at the end.
const EPOCH_DAYS: i64 = 719_468;
