//! The tests of the crate in one program, which is linked once. Recorded cases are in `golden`; `events` sets what is set once for a
//! process.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod blocks;
mod budgets;
mod config_json;
mod config_values;
mod corrupt;
mod data;
mod datasets;
mod draft;
mod elastic;
mod errors;
mod even;
mod filter;
mod global;
mod hostile;
mod hosts;
mod indexes;
mod mixed;
mod mixed_tokens;
mod order;
mod pack;
mod pushdown;
mod reference;
mod resume;
mod resume_gaps;
mod select;
mod shards;
mod spawns;
mod states;
mod statistics;
mod threads;
mod tokens;
mod unnumbered;
mod validate;
mod window_steps;
