//! `tfxio head`: shows the first records, those of Avro files in [`avro`].

mod avro;

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use tfxio::example_codec::{
    ExampleDecoder, ExampleSchema, FeatureSpec, SequenceExampleDecoder, SequenceSchemaInference,
};
use tfxio::tfrecord_io;
use tfxio::tfrecord_io::salvage::SalvageReader;
use tfxio::{
    ErrorKind, InputFile, Message, Origin, RecordDecoder, RecordOptions, Skip, SkippedRange,
    expand_files_with, index_beside,
};

use crate::args::{Head, Layout};
use crate::cell::{Cell, leaves};
use crate::failure::Failure;
use crate::json::Object;
use crate::output::Output;
use crate::table::{Table, counted};
use crate::{Done, on_error, output};

/// Rows that are decoded at a time.
const CHUNK: u64 = 4096;
/// Bytes of records that are looked at together.
const LOOK: usize = 16 << 20;
/// Bytes of a record's frame.
const FRAME: u64 = 16;
/// Characters of a cell in a table.
const CELL: usize = 44;

pub(crate) fn run(args: &Head) -> Done {
    let options = args.indexes.options();
    let files = expand_files_with([&args.file], &options)?;
    if crate::avro::are_avro(&files, &options)? {
        return avro::run(args, &files, &options);
    }
    on_error::refuse_reader_schema(&args.reader_schema)?;
    let skip = args.on_damage.skip()?;
    let done = show(args, files, options, skip.as_ref());
    on_error::report(skip.as_ref());
    on_error::refuse_nothing(skip.as_ref(), done?)
}

/// Shows the rows, and returns their number.
fn show(
    args: &Head,
    files: Vec<Arc<str>>,
    options: RecordOptions,
    skip: Option<&Skip>,
) -> Result<u64, Failure> {
    let mut out = Output::new();
    let mut rows = Rows {
        files: files.into_iter(),
        options,
        skip: skip.cloned(),
        reader: None,
        stated: args.records.message(),
        message: Message::Example,
        sequence_column: args.records.sequence_column.clone(),
        columns: args.columns.clone(),
        projection: None,
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
            return failed.map_or(Ok(shown), Err);
        }
    }
}

/// The records of some files.
struct Rows {
    files: std::vec::IntoIter<Arc<str>>,
    options: RecordOptions,
    /// Where damage is to be reported that is skipped.
    skip: Option<Skip>,
    reader: Option<(Reader, Arc<str>)>,
    /// What the records were said to hold.
    stated: Option<Message>,
    /// What those so far hold.
    message: Message,
    sequence_column: String,
    /// What was asked for, and the features that it means, once there are records with all of them.
    columns: Option<Vec<String>>,
    projection: Option<Projection>,
}

/// Features of the context, and sequence features.
type Projection = (Vec<String>, Vec<String>);

/// The records of a file.
enum Reader {
    Strict(Box<tfrecord_io::Reader<InputFile>>),
    /// Over damage.
    Salvage(Box<SalvageReader<InputFile>>, Skip),
}

impl Reader {
    fn next(&mut self, file: &Arc<str>) -> Result<Option<Record>, tfxio::Error> {
        let own = |record: tfrecord_io::Record<'_>| Record {
            file: Arc::clone(file),
            offset: record.offset,
            index: record.index,
            data: record.data.to_vec(),
        };
        match self {
            Self::Strict(reader) => {
                let next = reader.next_record()?;
                Ok(next.map(own))
            }
            Self::Salvage(reader, skip) => {
                let next = reader.next_record()?.map(own);
                for damage in reader.take_damages() {
                    let reason = damage.reason.to_string();
                    let mut range = SkippedRange::new(Arc::clone(file), damage.start, damage.end, reason);
                    range.records = damage.lost_records;
                    skip.add(range.compressed(damage.compressed))?;
                }
                Ok(next)
            }
        }
    }
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
        let bytes = || records.iter().map(|record| record.data.as_slice());
        // Feature lists may come late.
        self.message = match (self.stated, self.message) {
            (Some(stated), _) => stated,
            (None, Message::Example) => Message::of_records(bytes()),
            (None, known) => known,
        };
        if self.projection.is_none()
            && let Some(columns) = &self.columns
        {
            self.projection = project(columns, self.message, &self.sequence_column, bytes());
        }
        let mut decoder = match self.decoder() {
            Ok(decoder) => decoder,
            Err(error) => return (None, Some(error.into())),
        };
        let refused = records.iter().find_map(|record| {
            let origin = Origin::new(&record.file, record.offset, record.index);
            let stated = self.stated.is_some();
            let is_other = if stated { Ok(()) } else { self.message.check(&record.data, origin) };
            let error = is_other.err().or_else(|| {
                let error = not_an_example(decoder.push(&record.data, origin).err()?);
                Some(if stated { error } else { self.message.explain(&record.data, error) })
            })?;
            let Some(skip) = self.skip.as_ref().filter(|_| error.kind() == ErrorKind::Malformed) else {
                return Some(error);
            };
            let end = record.offset.saturating_add(record.data.len() as u64).saturating_add(FRAME);
            let text = error.to_string();
            // The range names the file.
            let reason =
                text.strip_prefix(&*record.file).map_or(&*text, |rest| rest.trim_start_matches([',', ' ']));
            let range = SkippedRange::new(Arc::clone(&record.file), record.offset, end, reason);
            skip.add(range.records(1)).err()
        });
        let failed = refused.map(Failure::from).or(failed);
        if decoder.rows() == 0 {
            return (None, failed);
        }
        match decoder.flush() {
            Ok(batch) => (Some(batch), failed),
            Err(error) => (None, Some(error.into())),
        }
    }

    fn decoder(&self) -> Result<Box<dyn RecordDecoder>, tfxio::Error> {
        Ok(match self.message {
            Message::SequenceExample => {
                let mut builder = SequenceExampleDecoder::builder();
                if let Some((context, sequence)) = &self.projection {
                    builder = builder
                        .projection(context.iter().map(String::as_str), sequence.iter().map(String::as_str));
                }
                Box::new(builder.sequence_column(self.sequence_column.as_str()).build()?)
            }
            _ => {
                let mut builder = ExampleDecoder::builder();
                if let Some((features, _)) = &self.projection {
                    builder = builder.projection(features.iter().map(String::as_str));
                }
                Box::new(builder.build()?)
            }
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
                index_beside(&path, &self.options)?;
                let file = InputFile::open(&path, &self.options)?;
                let reader = match &self.skip {
                    Some(skip) => {
                        let reader = SalvageReader::builder(file).name(Arc::clone(&path)).build();
                        Reader::Salvage(Box::new(reader), skip.clone())
                    }
                    None => {
                        let builder = tfrecord_io::Reader::builder(file).name(Arc::clone(&path));
                        Reader::Strict(Box::new(builder.build()))
                    }
                };
                self.reader = Some((reader, path));
                continue;
            };
            if let Some(record) = reader.next(name)? {
                return Ok(Some(record));
            }
            self.reader = None;
        }
    }
}

/// Adds what to think of when a record cannot be decoded although its checksum is right.
fn not_an_example(error: tfxio::Error) -> tfxio::Error {
    if error.kind() != ErrorKind::Malformed {
        return error;
    }
    let position = error.position().clone();
    let text = format!(
        "{error}; the checksum is right, so the record was written like this: it may not be a tf.Example or a tf.SequenceExample"
    );
    // The text says the position already.
    tfxio::Error::wrap_at(ErrorKind::Malformed, position, text)
}

/// The features that columns are made of; `None` if the records do not have all of them.
fn project<'a>(
    columns: &[String],
    message: Message,
    sequence_column: &str,
    records: impl Iterator<Item = &'a [u8]>,
) -> Option<Projection> {
    let mut lists = SequenceSchemaInference::default().mixed_kinds(true);
    for record in records {
        // What cannot be read the decoder says.
        let _ = lists.push(record, Origin::default());
    }
    let in_context = lists.context_features().map(|feature| feature.name.to_owned()).collect::<HashSet<_>>();
    let mut in_lists =
        lists.sequence_features().map(|feature| feature.name.to_owned()).collect::<HashSet<_>>();
    if message == Message::Example {
        in_lists.clear();
    }
    let (mut context, mut sequence) = (Vec::new(), Vec::new());
    for column in columns {
        let inner = column.strip_prefix(sequence_column).and_then(|rest| rest.strip_prefix('.'));
        if in_context.contains(column) {
            context.push(column.clone());
        } else if let Some(inner) = inner
            && in_lists.contains(inner)
        {
            sequence.push(inner.to_owned());
        } else if column == sequence_column && !in_lists.is_empty() {
            sequence.extend(in_lists.iter().cloned());
        } else {
            return None;
        }
    }
    // Those asked for twice come twice in the end, and the struct is sorted.
    for names in [&mut context, &mut sequence] {
        names.sort();
        names.dedup();
    }
    Some((context, sequence))
}

/// Some columns, in the order asked for. A struct column may be asked for as a whole.
fn choose(batch: &RecordBatch, columns: Option<&[String]>) -> Result<Vec<(String, ArrayRef)>, Failure> {
    let all = leaves(batch);
    let mut seen = HashSet::new();
    if let Some((twice, _)) = all.iter().find(|(name, _)| !seen.insert(name.as_str())) {
        return Err(Failure::Usage(format!(
            "a feature and a feature list are both called {twice:?}; name the column of the lists otherwise: \
             --sequence-column NAME"
        )));
    }
    let Some(names) = columns else { return Ok(all) };
    let schema = batch.schema();
    let is_struct = |name: &str| all.iter().all(|(leaf, _)| leaf != name) && schema.index_of(name).is_ok();
    let structs = schema.fields().iter().map(|field| field.name().as_str()).filter(|name| is_struct(name));
    let known = all.iter().map(|(name, _)| name.as_str()).chain(structs);
    let known = ExampleSchema::new(known.map(FeatureSpec::null))?;
    if let Err(error) = known.project(names) {
        let rows = counted(batch.num_rows() as u64, "record");
        // The list of a name is nearer than any feature.
        let is_unknown = |name: &&String| all.iter().all(|(leaf, _)| leaf != *name) && !is_struct(name);
        let unknown = names.iter().find(is_unknown);
        let list = unknown.and_then(|name| all.iter().find(|(leaf, _)| is_list_of(&schema, leaf, name)));
        if let (Some(name), Some((leaf, _))) = (unknown, list) {
            let text = format!("there is no column {name:?}; did you mean {leaf:?}? (in the first {rows})");
            return Err(Failure::Usage(text));
        }
        return Err(Failure::Usage(format!("{error} (in the first {rows})")));
    }
    let mut chosen = Vec::new();
    for name in names {
        let prefix = if is_struct(name) { format!("{name}.") } else { String::new() };
        let is_meant = |leaf: &str| leaf == name || (!prefix.is_empty() && leaf.starts_with(&prefix));
        chosen.extend(all.iter().filter(|(leaf, _)| is_meant(leaf)).cloned());
    }
    Ok(chosen)
}

/// Whether a leaf is the field of this name of a struct column.
fn is_list_of(schema: &Schema, leaf: &str, name: &str) -> bool {
    let column = leaf.strip_suffix(name).and_then(|rest| rest.strip_suffix('.'));
    column.is_some_and(|column| {
        schema.field_with_name(column).is_ok_and(|field| matches!(field.data_type(), DataType::Struct(_)))
    })
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
        writeln!(out, "{} without features", counted(rows as u64, "record"))?;
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
    // Control characters are escaped in tables.
    if name.is_empty() { "\"\"".to_owned() } else { name.to_owned() }
}
