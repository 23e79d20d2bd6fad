//! Blocks decompressed, and worked on, by several threads, in order.
//!
//! The threads take turns at reading a run of consecutive blocks, which is a small part of the work, and decompress and
//! decode what they have read at the same time. So a thread works on bytes that are in its cache already, nothing is
//! copied but the beginning of a block at the end of what was read, and threads seldom wait for one another.

use std::collections::VecDeque;
use std::io::Read;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::block::{Block, OwnedBlock};
use super::order::{Order, Watch, lock};
use super::reader::ContainerReader;
use super::run::{BlockRun, Run};
use crate::{Error, Result};

/// Runs of each thread that may be worked on or wait for the consumer.
const AHEAD: u64 = 2;
/// Bytes of the first run, and the most of any later one that has more than one block. They double from the one to the
/// other, so that the first results come early and small files are shared too.
const RUN_BYTES: (usize, usize) = (64 << 10, 512 << 10);
/// Bytes after decompression whose results are handed over together, if the run has so many: to wake somebody takes as
/// long as to decode a small block.
const HANDED_OVER: u64 = 1 << 20;
/// What a result counts for with which no block was done.
const PART: u64 = 64 << 10;
/// What any other result counts for at least.
const LEAST: u64 = 4 << 10;

impl<R: Read + Send + 'static> ContainerReader<R> {
    /// Reads and decompresses with `threads`, which do with each block what `worker` does; the results come in the order
    /// of the file. `make` is called once for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// As [`map_runs`](Self::map_runs), with a result for each block.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::Schema;
    /// use avro_path::container::{ContainerReader, WriterBuilder};
    ///
    /// let schema = Schema::parse("\"long\"")?;
    /// let mut writer = WriterBuilder::new().block_bytes(100).from_writer(Vec::new(), &schema)?;
    /// for _ in 0..1000 {
    ///     writer.write(&[84])?;
    /// }
    /// let reader = ContainerReader::new(Cursor::new(writer.finish()?))?;
    ///
    /// let counts = reader.map_blocks(2, || |block: avro_path::container::Block<'_>| Ok(block.count()))?;
    /// assert_eq!(counts.collect::<Result<Vec<_>, _>>()?, [100; 10]);
    /// # Ok::<(), avro_path::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`map_runs`](Self::map_runs).
    pub fn map_blocks<T, M, W>(self, threads: usize, make: M) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W,
        W: FnMut(Block<'_>) -> Result<T> + Send + 'static,
    {
        self.map_runs(threads, || {
            let mut worker = make();
            move |run: &mut BlockRun| {
                run.next_block().and_then(|block| block.map(&mut worker).transpose()).transpose()
            }
        })
    }

    /// Reads and decompresses with `threads`; the blocks come in the order of the file. As
    /// [`map_blocks`](Self::map_blocks) with nothing further to do.
    ///
    /// # Errors
    /// As [`map_runs`](Self::map_runs).
    pub fn parallel_blocks(self, threads: usize) -> Result<ParallelBlocks<OwnedBlock>> {
        self.map_blocks(threads, || |block: Block<'_>| Ok(OwnedBlock::from(block)))
    }

    /// Reads and decompresses with `threads`, which take turns at reading runs of consecutive blocks: 512 KiB as they are
    /// stored, or one block; the first ones are smaller. `worker` is called with a run, again and again, and takes blocks
    /// of it for one result each time, until it answers `None`; then comes the next run. The results come in the order
    /// of the file. `make` is called once for each thread, so that a worker can have state of its own, such as a decoder.
    ///
    /// At most two runs a thread are read ahead, and of each the results of 4 MiB after decompression wait, or those of
    /// one block. Dropping the iterator stops the threads. After an error, of the container or of a worker, nothing follows.
    ///
    /// ```
    /// use std::io::Cursor;
    /// use avro_path::Schema;
    /// use avro_path::container::{BlockRun, ContainerReader, WriterBuilder};
    ///
    /// let schema = Schema::parse("\"long\"")?;
    /// let mut writer = WriterBuilder::new().block_bytes(100).from_writer(Vec::new(), &schema)?;
    /// for _ in 0..1000 {
    ///     writer.write(&[84])?;
    /// }
    /// let reader = ContainerReader::new(Cursor::new(writer.finish()?))?;
    ///
    /// // One result for each run: how many records it has.
    /// let counts = reader.map_runs(2, || {
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
    /// When no thread can be started, or the codec's decoder cannot.
    pub fn map_runs<T, M, W>(self, threads: usize, make: M) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W,
        W: FnMut(&mut BlockRun) -> Option<Result<T>> + Send + 'static,
    {
        let threads = threads.max(1);
        let runs = (0..threads).map(|_| self.parser.fork().map(BlockRun::new)).collect::<Result<Vec<_>>>()?;
        let source = Arc::new(Mutex::new(Some(self)));
        let order = Arc::new(Order::new(AHEAD.saturating_mul(threads as u64)));
        let mut out = ParallelBlocks {
            order: Arc::clone(&order),
            ready: VecDeque::new(),
            ended: false,
            threads: Vec::new(),
        };
        for (number, run) in runs.into_iter().enumerate() {
            let worker = Worker {
                source: Arc::clone(&source),
                order: Arc::clone(&order),
                run,
                spare: Vec::new(),
                work: make(),
            };
            let thread = thread::Builder::new()
                .name(format!("avro-block-{number}"))
                .spawn(move || worker.work())
                .map_err(|error| Error::io(error, "starting a thread"))?;
            out.threads.push(thread);
        }
        Ok(out)
    }
}

/// The results of [`ContainerReader::map_runs`], in the order of the file.
#[derive(Debug)]
pub struct ParallelBlocks<T> {
    order: Arc<Order<T>>,
    ready: VecDeque<Result<T>>,
    ended: bool,
    threads: Vec<JoinHandle<()>>,
}

impl<T> Iterator for ParallelBlocks<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        if self.ready.is_empty() {
            self.order.take(&mut self.ready);
        }
        let next = self.ready.pop_front();
        if !matches!(next, Some(Ok(_))) {
            self.ended = true;
            self.ready = VecDeque::new();
            self.order.stop();
        }
        next
    }
}

impl<T> Drop for ParallelBlocks<T> {
    fn drop(&mut self) {
        self.order.stop();
        for thread in self.threads.drain(..) {
            // A panic was noted already.
            let _ = thread.join();
        }
    }
}

struct Worker<R, T, W> {
    /// Nothing after the end or an error. Locked while a run is read.
    source: Arc<Mutex<Option<ContainerReader<R>>>>,
    order: Arc<Order<T>>,
    run: BlockRun,
    /// Memory of the run before.
    spare: Vec<u8>,
    work: W,
}

impl<R: Read, T, W: FnMut(&mut BlockRun) -> Option<Result<T>>> Worker<R, T, W> {
    fn work(mut self) {
        let order = Arc::clone(&self.order);
        let _watch = Watch(&*order);
        while let Some((number, run)) = self.read() {
            self.spare = self.run.begin(run);
            if !self.finish(number) {
                return;
            }
        }
    }

    /// The next run and its number.
    fn read(&mut self) -> Option<(u64, Run)> {
        let mut source = lock(&self.source);
        let reader = source.as_mut()?;
        let number = self.order.wait_for_room()?;
        let (first, most) = RUN_BYTES;
        let target = (first << number.min(8)).min(most);
        let run = reader.next_run(target, std::mem::take(&mut self.spare));
        let (run, error) = match run {
            Ok(run) => (run, None),
            Err(error) => (None, Some(Err(error))),
        };
        self.order.begin(error, run.is_some());
        if run.is_none() {
            *source = None;
        }
        Some((number, run?))
    }

    /// Works on a run. Whether anybody wants more.
    fn finish(&mut self, number: u64) -> bool {
        let Self { run, work, order, .. } = self;
        let (mut results, mut bytes) = (VecDeque::new(), 0_u64);
        loop {
            let result = work(run);
            let failed = matches!(result, Some(Err(_)));
            let ended = failed || result.is_none();
            results.extend(result);
            let done_with = std::mem::take(&mut run.done).map_or(PART, |bytes| bytes.max(LEAST));
            bytes = bytes.saturating_add(done_with);
            if ended || bytes >= HANDED_OVER {
                let wanted = order.hand_over(number, &mut results, bytes, ended);
                if ended || !wanted {
                    return wanted && !failed;
                }
                bytes = 0;
            }
        }
    }
}
