//! tf.SequenceExample to Arrow and back.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

#[path = "../damage/mod.rs"]
mod damage;
#[path = "../model/mod.rs"]
mod model;
#[path = "../wire/mod.rs"]
mod wire;

mod decode;
mod encode;
mod errors;
mod infer;
mod oracle;
mod robustness;
mod rows;
mod short_steps;
mod single_steps;
