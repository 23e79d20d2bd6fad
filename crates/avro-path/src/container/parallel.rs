//! Blocks decompressed, and worked on, by several threads, in order.
//!
//! The threads take turns at reading a run of consecutive blocks, which is a small part of the work, and decompress and
//! decode what they have read at the same time. So a thread works on bytes that are in its cache already, nothing is
//! copied but the beginning of a block at the end of what was read, and threads seldom wait for one another.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use tfxio_base::{Ordered, Threading, Work};

use super::block::Block;
use super::reader::ContainerReader;
use super::run::{BatchBorders, BlockRun, StoredRun};
use crate::{Error, Result};

/// Bytes of the first run, and the most of any later one that has more than one block. They double from the one to the
/// other, so that the first results come early and small files are shared too.
const RUN_BYTES: (usize, usize) = (64 << 10, 512 << 10);
/// The most bytes of a run that is longer to have the records of a batch.
const LONG_RUN_BYTES: usize = 2 << 20;
/// As many blocks at least, of which one is in the next run too, should a run have.
const SHARED: usize = 12;
/// Weight of a result that completed no block.
const PART: u64 = 64 << 10;
/// The least weight of any other result.
const LEAST: u64 = 4 << 10;

impl<R: Read + Send + 'static> ContainerReader<R> {
    /// Reads and decompresses on several threads, which do with each block what `worker` does; the results come in the
    /// order of the file. `make` is called for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// As [`map_runs`](Self::map_runs), with a result for each block.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::AvroSchema;
    /// use avro_path::container::{ContainerReader, ContainerWriter};
    /// use tfxio_base::Threading;
    ///
    /// let schema = AvroSchema::parse("\"long\"")?;
    /// let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
    /// for _ in 0..1000 {
    ///     writer.write(&[84])?;
    /// }
    /// let reader = ContainerReader::new(Cursor::new(writer.finish()?))?;
    ///
    /// let two = Threading::new().threads(2);
    /// let counts = reader.map_blocks(&two, || |block: avro_path::container::Block<'_>| Ok(block.count()))?;
    /// assert_eq!(counts.collect::<Result<Vec<_>, _>>()?, [100; 10]);
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`map_runs`](Self::map_runs).
    pub fn map_blocks<T, M, W>(self, threading: &Threading, make: M) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W + Send + Sync + 'static,
        W: FnMut(Block<'_>) -> Result<T> + Send + 'static,
    {
        self.map_runs(threading, move || {
            let mut worker = make();
            move |run: &mut BlockRun| {
                run.next_block().and_then(|block| block.map(&mut worker).transpose()).transpose()
            }
        })
    }

    /// Reads and decompresses on several threads, which take turns at reading runs of consecutive blocks: 512 KiB as they are
    /// stored, or one block; the first ones are smaller. `worker` is called with a run, again and again, and takes blocks
    /// of it for one result each time, until it answers `None`; then comes the next run. The results come in the order
    /// of the file. `make` is called for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// At most two runs a thread are read ahead, and of each run at most 4 MiB of decompressed data, or one block, have
    /// results that wait. Dropping the iterator stops the threads. After an error, of the container or of a worker,
    /// nothing follows.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::AvroSchema;
    /// use avro_path::container::{BlockRun, ContainerReader, ContainerWriter};
    /// use tfxio_base::Threading;
    ///
    /// let schema = AvroSchema::parse("\"long\"")?;
    /// let mut writer = ContainerWriter::builder(Vec::new(), &schema).block_bytes(100).build()?;
    /// for _ in 0..1000 {
    ///     writer.write(&[84])?;
    /// }
    /// let reader = ContainerReader::new(Cursor::new(writer.finish()?))?;
    ///
    /// // One result for each run: how many records it has.
    /// let counts = reader.map_runs(&Threading::new().threads(2), || {
    ///     |run: &mut BlockRun| {
    ///         let mut count = 0;
    ///         loop {
    ///             match run.next_block() {
    ///                 Ok(Some(block)) => count += block.count(),
    ///                 Ok(None) => return (count > 0).then_some(Ok(count)),
    ///                 Err(error) => return Some(Err(error)),
    ///             }
    ///         }
    ///     }
    /// })?;
    /// assert_eq!(counts.sum::<Result<u64, _>>()?, 1000);
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the codec's decoder cannot be made.
    pub fn map_runs<T, M, W>(self, threading: &Threading, make: M) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W + Send + Sync + 'static,
        W: FnMut(&mut BlockRun) -> Option<Result<T>> + Send + 'static,
    {
        // All of the file is one batch.
        self.map_batches(threading, 0, u64::MAX, make)
    }

    /// As [`map_runs`](Self::map_runs), with runs that end where batches do, which have `rows` records each from the record
    /// `first` on. So a worker decodes whole batches, of which no others have a part.
    ///
    /// A run then may begin and end within a block, which its neighbour has as well: the worker passes over the records
    /// that are not of [`BlockRun::records`]. A run ends elsewhere where blocks are too large to be opened twice, and where
    /// a batch has more than 2 MiB.
    ///
    /// # Errors
    /// As [`map_runs`](Self::map_runs).
    pub fn map_batches<T, M, W>(
        self,
        threading: &Threading,
        first: u64,
        rows: u64,
        make: M,
    ) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W + Send + Sync + 'static,
        W: FnMut(&mut BlockRun) -> Option<Result<T>> + Send + 'static,
    {
        let parser = self.parser.fork()?;
        let make = move || {
            let run = BlockRun::new(parser.fork()?);
            Ok(Runs { run, work: make(), source: PhantomData })
        };
        let results = Ordered::new(Cut::new(self, BatchBorders { first, rows }), threading, make)?;
        let results = results.map(|result| result.map(|result| result.value));
        Ok(ParallelBlocks { results: Box::new(results) })
    }
}

/// The results of [`ContainerReader::map_runs`], in the order of the file.
pub struct ParallelBlocks<T> {
    results: Box<dyn Iterator<Item = Result<T>> + Send>,
}

impl<T> Iterator for ParallelBlocks<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        self.results.next()
    }
}

impl<T> fmt::Debug for ParallelBlocks<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ParallelBlocks").finish_non_exhaustive()
    }
}

/// Works on runs, each of which is a job.
struct Runs<R, W> {
    run: BlockRun,
    work: W,
    source: PhantomData<fn(R)>,
}

/// A container of which runs are cut off.
struct Cut<R> {
    reader: ContainerReader<R>,
    /// Bytes of the next run, as long as they double.
    doubling: usize,
    /// Offset and first record of the first run.
    began: (u64, u64),
    /// First record of the next run.
    from: u64,
    batches: BatchBorders,
}

impl<R: Read> Cut<R> {
    fn new(reader: ContainerReader<R>, batches: BatchBorders) -> Self {
        let position = reader.parser.position();
        let began = (position.offset, position.first_record);
        Self { reader, doubling: RUN_BYTES.0, began, from: 0, batches }
    }

    fn next(&mut self, memory: Vec<u8>) -> Result<Option<StoredRun>> {
        let bytes = self.target();
        let run = self.reader.next_run(bytes, memory, self.from, self.batches)?;
        self.from = run.as_ref().map_or(0, |run| run.records.end);
        Ok(run)
    }

    /// Returns the bytes to read for the next run, so that as few as possible of the one after it are read with them, since
    /// these have to be moved.
    fn target(&mut self) -> usize {
        let target = self.doubling;
        self.doubling = target.saturating_mul(2).min(RUN_BYTES.1);
        let parser = &self.reader.parser;
        let size = parser.last_size();
        let (offset, record) = (parser.position().offset, parser.position().first_record);
        let (bytes, records) = (offset.saturating_sub(self.began.0), record.saturating_sub(self.began.1));
        if records > 0 {
            let bytes_of = |records_of: u64| {
                usize::try_from(u128::from(records_of) * u128::from(bytes) / u128::from(records))
                    .unwrap_or(usize::MAX)
            };
            let batch = bytes_of(self.batches.rows).max(1);
            if batch <= LONG_RUN_BYTES {
                // As many that the blocks in two runs are a small part, too.
                let most = target.max(size.saturating_mul(SHARED)).min(LONG_RUN_BYTES);
                let rows = self.batches.rows.saturating_mul((most / batch).max(1) as u64);
                let skipped = self.from.saturating_sub(record);
                let whole = bytes_of(rows.saturating_add(skipped));
                // And the rest of the block in which the last batch ends; sizes vary.
                return whole.saturating_add(whole / 64).saturating_add(size);
            }
        }
        match target.checked_div(size) {
            // Whole blocks, if they have about the size of the last one, and a little more.
            Some(blocks @ 1..) => (blocks * size + size / 16).min(target),
            _ => target,
        }
    }
}

/// Result, with the approximate number of bytes it was made from.
struct Weighed<T> {
    value: T,
    bytes: u64,
}

impl<R, T, W> Work for Runs<R, W>
where
    R: Read + Send + 'static,
    T: Send + 'static,
    W: FnMut(&mut BlockRun) -> Option<Result<T>> + Send + 'static,
{
    type Source = Cut<R>;
    type Output = Weighed<T>;
    type Error = Error;

    fn read(&mut self, cut: &mut Cut<R>) -> Result<bool> {
        let Some(run) = cut.next(self.run.release())? else { return Ok(false) };
        self.run.begin(run);
        Ok(true)
    }

    fn next(&mut self) -> Result<Option<Weighed<T>>> {
        let Some(value) = (self.work)(&mut self.run).transpose()? else { return Ok(None) };
        let bytes = std::mem::take(&mut self.run.done).map_or(PART, |bytes| bytes.max(LEAST));
        Ok(Some(Weighed { value, bytes }))
    }

    fn weight(result: &Weighed<T>) -> u64 {
        result.bytes
    }
}
