//! Batches, decoded on the thread that asks for them.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::Error;

use super::decoder::{Decoder, Program, Progress};
use super::open::{Open, Splits};
use super::pieces::Pieces;
use crate::tfrecord::in_split;

/// Reads splits one after the other. A batch may hold rows of several.
pub(super) struct BatchReader {
    splits: Splits,
    program: Program,
    open: Option<OpenSplit>,
    /// Rows of splits of other schemas.
    pieces: Pieces,
    batch_size: usize,
    ended: bool,
}

/// The split that is being read.
struct OpenSplit {
    split: Open,
    decoder: Decoder,
    /// How far its last block was decoded.
    progress: Option<Progress>,
}

impl BatchReader {
    /// Opens the first split, so that its errors come early.
    pub(super) fn start(splits: Splits, program: &Program, batch_size: usize) -> Result<Self, Error> {
        let mut reader = Self {
            splits,
            program: program.clone(),
            open: None,
            pieces: Pieces::new(program.arrow_schema()),
            batch_size: batch_size.max(1),
            ended: false,
        };
        reader.open_next()?;
        Ok(reader)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        let last = self.open.take();
        let next = self.splits.open_next()?;
        // Data of the same schema go on in the same memory.
        let decoder = match (last, &next) {
            (Some(last), Some(next)) if last.split.writer() == next.writer() => Some(last.decoder),
            (Some(mut last), _) => {
                self.pieces.push(last.decoder.flush()?);
                None
            }
            (None, _) => None,
        };
        if let Some(split) = next {
            let decoder = match decoder {
                Some(decoder) => decoder,
                None => self.splits.recipe(&split, &self.program)?.decoder(),
            };
            self.open = Some(OpenSplit { split, decoder, progress: None });
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<Option<RecordBatch>, Error> {
        while let Some(open) = &mut self.open {
            let room = self.batch_size.saturating_sub(self.pieces.rows());
            if open.decoder.rows() >= room {
                self.pieces.push(open.decoder.flush()?);
                break;
            }
            match open.step(room) {
                Ok(true) => {}
                Ok(false) => self.open_next()?,
                Err(error) => return Err(in_split(error, &open.split.split)),
            }
        }
        self.pieces.take()
    }
}

impl OpenSplit {
    /// Decodes a block, or what is left of one, until there are so many rows. Whether there may be more.
    fn step(&mut self, most: usize) -> Result<bool, Error> {
        if self.progress.is_none() && !self.split.blocks.next_block()? {
            return Ok(false);
        }
        let progress = self.progress.get_or_insert_default();
        loop {
            let Some(block) = self.split.blocks.last_block() else { return Ok(false) };
            match progress.decode(&block, &mut self.decoder, most) {
                Ok(is_done) => {
                    if is_done {
                        self.progress = None;
                    }
                    return Ok(true);
                }
                Err(error) => {
                    let length = self.split.blocks.pass_over(progress.bytes(), error)?;
                    progress.pass_over(length);
                }
            }
        }
    }
}

impl Iterator for BatchReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.fill();
        self.ended = !matches!(next, Ok(Some(_)));
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for BatchReader {
    fn schema(&self) -> SchemaRef {
        self.program.arrow_schema()
    }
}
