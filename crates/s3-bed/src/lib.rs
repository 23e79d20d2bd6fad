//! An S3-compatible server on this machine, and a proxy before it that makes requests fail.
//!
//! The server is the program of `server/`, a workspace of its own; `cargo xtask test` builds it and names it in
//! `TFXIO_S3_SERVER`. Everything here serves tests: what is wrong is a panic.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests fail by panicking")]

mod head;
mod proxy;
mod server;

pub use self::head::Request;
pub use self::proxy::{Fault, Proxy};
pub use self::server::{ACCESS_KEY, SECRET_KEY, Server};
