//! Input of the laws, made from a fuzzer's bytes.

use std::io::{self, Read};

use tfrecord_io::{Error, ErrorKind, Kind, Reader, Result, SliceReader, frame};

/// Takes small numbers from the front of the input; zeros when it is used up.
pub(crate) struct Input<'a> {
    pub(crate) rest: &'a [u8],
}

impl<'a> Input<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((&first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first
    }

    pub(crate) fn short(&mut self) -> usize {
        usize::from(u16::from_le_bytes([self.byte(), self.byte()]))
    }

    /// Takes up to `bytes` bytes.
    pub(crate) fn take(&mut self, bytes: usize) -> &'a [u8] {
        let (taken, rest) = self.rest.split_at(bytes.min(self.rest.len()));
        self.rest = rest;
        taken
    }

    /// Makes a file: the rest of the input, or parts of it as the payloads of records, so that a fuzzer need not guess
    /// checksums. A part may be the file so far: records within records.
    pub(crate) fn file(&mut self) -> Vec<u8> {
        if self.byte().is_multiple_of(4) {
            return self.rest.to_vec();
        }
        let mut file = Vec::new();
        while !self.rest.is_empty() && file.len() < 1 << 16 {
            match self.byte() {
                255 => {
                    let all = file.clone();
                    frame::append(&mut file, &all);
                }
                length => {
                    let payload = self.take(usize::from(length));
                    frame::append(&mut file, payload);
                }
            }
        }
        file
    }

    /// Makes a file as [`file`](Self::file) does, with some bits flipped and bytes cut off.
    pub(crate) fn damaged_file(&mut self) -> Vec<u8> {
        let mut damage = Input::new(self.take(7));
        let mut file = self.file();
        damage.damage(&mut file);
        file
    }

    /// Flips bits of a file, cuts it off or takes some of it out; or leaves it as it is.
    pub(crate) fn damage(&mut self, file: &mut Vec<u8>) {
        match self.byte() % 4 {
            0 => {}
            1 => {
                let at = self.short();
                if let Some(byte) = file.get_mut(at) {
                    *byte ^= self.byte();
                }
            }
            2 => file.truncate(self.short()),
            _ => {
                let (from, count) = (self.short().min(file.len()), self.short());
                file.drain(from..(from + count).min(file.len()));
            }
        }
    }

    /// Takes up to 64 records of up to 1,023 bytes, or of all that is left.
    pub(crate) fn records(&mut self) -> Vec<&'a [u8]> {
        let mut records = Vec::new();
        while !self.rest.is_empty() && records.len() < 64 {
            let length = self.short();
            records.push(if length >> 15 == 1 { self.rest } else { self.take(length & 0x3ff) });
        }
        records
    }
}

/// Reads a few bytes at a time.
pub(crate) struct Dribble<'a> {
    rest: &'a [u8],
    most: usize,
}

impl<'a> Dribble<'a> {
    pub(crate) fn new(data: &'a [u8], most: u8) -> Self {
        Self { rest: data, most: usize::from(most) + 1 }
    }
}

impl Read for Dribble<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.most.min(out.len()).min(self.rest.len());
        let (now, rest) = self.rest.split_at(count);
        out[..count].copy_from_slice(now);
        self.rest = rest;
        Ok(count)
    }
}

/// Machine-readable part of an error. Its text may depend on how many bytes after the damage were seen.
#[derive(Debug, PartialEq)]
pub(crate) struct Failure {
    pub(crate) kind: ErrorKind,
    pub(crate) detail: Option<Kind>,
    byte: Option<u64>,
    record: Option<u64>,
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let position = error.position();
        Self {
            kind: error.kind(),
            detail: error.detail().copied(),
            byte: position.byte,
            record: position.record,
        }
    }
}

/// Offset and payload of each record, and the error at the end if there is one.
#[derive(Debug, PartialEq)]
pub(crate) struct Outcome {
    pub(crate) records: Vec<(u64, Vec<u8>)>,
    pub(crate) error: Option<Failure>,
}

impl Outcome {
    /// Calls `next` until it returns `None` or fails.
    pub(crate) fn of(mut next: impl FnMut() -> Result<Option<(u64, Vec<u8>)>>) -> Self {
        let mut records = Vec::new();
        loop {
            match next() {
                Ok(Some(record)) => records.push(record),
                Ok(None) => return Self { records, error: None },
                Err(error) => return Self { records, error: Some(error.into()) },
            }
        }
    }

    pub(crate) fn of_slices(file: &[u8]) -> Self {
        let mut slices = SliceReader::new(file);
        Self::of(|| Ok(slices.next_record()?.map(|record| (record.offset, record.data.to_vec()))))
    }

    pub(crate) fn of_reader<R: Read>(mut reader: Reader<R>) -> Self {
        Self::of(|| Ok(reader.next_record()?.map(|record| (record.offset, record.data.to_vec()))))
    }
}
