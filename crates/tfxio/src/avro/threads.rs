//! Batches, decoded block by block on several threads.

use std::collections::VecDeque;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use avro_path::container::{Block, OwnedBlock, ParallelBlocks};
use tfxio_core::{Error, Split};

use super::decoder::{Decoder, Program, Progress, Recipe};
use super::open::Splits;
use super::pieces::Pieces;
use crate::tfrecord::in_split;

/// Reads splits one after the other; of each, several threads decompress and decode the blocks. The batches are those of
/// one thread.
pub(super) struct ThreadedReader {
    splits: Splits,
    open: Option<OpenSplit>,
    program: Program,
    threads: usize,
    batch_size: usize,
    pieces: Pieces,
    waiting: VecDeque<RecordBatch>,
    /// What comes behind the batches that wait.
    failed: Option<Error>,
    rows: u64,
    ended: bool,
}

/// The split that is being read.
struct OpenSplit {
    blocks: ParallelBlocks<Rows>,
    split: Split,
    recipe: Recipe,
    /// A block that is decoded here, and how far it is.
    empty: Option<(OwnedBlock, Decoder, Progress)>,
}

/// The rows of a block, cut where batches end, and what is wrong behind them.
#[derive(Default)]
struct Rows {
    pieces: Vec<RecordBatch>,
    error: Option<avro_path::Error>,
    /// The block itself if its records have no bytes: a few bytes can then claim billions, which are not to be in memory
    /// at once.
    empty: Option<OwnedBlock>,
}

impl ThreadedReader {
    /// Opens the first split, so that its errors come early.
    pub(super) fn start(
        splits: Splits,
        program: &Program,
        batch_size: usize,
        threads: usize,
    ) -> Result<Self, Error> {
        let mut reader = Self {
            splits,
            open: None,
            program: program.clone(),
            threads,
            batch_size: batch_size.max(1),
            pieces: Pieces::new(program.arrow_schema()),
            waiting: VecDeque::new(),
            failed: None,
            rows: 0,
            ended: false,
        };
        reader.open_next()?;
        Ok(reader)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.open = None;
        let Some(open) = self.splits.open_next(self.rows)? else { return Ok(()) };
        let recipe = self.splits.recipe(&open, &self.program)?;
        let (before, batch_size) = (self.rows, self.batch_size);
        let of_threads = recipe.clone();
        let blocks = open.container.map_blocks(self.threads, move || {
            let mut decoder = of_threads.decoder();
            move |block: Block<'_>| Ok(decode(&block, &mut decoder, before, batch_size))
        })?;
        self.open = Some(OpenSplit { blocks, split: open.split, recipe, empty: None });
        Ok(())
    }

    fn read(&mut self) -> Result<Option<RecordBatch>, Error> {
        loop {
            if let Some(batch) = self.waiting.pop_front() {
                return Ok(Some(batch));
            }
            if let Some(error) = self.failed.take() {
                return Err(error);
            }
            // Behind the last split a part of a batch is left.
            let Some(open) = &mut self.open else { return self.pieces.take() };
            if let Some((block, decoder, progress)) = &mut open.empty {
                let room = self.batch_size.saturating_sub(self.pieces.rows());
                let ended = progress.decode(&block.as_block(), decoder, room);
                let piece = ended.and_then(|ended| Ok((ended, decoder.flush()?)));
                let (ended, piece) = piece.map_err(|error| in_split(error.into(), &open.split))?;
                if ended {
                    open.empty = None;
                }
                self.add(piece)?;
                continue;
            }
            match open.blocks.next() {
                None => self.open_next()?,
                Some(Err(error)) => return Err(in_split(error.into(), &open.split)),
                Some(Ok(Rows { pieces, error, empty })) => {
                    self.failed = error.map(|error| in_split(error.into(), &open.split));
                    open.empty = empty.map(|block| (block, open.recipe.decoder(), Progress::default()));
                    for piece in pieces {
                        self.add(piece)?;
                    }
                }
            }
        }
    }

    /// Takes a piece that does not go beyond the end of the next batch.
    fn add(&mut self, piece: RecordBatch) -> Result<(), Error> {
        self.rows += piece.num_rows() as u64;
        self.pieces.push(piece);
        if self.rows.is_multiple_of(self.batch_size as u64) {
            let batch = self.pieces.take()?;
            self.waiting.extend(batch);
        }
        Ok(())
    }

    fn stop(&mut self) {
        // The thread that reads may wait for a store, and the blocks wait for it.
        #[cfg(feature = "object-store")]
        self.splits.interrupt();
        self.open = None;
    }
}

/// Decodes a block; `before` are the rows of the splits before.
fn decode(block: &Block<'_>, decoder: &mut Decoder, before: u64, batch_size: usize) -> Rows {
    if block.bytes().is_empty() {
        return Rows { empty: Some(OwnedBlock::from(*block)), ..Rows::default() };
    }
    let mut rows = Rows::default();
    let first = before.saturating_add(block.place().first_record);
    let mut progress = Progress::default();
    loop {
        let at = first.saturating_add(progress.records()) % batch_size as u64;
        let room = batch_size.saturating_sub(usize::try_from(at).unwrap_or_default());
        let done = progress.decode(block, decoder, room);
        // Rows of a batch that an error ends are lost with it, as on one thread.
        let piece = done.and_then(|ended| Ok((ended, decoder.flush()?)));
        match piece {
            Ok((ended, piece)) => {
                if piece.num_rows() > 0 {
                    rows.pieces.push(piece);
                }
                if ended {
                    return rows;
                }
            }
            Err(error) => {
                rows.error = Some(error);
                return rows;
            }
        }
    }
}

impl Iterator for ThreadedReader {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.read();
        if !matches!(next, Ok(Some(_))) {
            self.ended = true;
            self.stop();
        }
        next.map_err(ArrowError::from).transpose()
    }
}

impl RecordBatchReader for ThreadedReader {
    fn schema(&self) -> SchemaRef {
        self.program.arrow_schema()
    }
}

impl Drop for ThreadedReader {
    fn drop(&mut self) {
        self.stop();
    }
}
