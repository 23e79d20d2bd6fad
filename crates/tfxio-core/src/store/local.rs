//! Files of the local file system.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

use tfxio_base::{Cancel, Count, Error, ErrorKind, OutputFile, Result};

use super::{Input, Store};

/// Bytes between two ranges up to which they are read at once: a system call costs as much as copying this.
const NEAR: u64 = 16 << 10;
/// Maximum bytes of ranges that are read at once.
const WINDOW: u64 = 256 << 10;

/// The local file system. Names are paths; a pattern is one path.
#[derive(Clone, Copy, Debug, Default)]
pub struct LocalStore;

impl Store for LocalStore {
    fn list(&self, pattern: &str) -> Result<Vec<Arc<str>>> {
        self.size(pattern)?;
        Ok(vec![pattern.into()])
    }

    fn size(&self, name: &str) -> Result<Option<u64>> {
        let found =
            std::fs::metadata(name).map_err(|error| Error::io(error, "opening the file").in_file(name))?;
        if found.is_dir() {
            return Err(Error::io(io::ErrorKind::IsADirectory.into(), "opening the file").in_file(name));
        }
        Ok(found.is_file().then_some(found.len()))
    }

    fn open(&self, name: &str, range: Range<u64>, _: &Cancel) -> Result<Box<dyn Input>> {
        let failed = |error| Error::io(error, "opening the file").in_file(name);
        // On Windows opening a directory says "permission denied", so ask first.
        self.size(name)?;
        let mut file = File::open(name).map_err(failed)?;
        let found = file.metadata().map_err(failed)?;
        if range.start > 0 {
            file.seek(SeekFrom::Start(range.start)).map_err(failed)?;
        }
        let size = found.is_file().then_some(found.len());
        Ok(Box::new(LocalFile::new(file, size, range.start)))
    }

    fn local_path(&self, name: &str) -> Option<PathBuf> {
        std::fs::metadata(name).is_ok_and(|found| found.is_file()).then(|| name.into())
    }

    fn create(&self, name: &str, overwrite: bool) -> Result<OutputFile> {
        OutputFile::create(name, overwrite)
    }
}

/// A local file that must not become shorter while it is read.
#[derive(Debug)]
struct LocalFile {
    file: File,
    size: Option<u64>,
    /// Offset of the next byte to read.
    at: u64,
    /// Offset of the underlying file.
    file_at: u64,
    /// Ranges that are read next, near ones joined, in ascending order.
    coming: Vec<Range<u64>>,
    /// Bytes of such a range, and the offset of the first.
    window: Vec<u8>,
    window_at: u64,
}

impl LocalFile {
    fn new(file: File, size: Option<u64>, at: u64) -> Self {
        Self { file, size, at, file_at: at, coming: Vec::new(), window: Vec::new(), window_at: 0 }
    }

    /// Returns the bytes of the window from the next one on.
    fn here(&self) -> &[u8] {
        let from = self.at.checked_sub(self.window_at).and_then(|from| usize::try_from(from).ok());
        from.and_then(|from| self.window.get(from..)).unwrap_or_default()
    }

    /// Fills the window with what is left of the coming range that the next byte is in. Returns whether there is one.
    fn fill_window(&mut self) -> io::Result<bool> {
        let at = self.coming.partition_point(|range| range.end <= self.at);
        let Some(range) = self.coming.get(at).filter(|range| range.contains(&self.at)) else {
            return Ok(false);
        };
        // Ranges end with the file at the latest.
        let bytes = range.end.saturating_sub(self.at).min(WINDOW);
        self.window.clear();
        self.window_at = self.at;
        self.go_to_next()?;
        let read = (&mut self.file).take(bytes).read_to_end(&mut self.window);
        self.file_at = self.at.saturating_add(self.window.len() as u64);
        read?;
        Ok(!self.window.is_empty())
    }

    /// Moves the file itself to the next byte.
    fn go_to_next(&mut self) -> io::Result<()> {
        if self.file_at != self.at {
            self.file_at = self.file.seek(SeekFrom::Start(self.at))?;
        }
        Ok(())
    }

    /// Returns the error where the file ends before the size that it had when it was opened.
    fn check_end(&self) -> io::Result<()> {
        if self.size.is_none_or(|size| self.at >= size) {
            return Ok(());
        }
        let what = format!(
            "the file ends after {}, and had {} when it was opened: it was cut while it was read",
            Count::of(self.at, "byte"),
            self.size.unwrap_or_default()
        );
        // Not damage, which could be skipped.
        let error = Error::new(ErrorKind::Io, what);
        Err(error.help("read it again when nothing writes to it").into())
    }
}

impl Read for LocalFile {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let mut count = self.here().read(out)?;
        if count == 0 && !self.coming.is_empty() && self.fill_window()? {
            count = self.here().read(out)?;
        }
        if count == 0 {
            self.go_to_next()?;
            count = self.file.read(out)?;
            self.file_at = self.file_at.saturating_add(count as u64);
            if count == 0 && !out.is_empty() {
                self.check_end()?;
            }
        }
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for LocalFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.at = match to {
            // The window may have what is read next.
            SeekFrom::Start(at) if !self.coming.is_empty() => at,
            SeekFrom::Current(by) if !self.coming.is_empty() => {
                self.at.checked_add_signed(by).ok_or(io::ErrorKind::InvalidInput)?
            }
            to => {
                self.go_to_next()?;
                self.file_at = self.file.seek(to)?;
                self.file_at
            }
        };
        Ok(self.at)
    }
}

impl Input for LocalFile {
    fn size(&self) -> Option<u64> {
        self.size
    }

    /// Joins only ranges that are short and near each other: a copy costs less than a system call for each of them.
    fn will_read(&mut self, ranges: &[Range<u64>]) {
        self.coming.clear();
        self.window = Vec::new();
        let Some(size) = self.size else { return };
        let inside = ranges.iter().map(|range| range.start..range.end.min(size));
        let is_short = |range: &Range<u64>| !range.is_empty() && range.end - range.start <= NEAR;
        let mut short = inside.filter(is_short).collect::<Vec<_>>();
        short.sort_unstable_by_key(|range| range.start);
        let mut joined: Vec<(Range<u64>, usize)> = Vec::new();
        for range in short {
            match joined.last_mut() {
                Some((last, count)) if range.start <= last.end.saturating_add(NEAR) => {
                    last.end = last.end.max(range.end);
                    *count += 1;
                }
                _ => joined.push((range, 1)),
            }
        }
        self.coming = joined.into_iter().filter(|(_, count)| *count > 1).map(|(range, _)| range).collect();
    }
}

#[cfg(test)]
mod tests;
