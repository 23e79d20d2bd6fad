//! Compression of whole files: none, gzip or zlib.
//!
//! TFRecord has no block compression: the whole sequence of records runs through one compressor. TensorFlow writes
//! `GZIP` (RFC 1952) and `ZLIB` (RFC 1950) and marks neither in the file's name nor in the file, so a reader must be
//! told or must look.
//!
//! # Detection
//!
//! 1. The first twelve bytes are a record's header whose checksum fits: not compressed. This comes first, because the
//!    length of a record of 376 bytes (`78 01`) looks like the start of a zlib stream.
//! 2. `1f 8b 08`: gzip.
//! 3. The two bytes of a zlib header, and what they begin inflates to a record's header: zlib.
//! 4. Anything else is read as uncompressed, and framing then reports the error.
//!
//! A stated compression that the bytes contradict is an error, never a silent correction.
//!
//! # Bytes after a stream
//!
//! *gzip.* Members may follow one another, as RFC 1952 permits and every gzip tool reads; the file has the records of
//! all members together, and a record may cross from one to the next. Zero bytes after the last member are padding
//! (tapes and block devices make them) and are skipped silently, as `gzip -t` does, whatever their number. Anything
//! else there, also after zero bytes, is an error after the last record ([`TrailingBytes`](crate::Kind)) with the byte
//! of the file at which it begins: `gzip` warns and goes on, but a damaged second member looks just the same, and would
//! be lost silently. *zlib.* One stream, then nothing or zero bytes.
//!
//! Checksums and sizes at the end of each stream are always compared.

mod detect;
mod stream;

#[cfg(feature = "gzip")]
mod gzip_header;
#[cfg(feature = "gzip")]
mod inflate;
pub mod members;
#[cfg(not(feature = "gzip"))]
mod unsupported;
#[cfg(feature = "gzip")]
mod wrapped;

use std::fmt;

pub(crate) use detect::{Detected, detect};
pub(crate) use stream::StreamDecoder;
#[cfg(not(feature = "gzip"))]
use unsupported::WrappedDecoder;
#[cfg(feature = "gzip")]
use wrapped::WrappedDecoder;

/// Compression of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    // The numbers are those of the format of `Index`.
    /// Not compressed.
    #[default]
    None = 0,
    /// gzip, RFC 1952; TensorFlow's `GZIP`.
    Gzip = 1,
    /// zlib, RFC 1950; TensorFlow's `ZLIB`.
    Zlib = 2,
}

impl Compression {
    /// Returns the compression that a file's name suggests: `.gz` or `.gzip`, `.zlib` or `.zz`, otherwise none. For writers;
    /// a reader should look at the bytes.
    ///
    /// ```
    /// use tfrecord_io::Compression;
    /// assert_eq!(Compression::of_file_name("train.tfrecord.gz"), Compression::Gzip);
    /// assert_eq!(Compression::of_file_name("train-00000-of-00002"), Compression::None);
    /// ```
    pub fn of_file_name(name: &str) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("gz" | "gzip") => Self::Gzip,
            Some("zlib" | "zz") => Self::Zlib,
            _ => Self::None,
        }
    }

    /// Returns `"none"`, `"gzip"` or `"zlib"`.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gzip => "gzip",
            Self::Zlib => "zlib",
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Returns whether `start` begins like a gzip stream (RFC 1952: two magic bytes, then the method, always 8).
pub(crate) fn has_gzip_magic(start: &[u8]) -> bool {
    start.starts_with(&[0x1f, 0x8b, 8])
}

/// Returns whether `start` begins like a zlib stream (RFC 1950: deflate with a window of up to 32 KiB, no preset dictionary,
/// and a check of the two bytes).
pub(crate) fn has_zlib_magic(start: &[u8]) -> bool {
    let Some(&[cmf, flags]) = start.first_chunk::<2>() else { return false };
    cmf & 0x0f == 8
        && cmf >> 4 <= 7
        && u16::from_be_bytes([cmf, flags]).is_multiple_of(31)
        && flags & 0x20 == 0
}
