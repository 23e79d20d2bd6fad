//! What a pipe has given so far, to be read again.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// The most bytes that are kept in memory.
const MEMORY: usize = 64 << 20;

/// Bytes of a pipe: in memory, and once they are many in a temporary file without a name.
#[derive(Debug)]
pub(super) struct Spool {
    source: File,
    memory: Vec<u8>,
    most_in_memory: usize,
    file: Option<File>,
    /// How many bytes are kept.
    kept: u64,
    /// How many were read after them and not kept.
    passed: u64,
    keeps: bool,
}

impl Spool {
    pub(super) fn new(source: File) -> Self {
        Self {
            source,
            memory: Vec::new(),
            most_in_memory: MEMORY,
            file: None,
            kept: 0,
            passed: 0,
            keeps: true,
        }
    }

    /// Whether what is read from now on is kept.
    pub(super) fn set_keeps(&mut self, keeps: bool) {
        self.keeps = keeps && self.passed == 0;
    }

    /// Reads from offset `at` on.
    pub(super) fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        if at < self.kept {
            return self.read_kept(at, out);
        }
        if at != self.kept + self.passed {
            return Err(io::Error::other("what was read of the pipe was not kept"));
        }
        let count = self.source.read(out)?;
        let read = out.get(..count).unwrap_or_default();
        if self.keeps {
            self.keep(read).map_err(|error| {
                let folder = std::env::temp_dir();
                let folder = folder.display();
                io::Error::other(format!(
                    "the pipe must be read twice, and what it gives cannot be kept in {folder}: {error}; write it to a file \
                     first, and name that"
                ))
            })?;
            self.kept += count as u64;
        } else {
            self.passed += count as u64;
        }
        Ok(count)
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
        if self.file.is_none() {
            if self.memory.len() + read.len() <= self.most_in_memory {
                self.memory.extend_from_slice(read);
                return Ok(());
            }
            let mut file = temporary()?;
            file.write_all(&self.memory)?;
            self.file = Some(file);
            self.memory = Vec::new();
        }
        let Some(file) = &mut self.file else { return Ok(()) };
        file.seek(SeekFrom::Start(self.kept))?;
        file.write_all(read)
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
            let mut source = temporary().unwrap();
            source.write_all(&bytes).unwrap();
            source.rewind().unwrap();
            let mut spool = Spool { most_in_memory, ..Spool::new(source) };
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
}
