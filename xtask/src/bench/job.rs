//! What is measured beside the peers, and the figures that come out.

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::workspace;

/// The columns of the set `wide5`, as benches/peers/data_sets.py names them.
const WIDE5: &str = "feature_int_007,feature_int_150,feature_float_042,feature_float_199,feature_bytes_050";
/// The set of SequenceExamples.
const SEQUENCE: &str = "sequence";
/// Records a batch.
pub const BATCH: &str = "1024";
/// Timed runs of each case.
pub const REPEAT: &str = "5";

/// A piece of work that we and some peers do: `decode`, `criteo`, `memory`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// `scan`, `decode` or `encode`.
    pub task: String,
    /// The data set; for `scan` the name of the file without `.tfrecord`.
    pub set: String,
    /// `memory` or `file`.
    pub from: String,
    /// How many threads, each with a processor.
    pub threads: u32,
}

impl Job {
    /// A job by its parts.
    pub fn new(task: &str, set: &str, from: &str, threads: u32) -> Self {
        Self { task: task.to_owned(), set: set.to_owned(), from: from.to_owned(), threads }
    }

    /// The file that holds the set.
    fn file(&self) -> String {
        format!("{}.tfrecord", if self.set == "wide5" { "wide" } else { &self.set })
    }

    /// The words after `measure --`, with the folder as given.
    pub fn args(&self, data: &str) -> Vec<String> {
        let mut words = vec![self.task.clone(), format!("{data}/{}", self.file())];
        let threads = self.threads.to_string();
        for word in ["--batch", BATCH, "--threads", &threads, "--repeat", REPEAT, "--from", &self.from] {
            words.push(word.to_owned());
        }
        if self.set == "wide5" {
            words.extend(["--columns".to_owned(), WIDE5.to_owned()]);
        }
        if self.set == SEQUENCE {
            words.extend(["--as".to_owned(), "sequence_example".to_owned()]);
        }
        words
    }
}

/// What one program took for a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// 10^6 uncompressed file bytes a second, in the fastest run.
    pub best: f64,
    /// The same in the median run.
    pub median: f64,
    /// The peak of resident memory in 10^6 bytes, where the system tells.
    pub peak_rss_mb: Option<f64>,
    /// The program and its version.
    pub version: String,
}

impl Figure {
    /// Reads a line of `measure` or of peers.py.
    pub fn parse(line: &str) -> Result<Self> {
        let value: Value = serde_json::from_str(line).with_context(|| format!("not JSON: {line}"))?;
        let number = |key: &str| value[key].as_f64().with_context(|| format!("no `{key}` in {line}"));
        let (bytes, best, median) = (number("bytes")?, number("seconds_min")?, number("seconds_median")?);
        if best <= 0.0 || median <= 0.0 {
            bail!("no time was taken: {line}");
        }
        Ok(Self {
            best: bytes / best / 1e6,
            median: bytes / median / 1e6,
            peak_rss_mb: value["peak_rss_mb"].as_f64(),
            version: workspace::text(&value["version"]).to_owned(),
        })
    }
}

/// What was measured of one job.
#[derive(Debug)]
pub struct Measured {
    /// Ours: one figure for each peer, taken just before the peer's; one alone if there is no peer.
    pub ours: Vec<Figure>,
    /// Each peer, in the order of the list.
    pub peers: Vec<(String, Figure)>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_projection_reads_five_columns_of_the_wide_file() {
        let args = Job::new("decode", "wide5", "memory", 2).args("DATA");
        let text = args.join(" ");
        assert!(text.starts_with("decode DATA/wide.tfrecord --batch 1024 --threads 2 "), "{text}");
        assert_eq!(args.last().unwrap().split(',').count(), 5);
    }

    #[test]
    fn the_set_of_sequence_examples_is_decoded_as_such() {
        let args = Job::new("decode", "sequence", "memory", 1).args("DATA");
        assert_eq!(args[args.len() - 2..], ["--as", "sequence_example"]);
    }

    #[test]
    fn figures_are_bytes_over_seconds() {
        let line = r#"{"bytes": 3000000, "seconds_min": 1.5, "seconds_median": 2, "peak_rss_mb": 7}"#;
        let figure = Figure::parse(line).unwrap();
        assert_eq!((figure.best, figure.median), (2.0, 1.5));
        assert!(Figure::parse(r#"{"bytes": 1, "seconds_min": 0, "seconds_median": 0}"#).is_err());
        assert!(Figure::parse(r#"{"bytes": 1}"#).is_err());
    }
}
