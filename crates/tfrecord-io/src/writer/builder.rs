//! All knobs of a writer.

use std::io::Write;
use std::path::Path;

use super::sink::Sink;
use super::{FileWriter, RecordWriter, ShardedWriter, Sharding};
use crate::Result;
use crate::compression::Compression;

/// Sets up a [`RecordWriter`], a [`FileWriter`] or a [`ShardedWriter`].
///
/// ```
/// use tfrecord_io::{RecordReader, WriterBuilder};
///
/// let mut writer = WriterBuilder::new().buffer_bytes(1 << 20).from_writer(Vec::new())?;
/// writer.write(b"payload")?;
/// let file = writer.finish()?;
///
/// let mut reader = RecordReader::new(&file[..]);
/// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"payload"[..]));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriterBuilder {
    pub(super) compression: Compression,
    pub(super) level: u32,
    pub(super) member_bytes: Option<usize>,
    pub(super) buffer_bytes: usize,
    pub(super) overwrite: bool,
    pub(super) sync: bool,
}

impl Default for WriterBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl WriterBuilder {
    /// The default length of a gzip member before compression: 1 MiB.
    pub const DEFAULT_MEMBER_BYTES: usize = 1 << 20;

    /// Not compressed; gzip, when chosen, at level 6 in members of 1 MiB; files are replaced and synced.
    pub fn new() -> Self {
        Self {
            compression: Compression::None,
            level: 6,
            member_bytes: Some(Self::DEFAULT_MEMBER_BYTES),
            buffer_bytes: 256 << 10,
            overwrite: true,
            sync: true,
        }
    }

    /// Chooses the compression. Default: none. [`Compression::from_name`] guesses it from a file's name.
    ///
    /// ```
    /// use tfrecord_io::{Compression, ReaderBuilder, WriterBuilder};
    ///
    /// # #[cfg(feature = "gzip")] {
    /// let builder = WriterBuilder::new().compression(Compression::Gzip).level(9);
    /// let mut writer = builder.from_writer(Vec::new())?;
    /// writer.write(b"payload")?;
    /// let file = writer.finish()?;
    /// assert_eq!(ReaderBuilder::new().from_reader(&file[..]).compression()?, Compression::Gzip);
    /// # }
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn compression(mut self, compression: Compression) -> Self {
        self.compression = compression;
        self
    }

    /// The effort of compression, from 0 (stored) to 9 (smallest). Default: 6. Higher values are taken as 9.
    pub fn level(mut self, level: u32) -> Self {
        self.level = level.min(9);
        self
    }

    /// Ends a gzip member behind the first record that makes it this long before compression, so that readers can read
    /// the file in parallel and at random (see [`crate::compression::members`]). Default: 1 MiB, which costs about
    /// 0.4 % of size; smaller members cost more.
    pub fn member_bytes(mut self, bytes: usize) -> Self {
        self.member_bytes = Some(bytes.max(1));
        self
    }

    /// Writes gzip as one member. TensorFlow up to 1.12 loops for ever on a second one; every later version, and all
    /// other readers that were tried, take members as they come.
    pub fn single_member(mut self) -> Self {
        self.member_bytes = None;
        self
    }

    /// How many bytes gather before they are written or compressed. Default: 256 KiB. Members have their own size.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes;
        self
    }

    /// Whether a file that exists is replaced (at the end, in one step). Default: yes; otherwise it is an error, at
    /// the start if it exists then.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Whether [`FileWriter::finish`] waits until the bytes are on the device, so that not even a power cut leaves an
    /// incomplete file under the final name. Default: yes.
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Writes to any [`Write`].
    ///
    /// # Errors
    ///
    /// This build cannot write the compression.
    pub fn from_writer<W: Write>(&self, target: W) -> Result<RecordWriter<W>> {
        let threshold = match (self.compression, self.member_bytes) {
            (Compression::Gzip, Some(bytes)) => bytes,
            _ => self.buffer_bytes,
        };
        Ok(RecordWriter::build(Sink::new(target, self)?, threshold))
    }

    /// Writes a file, which appears under its name when it is [finished](FileWriter::finish).
    ///
    /// # Errors
    ///
    /// The directory is missing or may not be written, `path` is a directory, or it exists and
    /// [`overwrite`](Self::overwrite) is off.
    pub fn create(&self, path: impl AsRef<Path>) -> Result<FileWriter> {
        FileWriter::create(self, path.as_ref())
    }

    /// Writes a set of shards, which appear under their names when all are [finished](ShardedWriter::finish).
    ///
    /// `name` is `prefix@16`, `prefix@16.tfrecord`, or for a number that only the data decide
    /// ([`Sharding::BySize`]) `prefix@*` or `prefix@*.tfrecord`; see [`crate::shards`].
    ///
    /// # Errors
    ///
    /// `name` is no such name, or does not go with `sharding`; and as [`create`](Self::create).
    pub fn create_sharded(&self, name: &str, sharding: Sharding) -> Result<ShardedWriter> {
        ShardedWriter::create(self, name, sharding)
    }
}
