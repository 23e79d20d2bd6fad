//! Decoders by template and in two passes, over records with a few edits.
//!
//! The program `templates` and the fuzz target `example_template` include this file, so that all judge alike.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a test, of which each user takes a part"
)]

#[path = "../suite/differential/harness.rs"]
pub mod differential;
#[path = "edits.rs"]
pub mod edits;
#[path = "fields.rs"]
pub mod fields;
#[path = "pair.rs"]
pub mod pair;
#[path = "rounds.rs"]
pub mod rounds;
