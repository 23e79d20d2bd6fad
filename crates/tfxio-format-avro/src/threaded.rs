//! Rows of a part of a file, made by several threads, which share its blocks.

use arrow_schema::SchemaRef;
use avro_path::container::{BlockRun, ContainerReader, ParallelBlocks};
use avro_path::datum::SkipPlan;
use avro_path::{AvroSchema, BlockCursor};
use tfxio_core::{Cancel, Error, ErrorKind, Result, Threading};
use tfxio_scan::deferred_drop::DeferredDrops;

use super::cursor::{Cursor, Span, Spans};
use super::decoded::Decoded;
use super::decoder::{Decoder, Recipe};
use super::file_metadata::FileInput;
use super::gathered::Gathered;

/// Reads runs of blocks on several threads. The batches are the same as on one thread: most runs end where a batch does, and batches that
/// span two of them are joined here.
pub(super) struct Threaded {
    chunks: ParallelBlocks<Decoded>,
    gathered: Gathered,
    /// Bytes of a batch that are certainly within the limits.
    most: u64,
}

impl Threaded {
    /// Begins at a cursor, at which the container begins. Batches have `batch_rows` rows each; the first is shorter by the
    /// `before` rows that it follows.
    pub(super) fn new(
        container: ContainerReader<FileInput>,
        recipe: Recipe,
        schema: SchemaRef,
        cursor: Cursor,
        batch_rows: usize,
        before: usize,
        threading: &Threading,
    ) -> Result<Self> {
        let written = container.header().schema().clone();
        let limit = recipe.limits.batch_bytes;
        let first = match before {
            0 => cursor.record(),
            before => cursor.record().saturating_add(batch_rows.saturating_sub(before) as u64),
        };
        let chunks = container.map_batches(threading, first, batch_rows as u64, move || {
            let (schema, plan) = (written.clone(), None);
            let mut rows = Chunks {
                decoder: recipe.decoder(),
                progress: None,
                spans: Spans::default(),
                lent: DeferredDrops::default(),
                cursor,
                batch_rows,
                before: before as u64,
                schema,
                plan,
            };
            move |run: &mut BlockRun| rows.next(run).transpose()
        })?;
        // Rows that are put together take what says which are null.
        Ok(Self { chunks, gathered: Gathered::new(schema), most: limit - limit / 8 })
    }

    /// Returns the rows of the next `batch_rows` records, and `None` at the end.
    ///
    /// # Errors
    /// Of kind [`LimitExceeded`](ErrorKind::LimitExceeded) also where fewer records may be within the limits, which one thread finds.
    pub(super) fn next(&mut self, batch_rows: usize, cancel: &Cancel) -> Result<Option<Decoded>> {
        let (mut spans, mut kept, mut records) = (Spans::default(), None::<Vec<bool>>, 0usize);
        while records < batch_rows {
            cancel.check()?;
            let Some(chunk) = self.chunks.next() else { break };
            let chunk = chunk?;
            records = records.saturating_add(chunk.records());
            if !self.gathered.has_room(&chunk.rows, self.most) {
                return Err(Error::new(
                    ErrorKind::LimitExceeded,
                    "the batch may be larger than batch_bytes, the limit",
                ));
            }
            self.gathered.push(chunk.rows);
            spans.append(chunk.spans);
            if let Some(more) = chunk.kept {
                kept.get_or_insert_default().extend(more);
            }
        }
        if records == 0 {
            return Ok(None);
        }
        let rows = self.gathered.take()?.unwrap_or_else(|| self.gathered.empty());
        Ok(Some(Decoded { rows, spans, kept, is_full: false }))
    }
}

/// Decodes runs on one of the threads.
struct Chunks {
    decoder: Decoder,
    /// Progress within the last block.
    progress: Option<BlockCursor>,
    spans: Spans,
    lent: DeferredDrops,
    /// Position at which the first batch begins.
    cursor: Cursor,
    batch_rows: usize,
    /// Rows that the first batch follows.
    before: u64,
    schema: AvroSchema,
    plan: Option<SkipPlan>,
}

impl Chunks {
    /// Returns the next rows of a run, which end where a batch ends or the run does; `None` at its end. Rows of a batch that
    /// an error ends are lost with it, as on one thread.
    fn next(&mut self, run: &mut BlockRun) -> Result<Option<Decoded>> {
        self.lent.take_back();
        let records = run.records();
        loop {
            if self.progress.is_none() && run.next_block()?.is_none() {
                return if self.decoder.records() > 0 { self.flush().map(Some) } else { Ok(None) };
            }
            let Some(block) = run.last_block() else { return Ok(None) };
            let first = block.position().first_record;
            let mut progress = self.progress.take().unwrap_or_default();
            let next = first.saturating_add(progress.records()).max(self.cursor.record()).max(records.start);
            if next >= records.end {
                // The next run has the rest of the block.
                continue;
            }
            let wanted = next.saturating_sub(first).min(block.count());
            if progress.records() < wanted {
                let plan = self.plan.get_or_insert_with(|| SkipPlan::new(&self.schema));
                progress.pass_to(&block, &self.schema, plan, wanted)?;
                if wanted == block.count() {
                    continue;
                }
            }
            let before = progress.records();
            let row = first.saturating_add(before).saturating_sub(self.cursor.record());
            let row = row.saturating_add(self.before);
            let in_batch = usize::try_from(row % self.batch_rows as u64).unwrap_or_default();
            let full = self.decoder.records().saturating_add(self.batch_rows.saturating_sub(in_batch));
            let is_done = self.decoder.decode(&block, &mut progress, full)?;
            let (offset, number) = (block.position().offset, block.position().number);
            let at = Cursor { offset, is_exact: true, block: number, first, skip: before, ..self.cursor };
            self.spans.push(Span { at, offset, rows: progress.records() - before });
            if !is_done {
                self.progress = Some(progress);
            }
            if self.decoder.records() >= full {
                return self.flush().map(Some);
            }
        }
    }

    fn flush(&mut self) -> Result<Decoded> {
        let (rows, kept) = self.decoder.flush()?;
        self.lent.lend(&rows);
        Ok(Decoded { rows, spans: std::mem::take(&mut self.spans), kept, is_full: false })
    }
}

/// Whether rows are worth more than one thread.
pub(super) fn is_worth_it(threads: usize, batch_rows: usize, limit: u64) -> bool {
    // Threads read ahead, which is in vain where little is wanted.
    threads > 1 && limit > batch_rows as u64
}
