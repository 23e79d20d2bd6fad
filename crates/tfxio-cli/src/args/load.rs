//! Arguments of `load`.

use std::path::PathBuf;

use clap::Args as Arguments;

use super::{OnError, Opening, Printed, path, threads};

/// Load batches of training data by a configuration, and report the speed.
///
/// The configuration is JSON: the files, what is read from them, shuffling, windows, padding and the size of batches. Each
/// batch is shown with the dtypes, shapes and first values of its tensors, and at the end how fast it all went and what was
/// waited for.
#[derive(Debug, Arguments)]
#[command(after_help = "\
Examples:
  tfxio load digits.json --inputs image --targets label
  tfxio load digits.json --inputs image --targets label --batches 100000 --format json | tail -n 1
  tfxio load --check digits.json --inputs image --targets label
  tfxio load digits.json --seed 7 --batches 3 --base-dir /data
  tfxio load --init 'train-*.tfrecord' run.json
  tfxio load --init people.csv people-run.json
  tfxio load run.json --inputs image --targets label,id --batches 1
  tfxio load --init train.tfrecord --as raw raw.json

Without --inputs and --targets all tensors of the configuration are inputs; with them, features that
they do not name are not loaded, and said. Relative paths in the
configuration start from its folder, or from --base-dir. The same seed gives the same batches; one
that is drawn is shown at the end. With --format json there is one object a batch, with all values
in row-major order, and one at the end with the figures and how records left a schema that the
configuration holds them against. --init looks at data and writes a first configuration, CONFIG or
loader.json in the current folder, and beside it a manifest of TFRecord files, or a description of
others and of features with any number of values; nothing is replaced, and nothing is written among
the data unless CONFIG says so. https://github.com/tfxio/tfxio/blob/main/docs/loader.md explains the configuration.")]
pub(crate) struct Load {
    /// The configuration of the loader; - is standard input
    #[arg(required_unless_present = "init")]
    pub(crate) config: Option<PathBuf>,
    /// Write a manifest and a first configuration for these files or this directory, of any format
    #[arg(long, value_name = "DATA", conflicts_with_all = ["inputs", "targets", "batches", "seed", "batch_size", "base_dir", "shard", "threads", "on_error", "max_skipped", "max_skipped_bytes", "state", "save_state", "json", "check"])]
    pub(crate) init: Option<String>,
    /// The names of the model's inputs
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) inputs: Vec<String>,
    /// The names of the model's targets
    #[arg(long, value_delimiter = ',', value_name = "A,B")]
    pub(crate) targets: Vec<String>,
    /// Maximum number of batches
    #[arg(long, default_value_t = 10, value_name = "N")]
    pub(crate) batches: u64,
    /// Seed of the order [default: the configuration's, else random]
    #[arg(long, value_name = "S")]
    pub(crate) seed: Option<u64>,
    /// Examples a batch [default: the configuration's target_batch_size]
    #[arg(long, value_name = "N")]
    pub(crate) batch_size: Option<usize>,
    /// Folder of relative paths in the configuration [default: the configuration's folder]
    #[arg(long, value_name = "FOLDER")]
    pub(crate) base_dir: Option<PathBuf>,
    /// The part of the data set to load, of N parts from 0 on [default: the configuration's]
    #[arg(long, value_name = "I/N", value_parser = shard)]
    pub(crate) shard: Option<(u32, u32)>,
    /// Threads that work, in all [default: the configuration's]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(crate) threads: Option<u16>,
    /// Treatment of damaged records [default: the configuration's on_error]
    #[arg(long, value_enum, value_name = "ACTION")]
    pub(crate) on_error: Option<OnError>,
    /// Skip N damaged ranges at most [default: the configuration's error_budget]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped: Option<u64>,
    /// Skip N bytes at most [default: the configuration's error_budget]
    #[arg(long, value_name = "N")]
    pub(crate) max_skipped_bytes: Option<u64>,
    /// Go on from a state that --save-state wrote
    #[arg(long, value_name = "FILE")]
    pub(crate) state: Option<PathBuf>,
    /// Write the state after the last batch to a file
    #[arg(long, value_name = "FILE", value_parser = path(), conflicts_with = "check")]
    pub(crate) save_state: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) shown: Printed,
    /// Only look whether configuration, manifest and files fit together; read no record
    #[arg(long, conflicts_with_all = ["batches", "json"])]
    pub(crate) check: bool,
    #[command(flatten)]
    _opening: Opening,
}

/// Reads `0/4`: a part of a data set and how many there are.
fn shard(text: &str) -> Result<(u32, u32), String> {
    let numbers =
        text.split_once('/').and_then(|(index, count)| Some((index.parse().ok()?, count.parse().ok()?)));
    numbers
        .filter(|(index, count): &(u32, u32)| index < count)
        .ok_or_else(|| "give I/N with I from 0 to N - 1, such as 0/4".to_owned())
}
