//! What inspections and repairs of all formats share.

use crc_fast::{CrcAlgorithm, Digest};
use tfxio_core::{Error, ErrorKind};

/// Sums over the bytes of records.
pub(crate) struct Payloads {
    pub(crate) records: u64,
    pub(crate) bytes: u64,
    pub(crate) longest: u64,
    crc: Digest,
}

impl Payloads {
    pub(crate) fn new() -> Self {
        Self { records: 0, bytes: 0, longest: 0, crc: Digest::new(CrcAlgorithm::Crc32IsoHdlc) }
    }

    pub(crate) fn add(&mut self, payload: &[u8]) {
        self.records += 1;
        self.bytes += payload.len() as u64;
        self.longest = self.longest.max(payload.len() as u64);
        self.crc.update(payload);
    }

    /// Adds payloads without bytes, of which a few bytes can claim billions.
    #[cfg(feature = "avro")]
    pub(crate) fn add_empty(&mut self, count: u64) {
        self.records = self.records.saturating_add(count);
    }

    pub(crate) fn crc32(&self) -> u32 {
        // The algorithm has 32 bits.
        self.crc.finalize() as u32
    }
}

/// Returns the error of a repair of which nothing is left.
pub(crate) fn nothing_kept(output: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("nothing could be kept, and {output} was not written"))
}
