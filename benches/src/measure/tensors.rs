//! `tensors`: batches of tf.Examples or tf.SequenceExamples to tensors, which are dropped.
//!
//! A schema of TensorFlow Metadata describes the tensors. From memory the clock sees the adapter alone: the batches are
//! decoded before, in the layout that decoders have by default, as the peers' are. From a file all of it is timed, and
//! the decoder lays the columns out so that tensors can share them.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use tensor_repr::{Adapter, Representation, TfmdSchema};
use tfrecord_io::{BatchSize, Reader, RecordBuffer};
use tfxio::prelude::*;

use super::figure::{Done, Figure, Tensors};
use super::{As, Options, parts};
use bench_sets::tensors;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let (dataset, representations) = dataset(options)?;
    let batches = dataset.read(request(options))?.collect::<Result<Vec<_>, _>>()?;
    let done = size(&options.file)?;
    let adapter = Adapter::builder(Arc::clone(dataset.schema()), representations).build()?;
    let mut made = Tensors::default();
    for batch in &batches {
        for (_, tensor) in adapter.tensors(batch)? {
            made.tensors += 1;
            made.bytes += tensors::bytes(&tensor);
        }
    }
    let cut = parts::ranges(batches.len(), options.threads.get());
    let figure = Figure::time(options, || {
        parts::run(cut.iter().cloned(), |range| {
            for batch in batches.get(range).unwrap_or_default() {
                drop(black_box(adapter.tensors(black_box(batch))?));
            }
            Ok(Done::default())
        })
        .map(|_| done)
    })?;
    Ok(figure.with_tensors(made))
}

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let (dataset, representations) = dataset(options)?;
    let done = size(&options.file)?;
    let stored = std::fs::metadata(&options.file)?.len();
    let partitions = dataset.partitions(stored.div_ceil(options.threads.get() as u64).max(1))?;
    let made = dataset.tensors(representations)?;
    let request = request(options);
    let each = |look: &(dyn Fn(&tensor_repr::Tensor) -> u64 + Sync)| {
        parts::run(partitions.iter(), |partition| {
            let mut sum = Done::default();
            for batch in made.scan(partition, &request)? {
                let batch = black_box(batch?);
                let bytes = batch.iter().map(|(_, tensor)| look(tensor)).sum();
                sum = sum + Done { records: batch.len() as u64, bytes };
            }
            Ok(sum)
        })
    };
    let made = each(&tensors::bytes)?;
    let figure = Figure::time(options, || each(&|_| 0).map(|_| done))?;
    Ok(figure.with_tensors(Tensors { tensors: made.records, bytes: made.bytes }))
}

fn request(options: &Options) -> ScanRequest {
    ScanRequest::new().batch_rows(options.batch.get())
}

type Named = BTreeMap<String, Representation>;

/// The data set, and what becomes a tensor.
fn dataset(options: &Options) -> Result<(Arc<dyn Dataset>, Named)> {
    let Some(path) = &options.schema else { bail!("`tensors` needs --schema") };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let schema = TfmdSchema::from_either(&bytes).with_context(|| path.display().to_string())?;
    let format = match options.record {
        As::SequenceExample => "sequence_example",
        As::Example | As::Message | As::Struct => "example",
    };
    let dataset = OpenOptions::new()
        .format(format)
        .set("schema", path.to_string_lossy().into_owned())?
        .set("fixed_size_lists", options.fixed_size_lists)?
        .open(options.file.as_path())?;
    Ok((dataset, schema.representations(None)?))
}

/// Records and uncompressed bytes of a file.
fn size(path: &Path) -> Result<Done> {
    let mut reader = Reader::open(path)?;
    let mut batch = RecordBuffer::new();
    while reader.read_batch(&mut batch, BatchSize::records(1024).and_bytes(1 << 20))? > 0 {}
    Ok(Done { records: reader.records_read(), bytes: reader.offset() })
}
