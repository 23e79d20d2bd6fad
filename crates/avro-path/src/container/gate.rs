//! What every block must pass: limits, and counts that can be true.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio_core::Limits;

use super::codec::Decompressor;
use super::header::Header;
use crate::{Error, Kind, Result};

/// What a block may become by decompression, however small it is.
const FLOOR: u64 = 16 << 20;

/// Decompresses blocks within limits. Clones share what is left of the sum over all blocks.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    limits: Limits,
    /// The fewest bytes of a record.
    least: usize,
    /// Bytes that further blocks may have.
    left: Arc<AtomicU64>,
}

impl Gate {
    pub(super) fn new(header: &Header, limits: Limits) -> Self {
        let schema = header.schema();
        let least = schema.least_bytes(schema.root());
        Self { limits, least, left: Arc::new(AtomicU64::new(limits.decompressed_bytes)) }
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// The most bytes that a block may claim to have as it is stored.
    pub(super) fn most_stored(&self) -> u64 {
        self.limits.record_bytes
    }

    /// Returns the records' bytes of a stored block, if `count` records fit into them. One that is opened `again` was taken
    /// into account before.
    pub(super) fn open<'a>(
        &self,
        count: u64,
        stored: &'a [u8],
        again: bool,
        decompressor: &mut Decompressor,
        out: &'a mut Vec<u8>,
    ) -> Result<&'a [u8]> {
        let ratio = (stored.len() as u64).saturating_mul(self.limits.decompression_ratio);
        let most = ratio.max(FLOOR).min(self.limits.record_bytes);
        let bytes = decompressor.decompress(stored, out, usize::try_from(most).unwrap_or(usize::MAX))?;
        self.check(count, bytes.len())?;
        let more = if again { 0 } else { bytes.len() as u64 };
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        match taken {
            Ok(_) => Ok(bytes),
            Err(_) => Err(Error::new(
                Kind::BlockTooLarge,
                format!(
                    "the file has more than {} bytes after decompression",
                    self.limits.decompressed_bytes
                ),
            )
            .help("raise Limits::decompressed_bytes if the file can be trusted")),
        }
    }

    fn check(&self, count: u64, bytes: usize) -> Result<()> {
        let wrong = |what| Err(Error::new(Kind::Block, what));
        if self.least == 0 {
            return match count {
                0 if bytes > 0 => wrong(format!("the block claims no records and has {bytes} bytes")),
                _ if count > self.limits.list_items && bytes == 0 => Err(Error::new(
                    Kind::BlockTooLarge,
                    format!("the block claims {count} records without bytes"),
                )
                .help("raise Limits::list_items if this is meant")),
                _ => Ok(()),
            };
        }
        let needed = usize::try_from(count).ok().and_then(|count| count.checked_mul(self.least));
        match needed {
            Some(0) if bytes > 0 => wrong(format!("the block claims no records and has {bytes} bytes")),
            Some(needed) if needed <= bytes => Ok(()),
            _ => wrong(format!("the block claims {count} records and has {bytes} bytes")),
        }
    }
}
