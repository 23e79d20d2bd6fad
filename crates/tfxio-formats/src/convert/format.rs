//! Formats of files, by their names and by their first bytes.

use std::fmt;
use std::io::Read as _;
use std::path::Path;

use tfrecord_io::Compression;
use tfxio_core::{Error, ErrorKind, Position};

use crate::tfrecord::{InputFile, RecordOptions};

/// The format of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// TFRecord, compressed or not.
    TfRecord,
    /// Apache Parquet.
    Parquet,
    /// An Arrow IPC file (not a stream).
    Arrow,
    /// An Avro object container.
    Avro,
}

/// The compression of Parquet pages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum ParquetCompression {
    /// None.
    None,
    /// Snappy: fast, and read by everything.
    Snappy,
    /// gzip (deflate).
    Gzip,
    /// Zstandard at level 1: smaller than Snappy at nearly its speed.
    #[default]
    Zstd,
}

#[cfg(feature = "parquet")]
impl ParquetCompression {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Snappy => "snappy",
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }
}

impl Format {
    /// `"TFRecord"`, `"Parquet"`, `"Arrow"` or `"Avro"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TfRecord => "TFRecord",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
            Self::Avro => "Avro",
        }
    }

    /// The format of a file or an object, by its first bytes. Where they say nothing, a name that ends with `.avro` says
    /// Avro; anything else is taken for TFRecord, whose reader says best what is wrong with it. Of a pipe, which can be
    /// read once only, the name alone counts.
    ///
    /// ```
    /// use tfxio_formats::RecordOptions;
    /// use tfxio_formats::convert::Format;
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits-00000-of-00003.tfrecord");
    /// assert_eq!(Format::of_file(digits, &RecordOptions::default())?, Format::TfRecord);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `Io` when the file cannot be read, `Unsupported` for an Arrow IPC stream, and as [`InputFile::open`].
    pub fn of_file(name: &str, options: &RecordOptions) -> Result<Self, Error> {
        let mut start = Vec::new();
        if std::fs::metadata(name).is_ok_and(|found| !found.is_file() && !found.is_dir()) {
            return Ok(Self::of_bytes(&start, name));
        }
        InputFile::open(name, options)?.take(8).read_to_end(&mut start).map_err(|error| {
            let position = Position::new().file(name);
            Error::new(ErrorKind::Io, format!("reading failed: {error}")).at(position).because(error)
        })?;
        if is_arrow_stream(&start) {
            let message =
                "this is an Arrow IPC stream, which is not read; write an Arrow IPC file, and convert that";
            let position = Position::new().file(name);
            return Err(Error::new(ErrorKind::Unsupported, message).at(position));
        }
        Ok(Self::of_bytes(&start, name))
    }

    /// The format that the name of an output says: `.parquet`; `.arrow`; `.avro`; `.tfrecord` or `.tfrecords`, with or without
    /// `.gz` or `.zlib` behind it. Upper and lower case are the same.
    ///
    /// ```
    /// use tfxio_formats::convert::Format;
    /// assert_eq!(Format::of_name("a/train@16.tfrecord.gz")?, Format::TfRecord);
    /// assert_eq!(Format::of_name("train.parquet")?, Format::Parquet);
    /// assert!(Format::of_name("train.csv").is_err());
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for another name.
    pub fn of_name(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let name =
            path.file_name().map(|name| name.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
        let plain = [".gz", ".gzip", ".zlib", ".zz"].iter().find_map(|ending| name.strip_suffix(ending));
        // A set of shards may have its number at the end.
        let plain = plain.unwrap_or(&name);
        match plain.rsplit_once('.').map(|(_, ending)| ending) {
            Some("tfrecord" | "tfrecords") => Ok(Self::TfRecord),
            Some("parquet") if plain == name => Ok(Self::Parquet),
            Some("arrow") if plain == name => Ok(Self::Arrow),
            Some("avro") if plain == name => Ok(Self::Avro),
            _ => {
                let message = "the name of the output does not say its format; end it with .tfrecord, .tfrecord.gz, \
                               .tfrecord.zlib, .parquet, .arrow or .avro";
                let position = Position::new().file(path.to_string_lossy());
                Err(Error::new(ErrorKind::InvalidArgument, message).at(position))
            }
        }
    }

    fn of_bytes(start: &[u8], name: &str) -> Self {
        if start.starts_with(b"PAR1") {
            Self::Parquet
        } else if start.starts_with(b"ARROW1") {
            Self::Arrow
        } else if start.starts_with(b"Obj\x01") || name.to_ascii_lowercase().ends_with(".avro") {
            Self::Avro
        } else {
            Self::TfRecord
        }
    }
}

/// Whether a file begins with the marker and the length of a message. A TFRecord file that did would begin with a record of
/// more than 4 GiB.
fn is_arrow_stream(start: &[u8]) -> bool {
    match *start {
        [0xff, 0xff, 0xff, 0xff, a, b, c, d] => (1..1 << 24).contains(&i32::from_le_bytes([a, b, c, d])),
        _ => false,
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The compression that the name of a TFRecord file says.
pub(super) fn compression(path: &Path) -> Compression {
    Compression::from_name(&path.to_string_lossy())
}
