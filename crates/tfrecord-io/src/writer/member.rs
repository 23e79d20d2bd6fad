//! Members of gzip files, compressed apart from the writer.

use flate2::{Compress, Compression as Level, FlushCompress};

use super::sink::deflate;
use crate::Result;
use crate::compression::members;

/// Room for header, trailer and heads of blocks, beside the compressed bytes.
const ROOM: usize = 1024;

/// Compresses frames to gzip members, one after the other, on any thread.
///
/// ```
/// use tfrecord_io::writer::MemberEncoder;
/// use tfrecord_io::{Compression, Reader, Writer, frame};
///
/// let mut frames = Vec::new();
/// frame::append(&mut frames, b"payload");
/// let member = MemberEncoder::new(6).encode(&frames, 1)?;
///
/// let mut writer = Writer::builder(Vec::new()).compression(Compression::Gzip).build()?;
/// writer.write_member(&member)?;
/// assert_eq!(Reader::new(&writer.finish()?[..]).into_records().count(), 1);
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Debug)]
pub struct MemberEncoder {
    state: Compress,
    out: Vec<u8>,
}

impl MemberEncoder {
    /// Returns an encoder with a level from 0 to 9; higher ones are taken as 9.
    #[must_use]
    pub fn new(level: u32) -> Self {
        Self { state: Compress::new(Level::new(level.min(9)), false), out: Vec::new() }
    }

    /// Compresses whole frames, as [`frame::append`](crate::frame::append) makes them, and how many records they are. They are
    /// not checked.
    ///
    /// # Errors
    ///
    /// None that is known: compressing in memory has nothing to fail with.
    pub fn encode(&mut self, frames: &[u8], records: u64) -> Result<GzipMember> {
        let stored = self.compress(frames, records)?.to_vec();
        Ok(GzipMember { stored, uncompressed_len: frames.len() as u64, records })
    }

    /// As [`encode`](Self::encode), in memory that the next call uses again.
    pub(super) fn compress(&mut self, frames: &[u8], records: u64) -> Result<&[u8]> {
        self.state.reset();
        self.out.clear();
        // Where the room runs out, zlib-rs forgets the match that it was looking at: the stream would depend on how much room those
        // before it have left. Nine bits a byte are the most that it writes.
        self.out.reserve(frames.len() + frames.len() / 8 + ROOM);
        self.out.extend_from_slice(&[0; members::HEADER_LEN]);
        deflate::run(&mut self.state, frames, &mut self.out, FlushCompress::Finish)?;
        self.out.extend_from_slice(&crc_fast::crc32_iso_hdlc(frames).to_le_bytes());
        // The size modulo 2^32, as RFC 1952 has it.
        self.out.extend_from_slice(&(frames.len() as u32).to_le_bytes());
        let header = members::encode_header(self.out.len() as u64, frames.len() as u64, records);
        for (stored, byte) in self.out.iter_mut().zip(header) {
            *stored = byte;
        }
        Ok(&self.out)
    }
}

/// A member of a gzip file, as [`MemberEncoder`] makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GzipMember {
    stored: Vec<u8>,
    uncompressed_len: u64,
    records: u64,
}

impl GzipMember {
    /// Returns the bytes in the file.
    #[must_use]
    pub fn stored(&self) -> &[u8] {
        &self.stored
    }

    /// Returns the number of bytes of its frames.
    #[must_use]
    pub fn uncompressed_len(&self) -> u64 {
        self.uncompressed_len
    }

    /// Returns the number of its records.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.records
    }
}
