//! Laws of every data set.

pub mod filters;
mod limits;
pub mod records;
