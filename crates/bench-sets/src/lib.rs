//! Data sets of the benchmarks, made in memory from a seed: the same in each layer, and in the comparisons with other
//! systems.

#[cfg(feature = "avro")]
pub mod containers;
pub mod example;
#[cfg(feature = "examples")]
pub mod inference;
pub mod loading;
#[cfg(feature = "messages")]
pub mod messages;
pub mod random;
pub mod sets;
#[cfg(feature = "tensors")]
pub mod tensors;

/// Returns criterion with a second of warming up and two of measuring, or with the options of its command line: all
/// suites together stay below five minutes.
#[cfg(feature = "criterion")]
#[must_use]
pub fn criterion() -> criterion::Criterion {
    use std::time::Duration;

    criterion::Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(2))
        .sample_size(40)
}
