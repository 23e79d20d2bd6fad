//! What needs the rows of a data set, not only its features.

use std::io::Write as _;

use arrow_array::RecordBatch;
use tfxio::tensor_repr::SchemaInference;
use tfxio::{
    Error, ErrorKind, ExampleTfxIo, Inferred, LogicalFormat, ReadOptions, RecordOptions,
    SequenceExampleTfxIo, TfRecordTfxIoBuilder, TfxIo as _,
};

use crate::args::Schema;
use crate::failure::Failure;
use crate::output::Output;
use crate::progress::Progress;
use crate::{Done, arrow_type, escape};

/// A schema of TensorFlow Metadata as text.
pub(super) fn metadata(args: &Schema, seen: Inferred, options: &RecordOptions) -> Done {
    let mut inference = SchemaInference::default();
    each(args, seen, options, |batch| Ok(inference.push(batch)?))?;
    let schema = inference.finish()?;
    let mut out = Output::new();
    write!(out, "{}", schema.to_text())?;
    Ok(out.finish()?)
}

/// The columns as a reader has them by default.
pub(super) fn arrow(args: &Schema, seen: Inferred, options: &RecordOptions) -> Done {
    let files = || args.files.iter().map(String::as_str);
    one_kind_each(&seen)?;
    let columns = match seen {
        Inferred::SequenceExample(seen) => {
            let builder = SequenceExampleTfxIo::builder(files()).record_options(options.clone());
            let builder = builder.schema(seen.finish());
            builder.sequence_column(args.records.sequence_column.as_str()).build()?.arrow_schema()?
        }
        Inferred::Example(seen) => {
            let builder = ExampleTfxIo::builder(files()).record_options(options.clone());
            builder.schema(seen.finish()).build()?.arrow_schema()?
        }
        _ => return Ok(()),
    };
    let mut out = Output::new();
    for field in columns.fields() {
        let line = format!("{}: {}", field.name(), arrow_type::name(field.data_type()));
        writeln!(out, "{}", escape::line(&line))?;
    }
    Ok(out.finish()?)
}

/// Reads the rows of the features that were seen, as many as were looked at.
pub(super) fn each(
    args: &Schema,
    seen: Inferred,
    options: &RecordOptions,
    take: impl FnMut(&RecordBatch) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let files = || args.files.iter().map(String::as_str);
    one_kind_each(&seen)?;
    match seen {
        Inferred::SequenceExample(seen) => {
            let builder = SequenceExampleTfxIo::builder(files()).record_options(options.clone());
            let builder = builder.schema(seen.finish());
            read(builder.sequence_column(args.records.sequence_column.as_str()), seen.records(), take)
        }
        Inferred::Example(seen) => {
            let builder = ExampleTfxIo::builder(files()).record_options(options.clone());
            read(builder.schema(seen.finish()), seen.records(), take)
        }
        _ => Ok(()),
    }
}

/// Refuses features of several kinds, which make no column.
fn one_kind_each(seen: &Inferred) -> Result<(), Failure> {
    seen.mixed_kinds().map_or(Ok(()), |error| Err(error.into()))
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
        let batch = batch.map_err(Error::from)?;
        let rows = (batch.num_rows() as u64).min(left);
        take(&batch.slice(0, usize::try_from(rows).unwrap_or(usize::MAX)))?;
        left -= rows;
        progress.set(all - left, all - left);
        if left == 0 {
            break;
        }
    }
    progress.finish();
    if left > 0 {
        let message = format!(
            "the files changed while they were read: they had {all} records at first, and {} when they were read again; read \
             them when nothing writes to them",
            all - left
        );
        return Err(Error::new(ErrorKind::Malformed, message).into());
    }
    Ok(())
}
