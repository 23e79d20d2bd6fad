//! What needs the rows of a data set, not only its features.

use std::io::Write as _;

use arrow_array::RecordBatch;
use tfxio::tensor_repr::SchemaInference;
use tfxio::{
    ExampleTfxIo, Inferred, LogicalFormat, ReadOptions, SequenceExampleTfxIo, TfRecordTfxIoBuilder,
    TfxIo as _,
};

use crate::args::Schema;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::{Done, arrow_type};

/// A schema of TensorFlow Metadata as text.
pub(super) fn metadata(args: &Schema, seen: Inferred) -> Done {
    let mut inference = SchemaInference::default();
    each(args, seen, |batch| Ok(inference.push(batch).map_err(tfxio::Error::from)?))?;
    let schema = inference.finish().map_err(tfxio::Error::from)?;
    let mut out = Output::new();
    write!(out, "{}", schema.to_text())?;
    Ok(out.finish()?)
}

/// The columns as a reader has them by default.
pub(super) fn arrow(args: &Schema, seen: Inferred) -> Done {
    let files = || args.files.iter().map(String::as_str);
    let columns = match seen {
        Inferred::SequenceExample(seen) => {
            let builder = SequenceExampleTfxIo::builder(files()).schema(seen.finish());
            builder.sequence_column(args.records.sequence_column.as_str()).build()?.arrow_schema()?
        }
        Inferred::Example(seen) => {
            ExampleTfxIo::builder(files()).schema(seen.finish()).build()?.arrow_schema()?
        }
        _ => return Ok(()),
    };
    let mut out = Output::new();
    for field in columns.fields() {
        writeln!(out, "{}: {}", field.name(), arrow_type::name(field.data_type()))?;
    }
    Ok(out.finish()?)
}

/// Reads the rows of the features that were seen, as many as were looked at.
pub(super) fn each(
    args: &Schema,
    seen: Inferred,
    take: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let files = || args.files.iter().map(String::as_str);
    match seen {
        Inferred::SequenceExample(seen) => {
            let builder = SequenceExampleTfxIo::builder(files()).schema(seen.finish());
            read(builder.sequence_column(args.records.sequence_column.as_str()), seen.records(), take)
        }
        Inferred::Example(seen) => {
            read(ExampleTfxIo::builder(files()).schema(seen.finish()), seen.records(), take)
        }
        _ => Ok(()),
    }
}

fn read<F: LogicalFormat>(
    builder: TfRecordTfxIoBuilder<F>,
    mut left: u64,
    mut take: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let dataset = builder.build()?;
    let progress = Progress::new(left, "reading again");
    let all = left;
    for batch in dataset.read_all(&ReadOptions::default())? {
        let batch = batch.map_err(tfxio::Error::from)?;
        let rows = (batch.num_rows() as u64).min(left);
        take(&batch.slice(0, usize::try_from(rows).unwrap_or(usize::MAX)))?;
        left -= rows;
        progress.set(all - left, all - left);
        if left == 0 {
            break;
        }
    }
    progress.finish();
    Ok(())
}
