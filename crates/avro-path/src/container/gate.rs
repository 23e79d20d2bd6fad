//! Checks that every block must pass: limits, and plausible counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tfxio_core::{Count, Limits};

use super::codec::Decompressor;
use super::frame::{Head, wrong};
use super::header::Header;
use crate::{Error, Kind, Result};

/// Decompressed bytes that a block may always have, however small it is stored.
const FLOOR: u64 = 16 << 20;

/// Decompresses blocks within limits. Clones share the remaining sum over all blocks.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    limits: Limits,
    /// The fewest bytes of a record.
    least: usize,
    /// Bytes that further blocks may have.
    left: Arc<AtomicU64>,
    /// Records without bytes that further blocks may have.
    empty_left: Arc<AtomicU64>,
}

impl Gate {
    pub(super) fn new(header: &Header, limits: Limits) -> Self {
        let schema = header.schema();
        let least = schema.least_bytes(schema.root());
        let left = Arc::new(AtomicU64::new(limits.decompressed_bytes));
        Self { limits, least, left, empty_left: Arc::new(AtomicU64::new(limits.empty_rows)) }
    }

    /// Continues with another container, within the remaining sums.
    pub(super) fn move_to(&mut self, header: &Header) {
        self.least = header.schema().least_bytes(header.schema().root());
    }

    pub(super) fn limits(&self) -> Limits {
        self.limits
    }

    /// Returns the maximum number of bytes that a block may claim to have as it is stored.
    pub(super) fn most_stored(&self) -> u64 {
        self.limits.record_bytes.min(self.limits.batch_bytes.max(FLOOR))
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
        if count == 0 && stored.is_empty() {
            // Some writers end files with such a block, whatever the codec.
            out.clear();
            return Ok(out);
        }
        let most = self.most_opened(stored.len());
        let bytes = decompressor.decompress(stored, out, usize::try_from(most).unwrap_or(usize::MAX))?;
        self.check(count, bytes.len(), again)?;
        let more = if again { 0 } else { bytes.len() as u64 };
        let taken =
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(more));
        match taken {
            Ok(_) => Ok(bytes),
            Err(_) => Err(Error::new(
                Kind::BlockTooLarge,
                format!(
                    "the file has more than {} after decompression",
                    Count::of(self.limits.decompressed_bytes, "byte")
                ),
            )
            .help("raise Limits::decompressed_bytes if the file can be trusted")),
        }
    }

    /// Fails if there are too many records without bytes, in this block and earlier ones.
    fn check_empty(&self, empty: u64) -> Result<()> {
        let taken = self
            .empty_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(empty));
        if taken.is_ok() {
            return Ok(());
        }
        let what = format!(
            "the blocks up to here claim more than {} without bytes",
            Count::of(self.limits.empty_rows, "record")
        );
        Err(Error::new(Kind::BlockTooLarge, what).help("raise Limits::empty_rows if this is meant"))
    }

    fn check(&self, count: u64, bytes: usize, again: bool) -> Result<()> {
        if count == 0 && bytes > 0 {
            return Err(wrong(format!("the block claims no records and has {}", Count::of(bytes, "byte"))));
        }
        if self.least == 0 {
            let empty = count.saturating_sub(bytes as u64);
            return if again { Ok(()) } else { self.check_empty(empty) };
        }
        match count.checked_mul(self.least as u64) {
            Some(needed) if needed <= bytes as u64 => Ok(()),
            _ => Err(wrong(claim(count, bytes))),
        }
    }

    /// Refuses a number of records that a block with this head cannot have after decompression.
    pub(super) fn check_head(&self, head: &Head) -> Result<()> {
        let Some(most) = self.most_opened(head.size).checked_div(self.least as u64) else {
            return self.check_empty(head.count.saturating_sub(head.size as u64));
        };
        if head.count <= most {
            return Ok(());
        }
        let error = Error::new(Kind::Block, claim(head.count, head.size));
        Err(error
            .help("raise Limits::decompression_ratio if this is meant; otherwise the file is damaged here"))
    }

    /// Returns the maximum number of bytes that a block may have after decompression.
    fn most_opened(&self, stored: usize) -> u64 {
        let ratio = (stored as u64).saturating_mul(self.limits.decompression_ratio);
        ratio.max(FLOOR).min(self.most_stored())
    }
}

fn claim(count: u64, bytes: usize) -> String {
    format!("the block claims {} and has {}", Count::of(count, "record"), Count::of(bytes, "byte"))
}
