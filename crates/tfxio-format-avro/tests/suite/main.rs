//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod across;
mod bounded;
mod counts;
mod damage;
#[cfg(feature = "tensors")]
mod features;
mod filtering;
mod hostile;
mod keeping;
mod laws;
mod opening;
mod room;
mod serialized;
mod sets;
mod test_files;
mod writing;
