//! Arrow IPC files: what their footers and messages claim is compared with the file before it is allocated or sliced.
//!
//! The decoder of `arrow-ipc` takes a block at a time and trusts what stands in it; see the
//! [format](https://arrow.apache.org/docs/format/Columnar.html#ipc-file-format).

use std::io::{Read as _, Seek as _, SeekFrom};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::reader::{FileDecoder, read_footer_length};
use arrow_ipc::{Block, CompressionType};
use arrow_schema::{ArrowError, DataType, SchemaRef};
use tfxio_core::Limits;

use super::guard::has_room;
use crate::tfrecord::InputFile;

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

/// An open file, which is read batch by batch.
pub(super) struct ArrowFile {
    file: InputFile,
    decoder: FileDecoder,
    schema: SchemaRef,
    batches: std::vec::IntoIter<Block>,
    limits: Limits,
    /// Rows that a batch may have whatever its bytes.
    free_rows: u64,
}

impl ArrowFile {
    /// Reads the footer and the dictionaries. May panic where they are damaged.
    pub(super) fn open(mut file: InputFile, limits: Limits) -> Result<Self, ArrowError> {
        let bytes = file.size();
        let Some(tail_at) = bytes.checked_sub(TAIL) else { return Err(damaged("the file has no footer")) };
        let mut tail = [0; TAIL as usize];
        file.seek(SeekFrom::Start(tail_at))?;
        file.read_exact(&mut tail)?;
        let length = read_footer_length(tail)?;
        let Some(footer_at) = tail_at.checked_sub(length as u64) else {
            let text = format!("the footer claims {length} bytes, and the file has {bytes}");
            return Err(damaged(text));
        };
        let mut footer = vec![0; length];
        file.seek(SeekFrom::Start(footer_at))?;
        file.read_exact(&mut footer)?;
        let footer = arrow_ipc::root_as_footer(&footer)
            .map_err(|error| damaged(format!("the footer is damaged: {error}")))?;
        let schema = footer.schema().ok_or_else(|| damaged("the footer has no schema"))?;
        if !schema.endianness().equals_to_target_endianness() {
            return Err(ArrowError::NotYetImplemented("bytes in the order of another machine".to_owned()));
        }
        let schema = Arc::new(arrow_ipc::convert::fb_to_schema(schema));
        let dictionaries =
            footer.dictionaries().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
        let batches =
            footer.recordBatches().iter().flat_map(|blocks| blocks.iter().copied()).collect::<Vec<_>>();
        dictionaries.iter().chain(&batches).try_for_each(|block| check_block(block, footer_at))?;
        let decoder = FileDecoder::new(Arc::clone(&schema), footer.version());
        let has_empty = schema.flattened_fields().iter().any(|field| is_empty(field.data_type()));
        let free_rows = if has_empty { EMPTY_ROWS } else { FEW_ROWS };
        let mut open = Self { file, decoder, schema, batches: batches.into_iter(), limits, free_rows };
        for block in dictionaries {
            let buffer = read(&mut open.file, &block, &open.limits, open.free_rows)?;
            open.decoder.read_dictionary(&block, &buffer)?;
        }
        Ok(open)
    }

    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// The next batch. May panic where it is damaged; must not be asked again then.
    pub(super) fn next(&mut self) -> Result<Option<RecordBatch>, ArrowError> {
        for block in self.batches.by_ref() {
            let buffer = read(&mut self.file, &block, &self.limits, self.free_rows)?;
            if let Some(batch) = self.decoder.read_record_batch(&block, &buffer)? {
                return Ok(Some(batch));
            }
        }
        Ok(None)
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
fn read(file: &mut InputFile, block: &Block, limits: &Limits, free_rows: u64) -> Result<Buffer, ArrowError> {
    // Checked when the file was opened.
    let metadata = usize::try_from(block.metaDataLength()).unwrap_or_default();
    let body = usize::try_from(block.bodyLength()).unwrap_or_default();
    let offset = u64::try_from(block.offset()).unwrap_or_default();
    let bytes = metadata.saturating_add(body);
    if !has_room(bytes) {
        return Err(ArrowError::MemoryError(format!(
            "a batch of {bytes} bytes needs more memory than there is"
        )));
    }
    #[cfg(feature = "object-store")]
    if let Some(object) = file.object() {
        object.read_ahead(offset.saturating_add(bytes as u64), true);
    }
    let mut buffer = MutableBuffer::from_len_zeroed(bytes);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut buffer)?;
    let (head, body) = buffer.split_at_checked(metadata).unwrap_or_default();
    check_message(head, body, limits, free_rows)?;
    Ok(buffer.into())
}

fn check_message(head: &[u8], body: &[u8], limits: &Limits, free_rows: u64) -> Result<(), ArrowError> {
    let text = match head {
        [0xff, 0xff, 0xff, 0xff, _, _, _, _, text @ ..] => text,
        // As it was before Arrow 0.15.
        [_, _, _, _, text @ ..] => text,
        _ => return Err(damaged("a message has no length")),
    };
    let message = arrow_ipc::root_as_message(text)
        .map_err(|error| damaged(format!("a message is damaged: {error}")))?;
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
