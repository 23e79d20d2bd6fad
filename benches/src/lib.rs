//! Comparisons of tfxio with other systems: the program `measure`, and the suites that have a peer.
//!
//! `benches/README.md` describes how to run all of it. The data sets are in `crates/bench-sets`.

pub mod clicks;
pub mod measure;
#[cfg(feature = "places")]
pub mod places;
pub mod reflected;
pub mod repeated;
pub mod text;
