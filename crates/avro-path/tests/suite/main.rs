//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod containers;
mod datum;
mod encode;
mod errors;
mod features;
mod key_columns;
mod key_syntax;
mod random;
mod records;
mod resolution;
mod schema;
mod serde_types;

/// Tests that this build leaves out, for `cargo test` to name.
mod left_out {
    #[cfg(not(all(feature = "bzip2", feature = "deflate", feature = "snappy", feature = "xz")))]
    #[test]
    #[ignore = "recorded cases need the features bzip2, deflate, snappy and xz: cargo test -p avro-path --all-features"]
    fn recorded_cases() {}

    #[cfg(not(feature = "zstandard"))]
    #[test]
    #[ignore = "blocks of zstandard need the feature zstandard: cargo test -p avro-path --all-features"]
    fn zstandard_blocks() {}
}
