//! What is measured beside the peers, and the figures that come out.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::workspace;

/// The columns of the set `wide5`, as benches/peers/data_sets.py names them.
const WIDE5: &str = "feature_int_007,feature_int_150,feature_float_042,feature_float_199,feature_bytes_050";
/// The task of loading batches.
pub const LOAD: &str = "load";
/// The set of SequenceExamples.
const SEQUENCE: &str = "sequence";
/// The set, as `tensors` calls what it makes of a set.
const TENSOR_SETS: &[(&str, &str)] = &[
    ("dense_fixed", "dense"),
    ("dense_lists", "dense"),
    ("dense_default", "criteo"),
    ("dense_strings", "criteo"),
    ("varlen_sparse", "multi"),
    ("sparse", "indexed"),
    ("ragged", "multi"),
    ("sequence_ragged", SEQUENCE),
];
/// How often jobs of ours that are compared with each other run by turns; odd, so that one is the median.
pub const TURNS: usize = 5;

/// The two fields of the projections of Avro, as benches/peers/avro_data.py names them.
const AVRO_FIELDS: &[(&str, &str)] = &[("avro_flat2", "d0,l0"), ("avro_nested2", "label,user")];
/// Records a batch, where the set does not say it.
pub const BATCH: &str = "1024";
/// Timed runs of each case.
pub const REPEAT: &str = "5";

/// A piece of work that we and some peers do: `decode`, `criteo`, `memory`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Job {
    /// `scan`, `decode`, `encode`, `tensors` or `load`, and of Avro `avro_blocks` (decompressed only), `avro` (to columns) or
    /// `avro_tensors`.
    pub task: String,
    /// The data set. For `scan` the name of the file without `.tfrecord`; for `tensors` what is made of it, an `@`,
    /// and the rows of a batch; for `load` the configuration.
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

    /// Whether it is about Avro.
    fn is_avro(&self) -> bool {
        self.task.starts_with("avro")
    }

    /// The set, and the rows of a batch.
    pub fn set_and_batch(&self) -> (&str, &str) {
        self.set.split_once('@').unwrap_or((&self.set, BATCH))
    }

    /// The file that holds the set.
    fn file(&self) -> String {
        let (set, _) = self.set_and_batch();
        if self.is_avro() {
            return format!("{}.avro", set.trim_end_matches('2'));
        }
        if self.task == LOAD {
            return format!("{set}.json");
        }
        let set = if set == "wide5" { "wide" } else { set };
        let of_tensors = TENSOR_SETS.iter().find(|(kind, _)| self.task == "tensors" && *kind == set);
        format!("{}.tfrecord", of_tensors.map_or(set, |(_, file)| file))
    }

    /// The words after `measure --`, with the folder as given.
    pub fn args(&self, data: &str) -> Vec<String> {
        let (set, batch) = self.set_and_batch();
        let task = match self.task.as_str() {
            "avro_blocks" => "scan",
            "avro_tensors" => "avro",
            task => task,
        };
        let mut words = vec![task.to_owned(), format!("{data}/{}", self.file())];
        let mut add = |name: &str, value: &str| words.extend([name.to_owned(), value.to_owned()]);
        if self.task == LOAD {
            // The configuration says the rest.
            add("--repeat", REPEAT);
            return words;
        }
        add("--batch", batch);
        add("--threads", &self.threads.to_string());
        add("--repeat", REPEAT);
        add("--from", &self.from);
        match self.task.as_str() {
            "tensors" => {
                add("--schema", &format!("{data}/{set}.pbtxt"));
                if set.starts_with(SEQUENCE) {
                    add("--as", "sequence_example");
                }
            }
            "avro_tensors" => add("--features", &format!("{data}/{set}.json")),
            "avro" => {
                if let Some((_, fields)) = AVRO_FIELDS.iter().find(|(name, _)| *name == set) {
                    add("--columns", fields);
                }
            }
            _ if set == "wide5" => add("--columns", WIDE5),
            _ if set == SEQUENCE => add("--as", "sequence_example"),
            _ => {}
        }
        if set == "dense_fixed" {
            words.push("--fixed-size-lists".to_owned());
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
    /// The tensors of one run, and their bytes, if tensors are what it is about.
    pub tensors: Option<(f64, f64)>,
    /// Uncompressed file bytes of one run.
    pub bytes: f64,
    /// Records of one run, or what else is counted, where that is known.
    pub records: Option<f64>,
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
            bytes,
            records: value["records"].as_f64(),
            tensors: value["tensors"].as_f64().zip(value["tensor_bytes"].as_f64()),
            best: bytes / best / 1e6,
            median: bytes / median / 1e6,
            peak_rss_mb: value["peak_rss_mb"].as_f64(),
            version: workspace::text(&value["version"]).to_owned(),
        })
    }

    /// The line that [`parse`](Self::parse) makes this of.
    pub fn to_json(&self) -> Value {
        let mut line = json!({
            "bytes": self.bytes,
            "seconds_min": self.bytes / self.best / 1e6,
            "seconds_median": self.bytes / self.median / 1e6,
            "peak_rss_mb": self.peak_rss_mb,
            "version": self.version,
        });
        if let Some(records) = self.records {
            line["records"] = records.into();
        }
        if let Some((tensors, bytes)) = self.tensors {
            line["tensors"] = tensors.into();
            line["tensor_bytes"] = bytes.into();
        }
        line
    }

    /// Records a second, in the fastest run and in the median one.
    pub fn records_per_s(&self) -> Option<(f64, f64)> {
        let each = self.records? / self.bytes * 1e6;
        Some((self.best * each, self.median * each))
    }

    /// Microseconds for a tensor, in the fastest run.
    pub fn us_per_tensor(&self) -> Option<f64> {
        let (tensors, _) = self.tensors?;
        Some(self.bytes / self.best / tensors)
    }

    /// 10^6 bytes of tensors a second, in the fastest run.
    pub fn tensor_mb_per_s(&self) -> Option<f64> {
        let (_, bytes) = self.tensors?;
        Some(bytes / self.bytes * self.best)
    }
}

/// What was measured of one job.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// Ours: one figure for each peer, taken just before the peer's; one alone if there is no peer.
    pub ours: Vec<Figure>,
    /// Each peer, in the order of the list.
    pub peers: Vec<(String, Figure)>,
    /// This job and then those of ours that it is compared with, once a turn.
    pub turns: Vec<Vec<Figure>>,
    /// Of which run the figures are: when, at which commit, on which machine.
    pub run: String,
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
    fn tensors_have_their_schema_and_batch() {
        let args = |task, set, from| Job::new(task, set, from, 1).args("D").join(" ");
        assert_eq!(
            args("tensors", "sparse@32768", "memory"),
            "tensors D/indexed.tfrecord --batch 32768 --threads 1 --repeat 5 --from memory --schema D/sparse.pbtxt"
        );
        assert!(args("tensors", "sequence_ragged@1024", "memory").ends_with(" --as sequence_example"));
        assert!(
            args("avro_tensors", "avro_flat2", "file").ends_with("--from file --features D/avro_flat2.json")
        );
        assert!(args("avro", "avro_nested2", "file").starts_with("avro D/avro_nested.avro "));
        assert!(args("avro", "avro_nested2", "file").ends_with("--columns label,user"));
        assert!(args("avro_blocks", "avro_flat.snappy", "file").starts_with("scan D/avro_flat.snappy.avro "));
    }

    #[test]
    fn a_loader_is_measured_by_its_configuration_in_records() {
        assert_eq!(Job::new("load", "mnist", "file", 1).args("D").join(" "), "load D/mnist.json --repeat 5");
        let line = r#"{"bytes": 1000, "records": 50, "seconds_min": 2, "seconds_median": 4}"#;
        let (best, median) = Figure::parse(line).unwrap().records_per_s().unwrap();
        assert!((best - 25.0).abs() < 1e-9 && (median - 12.5).abs() < 1e-9, "{best} {median}");
    }

    #[test]
    fn what_tensors_take_is_told_by_tensor_and_by_byte() {
        let line = r#"{"bytes": 100, "seconds_min": 0.001, "seconds_median": 1, "tensors": 50, "tensor_bytes": 2000}"#;
        let figure = Figure::parse(line).unwrap();
        assert!((figure.us_per_tensor().unwrap() - 20.0).abs() < 1e-9);
        assert!((figure.tensor_mb_per_s().unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn figures_are_bytes_over_seconds() {
        let line = r#"{"bytes": 3000000, "seconds_min": 1.5, "seconds_median": 2, "peak_rss_mb": 7}"#;
        let figure = Figure::parse(line).unwrap();
        assert_eq!((figure.best, figure.median), (2.0, 1.5));
        assert_eq!(Figure::parse(&figure.to_json().to_string()).unwrap(), figure);
        assert!(Figure::parse(r#"{"bytes": 1, "seconds_min": 0, "seconds_median": 0}"#).is_err());
        assert!(Figure::parse(r#"{"bytes": 1}"#).is_err());
    }
}
