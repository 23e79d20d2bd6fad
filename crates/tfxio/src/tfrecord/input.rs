//! An input: a local file, or an object of a store.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

use tfxio_core::Error;

use super::options::RecordOptions;
use super::{from_tfrecord_error, url};

/// A file or, with the feature `object-store`, an object, open for reading from any place on: for the readers of
/// [`tfrecord_io`], which take any source.
///
/// ```
/// use tfxio::tfrecord_io::ReaderBuilder;
/// use tfxio::{InputFile, RecordOptions};
/// # let name = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/tfrecord/six-records.tfrecord.gz");
///
/// let file = InputFile::open(name, &RecordOptions::default())?;
/// assert!(file.size() > 0);
/// let records = ReaderBuilder::new().name(name).from_reader(file).into_records();
/// assert_eq!(records.count(), 6);
/// # Ok::<(), tfxio::Error>(())
/// ```
#[derive(Debug)]
pub struct InputFile {
    source: Source,
    size: u64,
}

#[derive(Debug)]
enum Source {
    File(File),
    #[cfg(feature = "object-store")]
    Object(Box<crate::store::StoreFile>),
}

impl InputFile {
    /// Opens the file or the object of this name, which is no pattern. Of the options only the stores count.
    ///
    /// # Errors
    /// `Io` when it is missing or may not be read, `InvalidArgument` for a URL that cannot be one, `Unsupported` for a URL
    /// that this build does not know.
    pub fn open(name: &str, options: &RecordOptions) -> Result<Self, Error> {
        if url::is_url(name) {
            return Self::open_url(name, options);
        }
        let reader = tfrecord_io::ReaderBuilder::new().open(name).map_err(from_tfrecord_error)?;
        let file = reader.into_inner();
        let size = file.metadata().map_or(0, |found| found.len());
        Ok(Self { source: Source::File(file), size })
    }

    #[cfg(feature = "object-store")]
    fn open_url(name: &str, options: &RecordOptions) -> Result<Self, Error> {
        let object = options.stores.open(name)?;
        let size = object.size();
        Ok(Self { source: Source::Object(Box::new(object)), size })
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
            Source::File(_) => None,
            Source::Object(object) => Some(object),
        }
    }
}

impl Read for InputFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match &mut self.source {
            Source::File(file) => file.read(out),
            #[cfg(feature = "object-store")]
            Source::Object(object) => object.read(out),
        }
    }
}

impl Seek for InputFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match &mut self.source {
            Source::File(file) => file.seek(to),
            #[cfg(feature = "object-store")]
            Source::Object(object) => object.seek(to),
        }
    }
}
