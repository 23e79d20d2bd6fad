//! An input: a local file, or an object of a store.

use std::fs::{File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};

use tfxio_core::{Error, ErrorKind, Input, Position};

use super::pipes::{self, Pipe, Pipes};

/// A file or, with the feature `object-store`, an object, open for reading from any offset on. A file that ends before the
/// size that it had when it was opened is an error: it was cut, perhaps exactly between two records. One that has more by then
/// is read to its end.
#[derive(Debug)]
pub(super) struct OpenFile {
    source: Source,
    /// Size in bytes, as it is stored, when it was opened, where it can be known.
    size: Option<u64>,
    /// Offset at which the next read of a file begins.
    at: u64,
}

#[derive(Debug)]
enum Source {
    File(File),
    Pipe(Pipe),
    #[cfg(feature = "object-store")]
    Object(Box<crate::store::StoreFile>),
}

impl OpenFile {
    /// Opens a local file, or a pipe of which what is read may be kept.
    ///
    /// # Errors
    /// When it is missing or may not be read; `InvalidArgument` for a pipe that was read before and was not kept; `Malformed`
    /// for a file of 0 bytes whose name says a format that has a header.
    pub(super) fn local(name: &str, pipes: &Pipes, keeps: bool) -> Result<Self, Error> {
        if let Some(id) = pipes::id(name) {
            return Ok(Self { source: Source::Pipe(pipes.open(name, id, keeps)?), size: None, at: 0 });
        }
        let file = open_file(name)?;
        let size = file.metadata().ok().filter(Metadata::is_file).map(|found| found.len());
        refuse_empty(name, size)?;
        Ok(Self { source: Source::File(file), size, at: 0 })
    }

    /// Takes over an object.
    #[cfg(feature = "object-store")]
    pub(super) fn object(name: &str, object: crate::store::StoreFile) -> Result<Self, Error> {
        let size = Some(object.size());
        refuse_empty(name, size)?;
        Ok(Self { source: Source::Object(Box::new(object)), size, at: 0 })
    }
}

/// Opens a file that is not a folder.
pub(super) fn open_file(name: &str) -> Result<File, Error> {
    tfrecord_io::Reader::open(name).map(tfrecord_io::Reader::into_inner)
}

impl Input for OpenFile {
    fn size(&self) -> Option<u64> {
        self.size
    }

    #[cfg(feature = "object-store")]
    fn read_ahead(&mut self, end: u64) {
        if let Source::Object(object) = &mut self.source {
            object.read_ahead(end, true);
        }
    }
}

impl Read for OpenFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::File(file) => {
                let count = file.read(out)?;
                if count == 0 && !out.is_empty() && self.size.is_some_and(|size| self.at < size) {
                    return Err(cut(self.at, self.size.unwrap_or_default()));
                }
                self.at = self.at.saturating_add(count as u64);
                Ok(count)
            }
            Source::Pipe(pipe) => pipe.read(out),
            #[cfg(feature = "object-store")]
            Source::Object(object) => object.read(out),
        }
    }
}

impl Seek for OpenFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.source {
            Source::File(file) => {
                self.at = file.seek(to)?;
                Ok(self.at)
            }
            Source::Pipe(_) => Err(io::ErrorKind::NotSeekable.into()),
            #[cfg(feature = "object-store")]
            Source::Object(object) => object.seek(to),
        }
    }
}

/// Refuses a file of 0 bytes whose name says that it should have a header: it was lost on the way. The reader of Avro files
/// says this itself.
fn refuse_empty(name: &str, size: Option<u64>) -> Result<(), Error> {
    const HEADERS: [(&str, &str); 6] = [
        (".gz", "gzip"),
        (".gzip", "gzip"),
        (".zlib", "zlib"),
        (".zz", "zlib"),
        (".parquet", "Parquet"),
        (".arrow", "Arrow"),
    ];
    let lower = name.to_ascii_lowercase();
    let said = HEADERS.iter().find(|(ending, _)| size == Some(0) && lower.ends_with(ending));
    let Some((ending, format)) = said else { return Ok(()) };
    let message = format!(
        "the file has 0 bytes, and its name says {format}, of which an empty file has some: it was not written or copied to \
         its end; copy it again, or, if it is an empty TFRecord file, give it a name that does not end with {ending}"
    );
    let position = Position::new().file(name);
    Err(Error::new(ErrorKind::Malformed, message).at(position))
}

/// The error of a file that has become shorter.
fn cut(end: u64, size: u64) -> io::Error {
    io::Error::other(format!(
        "the file ends after {end} bytes, and had {size} when it was opened: it was cut while it was read; read it again when \
         nothing writes to it"
    ))
}
