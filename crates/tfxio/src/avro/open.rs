//! Containers, opened: files and objects, whole or in parts, one after the other.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use avro_path::container::{ContainerReader, Header, ReaderBuilder};
use avro_path::{Resolution, Schema};
use tfxio_core::{Error, Position, Split};

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

/// An open split.
pub(super) struct Open {
    pub(super) container: ContainerReader<Counted>,
    pub(super) split: Split,
    /// What makes its data such of the data set's schema, where they have another.
    pub(super) resolution: Option<Arc<Resolution>>,
}

/// Splits that are opened in turn.
pub(super) struct Splits {
    queue: VecDeque<Split>,
    schema: Schema,
    options: RecordOptions,
    read: Arc<AtomicU64>,
    #[cfg(feature = "object-store")]
    interrupt: crate::store::Interrupt,
}

impl Splits {
    /// Splits whose data are read with a schema.
    pub(super) fn new(splits: Vec<Split>, schema: &Schema, options: &RecordOptions) -> Self {
        Self {
            queue: splits.into(),
            schema: schema.clone(),
            options: options.clone(),
            read: Arc::default(),
            #[cfg(feature = "object-store")]
            interrupt: crate::store::Interrupt::default(),
        }
    }

    /// Counts the bytes that are read from files, as they are stored.
    pub(super) fn bytes_read(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.read)
    }

    /// Ends the waiting of whoever reads.
    #[cfg(feature = "object-store")]
    pub(super) fn interrupt(&self) {
        self.interrupt.raise();
    }

    /// Opens the next one; `None` behind the last.
    pub(super) fn open_next(&mut self) -> Result<Option<Open>, Error> {
        let Some(split) = self.queue.pop_front() else { return Ok(None) };
        #[cfg_attr(not(feature = "object-store"), allow(unused_mut, reason = "only objects are prepared"))]
        let mut file = InputFile::open(&split.file, &self.options)?;
        // Between the header and the first block of a part there may be much that is not needed.
        #[cfg(feature = "object-store")]
        let ahead = file.object().map(|object| {
            object.set_interrupt(self.interrupt.clone());
            object.read_ahead(if split.start == 0 { split.end } else { 0 }, split.start == 0)
        });
        let file = Counted::new(file, Arc::clone(&self.read));
        let builder = ReaderBuilder::new().limits(self.options.limits).name(Arc::clone(&split.file));
        let container = if split.is_whole() {
            builder.from_reader(file)
        } else {
            builder.from_reader_split(file, split.start, split.end)
        }?;
        #[cfg(feature = "object-store")]
        if let Some(ahead) = ahead {
            ahead.set(split.end);
        }
        let resolution = self.resolution(&split.file, container.header().schema())?;
        Ok(Some(Open { container, split, resolution }))
    }

    fn resolution(&self, file: &Arc<str>, writer: &Schema) -> Result<Option<Arc<Resolution>>, Error> {
        if writer.text() == self.schema.text() {
            return Ok(None);
        }
        let resolution =
            Resolution::with_limits(writer, &self.schema, &self.options.limits).map_err(|error| {
                let message = format!(
                    "the data of the file cannot be read with the schema of the data set: {error}; read the file by \
                     itself, or give a schema that fits all files"
                );
                let position = Position { file: Some(Arc::clone(file)), ..Position::default() };
                Error::new(tfxio_core::ErrorKind::SchemaMismatch, message).at(position).because(error)
            })?;
        Ok((!resolution.is_identity()).then(|| Arc::new(resolution)))
    }
}
