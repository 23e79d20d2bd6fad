//! Measurements of `places`: reading objects over a network with latency, beside a loop of parallel requests for the
//! same bytes.
//!
//! A server and a proxy that delays every answer run in processes other than the reader's, which is started once for
//! each figure, so that its time and its peak of memory are of reading alone.

mod bed;
mod ways;

pub use self::bed::{Bed, READER, Size, Traffic};
pub use self::ways::{Ran, Way};
