//! Batches, decoded on the thread that asks for them.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchReader};
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Error, Limits};

use super::decoder::{Decoder, Program, Progress};
use super::open::{Open, Splits};
use crate::tfrecord::in_split;

/// Reads splits one after the other. A batch may hold rows of several.
pub(super) struct BatchReader {
    splits: Splits,
    /// The split that is being read, and how far its last block was decoded.
    open: Option<(Open, Option<Progress>)>,
    decoder: Decoder,
    schema: SchemaRef,
    batch_size: usize,
    ended: bool,
}

impl BatchReader {
    /// Opens the first split, so that its errors come early.
    pub(super) fn start(
        splits: Splits,
        program: &Program,
        limits: Limits,
        batch_size: usize,
    ) -> Result<Self, Error> {
        let mut reader = Self {
            splits,
            open: None,
            decoder: program.decoder(limits),
            schema: program.arrow_schema(),
            batch_size: batch_size.max(1),
            ended: false,
        };
        reader.open_next()?;
        Ok(reader)
    }

    fn open_next(&mut self) -> Result<(), Error> {
        self.open = self.splits.open_next()?.map(|open| (open, None));
        if let Some((open, _)) = &self.open {
            self.decoder.set_resolution(open.resolution.clone());
        }
        Ok(())
    }

    fn fill(&mut self) -> Result<Option<RecordBatch>, Error> {
        while self.decoder.rows() < self.batch_size {
            let Some((open, progress)) = &mut self.open else { break };
            match step(open, progress, &mut self.decoder, self.batch_size) {
                Ok(true) => {}
                Ok(false) => self.open_next()?,
                Err(error) => return Err(in_split(error.into(), &open.split)),
            }
        }
        if self.decoder.rows() == 0 { Ok(None) } else { Ok(Some(self.decoder.flush()?)) }
    }
}

/// Decodes a block, or what is left of one, as far as there is room. Whether there may be more.
fn step(
    open: &mut Open,
    progress: &mut Option<Progress>,
    decoder: &mut Decoder,
    most: usize,
) -> avro_path::Result<bool> {
    if progress.is_none() && open.container.next_block()?.is_none() {
        return Ok(false);
    }
    let Some(block) = open.container.last_block() else { return Ok(false) };
    if progress.get_or_insert_default().decode(&block, decoder, most)? {
        *progress = None;
    }
    Ok(true)
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
        Arc::clone(&self.schema)
    }
}
