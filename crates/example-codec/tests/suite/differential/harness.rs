//! A decoder that has seen many records against one that sees its first: whatever a decoder learns from records must not
//! change what it makes of the next.
//!
//! The command `soak` and the test `mutation` include this file, so that all judge alike.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "a test, of which each user takes a part"
)]

#[path = "agreement.rs"]
pub mod agreement;
#[path = "damage.rs"]
pub mod damage;
#[path = "families.rs"]
pub mod families;
#[path = "rounds.rs"]
pub mod rounds;
#[path = "settings.rs"]
pub mod settings;
#[path = "tree.rs"]
pub mod tree;

pub use bench_sets::random;
