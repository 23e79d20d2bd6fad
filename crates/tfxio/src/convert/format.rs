//! Formats of files, by their names and by their first bytes.

use std::fmt;
use std::path::Path;

use tfrecord_io::Compression;
use tfxio_core::{Error, ErrorKind, Position};

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

impl Format {
    /// `"TFRecord"`, `"Parquet"` or `"Arrow"`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::TfRecord => "TFRecord",
            Self::Parquet => "Parquet",
            Self::Arrow => "Arrow",
        }
    }

    /// The format that the name of an output says: `.parquet`; `.arrow`; `.tfrecord` or `.tfrecords`, with or without
    /// `.gz` or `.zlib` behind it. Upper and lower case are the same.
    ///
    /// ```
    /// use tfxio::convert::Format;
    /// assert_eq!(Format::of_name("a/train@16.tfrecord.gz")?, Format::TfRecord);
    /// assert_eq!(Format::of_name("train.parquet")?, Format::Parquet);
    /// assert!(Format::of_name("train.csv").is_err());
    /// # Ok::<(), tfxio::Error>(())
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
            _ => {
                let message = "the name of the output does not say its format; end it with .tfrecord, .tfrecord.gz, \
                               .tfrecord.zlib, .parquet or .arrow";
                let position = Position { file: Some(path.to_string_lossy().into()), ..Position::default() };
                Err(Error::new(ErrorKind::InvalidArgument, message).at(position))
            }
        }
    }

    /// The format of a file that begins with these bytes; anything that is not known is taken for TFRecord, whose reader
    /// says best what is wrong with it.
    pub(super) fn of_bytes(start: &[u8]) -> Self {
        if start.starts_with(b"PAR1") {
            Self::Parquet
        } else if start.starts_with(b"ARROW1") {
            Self::Arrow
        } else {
            Self::TfRecord
        }
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
