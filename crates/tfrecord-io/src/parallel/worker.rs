//! What one thread does.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender};
use std::sync::{Arc, Mutex};

use super::ParallelBuilder;
use crate::compression::members::{self, Member};
use crate::error::{Error, Result};
use crate::frame::FrameDecoder;
use crate::reader::{RecordBuffer, RecordReader, open_file};
use crate::splits::{Split, Splitter};

/// How far a chain must hold before a split is read on the assumption that it is one of the file. A wrong assumption
/// costs time only.
const CONFIRM_BYTES: u64 = 128 << 10;

/// A part of a file.
#[derive(Clone, Debug)]
pub(super) enum Task {
    Split(Split),
    Member(Member),
    Whole,
}

#[derive(Debug)]
pub(super) struct Job {
    pub(super) task: Task,
    pub(super) out: SyncSender<Message>,
}

/// What a thread says about its part: where it starts, the records, where it ends.
#[derive(Debug)]
pub(super) enum Message {
    Start(u64),
    Batch(RecordBuffer),
    End(u64),
    Failed(Error),
}

#[derive(Debug)]
pub(super) struct Worker {
    path: PathBuf,
    name: Arc<str>,
    builder: ParallelBuilder,
    pool: Arc<Mutex<Vec<RecordBuffer>>>,
    file: Option<File>,
    stored: Vec<u8>,
}

/// Nobody listens any more.
struct Hangup;

impl Worker {
    pub(super) fn new(
        path: &Path,
        name: &Arc<str>,
        builder: ParallelBuilder,
        pool: Arc<Mutex<Vec<RecordBuffer>>>,
    ) -> Self {
        Self {
            path: path.to_path_buf(),
            name: Arc::clone(name),
            builder,
            pool,
            file: None,
            stored: Vec::new(),
        }
    }

    /// Works until there are no more jobs.
    pub(super) fn run(mut self, queue: &Mutex<Receiver<Job>>) {
        loop {
            // The lock is held while waiting: then the others wait for the lock instead.
            let Ok(Ok(job)) = queue.lock().map(|queue| queue.recv()) else { return };
            let result = match &job.task {
                Task::Split(split) => self.read_split(*split, &job.out),
                Task::Member(member) => self.read_member(member, &job.out),
                Task::Whole => self.read_whole(&job.out),
            };
            let last = match result {
                Ok(Ok(end)) => Message::End(end),
                Ok(Err(Hangup)) => continue,
                Err(error) => Message::Failed(error),
            };
            let _ = job.out.send(last);
        }
    }

    fn read_split(&mut self, split: Split, out: &SyncSender<Message>) -> Result<Result<u64, Hangup>> {
        let file = self.take_file()?;
        let mut splitter = Splitter::new(file)?
            .confirm_bytes(CONFIRM_BYTES)
            .max_record_bytes(self.builder.limits.max_record_bytes);
        // On damage, or in a file of another kind, the reader that begins at the right place says what it is.
        let start = splitter.first_record(split.start).unwrap_or(u64::MAX);
        if out.send(Message::Start(start)).is_err() {
            return Ok(Err(Hangup));
        }
        if start == u64::MAX {
            return Ok(Err(Hangup));
        }
        let end = split.end.max(start);
        let mut reader = self.builder.reader(&self.name).from_range(splitter.into_inner(), start, end)?;
        let result = self.read_to_end(&mut reader, out);
        self.file = Some(reader.into_inner());
        result
    }

    fn read_whole(&mut self, out: &SyncSender<Message>) -> Result<Result<u64, Hangup>> {
        let file = self.take_file()?;
        let mut reader = self.builder.reader(&self.name).from_reader(file);
        self.read_to_end(&mut reader, out)
    }

    fn read_to_end(
        &mut self,
        reader: &mut RecordReader<File>,
        out: &SyncSender<Message>,
    ) -> Result<Result<u64, Hangup>> {
        loop {
            let mut batch = self.buffer();
            if reader.read_batch(&mut batch, usize::MAX, self.builder.batch_bytes)? == 0 {
                return Ok(Ok(reader.offset()));
            }
            if out.send(Message::Batch(batch)).is_err() {
                return Ok(Err(Hangup));
            }
        }
    }

    fn read_member(&mut self, member: &Member, out: &SyncSender<Message>) -> Result<Result<u64, Hangup>> {
        let fail = |error| Error::io(error, "reading").at_stored_byte(member.stored_offset);
        let mut file = self.take_file()?;
        file.seek(SeekFrom::Start(member.stored_offset)).map_err(fail)?;
        self.stored.clear();
        // A claim: memory is taken as bytes come.
        (&mut file).take(member.stored_len).read_to_end(&mut self.stored).map_err(fail)?;
        self.file = Some(file);

        let limits = self.builder.limits;
        let mut decoder = FrameDecoder::new()
            .with_verify(self.builder.verify)
            .with_max_record_bytes(limits.max_record_bytes)
            .with_offset(member.offset);
        let mut batch = self.buffer();
        batch.fill_whole(&mut decoder, &self.name, |bytes| {
            members::inflate(&self.stored, member, limits.max_record_bytes, bytes)
        })?;
        if !batch.is_empty() && out.send(Message::Batch(batch)).is_err() {
            return Ok(Err(Hangup));
        }
        Ok(Ok(decoder.offset()))
    }

    /// The file of this thread: a file has one place at which it is read.
    fn take_file(&mut self) -> Result<File> {
        match self.file.take() {
            Some(file) => Ok(file),
            None => Ok(open_file(&self.path)?.0),
        }
    }

    /// A buffer that the caller has done with, or a new one.
    fn buffer(&self) -> RecordBuffer {
        self.pool.lock().ok().and_then(|mut pool| pool.pop()).unwrap_or_default()
    }
}
