//! Blocks of Arrow IPC files: what their messages claim is compared with what is there.

use std::io::SeekFrom;

use arrow_buffer::{Buffer, MutableBuffer};
use arrow_ipc::{Block, CompressionType, Message};
use arrow_schema::ArrowError;
use tfxio_core::{Count, Error, ErrorKind, Input, Limits};

use super::file::FreeRows;
use super::version;

/// Bytes of a message before its metadata: a marker and a length.
const PREFIX: usize = 8;
/// Maximum number of bytes that one byte of zstd can expand to: a block of 4 bytes repeats a byte 128 Ki times.
pub(super) const ZSTD_RATIO: u64 = 1 << 15;
/// Maximum number of bytes that one byte of LZ4 can expand to.
const LZ4_RATIO: u64 = 255;

/// Checks that a block is before the footer.
pub(super) fn check_block(block: &Block, footer_at: u64) -> Result<(), ArrowError> {
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

/// Returns whether memory for this many bytes can be had. Asked before claims of a file are allocated, since a failed allocation
/// ends the process.
fn has_room(bytes: usize) -> bool {
    Vec::<u8>::new().try_reserve_exact(bytes).is_ok()
}

/// Returns the bytes of a block, whose message claims nothing that is not there.
pub(super) fn read(
    file: &mut dyn Input,
    block: &Block,
    limits: &Limits,
    free_rows: FreeRows,
) -> Result<Buffer, ArrowError> {
    let (offset, metadata, body) = numbers(block);
    let bytes = metadata.saturating_add(body);
    if !has_room(bytes) {
        return Err(ArrowError::MemoryError(format!(
            "a batch of {} needs more memory than there is",
            Count::of(bytes, "byte")
        )));
    }
    file.read_ahead(offset.saturating_add(bytes as u64));
    if body as u64 > limits.batch_bytes {
        let head = head(block, file)?;
        check_stored(&message(&head)?, limits)?;
    }
    let mut buffer = MutableBuffer::from_len_zeroed(bytes);
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(&mut buffer)?;
    check(&buffer, metadata, limits, free_rows)?;
    Ok(buffer.into())
}

/// Refuses a message whose buffers are longer than a batch may be, before its body is read.
pub(super) fn check_stored(message: &Message<'_>, limits: &Limits) -> Result<(), ArrowError> {
    let batch = message.header_as_record_batch();
    let Some(batch) = batch.or_else(|| message.header_as_dictionary_batch()?.data()) else { return Ok(()) };
    let lengths =
        batch.buffers().into_iter().flat_map(|buffers| buffers.iter()).map(|buffer| buffer.length());
    let bytes = lengths.filter_map(|length| u64::try_from(length).ok()).fold(0, u64::saturating_add);
    // What cannot be compressed takes a little more than it is.
    let most = match batch.compression() {
        Some(_) => limits.batch_bytes.saturating_add(limits.batch_bytes / 8),
        None => limits.batch_bytes,
    };
    if bytes > most { Err(too_long(bytes, limits)) } else { Ok(()) }
}

/// Returns the error of a batch that is longer than it may be.
#[cold]
fn too_long(bytes: u64, limits: &Limits) -> ArrowError {
    let (bytes, most) = (Count::of(bytes, "byte"), limits.batch_bytes);
    let error = Error::new(
        ErrorKind::LimitExceeded,
        format!("a batch of {bytes} is longer than the limit of {most}"),
    );
    let help = "write the file with fewer rows a batch, or raise the limit batch_bytes";
    ArrowError::ExternalError(Box::new(error.help(help)))
}

/// Checks that a message with its body, whose head has this length, claims nothing that is not there.
pub(super) fn check(
    message: &[u8],
    head: usize,
    limits: &Limits,
    free_rows: FreeRows,
) -> Result<(), ArrowError> {
    let (head, body) = message.split_at_checked(head).unwrap_or_default();
    check_message(head, body, limits, free_rows)
}

/// Returns the offset of a block, which was checked when the file was opened, and the lengths of its head and body.
pub(super) fn numbers(block: &Block) -> (u64, usize, usize) {
    let offset = u64::try_from(block.offset()).unwrap_or_default();
    let metadata = usize::try_from(block.metaDataLength()).unwrap_or_default();
    (offset, metadata, usize::try_from(block.bodyLength()).unwrap_or_default())
}

/// Reads the head of a block.
pub(super) fn head(block: &Block, input: &mut dyn Input) -> std::io::Result<Vec<u8>> {
    let (offset, metadata, _) = numbers(block);
    let mut head = vec![0; metadata];
    input.seek(SeekFrom::Start(offset))?;
    input.read_exact(&mut head)?;
    Ok(head)
}

/// Returns the message of the head of a block.
pub(super) fn message(head: &[u8]) -> Result<Message<'_>, ArrowError> {
    let text = match head {
        [0xff, 0xff, 0xff, 0xff, _, _, _, _, text @ ..] => text,
        // As it was before Arrow 0.15.
        [_, _, _, _, text @ ..] => text,
        _ => return Err(damaged("a message has no length")),
    };
    let message = arrow_ipc::root_as_message(text)
        .map_err(|error| damaged(format!("a message is damaged: {error}")))?;
    version::check(&message)?;
    Ok(message)
}

fn check_message(head: &[u8], body: &[u8], limits: &Limits, free_rows: FreeRows) -> Result<(), ArrowError> {
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
                "a batch has a buffer of {} at byte {offset} of its {}",
                Count::of(length, "byte"),
                Count::of(body, "byte")
            )));
        };
        bytes = bytes.saturating_add(match ratio {
            Some(ratio) => inflated(part, ratio)?,
            None => part.len() as u64,
        });
    }
    if bytes > limits.batch_bytes {
        return Err(too_long(bytes, limits));
    }
    // A row has a bit at least in most columns.
    let most = bytes.saturating_mul(8).max(free_rows.most);
    let nodes = batch.nodes();
    let counts = nodes.iter().flat_map(|nodes| nodes.iter()).map(|node| node.length());
    for rows in counts.chain([batch.length()]) {
        if !u64::try_from(rows).is_ok_and(|rows| rows <= most) {
            return Err(damaged(format!(
                "a batch claims {}, and has {}{}",
                Count::of(rows, "row"),
                Count::of(bytes, "byte"),
                free_rows.help()
            )));
        }
    }
    Ok(())
}

/// Returns the bytes that a compressed buffer claims to have inflated.
fn inflated(buffer: &[u8], ratio: u64) -> Result<u64, ArrowError> {
    let Some((claim, data)) = buffer.split_first_chunk() else { return Ok(0) };
    let most = (data.len() as u64).saturating_mul(ratio);
    match i64::from_le_bytes(*claim) {
        // Not compressed.
        -1 => Ok(data.len() as u64),
        bytes => match u64::try_from(bytes) {
            Ok(bytes) if bytes <= most && usize::try_from(bytes).is_ok_and(has_room) => Ok(bytes),
            _ => {
                let (stored, bytes) = (Count::of(data.len(), "compressed byte"), Count::of(bytes, "byte"));
                Err(damaged(format!("a buffer of {stored} claims {bytes} inflated")))
            }
        },
    }
}

/// Returns the error of a file in which lengths are not true, or which cannot be parsed.
pub(super) fn damaged(text: impl Into<String>) -> ArrowError {
    ArrowError::ParseError(text.into())
}

/// Returns the error of a file whose parts are whole and do not belong together.
pub(super) fn contradictory(text: impl Into<String>) -> ArrowError {
    ArrowError::IpcError(text.into())
}

#[cfg(test)]
mod tests {
    use super::has_room;

    #[test]
    fn no_machine_has_room_for_all_addresses() {
        assert!(has_room(1 << 10));
        assert!(!has_room(usize::MAX / 2));
    }
}
