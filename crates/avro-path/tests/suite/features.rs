//! Feature specs over key expressions: the columns of Avro data as tensors, by rules and by example.

mod bind;
mod case;
mod defaults;
mod dense;
mod document;
mod errors;
mod laws;
use crate::key_columns::person;
mod promises;
mod render;
mod sparse;
mod table;
mod varlen;
