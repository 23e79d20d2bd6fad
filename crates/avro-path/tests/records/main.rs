//! Whole records as columns: every type in both layouts, what is chosen and left out, resolution, damage, and random
//! schemas and data beside a plain account of what their columns must hold.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

#[path = "../random/choices.rs"]
mod choices;
mod damage;
#[path = "../random/data.rs"]
mod data;
#[path = "../random/evolved.rs"]
mod evolved;
mod expected;
mod layouts;
mod limits;
mod logical;
mod numbers;
mod oracle;
mod projection;
mod recursion;
mod render;
mod resolved;
