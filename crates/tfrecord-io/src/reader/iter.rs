//! Records that own their bytes, for when ease matters more than speed.

use std::io::Read;
use std::iter::FusedIterator;

use super::Reader;
use crate::Result;

/// A record with its own copy of the payload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnedRecord {
    /// Offset of the record's header in the uncompressed stream, in bytes, starting at 0.
    pub offset: u64,
    /// Number of the record, starting at 0.
    pub index: u64,
    /// The payload.
    pub data: Vec<u8>,
}

/// Iterator over the records of a [`Reader`]; ends after the first error.
#[derive(Debug)]
pub struct IntoRecords<R> {
    reader: Option<Reader<R>>,
}

impl<R: Read> IntoRecords<R> {
    pub(super) fn new(reader: Reader<R>) -> Self {
        Self { reader: Some(reader) }
    }
}

impl<R: Read> Iterator for IntoRecords<R> {
    type Item = Result<OwnedRecord>;

    fn next(&mut self) -> Option<Self::Item> {
        let next = self.reader.as_mut()?.next_record();
        let next = next.map(|record| {
            record.map(|record| OwnedRecord {
                offset: record.offset,
                index: record.index,
                data: record.data.to_vec(),
            })
        });
        if !matches!(next, Ok(Some(_))) {
            self.reader = None;
        }
        next.transpose()
    }
}

impl<R: Read> FusedIterator for IntoRecords<R> {}
