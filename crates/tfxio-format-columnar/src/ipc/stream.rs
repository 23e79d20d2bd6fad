//! Streams: messages without a footer.
//!
//! If the input is seekable, the heads of the messages are read when it is opened, and the stream is read like a file with a footer that
//! lists them. Of a pipe, one message is read after the other.

use std::collections::BTreeSet;
use std::fmt;
use std::io::Read as _;
use std::ops::Range;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_ipc::reader::FileDecoder;
use arrow_schema::{ArrowError, SchemaRef};
use tfxio_core::{Count, Error, ErrorKind, Input, Limits, Projection, ScanRequest};

use super::block::{self, contradictory, damaged};
use super::file::{FreeRows, IpcFooter, MAGIC};
use super::messages::Messages;
use super::sniff;
use super::version::{self, Unions};
use crate::columnar::{Failure, Footer, Group, GroupReader};

/// Goes over the heads of the messages of a stream of this size.
pub(super) fn open(input: Box<dyn Input>, size: u64, limits: &Limits) -> Result<Arc<dyn Footer>, Failure> {
    let mut messages = Messages::new(input, Vec::new(), 0).size(size);
    let schema = schema(&mut messages)?;
    let free_rows = FreeRows::of(&schema, limits.empty_rows);
    let mut footer =
        IpcFooter { schema, dictionaries: Vec::new(), batches: Vec::new(), groups: Vec::new(), free_rows };
    while let Some(head) = messages.next()? {
        messages.pass(&head)?;
        let (start, metadata, body) = block::numbers(&head.block);
        if head.is_batch {
            let rows = footer.checked_rows(body, &head.message()?)?;
            footer.free_rows.take(rows, body)?;
            footer.groups.push(Group {
                start,
                bytes: metadata.saturating_add(body) as u64,
                rows: Some(rows),
            });
            footer.batches.push(head.block);
        } else {
            footer.dictionaries.push((footer.batches.len(), head.block));
        }
    }
    let end = messages.at();
    if end < size {
        let left = Count::of(size - end, "byte");
        let text = format!("{left} {} the end of the stream at byte {end}", left.verb("follows", "follow"));
        return Err(damaged(text).into());
    }
    footer.free_rows = free_rows;
    Ok(Arc::new(footer))
}

/// Reads the schema, which is the first message.
fn schema(messages: &mut Messages) -> Result<SchemaRef, Failure> {
    let missing = || contradictory("the stream does not begin with a schema");
    let head = messages.next()?.ok_or_else(missing)?;
    let message = head.message()?;
    let schema = message.header_as_schema().ok_or_else(missing)?;
    if !schema.endianness().equals_to_target_endianness() {
        let what = "bytes in the order of another machine".to_owned();
        return Err(ArrowError::NotYetImplemented(what).into());
    }
    let found = Arc::new(arrow_ipc::convert::fb_to_schema(schema));
    if message.bodyLength() > 0 {
        messages.body(&head)?;
    }
    Ok(found)
}

/// Reads the schema of a pipe: of a stream, or of a file, which is a stream between its magic and its footer.
pub(super) fn sequential(input: Box<dyn Input>, limits: &Limits) -> Result<Arc<dyn Footer>, Failure> {
    let mut messages = begin(input)?;
    let schema = schema(&mut messages)?;
    let free_rows = FreeRows::of(&schema, limits.empty_rows);
    let groups = [Group { start: 0, bytes: 0, rows: None }];
    Ok(Arc::new(Pipe { schema, groups, free_rows }))
}

/// Most bytes between the magic of a file and its first message.
const MOST_PADDING: u64 = 1 << 10;

/// Passes over the magic of a file, and the zeros after it.
///
/// # Errors
/// When the input is empty, or begins neither as a file nor as a stream does.
fn begin(mut input: Box<dyn Input>) -> Result<Messages, Failure> {
    let mut read = || {
        let mut bytes = Vec::new();
        (&mut input).take(8).read_to_end(&mut bytes)?;
        Ok::<_, Failure>(bytes)
    };
    let (mut first, mut at) = (read()?, 0);
    let is_file = first.starts_with(MAGIC.as_bytes());
    if !is_file && !sniff::may_be_stream(&first) {
        return Err(sniff::another_format(&first).into());
    }
    if is_file {
        loop {
            (first, at) = (read()?, at + 8);
            if first.is_empty() || first.iter().any(|byte| *byte != 0) || at > MOST_PADDING {
                break;
            }
        }
    }
    Ok(Messages::new(input, first, at).of_file(is_file))
}

/// The beginning of a pipe.
struct Pipe {
    schema: SchemaRef,
    /// One group: all of it.
    groups: [Group; 1],
    free_rows: FreeRows,
}

impl Footer for Pipe {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn is_sequential(&self) -> bool {
        true
    }

    fn rows(&self, _: usize, _: &mut dyn Input) -> Result<u64, Failure> {
        let what = "the rows of an Arrow stream that is a pipe are not known before it is read";
        Err(Error::new(ErrorKind::Unsupported, what).help("write it to a file first").into())
    }

    fn compressions(&self, _: usize, _: &mut dyn Input, _: &mut BTreeSet<String>) -> Result<(), Failure> {
        Ok(())
    }

    fn reader(
        self: Arc<Self>,
        input: Box<dyn Input>,
        projection: &Projection,
        request: &ScanRequest,
        _: usize,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        let mut messages = begin(input)?;
        let schema = schema(&mut messages)?;
        if schema != self.schema {
            return Err(damaged("the stream has another schema than when it was opened").into());
        }
        let mut decoder = version::decoder(&schema);
        let is_cut = projection.read().len() < self.schema.fields().len();
        let projection = is_cut.then(|| projection.read().to_vec());
        if let Some(columns) = &projection {
            decoder = decoder.with_projection(columns.clone());
        }
        let (limits, free_rows) = (request.limits, self.free_rows);
        Ok(Box::new(Reader {
            messages,
            unions: Unions::of(&schema),
            projection,
            decoder,
            limits,
            free_rows,
            at: 0,
            rows: 0..0,
        }))
    }
}

impl fmt::Debug for Pipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pipe").finish_non_exhaustive()
    }
}

/// Reads one message after the other.
struct Reader {
    messages: Messages,
    unions: Unions,
    /// Columns that are read; nothing where all are.
    projection: Option<Vec<usize>>,
    decoder: FileDecoder,
    limits: Limits,
    free_rows: FreeRows,
    /// Number of the next row.
    at: u64,
    /// Rows that are wanted.
    rows: Range<u64>,
}

impl GroupReader for Reader {
    fn enter(&mut self, _: usize, rows: Range<u64>) -> Result<Vec<Range<u64>>, Failure> {
        self.rows = rows.clone();
        Ok(vec![rows])
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        while self.at < self.rows.end {
            let Some(head) = self.messages.next()? else { return Ok(None) };
            block::check_stored(&head.message()?, &self.limits)?;
            let buffer = self.messages.body(&head)?;
            block::check(&buffer, head.bytes.len(), &self.limits, self.free_rows)?;
            self.unions.check(&buffer, self.projection.as_deref())?;
            let buffer_bytes = buffer.len();
            if !head.is_batch {
                self.decoder.read_dictionary(&head.block, &buffer)?;
                continue;
            }
            let Some(batch) = self.decoder.read_record_batch(&head.block, &buffer)? else { continue };
            let first = self.at;
            self.at = self.at.saturating_add(batch.num_rows() as u64);
            self.free_rows.take(batch.num_rows() as u64, buffer_bytes)?;
            let row = |row: u64| {
                usize::try_from(row.saturating_sub(first)).unwrap_or(usize::MAX).min(batch.num_rows())
            };
            let (start, end) = (row(self.rows.start), row(self.rows.end));
            if start < end {
                return Ok(Some(batch.slice(start, end - start)));
            }
        }
        Ok(None)
    }
}
