//! Batches, decoded on several threads, which share the blocks of a split.

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use avro_path::container::{BlockRun, ParallelBlocks};
use tfxio_core::{Error, ErrorKind, Split};

use super::blocks::Blocks;
use super::decoder::{Decoder, Program, Progress};
use super::open::Splits;
use super::pieces::Pieces;
use crate::lent::Lent;
use crate::tfrecord::in_split;

/// Reads splits one after the other; of each, several threads decompress and decode runs of blocks. The batches are those
/// of one thread: most of them lie within a run, and only those at its ends are put together here.
pub(super) struct ThreadedReader {
    splits: Splits,
    open: Option<OpenSplit>,
    program: Program,
    batch_size: usize,
    pieces: Pieces,
    rows: u64,
    ended: bool,
}

/// The split that is being read.
struct OpenSplit {
    /// Rows of runs, cut where batches end.
    pieces: ParallelBlocks<RecordBatch>,
    split: Split,
}

impl ThreadedReader {
    /// Opens the first split, so that its errors come early.
    pub(super) fn start(splits: Splits, program: &Program, batch_size: usize) -> Result<Self, Error> {
        let mut reader = Self {
            splits,
            open: None,
            program: program.clone(),
            batch_size: batch_size.max(1),
            pieces: Pieces::new(program.arrow_schema()),
            rows: 0,
            ended: false,
        };
        reader.open_next()?;
        Ok(reader)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.open = None;
        let Some(open) = self.splits.open_next()? else { return Ok(()) };
        let recipe = self.splits.recipe(&open, &self.program)?;
        let (before, batch_size) = (self.rows, self.batch_size);
        let Blocks::Strict(container) = open.blocks else {
            let message = "damage is skipped by one thread only";
            return Err(Error::new(ErrorKind::Unsupported, message));
        };
        // Few batches are to be put together of two runs.
        let container = container.run_records((batch_size as u64).saturating_mul(16));
        let pieces = container.map_runs(self.splits.threading(), move || {
            let (decoder, lent) = (recipe.decoder(), Lent::default());
            let mut rows = Rows { decoder, lent, progress: None, before, batch_size };
            move |run: &mut BlockRun| rows.next_piece(run).transpose()
        })?;
        self.open = Some(OpenSplit { pieces, split: open.split });
        Ok(())
    }

    fn read(&mut self) -> Result<Option<RecordBatch>, Error> {
        loop {
            // Behind the last split a part of a batch is left.
            let Some(open) = &mut self.open else { return self.pieces.take() };
            match open.pieces.next() {
                None => self.open_next()?,
                Some(Err(error)) => return Err(in_split(error, &open.split)),
                Some(Ok(piece)) => {
                    self.rows += piece.num_rows() as u64;
                    self.pieces.push(piece);
                    if self.rows.is_multiple_of(self.batch_size as u64) {
                        return self.pieces.take();
                    }
                }
            }
        }
    }

    fn stop(&mut self) {
        // A thread that reads may wait for a store, and the others wait for it.
        self.splits.cancel();
        self.open = None;
    }
}

/// Decodes runs on one of the threads.
struct Rows {
    decoder: Decoder,
    lent: Lent,
    /// How far the last block was decoded.
    progress: Option<Progress>,
    /// Rows of the splits before.
    before: u64,
    batch_size: usize,
}

impl Rows {
    /// The next rows of a run, which end where a batch ends or the run does; `None` at its end. Rows of a batch that an
    /// error ends are lost with it, as on one thread.
    fn next_piece(&mut self, run: &mut BlockRun) -> avro_path::Result<Option<RecordBatch>> {
        self.lent.take_back();
        let piece = self.decode(run)?;
        piece.iter().for_each(|piece| self.lent.lend(piece));
        Ok(piece)
    }

    fn decode(&mut self, run: &mut BlockRun) -> avro_path::Result<Option<RecordBatch>> {
        let Self { decoder, progress, before, batch_size, .. } = self;
        loop {
            if progress.is_none() && run.next_block()?.is_none() {
                return (decoder.rows() > 0).then(|| decoder.flush()).transpose();
            }
            let Some(block) = run.last_block() else { return Ok(None) };
            let place = progress.get_or_insert_default();
            let row = before.saturating_add(block.place().first_record).saturating_add(place.records());
            let in_batch = usize::try_from(row % *batch_size as u64).unwrap_or_default();
            let full = decoder.rows().saturating_add(batch_size.saturating_sub(in_batch));
            if place.decode(&block, decoder, full)? {
                *progress = None;
            }
            if decoder.rows() >= full {
                return decoder.flush().map(Some);
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
