//! Laws of every data set.

pub mod filters;
pub mod records;
