//! Payload totals for `inspect` and `repair`.

use std::io::Read as _;

use crc_fast::{CrcAlgorithm, Digest};
use tfxio_core::{Error, ErrorKind, FactValue, FileReport, FileState, Files, Result, ScanRequest};

/// Sums over the bytes of records.
#[allow(missing_debug_implementations, reason = "a digest has none")]
pub struct PayloadTotals {
    /// Number of records.
    pub records: u64,
    /// Bytes of all records.
    pub bytes: u64,
    /// Bytes of the longest record.
    pub longest: u64,
    crc: Digest,
}

impl Default for PayloadTotals {
    /// Returns totals of no records.
    fn default() -> Self {
        Self { records: 0, bytes: 0, longest: 0, crc: Digest::new(CrcAlgorithm::Crc32IsoHdlc) }
    }
}

impl PayloadTotals {
    /// Adds a record.
    pub fn add(&mut self, payload: &[u8]) {
        self.records += 1;
        self.bytes += payload.len() as u64;
        self.longest = self.longest.max(payload.len() as u64);
        self.crc.update(payload);
    }

    /// Adds payloads without bytes, of which a few bytes can claim billions.
    pub fn add_empty(&mut self, count: u64) {
        self.records = self.records.saturating_add(count);
    }

    /// Returns the CRC-32 (IEEE) of the bytes of all records, one after the other.
    pub fn crc32(&self) -> u32 {
        // The algorithm has 32 bits.
        self.crc.finalize() as u32
    }
}

/// Appends the CRC-32 of all bytes of a local file to a report, for formats that have no checksum of what they hold; nothing
/// for what cannot be read twice, or would be fetched twice.
pub fn add_checksum(report: &mut FileReport, files: &Files, file: &str, request: &ScanRequest) {
    match checksum(files, file, request) {
        Ok(Some(crc)) => {
            *report = std::mem::take(report).fact("crc32_of_file", FactValue::Checksum(crc));
        }
        Ok(None) => {}
        Err(error) => {
            report.state = FileState::NotRead;
            report.errors.push(error);
        }
    }
}

fn checksum(files: &Files, file: &str, request: &ScanRequest) -> Result<Option<u32>> {
    if files.store().local_path(file).is_none() {
        return Ok(None);
    }
    let mut input = files.store().open(file, 0..u64::MAX, &request.cancel)?;
    let mut digest = Digest::new(CrcAlgorithm::Crc32IsoHdlc);
    let mut buffer = vec![0; 1 << 18];
    loop {
        request.cancel.check()?;
        let count = input.read(&mut buffer).map_err(|error| Error::io(error, "reading").in_file(file))?;
        if count == 0 {
            break;
        }
        digest.update(buffer.get(..count).unwrap_or_default());
    }
    // The algorithm has 32 bits.
    Ok(Some(digest.finalize() as u32))
}

/// Returns the error of a repair of which nothing is left.
pub fn nothing_kept(output: &str) -> Error {
    Error::new(ErrorKind::Malformed, format!("nothing could be kept, and {output} was not written"))
}
