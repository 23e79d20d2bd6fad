//! Containers, opened: files and objects, whole or in parts, one after the other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use avro_path::container::{Header, ReaderBuilder, SkippingReader};
use avro_path::{Resolution, Schema};
use tfxio_base::Threading;
use tfxio_core::{Error, ErrorKind, Limits, Position, Split};

use super::blocks::Blocks;
use super::decoder::{Program, Recipe};
use super::known::Source;
use crate::tfrecord::queue::Counted;
use crate::tfrecord::{InputFile, RecordOptions};

/// The header of a file.
pub(super) fn header(file: &Arc<str>, options: &RecordOptions) -> Result<Arc<Header>, Error> {
    #[cfg_attr(not(feature = "object-store"), allow(unused_mut, reason = "only objects are prepared"))]
    let mut input = InputFile::open(file, options)?;
    #[cfg(feature = "object-store")]
    if let Some(object) = input.object() {
        object.read_ahead(0, false);
    }
    let builder = ReaderBuilder::new().limits(options.limits).name(Arc::clone(file));
    Ok(Arc::clone(builder.from_reader(input)?.header()))
}

/// A split that is open.
pub(super) struct Open {
    pub(super) blocks: Blocks,
    pub(super) split: Split,
}

impl Open {
    /// The schema with which its data were written, as it stands in the file.
    pub(super) fn writer(&self) -> &str {
        self.blocks.header().schema().text()
    }
}

/// Splits that are opened in turn.
pub(super) struct Splits {
    queue: VecDeque<Split>,
    schema: Schema,
    options: RecordOptions,
    read: Arc<AtomicU64>,
}

impl Splits {
    /// Splits whose data are read with a schema.
    pub(super) fn new(splits: Vec<Split>, schema: &Schema, options: &RecordOptions) -> Self {
        let mut options = options.clone();
        // It ends with the reader, which does not end others.
        options.threading.cancel = options.threading.cancel.child();
        Self { queue: splits.into(), schema: schema.clone(), options, read: Arc::default() }
    }

    /// Counts the bytes that are read from files, as they are stored.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// The threads that work on blocks.
    pub(super) fn threading(&self) -> &Threading {
        &self.options.threading
    }

    /// Ends the waiting of whoever reads.
    pub(super) fn cancel(&self) {
        self.options.threading.cancel.cancel();
    }

    /// Opens the next one; `None` after the last.
    pub(super) fn open_next(&mut self) -> Result<Option<Open>, Error> {
        let Some(split) = self.queue.pop_front() else { return Ok(None) };
        #[cfg_attr(not(feature = "object-store"), allow(unused_mut, reason = "only objects are prepared"))]
        let mut file = InputFile::open(&split.file, &self.options)?;
        // Between the header and the first block of a part there may be much that is not needed.
        #[cfg(feature = "object-store")]
        let ahead = file.object().map(|object| {
            object.set_cancel(self.options.threading.cancel.clone());
            object.read_ahead(if split.start == 0 { split.end } else { 0 }, split.start == 0)
        });
        let size = file.size();
        let file: Source = Box::new(Counted::new(file, Arc::clone(&self.read)));
        let builder = ReaderBuilder::new().limits(self.options.limits).name(Arc::clone(&split.file));
        let blocks = if let Some(skip) = self.options.skip() {
            let mut reader = SkippingReader::new(file, &builder, size, skip)?;
            if !split.is_whole() {
                reader.restrict(split.start, split.end)?;
            }
            Blocks::Skipping(Box::new(reader))
        } else if split.is_whole() {
            Blocks::Strict(Box::new(builder.from_reader(file)?))
        } else {
            Blocks::Strict(Box::new(builder.from_reader_split(file, split.start, split.end)?))
        };
        #[cfg(feature = "object-store")]
        if let Some(ahead) = ahead {
            ahead.set(split.end);
        }
        Ok(Some(Open { blocks, split }))
    }

    /// What the data of a split need so that the columns of a program come out.
    pub(super) fn recipe(&self, open: &Open, program: &Program) -> Result<Recipe, Error> {
        recipe(program, open.blocks.header().schema(), &self.schema, self.options.limits, &open.split.file)
    }
}

/// Returns what makes data of the reader's schema of those of a file, where they have another.
pub(super) fn resolution(
    writer: &Schema,
    reader: &Schema,
    limits: &Limits,
    file: &Arc<str>,
) -> Result<Option<Resolution>, Error> {
    if writer.text() == reader.text() {
        return Ok(None);
    }
    let resolution = Resolution::with_limits(writer, reader, limits);
    let resolution = resolution.map_err(|error| unreadable(error, file))?;
    Ok((!resolution.is_identity()).then_some(resolution))
}

/// Returns what makes rows of a program of the data of a file.
pub(super) fn recipe(
    program: &Program,
    writer: &Schema,
    reader: &Schema,
    limits: Limits,
    file: &Arc<str>,
) -> Result<Recipe, Error> {
    if writer.text() == reader.text() {
        return Ok(Recipe { program: program.clone(), limits });
    }
    let resolved = program.resolved(writer, reader);
    Ok(Recipe { program: resolved.map_err(|error| unreadable(error, file))?, limits })
}

/// The error for a file whose data are never such of the data set's schema.
fn unreadable(error: Error, file: &Arc<str>) -> Error {
    let message = format!(
        "the data of the file cannot be read with the schema of the data set: {error}; read the file by itself, or give a \
         schema that fits all files"
    );
    let position = Position::new().file(Arc::clone(file));
    Error::new(ErrorKind::SchemaMismatch, message).at(position).because(error)
}
