//! The state of a file, so that a change can be noticed.

use std::fs;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use tfxio_base::Count;

use crate::{Error, Kind, Result};

/// Thoroughness of the comparison of an index with its file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Check {
    /// Size, and time of modification or ETag, as far as known. The default.
    #[default]
    Stamp,
    /// The size only.
    Size,
    /// The records, for which the file is read. The time does not matter.
    Contents,
}

/// Size, time and ETag of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Stamp {
    /// The size of the file as it is stored, in bytes.
    pub file_bytes: u64,
    /// When the file was modified last, in nanoseconds since the start of 1970 in UTC.
    pub modified_ns: Option<i64>,
    /// The ETag of an object in an object store.
    pub etag: Option<String>,
}

impl Stamp {
    /// Returns a file of which only the size is known.
    pub fn new(file_bytes: u64) -> Self {
        Self { file_bytes, modified_ns: None, etag: None }
    }

    /// Sets [`Stamp::etag`].
    pub fn etag(mut self, etag: impl Into<String>) -> Self {
        self.etag = Some(etag.into());
        self
    }

    /// Sets [`Stamp::modified_ns`]. A time that 64 bits cannot hold is not known.
    pub fn modified(mut self, time: SystemTime) -> Self {
        self.modified_ns = match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        };
        self
    }

    /// Returns the state of a file now.
    ///
    /// # Errors
    ///
    /// The file is missing, is a directory, or its state may not be asked for.
    pub fn of_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let fail = |error| Error::io(error, "asking for the file's size").in_file(path.to_string_lossy());
        let found = fs::metadata(path).map_err(fail)?;
        if found.is_dir() {
            return Err(fail(std::io::ErrorKind::IsADirectory.into()));
        }
        let stamp = Self::new(found.len());
        // Some systems do not know.
        Ok(match found.modified() {
            Ok(time) => stamp.modified(time),
            Err(_) => stamp,
        })
    }

    /// Returns whether this is the state of `now`, as far as both are known: sizes, then ETags, or else times.
    ///
    /// # Errors
    ///
    /// [`Kind::IndexStale`]: it is another.
    pub fn check(&self, now: &Self) -> Result<()> {
        if self.file_bytes != now.file_bytes {
            let (was, is) = (self.file_bytes, now.file_bytes);
            return Err(stale(format!(
                "the file has {}; it had {was} when it was indexed",
                Count::of(is, "byte")
            )));
        }
        if let (Some(was), Some(is)) = (&self.etag, &now.etag) {
            return if is_same_tag(was, is) {
                Ok(())
            } else {
                Err(stale(format!("the object has the ETag {is}; it had {was} when it was indexed")))
            };
        }
        match (self.modified_ns, now.modified_ns) {
            (Some(was), Some(is)) if was != is => Err(stale(
                "the file was modified after it was indexed (its time is another, its size is the same)",
            )),
            _ => Ok(()),
        }
    }
}

/// Returns whether two ETags are of the same content: servers make a strong one weak (`W/"…"`) when they compress what they send,
/// and listings may leave out its quotes. Compared as RFC 9110, 8.8.3.2, has it for weak ones.
fn is_same_tag(one: &str, other: &str) -> bool {
    let opaque = |tag: &str| tag.strip_prefix("W/").unwrap_or(tag).trim_matches('"').to_owned();
    opaque(one) == opaque(other)
}

pub(super) fn stale(what: impl Into<String>) -> Error {
    Error::new(Kind::IndexStale, what).help(
        "build the index again; if the file was only copied, compare its size or its contents instead of its time",
    )
}
