//! gzip files whose members several threads inflate.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfrecord_io::Result;
use tfrecord_io::compression::members::{self, Member};
use tfrecord_io::{Compression, ParallelReader, ReaderBuilder, RecordBuffer};

use crate::tfrecord::input::InputFile;
use crate::tfrecord::options::RecordOptions;
use crate::tfrecord::url;

/// Reads the records of a gzip file that was written in members (see [`members`]). Records, damage and errors are those of
/// a reader of the whole stream.
#[derive(Debug)]
pub(super) struct MembersReader {
    reader: Reader,
    /// For a reader of the whole stream.
    stream: ReaderBuilder<String>,
    members: Vec<Member>,
    /// Bytes of the file that were counted as read.
    counted: u64,
    read: Arc<AtomicU64>,
}

#[derive(Debug)]
enum Reader {
    Members(Box<ParallelReader>),
    /// Once a member could not be inflated: it says what can still be read, and what is wrong.
    Stream(Box<tfrecord_io::Reader>),
}

impl MembersReader {
    /// A reader of `file`, if it has several members and several threads may inflate them. Whatever is wrong with a file,
    /// readers of another kind say it. `read` counts the bytes of the file.
    pub(super) fn open(file: &Arc<str>, options: &RecordOptions, read: &Arc<AtomicU64>) -> Option<Self> {
        let may_be_gzip = matches!(options.compression, None | Some(Compression::Gzip));
        if options.threading.threads < 2 || !may_be_gzip || url::is_url(file) {
            return None;
        }
        let members = members::hop(InputFile::open(file, options).ok()?).ok()??;
        let limits = options.limits;
        if members.len() < 2 || !members::within_limits(&members, &limits) {
            return None;
        }
        let builder = ParallelReader::builder(&**file).threading(options.threading.clone());
        let reader = builder.verify(options.verify).limits(limits).open().ok()?;
        Some(Self {
            reader: Reader::Members(Box::new(reader)),
            stream: options.reader(file.to_string()),
            members,
            counted: 0,
            read: Arc::clone(read),
        })
    }

    /// As [`tfrecord_io::Reader::read_batch`].
    pub(super) fn read_batch(
        &mut self,
        batch: &mut RecordBuffer,
        max_records: usize,
        max_bytes: usize,
    ) -> Result<usize> {
        let done = match &mut self.reader {
            Reader::Stream(reader) => return reader.read_batch(batch, max_records, max_bytes),
            Reader::Members(reader) => match reader.read_at_most(batch, max_records, max_bytes) {
                Ok(count) => {
                    let records = reader.records_read();
                    self.count_to(records);
                    return Ok(count);
                }
                Err(_) => reader.records_read(),
            },
        };
        let mut reader = self.stream.clone().open()?;
        while reader.records_read() < done {
            let left = usize::try_from(done - reader.records_read()).unwrap_or(usize::MAX);
            if reader.read_batch(batch, left.min(1024), max_bytes)? == 0 {
                break;
            }
        }
        let count = reader.read_batch(batch, max_records, max_bytes);
        self.reader = Reader::Stream(Box::new(reader));
        count
    }

    /// Counts the members of which records were given out.
    fn count_to(&mut self, records: u64) {
        let begun = self.members.partition_point(|member| member.first_record < records);
        let last = begun.checked_sub(1).and_then(|last| self.members.get(last));
        let bytes = last.map_or(0, |last| last.stored_offset.saturating_add(last.stored_len));
        self.read.fetch_add(bytes.saturating_sub(self.counted), Ordering::Relaxed);
        self.counted = self.counted.max(bytes);
    }
}
