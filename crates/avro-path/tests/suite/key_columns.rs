//! Columns of key expressions: the examples of the design and of the documentation, every rule, errors, and a plain
//! interpreter beside the program.

use crate::random::choices;
mod coverage;
use crate::random::data;
mod document;
mod dtypes;
mod errors;
use crate::random::evolved;
mod interpreter;
mod listing;
mod oracle;
pub mod person;
mod promises;
mod render;
mod resolved;
mod robustness;
mod rules;
mod tables;
