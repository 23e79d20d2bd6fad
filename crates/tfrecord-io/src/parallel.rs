//! Reads one file with several threads, in order.
//!
//! ```
//! use tfrecord_io::{ParallelBuilder, RecordBuffer, WriterBuilder};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("train.tfrecord");
//! let mut writer = WriterBuilder::new().create(&path)?;
//! for i in 0..5000 {
//!     writer.write(format!("record {i}").as_bytes())?;
//! }
//! writer.finish()?;
//!
//! let mut reader = ParallelBuilder::new().threads(4).split_bytes(64 << 10).open(&path)?;
//! let mut batch = RecordBuffer::new();
//! let mut next = 0;
//! while reader.read_batch(&mut batch)? > 0 {
//!     for record in &batch {
//!         assert_eq!(record.data, format!("record {next}").as_bytes());
//!         next += 1;
//!     }
//! }
//! assert_eq!(next, 5000);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The records, their order, their numbers and the errors are those of a [`RecordReader`]; only of a
//! corrupt gzip member nothing is given out, where a `RecordReader` gives what comes before the corrupt place. How the
//! work is divided depends on the file:
//!
//! | file | a thread takes |
//! | --- | --- |
//! | not compressed | a [split](crate::splits), the start of which it finds by scanning |
//! | gzip by this crate's writer | a [member](crate::compression::members), the start of which is known |
//! | other gzip, zlib | all of it: one thread inflates, the caller decodes |
//!
//! Splits are read on the assumption that scanning has found their starts. When a split has ended, it is known where the
//! next one begins; if scanning was deceived (see [`splits`](crate::splits#when-scanning-is-exact)), what was read on
//! the wrong assumption is thrown away and read again from the right place. So this is exact whatever the payloads hold.
//!
//! Memory: about [`split_bytes`](ParallelBuilder::split_bytes) for each thread and one more. Dropping the reader stops
//! the threads.

mod worker;

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use crate::compression::{Compression, members};
use crate::error::{Error, ErrorKind, Result};
use crate::frame::Verify;
use crate::reader::{Limits, ReaderBuilder, RecordBuffer, RecordReader, open_file};
use crate::splits::{Split, cut};
use worker::{Job, Message, Task, Worker};

/// Batches of one job that may wait.
const WAITING: usize = 256;

/// Sets up a [`ParallelReader`]. The verb that takes the source comes last.
#[derive(Clone, Debug)]
pub struct ParallelBuilder {
    threads: usize,
    split_bytes: u64,
    batch_bytes: usize,
    verify: Verify,
    limits: Limits,
}

impl Default for ParallelBuilder {
    fn default() -> Self {
        Self::new()
    }
}

impl ParallelBuilder {
    /// The default of [`ParallelBuilder::split_bytes`]: 8 MiB.
    pub const DEFAULT_SPLIT_BYTES: u64 = 8 << 20;
    /// The default of [`ParallelBuilder::batch_bytes`]: 512 KiB.
    pub const DEFAULT_BATCH_BYTES: usize = 512 << 10;

    /// As many threads as the machine has processors, both checksums compared, default limits.
    pub fn new() -> Self {
        Self {
            threads: 0,
            split_bytes: Self::DEFAULT_SPLIT_BYTES,
            batch_bytes: Self::DEFAULT_BATCH_BYTES,
            verify: Verify::All,
            limits: Limits::default(),
        }
    }

    /// Number of threads that read. 0, the default, is as many as there are processors.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = threads;
        self
    }

    /// The bytes of an uncompressed file that a thread takes at a time. Default: 8 MiB. Values below 64 KiB are raised
    /// to it.
    pub fn split_bytes(mut self, bytes: u64) -> Self {
        self.split_bytes = bytes.max(64 << 10);
        self
    }

    /// About how many bytes a batch has, except that a gzip member is one batch. Default: 512 KiB.
    pub fn batch_bytes(mut self, bytes: usize) -> Self {
        self.batch_bytes = bytes.max(1);
        self
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the limits. Default: [`Limits::default`]. [`Limits::max_record_bytes`] is also that of a gzip member.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Opens a file and starts to read.
    ///
    /// # Errors
    ///
    /// - The file is missing, is a directory, or may not be read.
    /// - A thread cannot be started.
    pub fn open(self, path: impl AsRef<Path>) -> Result<ParallelReader> {
        let path = path.as_ref();
        let (mut file, name) = open_file(path)?;
        let fail = |error| Error::io(error, "opening the file").in_file(&name);
        let found = file.metadata().map_err(fail)?;
        let compression = RecordReader::new((&mut file).take(4096)).compression();
        // Errors of detection come from the reader of the whole file, which explains them.
        let tasks = match compression {
            Ok(_) if !found.is_file() => vec![Task::Whole],
            Ok(Compression::None) => {
                cut(found.len(), self.split_bytes).into_iter().map(Task::Split).collect()
            }
            Ok(Compression::Gzip) => match members::hop(&mut file) {
                Ok(Some(members)) => members.into_iter().map(Task::Member).collect(),
                Ok(None) | Err(_) => vec![Task::Whole],
            },
            Ok(Compression::Zlib) | Err(_) => vec![Task::Whole],
        };
        let threads = match self.threads {
            0 => thread::available_parallelism().map_or(1, NonZero::get),
            threads => threads,
        };
        ParallelReader::start(self, path.to_path_buf(), name, tasks, threads)
    }

    /// The reader of records, for a part of the file that begins where it is known that a record begins.
    fn reader(&self, name: &Arc<str>) -> ReaderBuilder {
        ReaderBuilder::new().verify(self.verify).limits(self.limits).name(Arc::clone(name))
    }
}

/// Reads one file with several threads, in order. Made by a [`ParallelBuilder`].
#[derive(Debug)]
pub struct ParallelReader {
    builder: ParallelBuilder,
    path: PathBuf,
    name: Arc<str>,
    /// What was not given to the threads yet.
    tasks: VecDeque<Task>,
    /// What the threads are at, in the order of the file.
    running: VecDeque<Running>,
    jobs: Option<Sender<Job>>,
    threads: Vec<JoinHandle<()>>,
    pool: Arc<Mutex<Vec<RecordBuffer>>>,
    /// The end of what was given out, which is where the next part must begin.
    offset: u64,
    index: u64,
    /// The number of the first record of the part at hand.
    part_index: u64,
    /// A split of which a thread has read the wrong bytes.
    again: Option<RecordReader<File>>,
    failed: bool,
}

#[derive(Debug)]
struct Running {
    task: Task,
    messages: Receiver<Message>,
}

impl ParallelReader {
    /// Opens a file with default settings.
    ///
    /// # Errors
    ///
    /// As [`ParallelBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        ParallelBuilder::new().open(path)
    }

    fn start(
        builder: ParallelBuilder,
        path: PathBuf,
        name: Arc<str>,
        tasks: Vec<Task>,
        count: usize,
    ) -> Result<Self> {
        let (jobs, queue) = channel();
        let queue = Arc::new(Mutex::new(queue));
        let pool = Arc::new(Mutex::new(Vec::new()));
        let mut reader = Self {
            tasks: tasks.into(),
            running: VecDeque::new(),
            jobs: Some(jobs),
            threads: Vec::new(),
            pool,
            offset: 0,
            index: 0,
            part_index: 0,
            again: None,
            failed: false,
            builder,
            path,
            name,
        };
        for number in 0..count.min(reader.tasks.len()) {
            let worker =
                Worker::new(&reader.path, &reader.name, reader.builder.clone(), Arc::clone(&reader.pool));
            let queue = Arc::clone(&queue);
            let thread = thread::Builder::new()
                .name(format!("tfrecord-{number}"))
                .spawn(move || worker.run(&queue))
                .map_err(|error| Error::io(error, "starting a thread").in_file(&reader.name))?;
            reader.threads.push(thread);
        }
        // One more than there are threads, so that none waits for the next.
        for _ in 0..=count {
            reader.give_job();
        }
        Ok(reader)
    }

    /// Gives the next part of the file to the threads.
    fn give_job(&mut self) {
        let (Some(task), Some(jobs)) = (self.tasks.pop_front(), &self.jobs) else { return };
        let (out, messages) = sync_channel(WAITING);
        self.running.push_back(Running { task: task.clone(), messages });
        // Fails only if all threads have ended; then the receiver tells.
        let _ = jobs.send(Job { task, out });
    }

    /// Offset of the next record's header in the uncompressed stream.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Records read so far.
    pub fn records_read(&self) -> u64 {
        self.index
    }

    /// Replaces the contents of `batch` with the next records and says how many; 0 at the end. Hand in the same batch
    /// again and again: its memory is used for batches to come.
    ///
    /// # Errors
    ///
    /// As [`RecordReader::read_batch`]. After an error there is nothing more: the next call gives 0.
    pub fn read_batch(&mut self, batch: &mut RecordBuffer) -> Result<usize> {
        batch.clear();
        if self.failed {
            return Ok(0);
        }
        let result = self.next_batch(batch);
        match &result {
            Ok(_) => {
                batch.renumber(self.index);
                self.index = self.index.saturating_add(batch.len() as u64);
            }
            Err(_) => {
                batch.clear();
                self.failed = true;
                self.stop();
            }
        }
        result.map_err(|error| error.in_file(&self.name))
    }

    fn next_batch(&mut self, batch: &mut RecordBuffer) -> Result<usize> {
        loop {
            if let Some(reader) = &mut self.again {
                let result = reader.read_batch(batch, usize::MAX, self.builder.batch_bytes);
                self.offset = reader.offset();
                match result {
                    Ok(0) => {
                        self.again = None;
                        self.part_index = self.index;
                    }
                    Ok(count) => return Ok(count),
                    Err(error) => return Err(self.numbered(error)),
                }
            }
            let Some(running) = self.running.front() else { return Ok(0) };
            match running.messages.recv() {
                Ok(Message::Batch(read)) => {
                    let count = read.len();
                    let used = std::mem::replace(batch, read);
                    if let Ok(mut pool) = self.pool.lock() {
                        pool.push(used);
                    }
                    return Ok(count);
                }
                Ok(Message::Start(start)) => {
                    if let (true, &Task::Split(split)) = (start != self.offset, &running.task) {
                        self.read_again(split)?;
                    }
                }
                Ok(Message::End(end)) => {
                    self.offset = end;
                    self.part_index = self.index;
                    self.running.pop_front();
                    self.give_job();
                }
                Ok(Message::Failed(error)) => return Err(self.numbered(error)),
                Err(_) => {
                    return Err(Error::new(
                        ErrorKind::Io,
                        "a reading thread has ended before its work was done",
                    ));
                }
            }
        }
    }

    /// A reader of a part numbers its records from 0.
    fn numbered(&self, error: Error) -> Error {
        match error.position().record() {
            Some(record) => error.at_record(self.part_index.saturating_add(record)),
            None => error,
        }
    }

    /// The first record of a split was searched at the wrong place. Reads it from the right one, here.
    fn read_again(&mut self, split: Split) -> Result<()> {
        // Its thread notices that nobody listens.
        self.running.pop_front();
        self.give_job();
        let end = split.end.max(self.offset);
        self.again = Some(self.builder.reader(&self.name).open_range(&self.path, self.offset, end)?);
        Ok(())
    }

    /// Ends the threads: nobody listens to them, and there are no more jobs.
    fn stop(&mut self) {
        self.tasks.clear();
        self.running.clear();
        self.jobs = None;
        for thread in self.threads.drain(..) {
            // A thread that panicked has nothing to say.
            let _ = thread.join();
        }
    }
}

impl Drop for ParallelReader {
    fn drop(&mut self) {
        self.stop();
    }
}
