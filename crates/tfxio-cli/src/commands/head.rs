//! `tfxio head`: shows the first records.

use std::io::Write as _;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio::example_codec::{ExampleDecoder, ExampleSchema, FeatureSpec};
use tfxio::tfrecord_io::{ReaderBuilder, RecordReader};
use tfxio::{ErrorKind, InputFile, Origin, RecordOptions, expand_files_with};

use crate::args::{Head, Layout};
use crate::cell::Cell;
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::Table;
use crate::{Done, output};

/// Rows that are decoded at a time.
const CHUNK: u64 = 4096;
/// Characters of a cell in a table.
const CELL: usize = 44;

pub(crate) fn run(args: &Head) -> Done {
    let mut out = Output::new();
    let options = RecordOptions::default();
    let files = expand_files_with([&args.file], &options)?.into_iter();
    let mut rows = Rows { files, options, reader: None };
    let (mut left, mut shown) = (args.rows, 0);
    loop {
        let (batch, failed) = rows.read(left.min(CHUNK));
        if let Some(batch) = batch {
            let batch = project(batch, args.columns.as_deref())?;
            match args.format {
                Layout::Json => write_json(&batch, &mut out)?,
                Layout::Table => write_table(&batch, shown, &mut out)?,
            }
            shown += batch.num_rows() as u64;
            left -= batch.num_rows() as u64;
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
}

impl Rows {
    fn has_more(&self) -> bool {
        self.reader.is_some() || self.files.len() > 0
    }

    /// The next rows, as a batch of their own columns, and the error that ended it early.
    fn read(&mut self, most: u64) -> (Option<RecordBatch>, Option<Failure>) {
        let mut decoder = match ExampleDecoder::builder().build() {
            Ok(decoder) => decoder,
            Err(error) => return (None, Some(tfxio::Error::from(error).into())),
        };
        let failed = self.fill(&mut decoder, most).err();
        if decoder.rows() == 0 {
            return (None, failed);
        }
        match decoder.flush() {
            Ok(batch) => (Some(batch), failed),
            Err(error) => (None, Some(tfxio::Error::from(error).into())),
        }
    }

    fn fill(&mut self, decoder: &mut ExampleDecoder, most: u64) -> Result<(), Failure> {
        while (decoder.rows() as u64) < most {
            let Some((reader, name)) = &mut self.reader else {
                let Some(path) = self.files.next() else { return Ok(()) };
                let file = InputFile::open(&path, &self.options)?;
                self.reader = Some((ReaderBuilder::new().name(Arc::clone(&path)).from_reader(file), path));
                continue;
            };
            match reader.next_record()? {
                Some(record) => {
                    let origin = Origin::new(name, record.offset, record.index);
                    decoder.push(record.data, origin).map_err(|error| {
                        let error = tfxio::Error::from(error);
                        not_an_example(error)
                    })?;
                }
                None => self.reader = None,
            }
        }
        Ok(())
    }
}

/// Adds what to think of when a record cannot be decoded although its checksum is right.
fn not_an_example(error: tfxio::Error) -> Failure {
    if error.kind() != ErrorKind::Malformed {
        return error.into();
    }
    let position = error.position().clone();
    let text = format!(
        "{error}; the checksum is right, so the record was written like this: it may not be a tf.Example"
    );
    // The text says the position already.
    tfxio::Error::wrap(ErrorKind::Malformed, position, text).into()
}

/// Some columns, in the order asked for.
fn project(batch: RecordBatch, columns: Option<&[String]>) -> Result<RecordBatch, Failure> {
    let Some(names) = columns else { return Ok(batch) };
    let schema = batch.schema();
    let specs = schema.fields().iter().map(|field| FeatureSpec::null(field.name().as_str()));
    let known = ExampleSchema::new(specs).map_err(tfxio::Error::from)?;
    if let Err(error) = known.project(names) {
        let rows = batch.num_rows();
        return Err(Failure::Usage(format!("{error} (in the first {rows} records)")));
    }
    let places = names.iter().filter_map(|name| schema.index_of(name).ok()).collect::<Vec<_>>();
    batch.project(&places).map_err(|error| tfxio::Error::from(error).into())
}

fn write_json(batch: &RecordBatch, out: &mut Output) -> Result<(), Failure> {
    let mut line = String::new();
    let schema = batch.schema();
    for row in 0..batch.num_rows() {
        line.clear();
        let mut object = Object::new(&mut line);
        for (field, column) in schema.fields().iter().zip(batch.columns()) {
            Cell::of(column, row).json(object.key(field.name()));
        }
        object.finish();
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// A table with a line a row; where that is too wide, a line a feature.
fn write_table(batch: &RecordBatch, shown: u64, out: &mut Output) -> Result<(), Failure> {
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| printable(field.name()));
    let mut table = Table::new(names);
    for row in 0..batch.num_rows() {
        table.push(batch.columns().iter().map(|column| Cell::of(column, row).text(CELL)).collect());
    }
    if batch.num_columns() == 0 {
        writeln!(out, "{} records without features", batch.num_rows())?;
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
