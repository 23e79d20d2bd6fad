//! The reader over object stores: the same batches as from a file, through failures and cuts, within its bounds.

#![cfg(feature = "async")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod bounds;
mod failing;
mod flaky;
mod listing;
mod made;
mod reading;
mod replaced;
