//! Random schemas, data and changes of both.

pub mod choices;
pub mod data;
pub mod evolved;
