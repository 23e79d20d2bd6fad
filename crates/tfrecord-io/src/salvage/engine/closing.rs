//! End of a payload whose header is damaged, found by its checksum.

use std::io::Read;

use super::super::stream::Stream;
use crate::Result;
use crate::crc::mask;
use crate::frame::{FOOTER_LEN, HEADER_LEN};

/// Tests whether the payload of a record whose header is damaged ends before some offset. Keeps the checksum of all
/// bytes from the payload's start on.
#[derive(Clone, Debug)]
pub(super) struct Closing {
    crc: crc_fast::Digest,
    upto: u64,
}

impl Closing {
    pub(super) fn new(at: u64) -> Self {
        let crc = crc_fast::Digest::new(crc_fast::CrcAlgorithm::Crc32Iscsi);
        Self { crc, upto: at.saturating_add(HEADER_LEN as u64) }
    }

    /// Takes in the bytes up to `end`.
    pub(super) fn advance<R: Read>(&mut self, stream: &mut Stream<R>, end: u64) -> Result<()> {
        while self.upto < end {
            let left = usize::try_from(end - self.upto).unwrap_or(usize::MAX);
            let bytes = stream.load(self.upto, 1)?;
            let bytes = bytes.get(..left.min(bytes.len())).unwrap_or_default();
            if bytes.is_empty() {
                break;
            }
            self.crc.update(bytes);
            self.upto += bytes.len() as u64;
        }
        Ok(())
    }

    /// Returns whether the payload ends right before `next`, with its checksum there.
    pub(super) fn fits<R: Read>(&mut self, stream: &mut Stream<R>, next: u64) -> Result<bool> {
        let Some(footer) = next.checked_sub(FOOTER_LEN as u64).filter(|&footer| footer >= self.upto) else {
            return Ok(false);
        };
        self.advance(stream, footer)?;
        if self.upto != footer {
            return Ok(false);
        }
        let crc = mask(self.crc.finalize() as u32);
        Ok(stream
            .load(footer, FOOTER_LEN)?
            .first_chunk()
            .is_some_and(|bytes| u32::from_le_bytes(*bytes) == crc))
    }
}
