//! Batches as files of a columnar format.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::{ClosedFile, OutputFile, WriteErrors};
use tfxio_core::foreign::guarded;
use tfxio_core::{
    Batch, Error, ErrorKind, Feed, FormatOptions, Nested, Ordered, Result, Sink, Threading, Written,
};
use tfxio_store::output::{Output, Tally, refuse_shards_by_size, same_columns, shards_of, written};
use tfxio_store::shards::Shard;

use super::Columnar;
use super::dealer::Dealer;
use super::group_encoder::{EncodePart, Group, GroupEncoder, Groups};

/// Writer of one file. May panic over types that it has no code for; nothing is written after that.
pub(crate) trait BatchWriter: Send + Sized + 'static {
    type Error: std::error::Error + Send + Sync + 'static;

    /// Begins a file of a set of `shards`, all of which are open at once; 1 for a file by itself.
    fn create(
        file: OutputFile,
        schema: &SchemaRef,
        options: &FormatOptions,
        shards: u32,
    ) -> Result<Self, Self::Error>;

    fn write(&mut self, batch: &RecordBatch) -> Result<(), Self::Error>;

    /// Returns what encodes rows apart from the file, if that is offered and no group of rows is open. Default: not offered.
    fn group_encoder(&self) -> Option<GroupEncoder<Self>> {
        None
    }

    /// Writes the footer.
    fn finish(self) -> Result<OutputFile, Self::Error>;
}

/// A file that is being written.
struct ColumnarFile<W> {
    format: Columnar,
    writer: W,
    errors: WriteErrors,
}

impl<W: BatchWriter> ColumnarFile<W> {
    fn write(&mut self, batch: &RecordBatch) -> Result<()> {
        let written = guarded(|| self.writer.write(batch));
        self.done(written)
    }

    /// Returns the result of a writer, which may have failed or panicked.
    fn done<T>(&self, done: Result<Result<T, W::Error>, String>) -> Result<T> {
        let done = done.map_err(|text| stopped(&self.format, &text))?;
        done.map_err(|error| self.errors.of_writer(error))
    }
}

impl<W: BatchWriter> Shard for ColumnarFile<W> {
    /// No set of these ends its files by size.
    fn offset(&self) -> u64 {
        0
    }

    fn close(self) -> Result<ClosedFile> {
        let Self { format, writer, errors } = self;
        let file = guarded(|| writer.finish()).map_err(|text| stopped(&format, &text))?;
        file.map_err(|error| errors.of_writer(error))?.close()
    }
}

/// Writes one file, or a set of a number of files that get the rows in turn.
pub(crate) struct ColumnarSink<W: BatchWriter> {
    files: Output<ColumnarFile<W>>,
    /// Deals the rows out to the files of a set.
    dealer: Option<Arc<Mutex<Dealer>>>,
    output: String,
    schema: SchemaRef,
    /// Refuses values that cannot be written.
    refuse_values: fn(&RecordBatch) -> Result<()>,
    tally: Tally,
}

impl<W: BatchWriter> ColumnarSink<W> {
    pub(crate) fn create(
        format: &Columnar,
        output: &str,
        schema: &SchemaRef,
        options: &FormatOptions,
    ) -> Result<Box<dyn Sink>> {
        refuse_shards_by_size(output, format.name)?;
        (format.refuse)(schema, output)?;
        let shards = shards_of(output)?;
        let (of_file, set) = (Arc::clone(schema), options.clone());
        let of_files = *format;
        let files = Output::create(output, options, move |file| {
            let errors = file.errors();
            let created = W::create(file, &of_file, &set, shards.unwrap_or(1));
            let writer = created.map_err(|error| errors.of_writer(error))?;
            Ok(ColumnarFile { format: of_files, writer, errors })
        })?;
        Ok(Box::new(Self {
            files,
            dealer: shards.map(|shards| Arc::new(Mutex::new(Dealer::new(output, shards as usize)))),
            output: output.to_owned(),
            schema: Arc::clone(schema),
            refuse_values: format.refuse_values,
            tally: Tally::new(output),
        }))
    }

    /// Writes a batch to the file, or its rows to those whose turn it is.
    fn write_rows(&mut self, batch: &RecordBatch) -> Result<()> {
        let Some(dealer) = &self.dealer else { return self.files.write(|file| file.write(batch)) };
        let dealt = dealer.lock().unwrap_or_else(PoisonError::into_inner).deal(batch)?;
        write_to(&mut self.files, dealt)
    }

    /// Returns what encodes rows apart from each file, if that is offered.
    fn group_encoders(&mut self) -> Result<Option<Vec<GroupEncoder<W>>>> {
        let count = self.files.sharding().map_or(1, |(_, count)| count);
        let mut files = Vec::with_capacity(count);
        for index in 0..count {
            self.files.write_to(index, |file| {
                files.extend(file.writer.group_encoder());
                Ok(())
            })?;
        }
        Ok((files.len() == count).then_some(files))
    }

    /// Appends what several threads encode. Returns the number of rows.
    fn write_apart(
        &mut self,
        feed: Feed,
        files: Vec<GroupEncoder<W>>,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64> {
        let threads = feed.threading().threads;
        let ahead = Groups::ahead(&files, threads);
        let (threading, nested) = (feed.threading().clone().ahead(ahead), Nested::new());
        let (schema, output) = (Arc::clone(&self.schema), self.output.clone());
        let refuse_values = self.refuse_values;
        let fed = feed.within(&nested).map(move || {
            let (schema, output) = (Arc::clone(&schema), output.clone());
            Ok(move |batch: Batch| {
                same_columns(&schema, &batch.columns().schema())
                    .map_err(|error| error.in_file(output.as_str()))?;
                refuse_values(batch.columns()).map_err(|error| batch.locate(error))?;
                Ok(batch)
            })
        })?;
        let (groups, cancel) = (Groups::new(fed, files, self.dealer.clone()), threading.cancel.clone());
        let mut encoded = Ordered::over(groups, &threading, nested, move || Ok(EncodePart::new(&cancel)))?;
        let (mut begun, mut written) = (VecDeque::new(), 0u64);
        loop {
            let next = encoded.next().transpose()?;
            let is_last = next.is_none();
            begun.extend(next);
            // While others encode what is left of a group, this thread goes on to the next ones.
            while begun
                .front()
                .is_some_and(|group: &Group<W>| is_last || begun.len() >= threads || group.is_encoded())
                && let Some(group) = begun.pop_front()
            {
                written = written.saturating_add(self.append(group, &threading)?);
                progress(written);
            }
            if is_last {
                return Ok(written);
            }
        }
    }

    /// Appends a group, of which other threads may encode what is left. Returns the number of its rows.
    fn append(&mut self, group: Group<W>, threading: &Threading) -> Result<u64> {
        for part in group.parts {
            let append = part.wait();
            threading.cancel.check()?;
            self.files.write_to(group.file, |file| {
                let append = file.done(append)?;
                let appended = guarded(|| append(&mut file.writer));
                file.done(appended)
            })?;
        }
        Ok(group.rows)
    }
}

impl<W: BatchWriter> Sink for ColumnarSink<W> {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        if let Err(error) = same_columns(&self.schema, &batch.columns().schema()) {
            return self.tally.add(batch, Err(error.in_file(self.output.as_str())));
        }
        let refused = (self.refuse_values)(batch.columns()).map_err(|error| batch.locate(error));
        let written = refused.and_then(|()| self.write_rows(batch.columns()));
        self.tally.add(batch, written)
    }

    fn write_all(&mut self, feed: Feed, progress: &mut dyn FnMut(u64)) -> Result<()> {
        if feed.threading().threads > 1
            && let Some(files) = self.group_encoders()?
        {
            return match self.write_apart(feed, files, progress) {
                Ok(rows) => self.tally.add_rows(rows, Ok(())),
                Err(error) => self.tally.add_rows(0, Err(error)),
            };
        }
        let mut rows = 0u64;
        for batch in feed.map(|| Ok(Ok))? {
            let batch = batch?;
            self.write(&batch)?;
            rows = rows.saturating_add(batch.num_rows() as u64);
            progress(rows);
        }
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        let Self { mut files, dealer, tally, .. } = *self;
        let rows = tally.rows()?;
        if let Some(dealer) = dealer {
            let rest = dealer.lock().unwrap_or_else(PoisonError::into_inner).rest();
            write_to(&mut files, rest)?;
        }
        Ok(Written::new(rows, written(&files.finish()?)))
    }
}

/// Writes batches to files of a set, each by its index.
fn write_to<W: BatchWriter>(
    files: &mut Output<ColumnarFile<W>>,
    batches: Vec<(usize, RecordBatch)>,
) -> Result<()> {
    batches.into_iter().try_for_each(|(shard, rows)| files.write_to(shard, |file| file.write(&rows)))
}

/// Returns the error of a writer that panics.
fn stopped(format: &Columnar, text: &str) -> Error {
    let title = format.title;
    let text = text.replace('\n', " ");
    let message = format!("the columns cannot be written as {title} (the writer stopped: {text})");
    let help = "write another format, or leave out columns of rare types";
    Error::new(ErrorKind::Unsupported, message).help(help)
}
