//! Benchmarks of tfxio: the program `measure`, and the data that the criterion suites run on.
//!
//! `benches/README.md` describes how to run all of it.

pub mod clicks;
pub mod containers;
pub mod example;
pub mod loading;
pub mod measure;
pub mod messages;
#[cfg(feature = "places")]
pub mod places;
pub mod random;
pub mod repeated;
pub mod sets;
pub mod tensors;
pub mod text;
