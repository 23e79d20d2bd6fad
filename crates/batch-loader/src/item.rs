//! Parsed records and the examples that are cut from them.

use std::sync::Arc;

use crate::column::Column;

/// Records of one file that were parsed together, processed and ready for batches. Shared by the examples in them.
#[derive(Debug)]
pub(crate) struct Chunk {
    /// The number of the file in the data set.
    pub(crate) file: u32,
    /// The number in its file of each record (row), ascending.
    pub(crate) records: Vec<u64>,
    /// The byte in its file, after decompression, at which each record begins; empty where the source has none.
    pub(crate) bytes: Vec<u64>,
    /// The tensors of the pipeline, in its order, after secondary features and processing.
    pub(crate) columns: Vec<Column>,
    /// Where each record's steps begin among all steps of the chunk, and where the last ends: rows + 1 numbers from
    /// 0 on. Only for continuous sequences, all of whose tensors have these lengths along their first dimension.
    pub(crate) steps: Option<Vec<usize>>,
}

impl Chunk {
    pub(crate) fn rows(&self) -> usize {
        self.records.len()
    }
}

/// What the numbers of a [`Piece`] count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unit {
    /// One row of the chunk is an example of its own.
    Row,
    /// Rows that follow each other, concatenated along the first dimension of each tensor (discrete sequences).
    Rows,
    /// Steps that follow each other, whatever the rows (continuous sequences).
    Steps,
}

/// A part of an example that lies in one chunk.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    pub(crate) chunk: Arc<Chunk>,
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// An example: a record (one piece of length 1) or a window (one piece or more, in order).
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) first: Piece,
    pub(crate) rest: Option<Box<[Piece]>>,
}

impl Item {
    pub(crate) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        std::iter::once(&self.first).chain(self.rest.iter().flat_map(|rest| rest.iter()))
    }
}
