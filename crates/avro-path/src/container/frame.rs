//! The framing of blocks, without I/O: heads, and the sync markers after them.

use std::ops::Range;

use tfxio_core::Count;

use super::header::MAGIC;
use crate::datum::DatumReader;
use crate::{Error, Kind, Result};

/// Bytes of a sync marker.
pub(super) const SYNC: usize = 16;
/// Minimum size of a block with its head and its marker.
const LEAST: usize = 2 + SYNC;
/// Maximum number of bytes that are read to determine the right marker.
const VOTE_BYTES: usize = 4 << 20;

/// Bytes of a container from some offset on, as far as they are there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window<'a> {
    pub(super) bytes: &'a [u8],
    /// Whether the container ends with them.
    pub(super) is_end: bool,
}

/// Result of parsing a window.
#[derive(Debug)]
pub(super) enum Parsed<T> {
    Done(T),
    /// Incomplete: the window must have at least this many bytes, or be the end.
    Need(usize),
}

/// The head of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    /// Objects in the block.
    pub(super) count: u64,
    /// Bytes of the block as it is stored.
    pub(super) size: usize,
    /// Bytes of the head itself.
    pub(super) length: usize,
}

impl Head {
    /// Parses the head at the beginning of some bytes; `None` if they end within it.
    pub(super) fn parse(bytes: &[u8], most: u64) -> Result<Option<Self>> {
        // As a number its first byte is negative, which no count is.
        if bytes.first() == MAGIC.first() && bytes.iter().zip(&MAGIC).all(|(byte, magic)| byte == magic) {
            return if bytes.len() < MAGIC.len() { Ok(None) } else { Err(another_file()) };
        }
        let mut reader = DatumReader::new(bytes);
        let mut number = || match reader.long() {
            Ok(number) => Ok(Some(number)),
            Err(error) if error.is(Kind::Truncated) => Ok(None),
            Err(_) => Err(wrong("the head of the block is not two numbers")),
        };
        let (Some(count), Some(size)) = (number()?, number()?) else { return Ok(None) };
        let Ok(count) = u64::try_from(count) else {
            return Err(wrong(format!("the block claims {}", Count::of(count, "object"))));
        };
        let Ok(claimed) = u64::try_from(size) else {
            return Err(wrong(format!("the block claims {}", Count::of(size, "byte"))));
        };
        match usize::try_from(claimed) {
            Ok(size) if claimed <= most => Ok(Some(Self { count, size, length: reader.position() })),
            _ => Err(Error::new(
                Kind::BlockTooLarge,
                format!("the block claims {}, more than {most}", Count::of(claimed, "byte")),
            )
            .help("raise Limits::record_bytes and Limits::batch_bytes if this is meant; otherwise the file is damaged here")),
        }
    }

    /// Returns the range of the stored bytes, counted from the beginning of the head.
    pub(super) fn stored(&self) -> Range<usize> {
        self.length..self.length.saturating_add(self.size)
    }

    /// Returns the number of bytes from the head to the end of the sync marker.
    pub(super) fn whole(&self) -> usize {
        self.length.saturating_add(self.size).saturating_add(SYNC)
    }
}

/// Parses the block at an offset of the window, if its marker is right; `None` at the end of the container.
pub(super) fn read_frame(
    window: Window<'_>,
    skip: usize,
    marker: &[u8; SYNC],
    most: u64,
) -> Result<Parsed<Option<Head>>> {
    let bytes = window.bytes.get(skip..).unwrap_or_default();
    let need = |bytes: usize| Ok(Parsed::Need(skip.saturating_add(bytes)));
    let Some(head) = Head::parse(bytes, most)? else {
        return match bytes.len() {
            0 if window.is_end => Ok(Parsed::Done(None)),
            _ if window.is_end => Err(truncated("the file ends within the head of a block")),
            length => need((length + 1 + SYNC).max(LEAST)),
        };
    };
    let found = bytes.get(head.stored().end..).and_then(<[u8]>::first_chunk);
    match found {
        None if window.is_end => {
            Err(truncated(format!("the file ends within a block of {}", Count::of(head.size, "byte"))))
        }
        None => need(head.whole()),
        Some(found) if found != marker => Err(other_end()),
        Some(_) => Ok(Parsed::Done(Some(head))),
    }
}

/// Returns the marker with which the first blocks of the window end, if two of them agree on another one than the
/// header's, which is then damaged. The header's marker is right if it occurs anywhere in the next bytes.
pub(super) fn other_marker(window: Window<'_>, marker: &[u8; SYNC], most: u64) -> Parsed<Option<[u8; SYNC]>> {
    let mut found = Vec::new();
    let mut skip = 0_usize;
    // One of them may be damaged itself.
    while found.len() < 3 && skip < VOTE_BYTES {
        let bytes = window.bytes.get(skip..).unwrap_or_default();
        let head = match Head::parse(bytes, most) {
            Ok(Some(head)) => head,
            Ok(None) if !window.is_end => return Parsed::Need(window.bytes.len().saturating_add(LEAST)),
            _ => break,
        };
        if head.count == 0 || !found.is_empty() && head.whole() > 4 * VOTE_BYTES {
            break;
        }
        skip = skip.saturating_add(head.whole());
        let end = window.bytes.get(..skip).and_then(<[u8]>::last_chunk::<SYNC>).copied();
        if end.is_none() && !window.is_end {
            return Parsed::Need(skip);
        }
        let Some(end) = end.filter(|end| end != marker) else { break };
        if found.contains(&end) {
            if window.bytes.len() < VOTE_BYTES && !window.is_end {
                return Parsed::Need(VOTE_BYTES);
            }
            let bytes = window.bytes.get(..VOTE_BYTES).unwrap_or(window.bytes);
            let is_right = bytes.windows(SYNC).any(|window| window == marker);
            return Parsed::Done((!is_right).then_some(end));
        }
        found.push(end);
    }
    Parsed::Done(None)
}

/// Returns whether the source failed, and not its contents.
pub(super) fn is_from_below(error: &Error) -> bool {
    !matches!(error.detail(), Some(Kind::Truncated | Kind::Sync | Kind::Block | Kind::BlockTooLarge))
}

/// Returns where the marker begins.
pub(super) fn find_marker(bytes: &[u8], marker: &[u8; SYNC]) -> Option<usize> {
    let [first, ..] = *marker;
    let mut from = 0;
    while let Some(at) = bytes.get(from..)?.iter().position(|&byte| byte == first) {
        if bytes.get(from + at..)?.starts_with(marker) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

/// Returns the error for a container that ends too early.
pub(super) fn truncated(what: impl Into<String>) -> Error {
    Error::new(Kind::Truncated, what)
        .help("the file is not complete; copy it again, or salvage what is there")
}

/// Returns the error for a block that does not end with the marker.
pub(super) fn other_end() -> Error {
    damaged(Kind::Sync, "the block does not end with the file's sync marker")
}

/// Returns the error for a header where a block is expected.
#[cold]
fn another_file() -> Error {
    let what =
        "here another Avro file begins (\"Obj\" and 1): files were written one after the other into one";
    Error::new(Kind::Block, what).help(
        "write them as files of their own, or repair the file, which makes one file of all their records",
    )
}

/// Returns the error for a block that contradicts its head.
pub(super) fn wrong(what: impl Into<String>) -> Error {
    damaged(Kind::Block, what)
}

fn damaged(kind: Kind, what: impl Into<String>) -> Error {
    Error::new(kind, what).help("the file is damaged here; salvage reads what follows")
}
