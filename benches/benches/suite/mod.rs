//! Durations of benchmarks: all suites together stay below five minutes.

use std::time::Duration;

use criterion::Criterion;

/// Criterion with a second of warming up and two of measuring.
pub fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_secs(1))
        .measurement_time(Duration::from_secs(2))
        .sample_size(40)
}
