//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`; `mutation` has the harness of
//! fuzzing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod arrow_schema;
mod buffers;
mod damage;
#[cfg(feature = "derive")]
mod derive;
#[cfg(feature = "derive")]
mod derive_sequence;
mod differential;
mod digits;
mod empty_lists;
mod encode_rows;
mod errors;
mod example;
mod infer;
mod model;
mod names;
mod options;
mod oracle;
mod realdata;
mod robustness;
mod roundtrip;
mod scalars;
mod sequence;
#[cfg(feature = "serde")]
mod serde_types;
mod wire;

/// Tests that this build leaves out, for `cargo test` to name.
mod left_out {
    #[cfg(not(feature = "derive"))]
    #[test]
    #[ignore = "derived structs need the feature derive: cargo test -p example-codec --all-features"]
    fn derived_structs() {}

    #[cfg(not(feature = "serde"))]
    #[test]
    #[ignore = "types of serde need the feature serde: cargo test -p example-codec --all-features"]
    fn types_of_serde() {}

    #[cfg(not(feature = "fuzzing"))]
    #[test]
    #[ignore = "mutated records need the feature fuzzing: cargo test -p example-codec --all-features"]
    fn mutations() {}
}
