//! `load`: a loader's configuration to batches, which are dropped.
//!
//! Timed are reading the configuration and the manifest, looking for the files, and everything up to the last batch, or
//! the one that `--batches` names. Relative paths in the configuration start from its folder, and all its tensors are
//! inputs. `records` are the examples of a run: records or windows. `bytes` counts the records that were read, which is
//! more than the batches hold where `--batches` ends the run early.

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::path::Path;

use anyhow::Result;
use tfxio::batch_loader::config::LoaderConfig;

use super::Options;
use super::figure::{Done, Figure};

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let config = LoaderConfig::from_file(&options.file)?;
    let known = |number: usize| NonZeroUsize::new(number).unwrap_or(NonZeroUsize::MIN);
    let options = Options {
        batch: known(config.target_batch_size),
        threads: known(config.num_parallel_parses.max(config.num_parallel_reads)),
        ..options.clone()
    };
    // How much is read ahead of the last batch differs from run to run.
    let mut bytes = None;
    Figure::time(&options, || {
        let (records, read) = load(&options)?;
        Ok(Done { records, bytes: *bytes.get_or_insert(read) })
    })
}

/// Examples and bytes of one run.
fn load(options: &Options) -> Result<(u64, u64)> {
    let config = LoaderConfig::from_file(&options.file)?;
    let folder = options.file.parent().unwrap_or(Path::new(""));
    let inputs = config.tensor_names();
    let mut loader = tfxio::loader(config).inputs(inputs).base_dir(folder).build()?;
    let mut left = options.batches.unwrap_or(u64::MAX);
    while left > 0
        && let Some(batch) = loader.next_batch()?
    {
        drop(black_box(batch));
        left -= 1;
    }
    let stats = loader.stats();
    Ok((stats.examples, stats.bytes_framed))
}
