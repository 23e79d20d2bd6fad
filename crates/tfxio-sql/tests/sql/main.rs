//! Statements over data sets, as programs run them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

mod counting;
mod files;
mod filters;
mod scan;
mod session;
mod shapes;
mod statements;
