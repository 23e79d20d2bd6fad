//! An input: a local file, or an object of a store.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use tfxio_core::{Error, ErrorKind, Position};

use super::options::RecordOptions;
use super::pipes::{self, Pipe};
use super::url;

/// A file or, with the feature `object-store`, an object, open for reading from any place on: for the readers of
/// [`tfrecord_io`], which take any source. A file that ends before the size that it had when it was opened is an error: it
/// was cut, perhaps exactly between two records. One that has more by then is read to its end.
///
/// ```
/// use tfxio_formats::tfrecord_io::Reader;
/// use tfxio_formats::{InputFile, RecordOptions};
/// # let name = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/tfrecord/six-records.tfrecord.gz");
///
/// let file = InputFile::open(name, &RecordOptions::default())?;
/// assert!(file.size() > 0);
/// let records = Reader::builder(file).name(name).build().into_records();
/// assert_eq!(records.count(), 6);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Debug)]
pub struct InputFile {
    source: Source,
    size: u64,
    /// Where the next read of a file begins.
    at: u64,
}

#[derive(Debug)]
enum Source {
    File(File),
    Pipe(Pipe),
    #[cfg(feature = "object-store")]
    Object(Box<crate::store::StoreFile>),
}

impl InputFile {
    /// Opens the file or the object of this name, which is no pattern. Of the options the stores count, and what they know
    /// of pipes.
    ///
    /// # Errors
    /// `Io` when it is missing or may not be read; `InvalidArgument` for a URL that cannot be one, and for a pipe that was
    /// read before with these options or a clone of them, and was not kept; `Unsupported` for a URL that this build does not
    /// know; `Malformed` for a file of 0 bytes whose name says a format that has a header.
    pub fn open(name: &str, options: &RecordOptions) -> Result<Self, Error> {
        if url::is_url(name) {
            return Self::open_url(name, options);
        }
        if let Some(id) = pipes::id(name) {
            let pipe = options.pipes.open(name, id, options.keeps_pipes)?;
            return Ok(Self { source: Source::Pipe(pipe), size: 0, at: 0 });
        }
        let reader = tfrecord_io::Reader::open(name)?;
        let file = reader.into_inner();
        let size = file.metadata().map_or(0, |found| found.len());
        refuse_empty(name, size)?;
        Ok(Self { source: Source::File(file), size, at: 0 })
    }

    #[cfg(feature = "object-store")]
    fn open_url(name: &str, options: &RecordOptions) -> Result<Self, Error> {
        let object = options.stores.open(name)?;
        let size = object.size();
        refuse_empty(name, size)?;
        Ok(Self { source: Source::Object(Box::new(object)), size, at: 0 })
    }

    #[cfg(not(feature = "object-store"))]
    fn open_url(name: &str, _: &RecordOptions) -> Result<Self, Error> {
        Err(url::refused(name))
    }

    /// Size in bytes, as it is stored, when it was opened; 0 where it cannot be known.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.size
    }

    /// The object, if it is one.
    #[cfg(feature = "object-store")]
    pub(crate) fn object(&mut self) -> Option<&mut crate::store::StoreFile> {
        match &mut self.source {
            Source::File(_) | Source::Pipe(_) => None,
            Source::Object(object) => Some(object),
        }
    }
}

impl Read for InputFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::File(file) => {
                let count = file.read(out)?;
                if count == 0 && !out.is_empty() && self.at < self.size {
                    return Err(cut(self.at, self.size));
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

impl Seek for InputFile {
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
fn refuse_empty(name: &str, size: u64) -> Result<(), Error> {
    const HEADERS: [(&str, &str); 6] = [
        (".gz", "gzip"),
        (".gzip", "gzip"),
        (".zlib", "zlib"),
        (".zz", "zlib"),
        (".parquet", "Parquet"),
        (".arrow", "Arrow"),
    ];
    let lower = name.to_ascii_lowercase();
    let said = HEADERS.iter().find(|(ending, _)| size == 0 && lower.ends_with(ending));
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
