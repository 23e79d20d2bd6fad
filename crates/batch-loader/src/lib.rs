//! Shuffled, windowed, padded batches of training data.
mod batch;
mod cast;
mod column;
pub mod config;
mod error;
mod files;
mod item;
mod json;
pub mod manifest;
mod parse;
mod permutation;
mod pipeline;
mod process;
mod random;
mod shape;

pub use error::{Error, ErrorKind, Position, Result};
