//! `tensors`: batches of tf.Examples or tf.SequenceExamples to tensors, which are dropped.
//!
//! What becomes a tensor, and how, is in a schema of TensorFlow Metadata. From memory the clock sees the adapter
//! alone: the batches are decoded before, in the layout that decoders have by default, as the peers' are. From a file all
//! of it is timed, and the decoder lays the columns out so that tensors can share them.

use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use arrow_array::RecordBatch;
use tensor_repr::{Adapter, Schema};
use tfrecord_io::{Reader, RecordBuffer};
use tfxio::{ExampleTfxIo, ReadOptions, SequenceExampleTfxIo, Split, TensorReadOptions, TensorTfxIo};

use super::figure::{Done, Figure, Tensors};
use super::{As, Options, parts};
use crate::tensors;

pub(super) fn from_memory(options: &Options) -> Result<Figure> {
    let dataset = dataset(options)?;
    let whole = Split::whole(options.file.to_string_lossy());
    let rows = ReadOptions::default().with_batch_size(options.batch.get());
    let batches = dataset.read(&whole, &rows)?.collect::<Result<Vec<RecordBatch>, _>>()?;
    let done = size(&options.file)?;
    let schema = dataset.arrow_schema()?;
    let adapter = Adapter::builder(schema, dataset.tensor_representations()?).build()?;
    let mut made = Tensors::default();
    for batch in &batches {
        for (_, tensor) in adapter.tensors(batch)? {
            made += Tensors { tensors: 1, bytes: tensors::bytes(&tensor) };
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
    let dataset = dataset(options)?;
    let done = size(&options.file)?;
    let stored = std::fs::metadata(&options.file)?.len();
    let splits = dataset.splits(stored.div_ceil(options.threads.get() as u64).max(1))?;
    let read = TensorReadOptions::default().with_batch_size(options.batch.get());
    let each = |look: &(dyn Fn(&tensor_repr::Tensor) -> u64 + Sync)| {
        parts::run(splits.iter(), |split| {
            let mut sum = Done::default();
            let mut reader = dataset.read_tensors(split, &read)?;
            for made in &mut reader {
                let made = black_box(made?);
                sum = sum
                    + Done {
                        records: made.len() as u64,
                        bytes: made.iter().map(|(_, tensor)| look(tensor)).sum(),
                    };
            }
            Ok(sum)
        })
    };
    let made = each(&tensors::bytes)?;
    let figure = Figure::time(options, || each(&|_| 0).map(|_| done))?;
    Ok(figure.with_tensors(Tensors { tensors: made.records, bytes: made.bytes }))
}

fn dataset(options: &Options) -> Result<Box<dyn TensorTfxIo>> {
    let Some(path) = &options.schema else { bail!("`tensors` needs --schema") };
    let bytes = std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
    let schema = Schema::from_either(&bytes).with_context(|| path.display().to_string())?;
    let file: Arc<str> = options.file.to_string_lossy().into();
    let fixed = options.fixed_size_lists;
    Ok(match options.record {
        As::Example => {
            Box::new(ExampleTfxIo::builder([file]).metadata_schema(schema).fixed_size_lists(fixed).build()?)
        }
        As::SequenceExample => Box::new(
            SequenceExampleTfxIo::builder([file]).metadata_schema(schema).fixed_size_lists(fixed).build()?,
        ),
    })
}

/// Records and uncompressed bytes of a file.
fn size(path: &Path) -> Result<Done> {
    let mut reader = Reader::open(path)?;
    let mut batch = RecordBuffer::new();
    while reader.read_batch(&mut batch, 1024, 1 << 20)? > 0 {}
    Ok(Done { records: reader.records_read(), bytes: reader.offset() })
}
