//! The head of a block, without I/O: how many objects, how many bytes.

use crate::datum::DatumReader;
use crate::{Error, ErrorKind, Result};

/// The most bytes of a head: two numbers.
pub(super) const MOST: usize = 20;
/// Bytes of a sync marker.
pub(super) const SYNC: usize = 16;

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
    /// Reads a head from bytes that are `MOST`, or all that there are.
    pub(super) fn parse(bytes: &[u8], most: u64) -> Result<Self> {
        let mut reader = DatumReader::new(bytes);
        let (count, size) = match (reader.long(), reader.long()) {
            (Ok(count), Ok(size)) => (count, size),
            (Err(error), _) | (_, Err(error)) if error.kind() == ErrorKind::Truncated => {
                return Err(Error::new(ErrorKind::Truncated, "the file ends within the head of a block")
                    .with_hint("the file is not complete; copy it again, or salvage what is there"));
            }
            _ => return Err(wrong("the head of the block is not two numbers")),
        };
        let Ok(count) = u64::try_from(count) else {
            return Err(wrong(format!("the block claims {count} objects")));
        };
        let Ok(claimed) = u64::try_from(size) else {
            return Err(wrong(format!("the block claims {size} bytes")));
        };
        match usize::try_from(claimed) {
            Ok(size) if claimed <= most => Ok(Self { count, size, length: reader.position() }),
            _ => Err(Error::new(
                ErrorKind::LimitExceeded,
                format!("the block claims {claimed} bytes, more than {most}"),
            )
            .with_hint("raise Limits::record_bytes if this is meant; otherwise the file is damaged here")),
        }
    }

    /// Bytes from the head to the end of the sync marker.
    pub(super) fn whole(&self) -> usize {
        self.length.saturating_add(self.size).saturating_add(SYNC)
    }
}

fn wrong(what: impl Into<String>) -> Error {
    Error::new(ErrorKind::Block, what).with_hint("the file is damaged here; salvage reads what follows")
}
