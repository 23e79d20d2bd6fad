//! The push decoder under every reader: bytes in, ranges of payloads out.

use std::ops::Range;

use tfxio_base::Count;

use super::{FOOTER_LEN, HEADER_LEN, Header, OVERHEAD, looks_like};
use crate::crc::masked_crc32c;
use crate::{Error, Kind, Limits, Result};

/// Checksums that a reader compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verify {
    /// Checksums of lengths and payloads. The default.
    #[default]
    All,
    /// Checksums of lengths only: a damaged payload goes unnoticed, but framing stays safe.
    Headers,
    /// None. A damaged length is then believed as far as the limits and the end of the input allow.
    None,
}

/// Progress of a call of [`FrameDecoder::decode`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// Index in the given slice of the first frame that was not decoded.
    pub next: usize,
    /// Size in bytes of the frame at `next`, as far as known: at least [`HEADER_LEN`], and exact once its header was
    /// seen. A claim of the input: read towards it, never allocate it at once.
    pub frame_len: usize,
    /// Whether the frame at `next` is damaged: more bytes will not help, and the next call reports it.
    pub damaged: bool,
}

/// Finds the records in a stream of bytes that is handed over in chunks. Does no I/O and copies nothing.
///
/// The caller keeps a buffer, appends what it reads, and calls [`decode`](Self::decode) with it; bytes from
/// [`Progress::next`] stay in the buffer for the next call.
///
/// ```
/// use tfrecord_io::frame::{self, FrameDecoder};
///
/// let mut file = Vec::new();
/// frame::append(&mut file, b"first");
/// frame::append(&mut file, b"second");
///
/// let mut decoder = FrameDecoder::new();
/// let mut payloads = Vec::new();
/// // All but the last byte: one whole record.
/// let progress = decoder.decode(&file[..file.len() - 1], 0, &mut payloads, usize::MAX)?;
/// assert_eq!(&file[payloads[0].clone()], b"first");
/// assert_eq!(progress.next, 21);
/// assert_eq!(progress.frame_len, 22);
/// // The rest.
/// decoder.decode(&file, progress.next, &mut payloads, usize::MAX)?;
/// assert_eq!(&file[payloads[1].clone()], b"second");
/// decoder.finish(&[])?;
/// # Ok::<(), tfrecord_io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FrameDecoder {
    verify: Verify,
    record_bytes: u64,
    offset: u64,
    index: u64,
    end: u64,
    starts_file: bool,
}

impl Default for FrameDecoder {
    fn default() -> Self {
        Self::new()
    }
}

impl FrameDecoder {
    /// Returns a decoder at the start of a file that compares all checksums and takes records of up to 2 GiB − 1.
    pub fn new() -> Self {
        Self {
            verify: Verify::All,
            record_bytes: Limits::default().record_bytes,
            offset: 0,
            index: 0,
            end: u64::MAX,
            starts_file: true,
        }
    }

    /// Chooses the checksums to compare. Default: [`Verify::All`].
    pub fn verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the maximum length of a payload in bytes. Default: 2 GiB − 1.
    pub fn record_bytes(mut self, max: u64) -> Self {
        self.record_bytes = max;
        self
    }

    /// Starts at `offset` of the stream instead of 0. Record numbers still start at 0.
    pub fn start(mut self, offset: u64) -> Self {
        self.offset = offset;
        self.starts_file = offset == 0;
        self
    }

    /// Starts again at `offset` of the stream, with the records whose header starts before `end`. Their numbers start at 0.
    pub(crate) fn restart(&mut self, offset: u64, end: u64) {
        (self.offset, self.index, self.end) = (offset, 0, end);
        self.starts_file = offset == 0;
    }

    /// Decodes only records whose header starts before `end`, an offset in the stream. Default: no end.
    pub fn end(mut self, end: u64) -> Self {
        self.end = end;
        self
    }

    /// Returns the offset in the stream of the next record's header.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Returns the number of the next record, which is also the count of those decoded.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Appends to `payloads` the ranges in `data` of the payloads of whole frames from `data[from]` on, until the data
    /// ends, `max_records` were appended, the decoder's end is reached, or a frame is damaged.
    ///
    /// `data[from]` must be the byte at [`offset`](Self::offset) of the stream.
    ///
    /// # Errors
    ///
    /// A damaged frame is an error only when it is the first one of the call; otherwise the call ends before it, and
    /// the next call reports it. So no good record before a bad one is lost. The decoder does not move past it: every
    /// further call gives the same error. Kinds: [`Kind::HeaderCrc`], [`Kind::PayloadCrc`],
    /// [`Kind::RecordTooLong`], and [`Kind::NotTfRecord`] for a first header that does not fit.
    pub fn decode(
        &mut self,
        data: &[u8],
        from: usize,
        payloads: &mut Vec<Range<usize>>,
        max_records: usize,
    ) -> Result<Progress> {
        let mut next = from;
        let mut frame_len = HEADER_LEN;
        let mut decoded = 0;
        let mut failed = false;
        // Frames that start at or after `stop` belong to another range.
        let stop =
            usize::try_from(self.end.saturating_sub(self.offset)).unwrap_or(usize::MAX).saturating_add(from);
        while decoded < max_records && next < stop {
            let Some((header, rest)) =
                data.get(next..).and_then(|data| data.split_first_chunk::<HEADER_LEN>())
            else {
                frame_len = HEADER_LEN;
                break;
            };
            let Some(length) = self.accept(header) else {
                failed = true;
                break;
            };
            // `accept` has made sure that this cannot overflow.
            frame_len = length + OVERHEAD;
            let Some((payload, behind)) = rest.split_at_checked(length) else { break };
            let Some(footer) = behind.first_chunk::<FOOTER_LEN>() else { break };
            if self.verify == Verify::All && masked_crc32c(payload) != u32::from_le_bytes(*footer) {
                failed = true;
                break;
            }
            let start = next + HEADER_LEN;
            payloads.push(start..start + length);
            next += frame_len;
            frame_len = HEADER_LEN;
            decoded += 1;
        }
        if failed && decoded == 0 {
            return Err(self.explain(data.get(next..).unwrap_or_default()));
        }
        self.offset = self.offset.saturating_add((next - from) as u64);
        self.index += decoded as u64;
        Ok(Progress { next, frame_len, damaged: failed })
    }

    /// Decodes the one frame at the start of `data`: its payload, or `None` if `data` ends
    /// before the frame does.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    #[inline]
    pub fn decode_one<'a>(&mut self, data: &'a [u8]) -> Result<Option<&'a [u8]>> {
        let Some((header, rest)) = data.split_first_chunk::<HEADER_LEN>() else { return Ok(None) };
        let Some(length) = self.accept(header) else { return Err(self.explain(data)) };
        let Some((payload, behind)) = rest.split_at_checked(length) else { return Ok(None) };
        let Some(footer) = behind.first_chunk::<FOOTER_LEN>() else { return Ok(None) };
        if self.verify == Verify::All && masked_crc32c(payload) != u32::from_le_bytes(*footer) {
            return Err(self.explain(data));
        }
        self.offset = self.offset.saturating_add((length + OVERHEAD) as u64);
        self.index += 1;
        Ok(Some(payload))
    }

    /// Checks that the input ends at the end of a record: `rest` are the bytes after the last whole frame.
    ///
    /// # Errors
    ///
    /// [`Kind::Truncated`] if `rest` is not empty: the input ends inside a record. [`Kind::NotTfRecord`]
    /// when that rest is the whole input and looks like a file of another kind.
    pub fn finish(&self, rest: &[u8]) -> Result<()> {
        if rest.is_empty() {
            return Ok(());
        }
        let have = rest.len();
        let are = Count::of(have, "byte").verb("is", "are");
        let what = match rest.first_chunk::<HEADER_LEN>() {
            None => match looks_like(rest) {
                Some(name) if self.starts_file && self.index == 0 => return Err(self.foreign(name)),
                _ => {
                    format!(
                        "the input ends inside a record's header: {have} of {HEADER_LEN} bytes {are} there"
                    )
                }
            },
            Some(header) => {
                let length = Header::read(header).claimed_length();
                let all = u128::from(length) + OVERHEAD as u128;
                format!("the input ends inside a record: {have} of {all} bytes {are} there")
            }
        };
        Err(self
            .here(Kind::Truncated, what)
            .help("the file was not written or copied to its end; copy it again, or salvage the records before this"))
    }

    /// Returns the length that a header gives, if it can be believed and fits the limits.
    #[inline]
    fn accept(&self, header: &[u8; HEADER_LEN]) -> Option<usize> {
        let header = Header::read(header);
        let length = match self.verify {
            Verify::None => header.claimed_length(),
            Verify::All | Verify::Headers => header.checked_length()?,
        };
        if length > self.record_bytes {
            return None;
        }
        let length = usize::try_from(length).ok()?;
        length.checked_add(OVERHEAD).map(|_| length)
    }

    /// Returns the error for the frame at the start of `data`, which was found to be damaged. Not in the hot path.
    #[cold]
    fn explain(&self, data: &[u8]) -> Error {
        let Some(bytes) = data.first_chunk::<HEADER_LEN>() else {
            return self.here(Kind::Truncated, "the input ends inside a record's header");
        };
        let header = Header::read(bytes);
        let length = header.claimed_length();
        if header.checked_length().is_none() && self.verify != Verify::None {
            if self.starts_file && self.index == 0 {
                if let Some(name) = looks_like(data) {
                    return self.foreign(name);
                }
                // Nothing known. A length of a petabyte or so cannot be a damaged header of a real record.
                if length >> 50 != 0 {
                    return self
                        .here(
                            Kind::NotTfRecord,
                            "this is not a TFRecord file: its first 12 bytes are not a record's header",
                        )
                        .help("check what the file holds; if it should be TFRecord, its start is damaged");
                }
            }
            return self
                .here(
                    Kind::HeaderCrc,
                    format!("the checksum of the record's length ({length}) does not match, so the length is not to be trusted"),
                )
                .help("the file is damaged here; salvage mode finds the next good record");
        }
        if length > self.record_bytes
            || usize::try_from(length).ok().and_then(|l| l.checked_add(OVERHEAD)).is_none()
        {
            let limit = self.record_bytes;
            return self
                .here(
                    Kind::RecordTooLong,
                    format!("the record claims {}; the limit is {limit}", Count::of(length, "byte")),
                )
                .help("raise `record_bytes` if such records are real");
        }
        payload_damaged(length).at_byte(self.offset).at_record(self.index)
    }

    fn foreign(&self, name: &str) -> Error {
        not_tfrecord(name).at_byte(self.offset).at_record(self.index)
    }

    fn here(&self, kind: Kind, what: impl Into<String>) -> Error {
        Error::new(kind, what).at_byte(self.offset).at_record(self.index)
    }
}

#[cold]
pub(crate) fn not_tfrecord(name: &str) -> Error {
    if matches!(name, "a gzip stream" | "a zlib stream") {
        return Error::new(Kind::NotTfRecord, format!("the records are compressed: the file begins like {name}"))
            .help("read them with `Reader`, which detects it; a compressed file is not cut by bytes, but by an index");
    }
    Error::new(Kind::NotTfRecord, format!("this is not a TFRecord file: it begins like {name}"))
        .help("give it to a reader of that format, or convert it first")
}

/// Returns the error for a payload whose checksum does not match, without its position.
#[cold]
pub(crate) fn payload_damaged(length: u64) -> Error {
    let what = format!(
        "the checksum of the record's payload ({}) does not match: the payload is damaged",
        Count::of(length, "byte")
    );
    Error::new(Kind::PayloadCrc, what).help("copy the file again, or salvage the other records")
}
