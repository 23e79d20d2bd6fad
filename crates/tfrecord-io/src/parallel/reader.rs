//! Gives out in order what several threads read.

use std::collections::VecDeque;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use super::builder::ParallelBuilder;
use super::worker::{Job, Message, Task, Worker};
use crate::error::{Error, ErrorKind, Result};
use crate::reader::{RecordBuffer, RecordReader};
use crate::splits::Split;

/// Batches of one job that may wait.
const WAITING: usize = 256;

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
    /// What is left of a batch of which only a part was wanted.
    rest: RecordBuffer,
    /// The first record of `rest` that was not given out.
    rest_at: usize,
    /// An error that came while a batch already held records.
    pending: Option<Error>,
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

    pub(super) fn start(
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
            rest: RecordBuffer::new(),
            rest_at: 0,
            pending: None,
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
        self.rest.get(self.rest_at).map_or(self.offset, |record| record.offset)
    }

    /// Records read so far.
    pub fn records_read(&self) -> u64 {
        self.rest.get(self.rest_at).map_or(self.index, |record| record.index)
    }

    /// Replaces the contents of `batch` with the next records and says how many; 0 at the end. Hand in the same batch
    /// again and again: its memory is used for batches to come.
    ///
    /// # Errors
    ///
    /// As [`RecordReader::read_batch`]. After an error there is nothing more: the next call gives 0.
    pub fn read_batch(&mut self, batch: &mut RecordBuffer) -> Result<usize> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        if self.rest_at < self.rest.len() {
            return Ok(self.take_rest(batch, usize::MAX, usize::MAX));
        }
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

    /// Replaces the contents of `batch` with the next records: at most `max_records`, and at most `max_bytes` of frames, but
    /// one record at least; how many, 0 at the end. So batches have the records that those of a
    /// [`RecordReader`](crate::RecordReader) have, at the cost of copying them.
    ///
    /// # Errors
    ///
    /// As [`RecordReader::read_batch`]. Records before the damage come as a shorter batch first.
    pub fn read_at_most(
        &mut self,
        batch: &mut RecordBuffer,
        max_records: usize,
        max_bytes: usize,
    ) -> Result<usize> {
        batch.clear();
        while batch.len() < max_records {
            if self.rest_at == self.rest.len() {
                let mut rest = std::mem::take(&mut self.rest);
                let result = self.read_batch(&mut rest);
                (self.rest, self.rest_at) = (rest, 0);
                match result {
                    Ok(0) => break,
                    Ok(_) => {}
                    Err(error) if batch.is_empty() => return Err(error),
                    Err(error) => {
                        self.pending = Some(error);
                        break;
                    }
                }
            }
            if self.take_rest(batch, max_records, max_bytes) == 0 {
                break;
            }
        }
        Ok(batch.len())
    }

    /// Appends to `batch` what is left over, up to a number of records and bytes in all; how many records.
    fn take_rest(&mut self, batch: &mut RecordBuffer, max_records: usize, max_bytes: usize) -> usize {
        let count = batch.append_records(&self.rest, self.rest_at, max_records, max_bytes);
        self.rest_at += count;
        count
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
