//! Conversions that go through record batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use example_codec::UnknownFeatures;
use tfxio_core::{BoxedBatchReader, Error, ErrorKind, ReadOptions};

use super::output::Sink;
use super::{Conversion, Format, Phase, Progress};
use crate::dataset::format::{LogicalFormat, Selection};
use crate::dataset::{Inferred, infer_messages};
use crate::{ExampleTfxIo, Sample, SequenceExampleTfxIo, TfRecordTfxIoBuilder};

/// Converts. How many rows there were, and the size of the output.
pub(super) fn convert(
    conversion: &Conversion,
    progress: &mut dyn FnMut(Progress),
) -> Result<(u64, u64), Error> {
    match conversion.from {
        Format::TfRecord => examples(conversion, progress),
        #[cfg(feature = "avro")]
        Format::Avro => avro(conversion, progress),
        #[cfg(any(feature = "ipc", feature = "parquet"))]
        _ => columnar(conversion, progress),
        #[cfg(not(any(feature = "ipc", feature = "parquet")))]
        other => Err(super::input::left_out(other)),
    }
}

/// From tf.Example or tf.SequenceExample records.
fn examples(conversion: &Conversion, progress: &mut dyn FnMut(Progress)) -> Result<(u64, u64), Error> {
    // A name that exists is taken as it stands, also when it looks like a pattern.
    let inputs = || conversion.inputs.iter().cloned();
    let inferred = infer_messages(
        inputs(),
        conversion.message,
        conversion.sample,
        &conversion.records,
        |records, bytes_read| progress(Progress { phase: Phase::Schema, bytes_read, records }),
    )?;
    let selection = conversion.columns.as_ref().map(|columns| selected(columns, &inferred, conversion));
    if let Some(mixed) = inferred.mixed_in(selection.as_ref()) {
        return Err(mixed);
    }
    let features = selection.as_ref().map_or_else(
        || match &inferred {
            Inferred::Example(seen) => seen.features().len(),
            Inferred::SequenceExample(seen) => seen.context_features().len() + seen.sequence_features().len(),
        },
        |selection| selection.columns.len() + selection.sequence.len(),
    );
    let records = (conversion.sample == Sample::All).then(|| inferred.records());
    match inferred {
        Inferred::Example(seen) => decode(
            ExampleTfxIo::builder(inputs()).schema(seen.finish()),
            records,
            features,
            conversion,
            progress,
        ),
        Inferred::SequenceExample(seen) => {
            let builder = SequenceExampleTfxIo::builder(inputs()).schema(seen.finish());
            let builder = builder.sequence_column(Arc::clone(&conversion.sequence_column));
            decode(builder, records, features, conversion, progress)
        }
    }
}

/// The features that these columns are made of.
fn selected(columns: &[Arc<str>], inferred: &Inferred, conversion: &Conversion) -> Selection {
    let sequence = match inferred {
        Inferred::SequenceExample(seen) if columns.contains(&conversion.sequence_column) => {
            seen.sequence_features().map(|feature| feature.name.into()).collect()
        }
        _ => Vec::new(),
    };
    Selection { columns: columns.to_vec(), sequence }
}

/// Decodes; `records` is how many there were when their columns were inferred, if all were looked at, and `features` how
/// many features.
fn decode<F: LogicalFormat>(
    builder: TfRecordTfxIoBuilder<F>,
    records: Option<u64>,
    features: usize,
    conversion: &Conversion,
    progress: &mut dyn FnMut(Progress),
) -> Result<(u64, u64), Error> {
    let mut options = conversion.records.clone();
    if features > MANY_COLUMNS {
        options = options.with_threads(1);
    }
    let builder = builder.unknown_features(UnknownFeatures::Refuse).record_options(options);
    let mut builder = builder.check_whole_records();
    if conversion.message.is_some() {
        builder = builder.other_messages(UnknownFeatures::Ignore);
    }
    let dataset = builder.build()?;
    let (reader, read) = dataset.read_all_counted(&read_options(conversion, features))?;
    let reader = match records {
        Some(expected) => Box::new(Complete { reader, expected, rows: 0 }),
        None => reader,
    };
    write(reader, &read, conversion, progress)
}

/// A reader that must give as many rows as there were before.
struct Complete {
    reader: BoxedBatchReader,
    expected: u64,
    rows: u64,
}

impl Iterator for Complete {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self.reader.next() {
            Some(Ok(batch)) => {
                self.rows = self.rows.saturating_add(batch.num_rows() as u64);
                Some(Ok(batch))
            }
            None if self.rows != self.expected => {
                let message = format!(
                    "the inputs changed while they were converted: they had {} records when the columns were inferred, and {} \
                     when they were read again; convert them when nothing writes to them",
                    self.expected, self.rows
                );
                // Said once.
                self.expected = self.rows;
                Some(Err(Error::new(ErrorKind::Malformed, message).into()))
            }
            other => other,
        }
    }
}

impl RecordBatchReader for Complete {
    fn schema(&self) -> SchemaRef {
        self.reader.schema()
    }
}

/// The most cells of a batch: columns times rows, each of which takes an offset even where nothing is in it.
const MOST_CELLS: usize = 1 << 23;
/// Of more columns than this one batch is made at a time.
const MANY_COLUMNS: usize = 4096;

/// What is read of so many columns at most.
fn read_options(conversion: &Conversion, columns: usize) -> ReadOptions {
    let rows = (MOST_CELLS / columns.max(1)).clamp(1, conversion.batch_size.max(1));
    let options = ReadOptions::default().with_batch_size(rows);
    match &conversion.columns {
        Some(columns) => options.with_projection(columns.iter().cloned()),
        None => options,
    }
}

/// From Avro records: whole ones, or key expressions.
#[cfg(feature = "avro")]
fn avro(conversion: &Conversion, progress: &mut dyn FnMut(Progress)) -> Result<(u64, u64), Error> {
    use avro_path::record::{Layout, RecordOptions};

    let layout = if conversion.to == Format::TfRecord { Layout::Structured } else { Layout::Plain };
    let mut layout =
        conversion.layout.clone().unwrap_or_else(|| RecordOptions::default().with_layout(layout));
    // What is not asked for may be what makes no columns.
    if let (Some(columns), None) = (&conversion.columns, &layout.fields) {
        layout = layout.with_columns(columns);
    }
    let mut builder = crate::AvroTfxIo::builder(conversion.inputs.iter().cloned()).record_layout(layout);
    if let Some(keys) = &conversion.keys {
        builder = builder.keys(keys.iter().cloned());
    }
    if let Some(schema) = &conversion.reader_schema {
        builder = builder.reader_schema(schema.clone());
    }
    let dataset = builder.record_options(conversion.records.clone()).build()?;
    let (reader, read) = dataset.read_all_counted(&read_options(conversion, 1))?;
    write(reader, &read, conversion, progress)
}

/// From Avro to Avro: the records stay as they are.
#[cfg(feature = "avro")]
pub(super) fn copy_avro(
    conversion: &Conversion,
    progress: &mut dyn FnMut(Progress),
) -> Result<(u64, u64), Error> {
    let Conversion { inputs, records, output, avro_codec, reader_schema, .. } = conversion;
    let schema = reader_schema.as_ref();
    let copied =
        crate::avro::copy::copy(inputs, schema, records, output, *avro_codec, |bytes_read, records| {
            progress(Progress { phase: Phase::Records, bytes_read, records });
        });
    let records = copied?;
    Ok((records, super::output::size(output)))
}

/// Writes the batches of a reader that counts the bytes that it reads.
fn write(
    reader: BoxedBatchReader,
    read: &AtomicU64,
    conversion: &Conversion,
    progress: &mut dyn FnMut(Progress),
) -> Result<(u64, u64), Error> {
    let schema = reader.schema();
    let mut batches = reader.peekable();
    // An output may refuse to have no columns: damage says more.
    if schema.fields().is_empty()
        && let Some(Err(error)) = batches.next_if(Result::is_err)
    {
        return Err(error.into());
    }
    // What has the name of the output stays if nothing is left to replace it.
    if conversion.records.skip().is_some() && batches.peek().is_none() {
        conversion.records.refuse_nothing(0)?;
    }
    let mut sink = Sink::create(conversion, &schema)?;
    let mut records = 0;
    for batch in batches {
        let batch = batch?;
        sink.write(&batch)?;
        records += batch.num_rows() as u64;
        progress(Progress { phase: Phase::Records, bytes_read: read.load(Ordering::Relaxed), records });
    }
    Ok((records, sink.finish()?))
}

/// From Parquet or Arrow files, which must have one schema.
#[cfg(any(feature = "ipc", feature = "parquet"))]
fn columnar(conversion: &Conversion, progress: &mut dyn FnMut(Progress)) -> Result<(u64, u64), Error> {
    use tfxio_core::{Partition, Position, ScanRequest};

    use crate::tfrecord::files;

    let mut request = ScanRequest::new().batch_rows(conversion.batch_size).limits(conversion.records.limits);
    if let Some(columns) = &conversion.columns {
        request = request.columns(columns.iter().map(|name| &**name));
    }
    let mut sink: Option<(Sink, SchemaRef)> = None;
    let (mut records, mut bytes_read) = (0, 0u64);
    for name in &conversion.inputs {
        let dataset = super::input::columnar(conversion, name)?;
        let mut scan = dataset.scan(&Partition::whole(Arc::clone(name)), &request)?;
        let sink = match &mut sink {
            Some((sink, schema)) if schema.fields() == scan.schema().fields() => sink,
            Some(_) => {
                let message = "the file has other columns than the files before it; convert it by itself";
                let position = Position::new().file(Arc::clone(name));
                return Err(Error::new(ErrorKind::SchemaMismatch, message).at(position));
            }
            None => &mut sink.insert((Sink::create(conversion, scan.schema())?, Arc::clone(scan.schema()))).0,
        };
        while let Some(batch) = scan.next_batch()? {
            records += batch.num_rows() as u64;
            sink.write(batch.columns())?;
            progress(Progress { phase: Phase::Records, bytes_read, records });
        }
        bytes_read = bytes_read.saturating_add(files::size(name, &conversion.records));
    }
    let bytes = match sink {
        Some((sink, _)) => sink.finish()?,
        None => 0,
    };
    Ok((records, bytes))
}
