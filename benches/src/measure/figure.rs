//! Running work several times, and the figures that come out.

use std::fs;
use std::time::Instant;

use anyhow::{Result, bail};
use serde::Serialize;

use super::{Options, Task};

/// Records and bytes of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Done {
    /// Records; of `load` examples, which are records or windows.
    pub(super) records: u64,
    /// Their bytes in an uncompressed file: payloads and 16 bytes each; for Avro, the records alone.
    pub(super) bytes: u64,
}

impl std::ops::Add for Done {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { records: self.records + other.records, bytes: self.bytes + other.bytes }
    }
}

/// The figures of one measurement, in the order of the keys of their JSON.
#[derive(Clone, Debug, Serialize)]
pub struct Figure {
    task: &'static str,
    file: String,
    threads: usize,
    batch: usize,
    records: u64,
    bytes: u64,
    seconds_min: f64,
    seconds_median: f64,
    mb_per_s: f64,
    peak_rss_mb: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensors: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tensor_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    us_per_tensor: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    records_per_s: Option<f64>,
}

/// The tensors of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Tensors {
    /// Their number: the tensors of one batch times the batches.
    pub(super) tensors: u64,
    /// Their bytes, whether written or shared.
    pub(super) bytes: u64,
}

/// The least that a timed run should take: shorter work is done several times in each.
const SHORTEST: f64 = 0.02;
/// As often at most.
const PASSES: f64 = 10_000.0;

impl Figure {
    /// Runs `work` once untimed and then as often as asked for. Every run must do the same. The times are for doing it
    /// once, also where a run does it several times.
    pub(super) fn time(options: &Options, mut work: impl FnMut() -> Result<Done>) -> Result<Self> {
        let start = Instant::now();
        let done = work()?;
        let passes =
            (SHORTEST / start.elapsed().as_secs_f64().max(f64::MIN_POSITIVE)).clamp(1.0, PASSES) as u32;
        if done.records == 0 {
            bail!("{} holds no record: there is nothing to measure", options.file.display());
        }
        let mut seconds = Vec::with_capacity(options.repeat.get());
        for _ in 0..options.repeat.get() {
            let mut again = done;
            let start = Instant::now();
            for _ in 0..passes {
                again = work()?;
            }
            seconds.push(start.elapsed().as_secs_f64() / f64::from(passes));
            if again != done {
                bail!("{} changed while it was read: {done:?} before, {again:?} now", options.file.display());
            }
        }
        seconds.sort_by(f64::total_cmp);
        let min = seconds.first().copied().unwrap_or_default();
        Ok(Self {
            task: options.task.name(),
            file: options.file.display().to_string(),
            threads: options.threads.get(),
            batch: options.batch.get(),
            records: done.records,
            bytes: done.bytes,
            seconds_min: rounded(min, 1e9),
            seconds_median: rounded(median(&seconds), 1e9),
            mb_per_s: rounded(done.bytes as f64 / min / 1e6, 1e2),
            peak_rss_mb: peak_rss_mb(),
            tensors: None,
            tensor_bytes: None,
            us_per_tensor: None,
            records_per_s: (options.task == Task::Load).then(|| rounded(done.records as f64 / min, 1.0)),
        })
    }

    /// The same figures, and the tensors of a run.
    pub(super) fn with_tensors(self, made: Tensors) -> Self {
        let each = rounded(self.seconds_min * 1e6 / made.tensors.max(1) as f64, 1e3);
        Self {
            tensors: Some(made.tensors),
            tensor_bytes: Some(made.bytes),
            us_per_tensor: Some(each),
            ..self
        }
    }

    /// Records of one run.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }

    /// Their bytes in an uncompressed file.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Peak memory of the process so far in 10^6 bytes, where the system tells.
    #[must_use]
    pub fn peak_rss_mb(&self) -> Option<f64> {
        self.peak_rss_mb
    }

    /// One line of JSON.
    ///
    /// # Errors
    /// None that is known: all keys and values can be JSON.
    pub fn to_json(&self) -> Result<String> {
        Ok(serde_json::to_string(self)?)
    }
}

/// Rounded, but not to zero: a small file may take less than a microsecond.
fn rounded(value: f64, to: f64) -> f64 {
    let short = (value * to).round() / to;
    if short == 0.0 { value } else { short }
}

fn median(sorted: &[f64]) -> f64 {
    let middle = sorted.len() / 2;
    let at = |index: usize| sorted.get(index).copied().unwrap_or_default();
    if sorted.len() % 2 == 1 { at(middle) } else { f64::midpoint(at(middle.saturating_sub(1)), at(middle)) }
}

/// The process's peak resident memory in 10^6 bytes. Linux tells; elsewhere it would take a system call
/// that the standard library does not have, and memory is not what those systems are measured for.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kibibytes: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(rounded(kibibytes * 1024.0 / 1e6, 10.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        assert_eq!(median(&[1.0, 2.0, 9.0]), 2.0);
        assert_eq!(median(&[1.0, 2.0, 4.0, 9.0]), 3.0);
    }

    #[test]
    fn short_times_do_not_become_zero() {
        assert_eq!(rounded(0.123_456_789, 1e6), 0.123_457);
        assert_eq!(rounded(1e-9, 1e6), 1e-9);
    }
}
