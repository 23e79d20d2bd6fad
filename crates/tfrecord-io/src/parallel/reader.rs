//! Gives out in order what several threads read.

use std::fs::File;
use std::path::Path;
use std::sync::{Arc, Mutex};

use tfxio_base::Ordered;

use super::builder::ParallelBuilder;
use super::worker::{Message, Task, Worker};
use crate::reader::{Reader, RecordBuffer};
use crate::{Error, ErrorKind, Result};

/// Reads one file with several threads, in order. Made by a [`ParallelBuilder`].
#[derive(Debug)]
pub struct ParallelReader {
    builder: ParallelBuilder,
    name: Arc<str>,
    /// Nothing after an error.
    messages: Option<Ordered<Worker>>,
    /// Batches that the caller has done with.
    spare: Arc<Mutex<Vec<RecordBuffer>>>,
    /// The end of what was given out, which is where the next part must begin.
    offset: u64,
    index: u64,
    /// The number of the first record of the part at hand.
    part_index: u64,
    /// The reader of a split of which a thread has read the wrong bytes.
    again: Option<Reader<File>>,
    /// Whether what comes is of a split of which the wrong bytes were read.
    wrong: bool,
    /// What is left of a batch of which only a part was wanted.
    rest: RecordBuffer,
    /// The first record of `rest` that was not given out.
    rest_at: usize,
    /// An error that came while a batch already held records.
    pending: Option<Error>,
}

impl ParallelReader {
    /// Opens a file with default settings.
    ///
    /// # Errors
    ///
    /// As [`ParallelBuilder::open`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::builder(path).open()
    }

    /// Returns a builder of a reader of the file at `path`.
    pub fn builder(path: impl AsRef<Path>) -> ParallelBuilder {
        ParallelBuilder::new(path.as_ref().to_path_buf())
    }

    pub(super) fn start(builder: ParallelBuilder, name: Arc<str>, tasks: Vec<Task>) -> Result<Self> {
        let spare = Arc::new(Mutex::new(Vec::new()));
        let make = {
            let (name, builder, spare) = (Arc::clone(&name), builder.clone(), Arc::clone(&spare));
            move || Ok(Worker::new(&name, &builder, &spare))
        };
        let messages = Ordered::new(tasks.into_iter(), &builder.threading, make).map_err(of_pool)?;
        Ok(Self {
            builder,
            name,
            messages: Some(messages),
            spare,
            offset: 0,
            index: 0,
            part_index: 0,
            again: None,
            wrong: false,
            rest: RecordBuffer::new(),
            rest_at: 0,
            pending: None,
        })
    }

    /// Returns the offset of the next record's header in the uncompressed stream.
    pub fn offset(&self) -> u64 {
        self.rest.get(self.rest_at).map_or(self.offset, |record| record.offset)
    }

    /// Returns the number of records read so far.
    pub fn records_read(&self) -> u64 {
        self.rest.get(self.rest_at).map_or(self.index, |record| record.index)
    }

    /// Replaces the contents of `batch` with the next records and says how many; 0 at the end. Hand in the same batch
    /// again and again: its memory is used for batches to come.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_batch`]. After an error there is nothing more: the next call gives 0.
    pub fn read_batch(&mut self, batch: &mut RecordBuffer) -> Result<usize> {
        batch.clear();
        if let Some(error) = self.pending.take() {
            return Err(error);
        }
        if self.rest_at < self.rest.len() {
            return Ok(self.take_rest(batch, usize::MAX, usize::MAX));
        }
        let result = self.next_batch(batch);
        match &result {
            Ok(_) => {
                batch.renumber(self.index);
                self.index = self.index.saturating_add(batch.len() as u64);
            }
            Err(_) => {
                batch.clear();
                self.again = None;
                self.messages = None;
            }
        }
        result.map_err(|error| error.in_file(Arc::clone(&self.name)))
    }

    /// Replaces the contents of `batch` with the next records: at most `max_records`, and at most `max_bytes` of frames, but
    /// one record at least; how many, 0 at the end. So batches have the records that those of a
    /// [`Reader`](crate::Reader) have, at the cost of copying them.
    ///
    /// # Errors
    ///
    /// As [`Reader::read_batch`]. Records before the damage come as a shorter batch first.
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
            let Some(message) = self.messages.as_mut().and_then(Iterator::next) else { return Ok(0) };
            match message.map_err(of_pool)? {
                Message::Start(start, end) if start != self.offset => {
                    // The worker began at the wrong record; read from the right one here.
                    self.wrong = true;
                    let end = end.max(self.offset);
                    let reader =
                        self.builder.reader(&self.builder.path, &self.name).open_range(self.offset..end)?;
                    self.again = Some(reader);
                }
                Message::Start(..) => {}
                Message::End(_) | Message::Failed(_) if self.wrong => self.wrong = false,
                Message::Batch(read) if self.wrong => self.give_back(read),
                Message::Batch(read) => {
                    let count = read.len();
                    let used = std::mem::replace(batch, read);
                    self.give_back(used);
                    return Ok(count);
                }
                Message::End(end) => {
                    self.offset = end;
                    self.part_index = self.index;
                }
                Message::Failed(error) => return Err(self.numbered(error)),
            }
        }
    }

    fn give_back(&self, batch: RecordBuffer) {
        if let Ok(mut spare) = self.spare.lock() {
            spare.push(batch);
        }
    }

    /// Numbers the record of an error from the start of the file: a reader of a part numbers its records from 0.
    fn numbered(&self, error: Error) -> Error {
        match error.position().record {
            Some(record) => error.at_record(self.part_index.saturating_add(record)),
            None => error,
        }
    }
}

/// Returns an error of the pool itself: a panic, or that it was cancelled.
fn of_pool(error: Error) -> Error {
    Error::new(ErrorKind::Io, error.to_string()).because(error)
}
