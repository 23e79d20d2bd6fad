//! The command line of `measure`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{Parser, ValueEnum};

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Task {
    /// Framing with both checksums, to record slices.
    Scan,
    /// tf.Example records to record batches, which are dropped.
    Decode,
    /// Record batches to tf.Example records, in a buffer that is used again.
    Encode,
}

impl Task {
    /// Its name on the command line and in the output.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Decode => "decode",
            Self::Encode => "encode",
        }
    }
}

/// What the records of the file are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum As {
    /// tf.Example.
    Example,
    /// tf.SequenceExample.
    SequenceExample,
}

/// Where the bytes are when the clock starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum From {
    /// In memory: the file's bytes for `scan`, framed records for `decode`, batches for `encode`.
    Memory,
    /// In the file: opening, reading, decompressing and framing it are timed too.
    File,
}

/// Measures how fast tfxio scans, decodes or encodes a TFRecord file, on warm caches.
///
/// Prints one JSON line. `bytes` are those of the uncompressed file (payloads and 16 bytes a record),
/// `mb_per_s` is 10^6 of them a second in the fastest run, `peak_rss_mb` is the peak memory of the
/// process in 10^6 bytes, its input included (null where the system does not tell).
#[derive(Clone, Debug, Parser)]
#[command(name = "measure")]
pub struct Options {
    /// What to measure
    pub task: Task,
    /// A TFRecord file: not compressed, gzip or zlib
    pub file: PathBuf,
    /// Records a batch
    #[arg(long, default_value = "1024")]
    pub batch: NonZeroUsize,
    /// What the records are
    #[arg(long = "as", value_enum, default_value = "example")]
    pub record: As,
    /// Decode only these columns
    #[arg(long, value_delimiter = ',')]
    pub columns: Option<Vec<String>>,
    /// Threads, each with its own records
    #[arg(long, default_value = "1")]
    pub threads: NonZeroUsize,
    /// Timed runs; one that is not timed comes first
    #[arg(long, default_value = "5")]
    pub repeat: NonZeroUsize,
    /// Where the bytes are when the clock starts
    #[arg(long, value_enum, default_value = "memory")]
    pub from: From,
}

impl Options {
    /// Refuses combinations that have no meaning.
    pub(super) fn check(&self) -> Result<()> {
        if self.columns.is_some() && self.task != Task::Decode {
            bail!("--columns goes with `decode` only; {} always takes all of a record", self.task.name());
        }
        if self.record == As::SequenceExample && (self.task != Task::Decode || self.columns.is_some()) {
            bail!("--as sequence_example goes with `decode` only, of all columns");
        }
        if self.task == Task::Encode && self.from == From::File {
            bail!("`encode` starts from batches, and a TFRecord file holds none; leave --from out");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options> {
        let options = Options::try_parse_from(["measure"].into_iter().chain(line.split(' ')))?;
        options.check()?;
        Ok(options)
    }

    #[test]
    fn defaults_are_those_of_the_comparisons() {
        let options = parse("decode a.tfrecord").unwrap();
        assert_eq!((options.batch.get(), options.threads.get(), options.repeat.get()), (1024, 1, 5));
        assert_eq!((options.from, options.columns, options.record), (From::Memory, None, As::Example));
        let options = parse("decode a.tfrecord --columns a,b --from file").unwrap();
        assert_eq!((options.from, options.columns), (From::File, Some(vec!["a".to_owned(), "b".to_owned()])));
    }

    #[test]
    fn what_has_no_meaning_is_refused() {
        for line in [
            "decode",
            "parse a.tfrecord",
            "decode a.tfrecord --batch 0",
            "decode a.tfrecord --threads 0",
            "decode a.tfrecord --repeat 0",
            "scan a.tfrecord --columns a",
            "encode a.tfrecord --from file",
            "scan a.tfrecord --as sequence_example",
            "decode a.tfrecord --as sequence_example --columns a",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
