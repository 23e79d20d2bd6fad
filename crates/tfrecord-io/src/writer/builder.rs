//! Settings of a writer.

use std::io::Write;
use std::path::Path;

use tfxio_base::OutputFile;

use super::sink::Sink;
use super::{FileWriter, ShardedWriter, Writer};
use crate::compression::Compression;
use crate::shards::Sharding;
use crate::{Error, ErrorKind, Result};

/// Sets up a [`Writer`] to any `Write` ([`build`](Self::build)), a [`FileWriter`] to a path ([`create`](Self::create)) or a
/// [`ShardedWriter`] ([`create_sharded`](Self::create_sharded)). Made by [`Writer::builder`].
///
/// ```
/// use tfrecord_io::{Reader, Writer};
///
/// let mut writer = Writer::builder(Vec::new()).buffer_bytes(1 << 20).build()?;
/// writer.write(b"payload")?;
/// let file = writer.finish()?;
///
/// let mut reader = Reader::new(&file[..]);
/// assert_eq!(reader.next_record()?.map(|record| record.data), Some(&b"payload"[..]));
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriterBuilder<T = ()> {
    target: T,
    /// As stated; by the name of the file otherwise.
    compression: Option<Compression>,
    pub(super) level: u32,
    pub(super) member_bytes: Option<usize>,
    pub(super) buffer_bytes: usize,
    pub(super) overwrite: bool,
    pub(super) sync: bool,
}

impl Default for WriterBuilder {
    /// Returns settings without a target yet: see [`target`](Self::target).
    fn default() -> Self {
        Self::over(())
    }
}

impl WriterBuilder {
    /// The default length of a gzip member before compression: 1 MiB.
    pub const DEFAULT_MEMBER_BYTES: usize = 1 << 20;
}

impl<T> WriterBuilder<T> {
    /// Returns a builder with the compression of the name of a file, with level 6 and members of 1 MiB for gzip; files are replaced and
    /// synced.
    pub(super) fn over(target: T) -> Self {
        Self {
            target,
            compression: None,
            level: 6,
            member_bytes: Some(WriterBuilder::DEFAULT_MEMBER_BYTES),
            buffer_bytes: 256 << 10,
            overwrite: true,
            sync: true,
        }
    }

    /// Chooses the compression. Default: by the name of the file, [`Compression::of_file_name`]; none for a target without a name.
    ///
    /// ```
    /// use tfrecord_io::{Compression, Reader, Writer};
    ///
    /// # #[cfg(feature = "gzip")] {
    /// let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).level(9).build()?;
    /// writer.write(b"payload")?;
    /// let file = writer.finish()?;
    /// assert_eq!(Reader::new(&file[..]).compression()?, Compression::Gzip);
    /// # }
    /// # Ok::<(), tfrecord_io::Error>(())
    /// ```
    pub fn compression(mut self, compression: impl Into<Option<Compression>>) -> Self {
        self.compression = compression.into();
        self
    }

    /// Returns the compression that is written.
    pub(super) fn written(&self) -> Compression {
        self.compression.unwrap_or(Compression::None)
    }

    /// Returns the settings for a file of this name.
    fn named(&self, name: &Path) -> WriterBuilder {
        let by_name = || Compression::of_file_name(&name.to_string_lossy());
        self.target(()).compression(self.compression.unwrap_or_else(by_name))
    }

    /// Sets the effort of compression, from 0 (stored) to 9 (smallest). Default: 6. Higher values are taken as 9.
    pub fn level(mut self, level: u32) -> Self {
        self.level = level.min(9);
        self
    }

    /// Ends a gzip member after the first record that makes it this long before compression, so that readers can read
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

    /// Sets how many bytes gather before they are written or compressed. Default: 256 KiB. Members have their own size.
    pub fn buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes;
        self
    }

    /// Sets whether a file that exists is replaced (at the end, in one step). Default: yes; otherwise it is an error, at
    /// the start if it exists then.
    pub fn overwrite(mut self, overwrite: bool) -> Self {
        self.overwrite = overwrite;
        self
    }

    /// Sets whether [`FileWriter::finish`] waits until the bytes are on the device, so that not even a power cut leaves an
    /// incomplete file under the final name. Default: yes.
    pub fn sync(mut self, sync: bool) -> Self {
        self.sync = sync;
        self
    }

    /// Returns the bytes with which a gzip member ends, and its level; `None` where gzip members are not written.
    #[must_use]
    pub fn members(&self) -> Option<(usize, u32)> {
        let bytes = self.member_bytes.filter(|_| self.written() == Compression::Gzip);
        bytes.map(|bytes| (bytes, self.level))
    }

    /// Uses the same settings for another target.
    pub fn target<U>(&self, target: U) -> WriterBuilder<U> {
        let Self { target: _, compression, level, member_bytes, buffer_bytes, overwrite, sync } = *self;
        WriterBuilder { target, compression, level, member_bytes, buffer_bytes, overwrite, sync }
    }
}

impl<W: Write> WriterBuilder<W> {
    /// Writes to the target, any [`Write`].
    ///
    /// # Errors
    ///
    /// This build cannot write the compression.
    pub fn build(self) -> Result<Writer<W>> {
        let threshold = match (self.written(), self.member_bytes) {
            (Compression::Gzip, Some(bytes)) => bytes,
            _ => self.buffer_bytes,
        };
        let settings = self.target(());
        Ok(Writer::build(Sink::new(self.target, &settings)?, threshold))
    }
}

impl<P: AsRef<Path>> WriterBuilder<P> {
    /// Writes a file, which appears under its name when it is [finished](FileWriter::finish).
    ///
    /// # Errors
    ///
    /// The directory is missing or may not be written, the target is a directory, or it exists and
    /// [`overwrite`](Self::overwrite) is off.
    pub fn create(self) -> Result<FileWriter> {
        FileWriter::build(&self.named(self.path()), self.path())
    }

    /// Writes a set of shards, which appear under their names when all are [finished](ShardedWriter::finish).
    ///
    /// The target is `prefix@16`, `prefix@16.tfrecord`, or for a number that only the data decide
    /// ([`Sharding::BySize`]) `prefix@*` or `prefix@*.tfrecord`; see [`crate::shards`].
    ///
    /// # Errors
    ///
    /// The target is not such a name, or is not valid Unicode, or does not go with `sharding`; and as [`create`](Self::create).
    pub fn create_sharded(self, sharding: Sharding) -> Result<ShardedWriter> {
        let path = self.path();
        let Some(name) = path.to_str() else {
            let what = "the name of the set is not valid Unicode";
            let error = Error::new(ErrorKind::InvalidArgument, what).help("choose another name");
            return Err(error.in_file(path.to_string_lossy()));
        };
        ShardedWriter::build(self.named(path), name, sharding)
    }

    /// Returns the path of the file.
    pub(crate) fn path(&self) -> &Path {
        self.target.as_ref()
    }
}

impl WriterBuilder<OutputFile> {
    /// Writes to a file that was created before, such as an [upload](OutputFile::upload).
    ///
    /// # Errors
    ///
    /// As [`build`](Self::build).
    pub fn into_file(self) -> Result<FileWriter> {
        let settings = self.target(());
        FileWriter::of_file(&settings, self.target)
    }
}
