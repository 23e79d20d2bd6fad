//! Arrow IPC files: what their footers and messages claim is compared with the file before it is allocated or sliced.
//!
//! The decoder of `arrow-ipc` takes a block at a time and trusts what stands in it; see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).

use std::collections::BTreeSet;
use std::fmt;
use std::io::SeekFrom;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType, Message, MetadataVersion};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tfxio_core::{Error, ErrorKind, Input, Limits};

use crate::columnar::guard::has_room;
use crate::columnar::{Failure, Footer, Group, GroupReader, without_footer};

/// What a file begins and ends with.
const MAGIC: &str = "ARROW1";
/// What ends a file: the length of the footer and `ARROW1`.
const TAIL: u64 = 10;
/// What a message has before its metadata: a marker and a length.
const PREFIX: usize = 8;
/// Rows that a batch may have although few bytes stand for them.
const FEW_ROWS: u64 = 1 << 24;
/// The same where columns are nulls or runs, for which rows take no bytes.
const EMPTY_ROWS: u64 = i32::MAX as u64;
/// Bytes that one byte of zstd can stand for: a block of 4 bytes repeats a byte 128 Ki times.
const ZSTD_RATIO: u64 = 1 << 15;
/// Bytes that one byte of LZ4 can stand for.
const LZ4_RATIO: u64 = 255;

/// Reads the footer of a file. May panic if it is damaged.
pub(super) fn open(mut file: Box<dyn Input>, bytes: u64, _: &Limits) -> Result<Arc<dyn Footer>, Failure> {
    let mut first_bytes = vec![0; bytes.min(8) as usize];
    file.seek(SeekFrom::Start(0))?;
    file.read_exact(&mut first_bytes)?;
    if is_stream(&first_bytes) {
        let error = Error::new(ErrorKind::Unsupported, "this is an Arrow IPC stream, which is not read");
        return Err(error.help("write an Arrow IPC file").into());
    }
    let mut tail = [0; TAIL as usize];
    let tail_at = bytes.checked_sub(TAIL);
    if let Some(tail_at) = tail_at {
        file.seek(SeekFrom::Start(tail_at))?;
        file.read_exact(&mut tail)?;
    }
    let Some(tail_at) = tail_at.filter(|_| tail.ends_with(MAGIC.as_bytes())) else {
        return Err(without_footer("Arrow", MAGIC, &first_bytes, bytes).into());
    };
    let length = read_footer_length(tail)?;
    let Some(footer_at) = tail_at.checked_sub(length as u64) else {
        let text = format!("the footer claims {length} bytes, and the file has {bytes}");
        return Err(damaged(text).into());
    };
    let mut footer = vec![0; length];
    file.seek(SeekFrom::Start(footer_at))?;
    file.read_exact(&mut footer)?;
    let footer = arrow_ipc::root_as_footer(&footer)
        .map_err(|error| damaged(format!("the footer is damaged: {error}")))?;
    let schema = footer.schema().ok_or_else(|| damaged("the footer has no schema"))?;
    if !schema.endianness().equals_to_target_endianness() {
        let what = "bytes in the order of another machine".to_owned();
        return Err(ArrowError::NotYetImplemented(what).into());
    }
    let schema = Arc::new(arrow_ipc::convert::fb_to_schema(schema));
    let dictionaries =
        footer.dictionaries().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
    let batches = footer.recordBatches().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
    dictionaries.iter().chain(&batches).try_for_each(|block| check_block(block, footer_at))?;
    let group = |block: &Block| {
        let (start, metadata, body) = numbers(block);
        Group { start, bytes: metadata.saturating_add(body) as u64, rows: None }
    };
    let groups = batches.iter().map(group).collect();
    let has_empty = schema.flattened_fields().iter().any(|field| is_empty(field.data_type()));
    let free_rows = if has_empty { EMPTY_ROWS } else { FEW_ROWS };
    Ok(Arc::new(IpcFooter { schema, version: footer.version(), dictionaries, batches, groups, free_rows }))
}

/// Returns whether a file begins with the marker and the length of a message, as a stream does. A TFRecord file that did
/// would begin with a record of more than 4 GiB.
pub(super) fn is_stream(first_bytes: &[u8]) -> bool {
    match *first_bytes {
        [0xff, 0xff, 0xff, 0xff, a, b, c, d, ..] => (1..1 << 24).contains(&i32::from_le_bytes([a, b, c, d])),
        _ => false,
    }
}

struct IpcFooter {
    schema: SchemaRef,
    version: MetadataVersion,
    dictionaries: Vec<Block>,
    batches: Vec<Block>,
    groups: Vec<Group>,
    /// Rows that a batch may have whatever its bytes.
    free_rows: u64,
}

impl Footer for IpcFooter {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn groups(&self) -> &[Group] {
        &self.groups
    }

    fn rows(&self, group: usize, input: &mut dyn Input) -> Result<u64, Failure> {
        let Some(block) = self.batches.get(group) else { return Ok(0) };
        let (_, _, body) = numbers(block);
        let head = head(block, input)?;
        let message = message(&head)?;
        let rows = message.header_as_record_batch().map_or(0, |batch| batch.length());
        let most = (body as u64).saturating_mul(8 * ZSTD_RATIO).max(self.free_rows);
        let rows = u64::try_from(rows).ok().filter(|rows| *rows <= most);
        rows.ok_or_else(|| {
            damaged(format!("a batch of {body} bytes claims an impossible number of rows")).into()
        })
    }

    fn compressions(
        &self,
        group: usize,
        input: &mut dyn Input,
        names: &mut BTreeSet<String>,
    ) -> Result<(), Failure> {
        let Some(block) = self.batches.get(group) else { return Ok(()) };
        let head = head(block, input)?;
        let compression = message(&head)?.header_as_record_batch().and_then(|batch| batch.compression());
        let name = compression.map_or("none", |compression| match compression.codec() {
            CompressionType::LZ4_FRAME => "lz4",
            _ => "zstd",
        });
        names.insert(name.to_owned());
        Ok(())
    }

    fn reader(
        self: Arc<Self>,
        mut input: Box<dyn Input>,
        columns: Vec<usize>,
        _: usize,
        limits: &Limits,
    ) -> Result<Box<dyn GroupReader>, Failure> {
        let mut decoder = FileDecoder::new(Arc::clone(&self.schema), self.version);
        for block in &self.dictionaries {
            let buffer = read(&mut *input, block, limits, self.free_rows)?;
            decoder.read_dictionary(block, &buffer)?;
        }
        if columns.len() < self.schema.fields().len() {
            decoder = decoder.with_projection(columns);
        }
        Ok(Box::new(Batches { footer: self, input, decoder, limits: *limits, entered: None }))
    }
}

impl fmt::Debug for IpcFooter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IpcFooter").field("groups", &self.groups).finish_non_exhaustive()
    }
}

struct Batches {
    footer: Arc<IpcFooter>,
    input: Box<dyn Input>,
    decoder: FileDecoder,
    limits: Limits,
    /// Batch to read, and the number of its rows to pass over.
    entered: Option<(usize, usize)>,
}

impl GroupReader for Batches {
    fn enter(&mut self, group: usize, skip: u64) -> Result<(), Failure> {
        self.entered = Some((group, usize::try_from(skip)?));
        Ok(())
    }

    fn next(&mut self) -> Result<Option<RecordBatch>, Failure> {
        let Some((group, skip)) = self.entered.take() else { return Ok(None) };
        let Some(block) = self.footer.batches.get(group) else { return Ok(None) };
        let buffer = read(&mut *self.input, block, &self.limits, self.footer.free_rows)?;
        let batch = self.decoder.read_record_batch(block, &buffer)?;
        Ok(batch.map(|batch| {
            let skip = skip.min(batch.num_rows());
            batch.slice(skip, batch.num_rows() - skip)
        }))
    }
}

/// Whether the rows of a column take no bytes of their own.
fn is_empty(kind: &DataType) -> bool {
    match kind {
        DataType::Null | DataType::RunEndEncoded(..) => true,
        DataType::Dictionary(_, value) => is_empty(value),
        _ => false,
    }
}

/// Whether a block lies before the footer.
fn check_block(block: &Block, footer_at: u64) -> Result<(), ArrowError> {
    let numbers = (
        u64::try_from(block.offset()),
        u64::try_from(block.metaDataLength()),
        u64::try_from(block.bodyLength()),
    );
    let (Ok(offset), Ok(metadata), Ok(body)) = numbers else {
        return Err(damaged("the footer names a block of a negative offset or length"));
    };
    let end = offset.checked_add(metadata).and_then(|end| end.checked_add(body));
    if metadata < PREFIX as u64 || end.is_none_or(|end| end > footer_at) {
        let text = format!(
            "the footer names a block of {metadata} and {body} bytes at byte {offset}, and the footer begins at byte \
             {footer_at}"
        );
        return Err(damaged(text));
    }
    Ok(())
}

/// The bytes of a block, whose message claims nothing that is not there.
fn read(file: &mut dyn Input, block: &Block, limits: &Limits, free_rows: u64) -> Result<Buffer, ArrowError> {
    let (offset, metadata, body) = numbers(block);
    let bytes = metadata.saturating_add(body);
    if !has_room(bytes) {
        return Err(ArrowError::MemoryError(format!(
            "a batch of {bytes} bytes needs more memory than there is"
        )));
    }
    file.read_ahead(offset.saturating_add(bytes as u64));
    let mut buffer = MutableBuffer::from_len_zeroed(bytes);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut buffer)?;
    let (head, body) = buffer.split_at_checked(metadata).unwrap_or_default();
    check_message(head, body, limits, free_rows)?;
    Ok(buffer.into())
}

/// Returns the offset of a block, which was checked when the file was opened, and the lengths of its head and body.
fn numbers(block: &Block) -> (u64, usize, usize) {
    let offset = u64::try_from(block.offset()).unwrap_or_default();
    let metadata = usize::try_from(block.metaDataLength()).unwrap_or_default();
    (offset, metadata, usize::try_from(block.bodyLength()).unwrap_or_default())
}

/// Reads the head of a block.
fn head(block: &Block, input: &mut dyn Input) -> std::io::Result<Vec<u8>> {
    let (offset, metadata, _) = numbers(block);
    let mut head = vec![0; metadata];
    input.seek(SeekFrom::Start(offset))?;
    input.read_exact(&mut head)?;
    Ok(head)
}

/// Returns the message of the head of a block.
fn message(head: &[u8]) -> Result<Message<'_>, ArrowError> {
    let text = match head {
        [0xff, 0xff, 0xff, 0xff, _, _, _, _, text @ ..] => text,
        // As it was before Arrow 0.15.
        [_, _, _, _, text @ ..] => text,
        _ => return Err(damaged("a message has no length")),
    };
    arrow_ipc::root_as_message(text).map_err(|error| damaged(format!("a message is damaged: {error}")))
}

fn check_message(head: &[u8], body: &[u8], limits: &Limits, free_rows: u64) -> Result<(), ArrowError> {
    let message = message(head)?;
    let batch = message.header_as_record_batch();
    let Some(batch) = batch.or_else(|| message.header_as_dictionary_batch()?.data()) else { return Ok(()) };
    let ratio = batch.compression().map(|compression| match compression.codec() {
        CompressionType::LZ4_FRAME => LZ4_RATIO,
        _ => ZSTD_RATIO,
    });
    let mut bytes = 0u64;
    for buffer in batch.buffers().iter().flat_map(|buffers| buffers.iter()) {
        let (offset, length) = (usize::try_from(buffer.offset()), usize::try_from(buffer.length()));
        let part = offset.ok().zip(length.ok());
        let part = part.and_then(|(offset, length)| body.get(offset..offset.checked_add(length)?));
        let Some(part) = part else {
            let (length, offset, body) = (buffer.length(), buffer.offset(), body.len());
            return Err(damaged(format!(
                "a batch has a buffer of {length} bytes at byte {offset} of its {body} bytes"
            )));
        };
        bytes = bytes.saturating_add(match ratio {
            Some(ratio) => inflated(part, ratio)?,
            None => part.len() as u64,
        });
    }
    if bytes > limits.batch_bytes {
        let most = limits.batch_bytes;
        return Err(ArrowError::MemoryError(format!(
            "a batch of {bytes} bytes is longer than the limit of {most}"
        )));
    }
    // A row has a bit at least in most columns.
    let most = bytes.saturating_mul(8).max(free_rows);
    let nodes = batch.nodes();
    let counts = nodes.iter().flat_map(|nodes| nodes.iter()).map(|node| node.length());
    for rows in counts.chain([batch.length()]) {
        if !u64::try_from(rows).is_ok_and(|rows| rows <= most) {
            return Err(damaged(format!("a batch claims {rows} rows, and has {bytes} bytes")));
        }
    }
    Ok(())
}

/// The bytes that a compressed buffer claims to have inflated.
fn inflated(buffer: &[u8], ratio: u64) -> Result<u64, ArrowError> {
    let Some((claim, data)) = buffer.split_first_chunk() else { return Ok(0) };
    let most = (data.len() as u64).saturating_mul(ratio);
    match i64::from_le_bytes(*claim) {
        // Not compressed.
        -1 => Ok(data.len() as u64),
        bytes => match u64::try_from(bytes) {
            Ok(bytes) if bytes <= most && usize::try_from(bytes).is_ok_and(has_room) => Ok(bytes),
            _ => {
                let length = data.len();
                Err(damaged(format!("a buffer of {length} compressed bytes claims {bytes} bytes inflated")))
            }
        },
    }
}

fn damaged(text: impl Into<String>) -> ArrowError {
    ArrowError::ParseError(text.into())
}
