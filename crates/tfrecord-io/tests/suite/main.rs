//! The tests of the crate in one program, which is linked once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod damage;
mod error_texts;
mod errors;
mod index;
mod members;
#[cfg(feature = "gzip")]
mod pushing;
mod reading;
mod realdata;
mod salvage;
mod shards;
mod splits;
mod store;
mod threads;
mod writing;

/// Tests that this build leaves out, for `cargo test` to name.
mod left_out {
    #[cfg(not(feature = "async"))]
    #[test]
    #[ignore = "object stores need the feature async: cargo test -p tfrecord-io --all-features"]
    fn stores() {}

    #[cfg(not(feature = "gzip"))]
    #[test]
    #[ignore = "compressed files need the feature gzip: cargo test -p tfrecord-io --all-features"]
    fn compression() {}
}
