//! TFRecord files behind the seam.

mod copying;
mod entering;
mod filtering;
mod foreign;
mod inflating;
mod keeping;
mod laws;
mod opening;
mod reading;
mod scanning;
mod shard_sets;
mod stdin;
#[cfg(feature = "async")]
mod streams;
#[cfg(feature = "tensors")]
mod tensors;
pub mod test_files;
mod writing;
