//! Blocks decompressed, and worked on, by several threads, in order.
//!
//! The threads take turns at reading a run of consecutive blocks, which is a small part of the work, and decompress and
//! decode what they have read at the same time. So a thread works on bytes that are in its cache already, nothing is
//! copied but the beginning of a block at the end of what was read, and threads seldom wait for one another.

use std::fmt;
use std::io::Read;
use std::marker::PhantomData;

use tfxio_base::{Ordered, Threading, Work};

use super::block::{Block, OwnedBlock};
use super::reader::ContainerReader;
use super::run::{BlockRun, Run};
use crate::{Error, Result};

/// Bytes of the first run, and the most of any later one that has more than one block. They double from the one to the
/// other, so that the first results come early and small files are shared too.
const RUN_BYTES: (usize, usize) = (64 << 10, 512 << 10);
/// The most bytes of a run that is longer because of [`ContainerReader::run_records`].
const LONG_RUN_BYTES: u64 = 2 << 20;
/// Weight of a result that completed no block.
const PART: u64 = 64 << 10;
/// The least weight of any other result.
const LEAST: u64 = 4 << 10;

impl<R: Read + Send + 'static> ContainerReader<R> {
    /// Sets how many records a run should have, for results of so many records or more that should not be cut often: runs
    /// may then have up to 2 MiB. Default: none, so that runs have up to 512 KiB.
    #[must_use]
    pub fn run_records(mut self, records: u64) -> Self {
        self.run_records = records;
        self
    }

    /// Reads and decompresses on several threads, which do with each block what `worker` does; the results come in the
    /// order of the file. `make` is called for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// As [`map_runs`](Self::map_runs), with a result for each block.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::Schema;
    /// use avro_path::container::{ContainerReader, WriterBuilder};
    /// use tfxio_base::Threading;
    ///
    /// let schema = Schema::parse("\"long\"")?;
    /// let mut writer = WriterBuilder::new().block_bytes(100).from_writer(Vec::new(), &schema)?;
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

    /// Reads and decompresses on several threads; the blocks come in the order of the file. As
    /// [`map_blocks`](Self::map_blocks) with nothing further to do.
    ///
    /// # Errors
    /// As [`map_runs`](Self::map_runs).
    pub fn parallel_blocks(self, threading: &Threading) -> Result<ParallelBlocks<OwnedBlock>> {
        self.map_blocks(threading, || |block: Block<'_>| Ok(OwnedBlock::from(block)))
    }

    /// Reads and decompresses on several threads, which take turns at reading runs of consecutive blocks: 512 KiB as they are
    /// stored, or one block; the first ones are smaller. `worker` is called with a run, again and again, and takes blocks
    /// of it for one result each time, until it answers `None`; then comes the next run. The results come in the order
    /// of the file. `make` is called for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// At most two runs a thread are read ahead, and of each the results of 4 MiB after decompression wait, or those of
    /// one block. Dropping the iterator stops the threads. After an error, of the container or of a worker, nothing follows.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::Schema;
    /// use avro_path::container::{BlockRun, ContainerReader, WriterBuilder};
    /// use tfxio_base::Threading;
    ///
    /// let schema = Schema::parse("\"long\"")?;
    /// let mut writer = WriterBuilder::new().block_bytes(100).from_writer(Vec::new(), &schema)?;
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
        let parser = self.parser.fork()?;
        let make = move || {
            let run = BlockRun::new(parser.fork()?);
            Ok(Runs { run, spare: Vec::new(), work: make(), source: PhantomData })
        };
        let results = Ordered::new(Cut::new(self), threading, make)?;
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
    /// Memory of the run before.
    spare: Vec<u8>,
    work: W,
    source: PhantomData<fn(R)>,
}

/// A container of which runs are cut off.
struct Cut<R> {
    reader: ContainerReader<R>,
    /// Bytes of the next run, as long as they double.
    doubling: usize,
    /// Where the first run began, and its first record.
    began: Option<(u64, u64)>,
    /// Bytes of the records that [`ContainerReader::run_records`] asks for.
    wanted: u64,
}

impl<R: Read> Cut<R> {
    fn new(reader: ContainerReader<R>) -> Self {
        Self { reader, doubling: RUN_BYTES.0, began: None, wanted: 0 }
    }

    fn next(&mut self, spare: Vec<u8>) -> Result<Option<Run>> {
        let most = RUN_BYTES.1.max(usize::try_from(self.wanted).unwrap_or_default());
        let target = self.doubling.min(most);
        self.doubling = target.saturating_mul(2);
        let run = self.reader.next_run(target, spare)?;
        if let Some(place) = run.as_ref().map(|run| &run.place) {
            let (offset, record) = *self.began.get_or_insert((place.offset, place.first_record));
            let (bytes, records) =
                (place.offset.saturating_sub(offset), place.first_record.saturating_sub(record));
            let each = bytes.checked_div(records).unwrap_or_default();
            self.wanted = each.saturating_mul(self.reader.run_records).min(LONG_RUN_BYTES);
        }
        Ok(run)
    }
}

/// A result, and about how many bytes it stands for.
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
        let Some(run) = cut.next(std::mem::take(&mut self.spare))? else { return Ok(false) };
        self.spare = self.run.begin(run);
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
