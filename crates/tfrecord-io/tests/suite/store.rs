//! The reader over object stores: the same batches as from a file, through failures and cuts, within its bounds.

#![cfg(feature = "async")]

mod bounds;
mod failing;
mod flaky;
mod listing;
mod objects;
mod reading;
mod replaced;
