//! TFRecord files behind the seam.

mod copying;
mod entering;
mod filtering;
use crate::laws::filters;
mod foreign;
mod inflating;
mod keeping;
mod laws;
pub mod made;
mod opening;
mod reading;
use crate::laws::records;
mod scanning;
mod shard_sets;
mod stdin;
#[cfg(feature = "async")]
mod streams;
#[cfg(feature = "tensors")]
mod tensors;
mod writing;
