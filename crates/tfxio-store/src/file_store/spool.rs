//! Spool of the bytes of a pipe, to be read again.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

use tfxio_base::Remedy;
use tfxio_core::{Count, Error, ErrorKind};

/// The most bytes that are kept of what can be read once only, such as standard input, so that it can be read twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SpoolLimits {
    /// Bytes that are kept in memory. Where there are more, all of them are in a temporary file, which has no name. Default:
    /// 64 MiB.
    pub memory_bytes: u64,
    /// Bytes that are kept in all; more are an error. Default: 64 GiB.
    pub file_bytes: u64,
}

impl Default for SpoolLimits {
    fn default() -> Self {
        Self { memory_bytes: 64 << 20, file_bytes: 64 << 30 }
    }
}

impl SpoolLimits {
    /// Sets [`SpoolLimits::memory_bytes`].
    #[must_use]
    pub fn memory_bytes(mut self, memory_bytes: u64) -> Self {
        self.memory_bytes = memory_bytes;
        self
    }

    /// Sets [`SpoolLimits::file_bytes`].
    #[must_use]
    pub fn file_bytes(mut self, file_bytes: u64) -> Self {
        self.file_bytes = file_bytes;
        self
    }
}

/// Bytes of a pipe: in memory, and once they are many in a temporary file without a name.
#[derive(Debug)]
pub(super) struct Spool {
    source: File,
    memory: Vec<u8>,
    limits: SpoolLimits,
    file: Option<File>,
    /// Number of bytes that are kept.
    kept: u64,
    /// Number of bytes that were read after them and not kept.
    passed: u64,
    keeps: bool,
    /// Whether the source has no more. A terminal would ask for more after its end.
    is_over: bool,
}

/// Bytes that are read at a time of what nobody has asked for.
const READ: usize = 256 << 10;

impl Spool {
    pub(super) fn new(source: File) -> Self {
        Self {
            source,
            memory: Vec::new(),
            limits: SpoolLimits::default(),
            file: None,
            kept: 0,
            passed: 0,
            keeps: true,
            is_over: false,
        }
    }

    /// Sets how much is kept from now on.
    pub(super) fn set_limits(&mut self, limits: SpoolLimits) {
        self.limits = limits;
    }

    /// Whether what is read from now on is kept.
    pub(super) fn set_keeps(&mut self, keeps: bool) {
        self.keeps = keeps && self.passed == 0;
    }

    /// Reads to the end, and returns the number of all bytes.
    pub(super) fn size(&mut self) -> io::Result<u64> {
        self.reach(u64::MAX)?;
        Ok(self.kept + self.passed)
    }

    /// Reads from offset `at` on.
    pub(super) fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        self.reach(at)?;
        if at < self.kept {
            return self.read_kept(at, out);
        }
        match self.kept + self.passed {
            end if at == end => self.read_next(out),
            end if at > end => Ok(0),
            _ => Err(io::Error::other("what was read of the pipe was not kept")),
        }
    }

    /// Reads as far as offset `at`, or to the end if that comes first.
    fn reach(&mut self, at: u64) -> io::Result<()> {
        if at <= self.kept + self.passed {
            return Ok(());
        }
        let mut part = vec![0; READ];
        while !self.is_over && self.kept + self.passed < at {
            let left = usize::try_from(at - self.kept - self.passed).unwrap_or(READ).min(READ);
            match self.read_next(part.get_mut(..left).unwrap_or_default()) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => drop(read?),
            }
        }
        Ok(())
    }

    /// Reads what nobody has read yet.
    fn read_next(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.is_over {
            return Ok(0);
        }
        let count = self.source.read(out)?;
        self.is_over = count == 0 && !out.is_empty();
        let read = out.get(..count).unwrap_or_default();
        let kept = if self.keeps { self.keep(read) } else { Ok(()) };
        // What could not be kept is gone, and nobody may read on as if it had not been there.
        self.keeps &= kept.is_ok();
        if self.keeps {
            self.kept += count as u64;
        } else {
            self.passed += count as u64;
        }
        kept.map(|()| count)
    }

    fn read_kept(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        if let Some(file) = &mut self.file {
            let most = usize::try_from(self.kept - at).unwrap_or(usize::MAX).min(out.len());
            file.seek(SeekFrom::Start(at))?;
            return file.read(out.get_mut(..most).unwrap_or_default());
        }
        let at = usize::try_from(at).unwrap_or(usize::MAX);
        self.memory.get(at..).unwrap_or_default().read(out)
    }

    fn keep(&mut self, read: &[u8]) -> io::Result<()> {
        let all = self.kept.saturating_add(read.len() as u64);
        if all > self.limits.file_bytes {
            let most = self.limits.file_bytes;
            let what = format!(
                "it must be read twice, and it has more than the {} that may be kept of it",
                Count::of(most, "byte")
            );
            let error = Error::new(ErrorKind::LimitExceeded, what).remedied_by(Remedy::KeepMore);
            return Err(error.help("raise that bound, or write it to a file first, and name that").into());
        }
        if self.file.is_none() && all <= self.limits.memory_bytes {
            self.memory.extend_from_slice(read);
            return Ok(());
        }
        self.keep_in_file(read).map_err(|error| {
            let folder = std::env::temp_dir();
            let folder = folder.display();
            io::Error::other(format!(
                "it must be read twice, and what it gives cannot be kept in {folder}: {error}; write it to a file first, and \
                 name that, or set TMPDIR to another directory"
            ))
        })
    }

    fn keep_in_file(&mut self, read: &[u8]) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => {
                let mut file = temporary()?;
                file.write_all(&self.memory)?;
                self.memory = Vec::new();
                file
            }
        };
        file.seek(SeekFrom::Start(self.kept))?;
        let written = file.write_all(read);
        self.file = Some(file);
        written
    }
}

/// A file that is gone when it is closed.
fn temporary() -> io::Result<File> {
    use std::hash::{BuildHasher as _, RandomState};

    let mut options = File::options();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    loop {
        let number = RandomState::new().hash_one(std::process::id());
        let path = std::env::temp_dir().join(format!(".tfxio-{number:016x}.tmp"));
        match options.open(&path) {
            Ok(file) => {
                std::fs::remove_file(&path)?;
                return Ok(file);
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test")]

    use super::*;

    fn spool(bytes: &[u8]) -> Spool {
        let mut source = temporary().unwrap();
        source.write_all(bytes).unwrap();
        source.rewind().unwrap();
        Spool::new(source)
    }

    fn read(spool: &mut Spool, mut at: u64, most: usize) -> Vec<u8> {
        let mut all = Vec::new();
        let mut part = [0; 7];
        while all.len() < most {
            let room = (most - all.len()).min(7);
            let count = spool.read_at(at, &mut part[..room]).unwrap();
            if count == 0 {
                break;
            }
            all.extend_from_slice(&part[..count]);
            at += count as u64;
        }
        all
    }

    #[test]
    fn what_was_read_can_be_read_again_from_memory_and_from_a_file() {
        let bytes = (0..200).collect::<Vec<u8>>();
        for most_in_memory in [1000, 50, 0] {
            let mut spool = spool(&bytes);
            spool.set_limits(SpoolLimits::default().memory_bytes(most_in_memory));
            assert_eq!(read(&mut spool, 0, 100), bytes[..100]);
            assert_eq!(read(&mut spool, 0, 120), bytes[..120]);
            assert_eq!(spool.file.is_some(), most_in_memory < 100);
            // The last reader is given the rest, which is not kept.
            spool.set_keeps(false);
            assert_eq!(read(&mut spool, 0, 1000), bytes);
            assert_eq!((spool.kept, spool.passed), (120, 80));
            assert!(spool.read_at(150, &mut [0]).is_err());
        }
    }

    #[test]
    fn any_offset_can_be_read_of_what_is_kept() {
        let bytes = (0..200).collect::<Vec<u8>>();
        for most_in_memory in [1000, 50] {
            let mut spool = spool(&bytes);
            spool.set_limits(SpoolLimits::default().memory_bytes(most_in_memory));
            // What comes before is kept on the way.
            assert_eq!(read(&mut spool, 150, 10), bytes[150..160]);
            assert_eq!(read(&mut spool, 3, 10), bytes[3..13]);
            assert_eq!(spool.size().unwrap(), 200);
            assert_eq!(read(&mut spool, 199, 10), bytes[199..]);
            assert!(read(&mut spool, 500, 10).is_empty());
        }
    }

    #[test]
    fn no_more_is_kept_than_is_allowed() {
        let mut spool = spool(&[7; 200]);
        spool.set_limits(SpoolLimits::default().memory_bytes(10).file_bytes(100));
        assert_eq!(read(&mut spool, 0, 98).len(), 98);
        let error = Error::io(spool.read_at(98, &mut [0; 3]).unwrap_err(), "reading");
        assert_eq!(
            error.to_string(),
            "it must be read twice, and it has more than the 100 bytes that may be kept of it; raise that bound, or write it \
             to a file first, and name that"
        );
        // What was lost is not passed over.
        assert_eq!(read(&mut spool, 0, 98), [7; 98]);
        assert!(spool.read_at(98, &mut [0]).is_err());
    }
}
