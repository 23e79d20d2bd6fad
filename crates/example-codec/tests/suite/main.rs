//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`; `mutation` has the harness of
//! fuzzing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

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
mod wire;
