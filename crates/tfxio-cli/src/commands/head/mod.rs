//! `tfxio head`: shows the first records, those of Avro files in [`avro`].

mod avro;

use std::io::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use tfxio::example_codec::{ExampleDecoder, ExampleSchema, FeatureSpec, SequenceExampleDecoder};
use tfxio::tfrecord_io::{ReaderBuilder, RecordReader};
use tfxio::{ErrorKind, InputFile, Message, Origin, RecordDecoder, RecordOptions, expand_files_with};

use crate::args::{Head, Layout};
use crate::cell::{Cell, leaves};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, output};

/// Rows that are decoded at a time.
const CHUNK: u64 = 4096;
/// Bytes of records that are looked at together.
const LOOK: usize = 16 << 20;
/// Characters of a cell in a table.
const CELL: usize = 44;

pub(crate) fn run(args: &Head) -> Done {
    let options = RecordOptions::default();
    let files = expand_files_with([&args.file], &options)?;
    if crate::avro::are_avro(&files, &options)? {
        return avro::run(args, &files, &options);
    }
    let mut out = Output::new();
    let mut rows = Rows {
        files: files.into_iter(),
        options,
        reader: None,
        message: args.records.message(),
        sequence_column: args.records.sequence_column.clone(),
    };
    let (mut left, mut shown) = (args.rows, 0);
    loop {
        let (batch, failed) = rows.read(left.min(CHUNK));
        if let Some(batch) = batch {
            let count = batch.num_rows();
            let columns = choose(&batch, args.columns.as_deref())?;
            match args.format {
                Layout::Json => write_json(&columns, count, &mut out)?,
                Layout::Table => write_table(&columns, count, shown, &mut out)?,
            }
            shown += count as u64;
            left -= count as u64;
        }
        // What is good is shown before what is wrong is said.
        if failed.is_some() || left == 0 || !rows.has_more() {
            out.finish()?;
            return failed.map_or(Ok(()), Err);
        }
    }
}

/// The records of some files.
struct Rows {
    files: std::vec::IntoIter<Arc<str>>,
    options: RecordOptions,
    reader: Option<(RecordReader<InputFile>, Arc<str>)>,
    /// What the records hold, once that is known.
    message: Option<Message>,
    sequence_column: String,
}

/// A record that was read.
struct Record {
    file: Arc<str>,
    offset: u64,
    index: u64,
    data: Vec<u8>,
}

impl Rows {
    fn has_more(&self) -> bool {
        self.reader.is_some() || self.files.len() > 0
    }

    /// The next rows, as a batch of their own columns, and the error that ended it early.
    fn read(&mut self, most: u64) -> (Option<RecordBatch>, Option<Failure>) {
        let (records, failed) = self.records(most);
        let message = *self
            .message
            .get_or_insert_with(|| Message::of_records(records.iter().map(|record| record.data.as_slice())));
        let mut decoder = match self.decoder(message) {
            Ok(decoder) => decoder,
            Err(error) => return (None, Some(error.into())),
        };
        let refused = records.iter().find_map(|record| {
            let origin = Origin::new(&record.file, record.offset, record.index);
            decoder.push(&record.data, origin).err()
        });
        let failed = refused.map(not_an_example).or(failed);
        if decoder.rows() == 0 {
            return (None, failed);
        }
        match decoder.flush() {
            Ok(batch) => (Some(batch), failed),
            Err(error) => (None, Some(error.into())),
        }
    }

    fn decoder(&self, message: Message) -> Result<Box<dyn RecordDecoder>, tfxio::Error> {
        Ok(match message {
            Message::SequenceExample => {
                let builder = SequenceExampleDecoder::builder();
                Box::new(builder.with_sequence_column(self.sequence_column.as_str()).build()?)
            }
            _ => Box::new(ExampleDecoder::builder().build()?),
        })
    }

    /// The next records, and the error that ended them early.
    fn records(&mut self, most: u64) -> (Vec<Record>, Option<Failure>) {
        let (mut records, mut bytes) = (Vec::new(), 0);
        while (records.len() as u64) < most && bytes < LOOK {
            match self.next() {
                Ok(Some(record)) => {
                    bytes += record.data.len();
                    records.push(record);
                }
                Ok(None) => break,
                Err(failure) => return (records, Some(failure)),
            }
        }
        (records, None)
    }

    fn next(&mut self) -> Result<Option<Record>, Failure> {
        loop {
            let Some((reader, name)) = &mut self.reader else {
                let Some(path) = self.files.next() else { return Ok(None) };
                let file = InputFile::open(&path, &self.options)?;
                self.reader = Some((ReaderBuilder::new().name(Arc::clone(&path)).from_reader(file), path));
                continue;
            };
            if let Some(record) = reader.next_record()? {
                let (offset, index, data) = (record.offset, record.index, record.data.to_vec());
                return Ok(Some(Record { file: Arc::clone(name), offset, index, data }));
            }
            self.reader = None;
        }
    }
}

/// Adds what to think of when a record cannot be decoded although its checksum is right.
fn not_an_example(error: tfxio::Error) -> Failure {
    if error.kind() != ErrorKind::Malformed {
        return error.into();
    }
    let position = error.position().clone();
    let text = format!(
        "{error}; the checksum is right, so the record was written like this: it may not be a tf.Example or a tf.SequenceExample"
    );
    // The text says the position already.
    tfxio::Error::wrap(ErrorKind::Malformed, position, text).into()
}

/// Some columns, in the order asked for. A struct column may be asked for as a whole.
fn choose(batch: &RecordBatch, columns: Option<&[String]>) -> Result<Vec<(String, ArrayRef)>, Failure> {
    let all = leaves(batch);
    let Some(names) = columns else { return Ok(all) };
    let schema = batch.schema();
    let is_struct = |name: &str| all.iter().all(|(leaf, _)| leaf != name) && schema.index_of(name).is_ok();
    let structs = schema.fields().iter().map(|field| field.name().as_str()).filter(|name| is_struct(name));
    let known = all.iter().map(|(name, _)| name.as_str()).chain(structs);
    let known = ExampleSchema::new(known.map(FeatureSpec::null)).map_err(tfxio::Error::from)?;
    if let Err(error) = known.project(names) {
        let rows = batch.num_rows();
        return Err(Failure::Usage(format!("{error} (in the first {rows} records)")));
    }
    let mut chosen = Vec::new();
    for name in names {
        let prefix = if is_struct(name) { format!("{name}.") } else { String::new() };
        let is_meant = |leaf: &str| leaf == name || (!prefix.is_empty() && leaf.starts_with(&prefix));
        chosen.extend(all.iter().filter(|(leaf, _)| is_meant(leaf)).cloned());
    }
    Ok(chosen)
}

fn write_json(columns: &[(String, ArrayRef)], rows: usize, out: &mut Output) -> Result<(), Failure> {
    let mut line = String::new();
    for row in 0..rows {
        line.clear();
        let mut object = Object::new(&mut line);
        for (name, column) in columns {
            Cell::of(column, row).json(object.key(name));
        }
        object.finish();
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A table with a line a row; where that is too wide, a line a feature.
fn write_table(
    columns: &[(String, ArrayRef)],
    rows: usize,
    shown: u64,
    out: &mut Output,
) -> Result<(), Failure> {
    let mut table = Table::new(columns.iter().map(|(name, _)| printable(name)));
    for row in 0..rows {
        table.push(columns.iter().map(|(_, column)| Cell::of(column, row).text(CELL)).collect());
    }
    if columns.is_empty() {
        writeln!(out, "{rows} records without features")?;
        return Ok(());
    }
    if shown > 0 {
        writeln!(out)?;
    }
    if table.width() <= output::width() {
        table.write(out)?;
    } else {
        table.write_long(out, "record", shown)?;
    }
    Ok(())
}

fn printable(name: &str) -> String {
    if name.is_empty() || name.chars().any(char::is_control) { format!("{name:?}") } else { name.to_owned() }
}
