//! Messages to columns and back: layouts, presence, merging, errors, and a second implementation.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod columns;
mod damage;
mod descriptors;
mod encode;
mod errors;
mod generate;
mod keyed;
mod layouts;
mod merging;
mod oracle;
mod render;
mod sets;
mod test_data;
