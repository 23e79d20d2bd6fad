//! Blocks decompressed, and worked on, by several threads, in order.

use std::io::Read;
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use super::block::{Block, BlockPlace, OwnedBlock};
use super::codec::Decompressor;
use super::gate::Gate;
use super::reader::{ContainerReader, Frames};
use crate::{Error, Result};

/// Blocks that may wait for each thread.
const WAITING: usize = 4;

impl<R: Read + Send + 'static> ContainerReader<R> {
    /// Reads with one thread and decompresses with `threads`, which do with each block what `worker` does; the
    /// results come in the order of the file. `make` is called once for each thread, so that a worker can have state
    /// of its own, such as a decoder.
    ///
    /// At most four blocks a thread are read ahead. Dropping the iterator stops the threads. After an error, of the
    /// reader or of a worker, nothing follows.
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
    /// When no thread can be started, or the codec's decoder cannot.
    pub fn map_blocks<T, M, W>(self, threads: usize, make: M) -> Result<ParallelBlocks<T>>
    where
        T: Send + 'static,
        M: Fn() -> W,
        W: FnMut(Block<'_>) -> Result<T> + Send + 'static,
    {
        let threads = threads.max(1);
        let codec = self.header().codec();
        let (order, results) = sync_channel(threads.saturating_mul(WAITING));
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let pool = Arc::new(Mutex::new(Vec::new()));
        let mut out = ParallelBlocks { results: Some(results), threads: Vec::new() };
        for number in 0..threads {
            let worker = Worker {
                gate: self.gate.clone(),
                decompressor: Decompressor::new(codec)?,
                data: Vec::new(),
                work: make(),
                pool: Arc::clone(&pool),
            };
            let queue = Arc::clone(&queue);
            out.spawn(format!("avro-block-{number}"), move || worker.run(&queue))?;
        }
        let frames = self.frames;
        out.spawn("avro-read".to_owned(), move || read(frames, &order, &jobs, &pool))?;
        Ok(out)
    }

    /// Reads with one thread and decompresses with `threads`; the blocks come in the order of the file. As
    /// [`map_blocks`](Self::map_blocks) with nothing further to do.
    ///
    /// # Errors
    /// As [`map_blocks`](Self::map_blocks).
    pub fn parallel_blocks(self, threads: usize) -> Result<ParallelBlocks<OwnedBlock>> {
        self.map_blocks(threads, || |block: Block<'_>| Ok(OwnedBlock::from(block)))
    }
}

/// The results of [`ContainerReader::map_blocks`], in the order of the file.
#[derive(Debug)]
pub struct ParallelBlocks<T> {
    results: Option<Receiver<Receiver<Result<T>>>>,
    threads: Vec<JoinHandle<()>>,
}

impl<T> ParallelBlocks<T> {
    fn spawn(&mut self, name: String, work: impl FnOnce() + Send + 'static) -> Result<()> {
        let thread = thread::Builder::new()
            .name(name)
            .spawn(work)
            .map_err(|error| Error::io(error, "starting a thread"))?;
        self.threads.push(thread);
        Ok(())
    }

    fn stop(&mut self) {
        // The reading thread finds nobody to hand blocks to and ends; the others find no jobs any more.
        self.results = None;
        for thread in self.threads.drain(..) {
            // A panic of a worker's own code was reported on its thread.
            let _ = thread.join();
        }
    }
}

impl<T> Iterator for ParallelBlocks<T> {
    type Item = Result<T>;

    fn next(&mut self) -> Option<Self::Item> {
        let result = match self.results.as_ref()?.recv() {
            Ok(result) => result.recv().unwrap_or_else(|_| Err(died())),
            Err(_) => {
                self.stop();
                return None;
            }
        };
        if result.is_err() {
            self.stop();
        }
        Some(result)
    }
}

impl<T> Drop for ParallelBlocks<T> {
    fn drop(&mut self) {
        self.stop();
    }
}

fn died() -> Error {
    Error::new(crate::ErrorKind::Io, "a thread that works on blocks has panicked")
}

/// A block as it is stored, and where its result goes.
struct Job<T> {
    place: BlockPlace,
    count: u64,
    stored: Vec<u8>,
    out: SyncSender<Result<T>>,
}

type Pool = Arc<Mutex<Vec<Vec<u8>>>>;

fn read<R: Read, T>(
    mut frames: Frames<R>,
    order: &SyncSender<Receiver<Result<T>>>,
    jobs: &Sender<Job<T>>,
    pool: &Pool,
) {
    loop {
        let (out, result) = sync_channel(1);
        let job = match frames.next() {
            Ok(Some((count, bytes, place, _))) => {
                let mut stored =
                    pool.lock().unwrap_or_else(PoisonError::into_inner).pop().unwrap_or_default();
                stored.clear();
                stored.extend_from_slice(bytes);
                Ok(Job { place: place.clone(), count, stored, out })
            }
            Ok(None) => return,
            Err(error) => Err(out.send(Err(error))),
        };
        // Waits while enough is read ahead; fails when nobody wants more.
        if order.send(result).is_err() {
            return;
        }
        let sent = job.map(|job| jobs.send(job));
        if !matches!(sent, Ok(Ok(()))) {
            return;
        }
    }
}

struct Worker<W> {
    gate: Gate,
    decompressor: Decompressor,
    data: Vec<u8>,
    work: W,
    pool: Pool,
}

impl<W> Worker<W> {
    fn run<T>(mut self, queue: &Mutex<Receiver<Job<T>>>)
    where
        W: FnMut(Block<'_>) -> Result<T>,
    {
        loop {
            let job = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(Job { place, count, stored, out }) = job else { return };
            let result = match self.gate.open(count, &stored, &mut self.decompressor, &mut self.data) {
                Ok(bytes) => (self.work)(Block { place: &place, count, bytes }),
                Err(error) => Err(place.locate(error)),
            };
            self.pool.lock().unwrap_or_else(PoisonError::into_inner).push(stored);
            // Fails only when nobody wants the result.
            let _ = out.send(result);
        }
    }
}
