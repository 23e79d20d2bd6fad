//! gzip members that several threads inflate.

use std::collections::VecDeque;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use tfrecord_io::compression::members::{self, Member};
use tfxio_core::{Error, Input, Limits, Ordered, Result, Threading, Work};

/// The uncompressed bytes of gzip members, in order.
pub(super) struct Inflated {
    members: Ordered<Inflate>,
    /// Bytes of a member, and how many of them were read.
    bytes: Vec<u8>,
    at: usize,
    spare: Spare,
}

/// Buffers that were read to their ends.
type Spare = Arc<Mutex<Vec<Vec<u8>>>>;

impl Inflated {
    /// Reads members that follow each other in an input, which is at the first of them.
    pub(super) fn new(
        input: Box<dyn Input>,
        members: &[Member],
        limits: &Limits,
        threading: &Threading,
    ) -> Result<Self> {
        let source = Stored { input, members: members.iter().copied().collect() };
        let (spare, most) = (Spare::default(), limits.record_bytes);
        let make = {
            let spare = Arc::clone(&spare);
            move || Ok(Inflate { stored: Vec::new(), member: None, most, spare: Arc::clone(&spare) })
        };
        let members = Ordered::new(source, threading, make)?;
        Ok(Self { members, bytes: Vec::new(), at: 0, spare })
    }
}

impl Read for Inflated {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.at == self.bytes.len() {
            let used = std::mem::take(&mut self.bytes);
            self.spare.lock().unwrap_or_else(PoisonError::into_inner).push(used);
            self.at = 0;
            match self.members.next().transpose()? {
                Some(bytes) => self.bytes = bytes,
                None => return Ok(0),
            }
        }
        let count = self.bytes.get(self.at..).unwrap_or_default().read(out)?;
        self.at += count;
        Ok(count)
    }
}

impl Seek for Inflated {
    fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
        Err(io::ErrorKind::NotSeekable.into())
    }
}

impl Input for Inflated {}

/// Members as they are stored.
struct Stored {
    input: Box<dyn Input>,
    members: VecDeque<Member>,
}

/// Inflates one member after the other.
struct Inflate {
    stored: Vec<u8>,
    member: Option<Member>,
    most: u64,
    spare: Spare,
}

impl Work for Inflate {
    type Source = Stored;
    type Output = Vec<u8>;
    type Error = Error;

    fn read(&mut self, source: &mut Stored) -> Result<bool> {
        self.member = source.members.pop_front();
        let Some(member) = self.member else { return Ok(false) };
        self.stored.clear();
        // A claim: memory is taken as bytes come.
        let read = (&mut source.input).take(member.stored_len).read_to_end(&mut self.stored);
        read.map_err(|error| Error::io(error, "reading"))?;
        Ok(true)
    }

    fn next(&mut self) -> Result<Option<Vec<u8>>> {
        let Some(member) = self.member.take() else { return Ok(None) };
        let spare = self.spare.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut bytes = spare.unwrap_or_default();
        members::inflate(&self.stored, &member, self.most, &mut bytes)?;
        Ok(Some(bytes))
    }

    fn is_done(&self) -> bool {
        self.member.is_none()
    }

    fn weight(bytes: &Vec<u8>) -> u64 {
        bytes.len() as u64
    }
}
