//! What one thread does.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::sync::{Arc, Mutex};
use std::vec;

use tfxio_base::Work;

use super::ParallelBuilder;
use crate::compression::members::{self, Member};
use crate::frame::FrameDecoder;
use crate::reader::{Reader, RecordBuffer, open_file};
use crate::splits::{Split, Splitter};
use crate::{Error, Result};

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

/// What a worker says about its part: where it starts and where it should end, the records, where it ends.
#[derive(Debug)]
pub(super) enum Message {
    Start(u64, u64),
    Batch(RecordBuffer),
    End(u64),
    Failed(Error),
}

#[derive(Debug)]
pub(super) struct Worker {
    name: Arc<str>,
    builder: ParallelBuilder,
    spare: Arc<Mutex<Vec<RecordBuffer>>>,
    file: Option<File>,
    stored: Vec<u8>,
    at: At,
}

/// How far a worker is with its part.
#[derive(Debug)]
enum At {
    Begin(Task),
    Reading(Box<Reader<File>>),
    /// Only the end is to be told.
    End(u64),
    Done,
}

impl Work for Worker {
    type Source = vec::IntoIter<Task>;
    type Output = Message;
    type Error = Error;

    fn read(&mut self, tasks: &mut Self::Source) -> Result<bool> {
        self.at = tasks.next().map_or(At::Done, At::Begin);
        Ok(!self.is_done())
    }

    fn next(&mut self) -> Result<Option<Message>> {
        // An error is a message, because it may be of bytes that were read wrongly.
        Ok(self.go_on().unwrap_or_else(|error| Some(Message::Failed(error))))
    }

    fn is_done(&self) -> bool {
        matches!(self.at, At::Done)
    }

    fn weight(message: &Message) -> u64 {
        match message {
            Message::Batch(batch) => batch.bytes().len() as u64,
            _ => 0,
        }
    }
}

impl Worker {
    pub(super) fn new(
        name: &Arc<str>,
        builder: &ParallelBuilder,
        spare: &Arc<Mutex<Vec<RecordBuffer>>>,
    ) -> Self {
        Self {
            name: Arc::clone(name),
            builder: builder.clone(),
            spare: Arc::clone(spare),
            file: None,
            stored: Vec::new(),
            at: At::Done,
        }
    }

    /// Returns the next message; after one that ends the part there is none.
    fn go_on(&mut self) -> Result<Option<Message>> {
        match std::mem::replace(&mut self.at, At::Done) {
            At::Done => Ok(None),
            At::End(end) => Ok(Some(Message::End(end))),
            At::Begin(Task::Split(split)) => self.begin_split(split).map(Some),
            At::Begin(Task::Member(member)) => self.read_member(&member).map(Some),
            At::Begin(Task::Whole) => {
                let file = self.take_file()?;
                let reader = self.builder.reader(file, &self.name).build();
                self.read_on(Box::new(reader)).map(Some)
            }
            At::Reading(reader) => self.read_on(reader).map(Some),
        }
    }

    /// Looks for the first record of a split.
    fn begin_split(&mut self, split: Split) -> Result<Message> {
        let file = self.take_file()?;
        let mut splitter =
            Splitter::new(file)?.confirm_bytes(CONFIRM_BYTES).record_bytes(self.builder.limits.record_bytes);
        // On damage, or in a file of another kind, the reader that begins at the right offset says what it is.
        let start = splitter.first_record(split.start).unwrap_or(u64::MAX);
        if start == u64::MAX {
            self.at = At::End(start);
            return Ok(Message::Start(start, split.end));
        }
        let reader = self
            .builder
            .reader(splitter.into_inner(), &self.name)
            .build_range(start..split.end.max(start))?;
        self.at = At::Reading(Box::new(reader));
        Ok(Message::Start(start, split.end))
    }

    fn read_on(&mut self, mut reader: Box<Reader<File>>) -> Result<Message> {
        let mut batch = self.buffer();
        if reader.read_batch(&mut batch, usize::MAX, self.builder.batch_bytes)? == 0 {
            let end = reader.offset();
            self.file = Some(reader.into_inner());
            return Ok(Message::End(end));
        }
        self.at = At::Reading(reader);
        Ok(Message::Batch(batch))
    }

    fn read_member(&mut self, member: &Member) -> Result<Message> {
        let fail = |error| Error::io(error, "reading").at_stored_byte(member.stored_offset);
        let mut file = self.take_file()?;
        file.seek(SeekFrom::Start(member.stored_offset)).map_err(fail)?;
        self.stored.clear();
        // A claim: memory is taken as bytes come.
        (&mut file).take(member.stored_len).read_to_end(&mut self.stored).map_err(fail)?;
        self.file = Some(file);

        let limits = self.builder.limits;
        let mut decoder = FrameDecoder::new()
            .verify(self.builder.verify)
            .record_bytes(limits.record_bytes)
            .start(member.offset);
        let mut batch = self.buffer();
        batch.fill_whole(&mut decoder, &self.name, |bytes| {
            members::inflate(&self.stored, member, limits.record_bytes, bytes)
        })?;
        if batch.is_empty() {
            return Ok(Message::End(decoder.offset()));
        }
        self.at = At::End(decoder.offset());
        Ok(Message::Batch(batch))
    }

    /// Returns the file of this thread: an open file has one position.
    fn take_file(&mut self) -> Result<File> {
        match self.file.take() {
            Some(file) => Ok(file),
            None => Ok(open_file(&self.builder.path)?.0),
        }
    }

    /// Returns a buffer that the caller has done with, or a new one.
    fn buffer(&self) -> RecordBuffer {
        self.spare.lock().ok().and_then(|mut spare| spare.pop()).unwrap_or_default()
    }
}
