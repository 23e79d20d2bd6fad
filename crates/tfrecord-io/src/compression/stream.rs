//! Push decoder for any compression: compressed bytes in, uncompressed bytes out, no I/O.

use tfxio_base::Count;

use super::{Compression, WrappedDecoder};
use crate::{Error, ErrorKind, Kind, Limits, Result};

/// Progress of one call of a push decoder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct InflateStep {
    /// Bytes taken from the input.
    pub(crate) consumed: usize,
    /// Bytes appended to the output.
    pub(crate) produced: usize,
}

/// Failure that an inflater cannot continue from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt {
    /// Error message.
    pub(crate) what: String,
    /// Progress of the call before the failure, as far as known. Its output is good as far as can be told.
    pub(crate) before: InflateStep,
    /// Whether the data are whole, but other bytes follow their end.
    pub(crate) trailing: bool,
}

/// Decompresses a stream of members or of one member.
#[derive(Debug)]
pub(crate) struct StreamDecoder {
    codec: Box<WrappedDecoder>,
    limits: Limits,
    consumed: u64,
    produced: u64,
    /// Failure that ended decoding, reported once the output before it was handed over.
    failure: Option<Failure>,
}

/// Cause of an error, which is made anew for each further call.
#[derive(Clone, Debug)]
struct Failure {
    /// Kind of the damage; `None` if a limit was reached.
    kind: Option<Kind>,
    what: String,
    hint: &'static str,
}

impl StreamDecoder {
    /// Returns a decoder for `compression`; `None` if nothing is to be decoded.
    ///
    /// # Errors
    ///
    /// [`Kind::CompressionUnsupported`] if this build cannot.
    pub(crate) fn new(compression: Compression, limits: Limits) -> Result<Option<Self>> {
        Ok(WrappedDecoder::new(compression)?.map(|codec| Self::over(codec, limits)))
    }

    /// Returns a decoder for one member of a gzip file: a call of [`decode`](Self::decode) does not go beyond its end.
    #[cfg(feature = "gzip")]
    pub(crate) fn one_member(limits: Limits) -> Self {
        Self::over(WrappedDecoder::one_member(), limits)
    }

    fn over(codec: WrappedDecoder, limits: Limits) -> Self {
        Self { codec: Box::new(codec), limits, consumed: 0, produced: 0, failure: None }
    }

    /// Returns whether a gzip member has ended and no other has begun.
    pub(crate) fn is_between_members(&self) -> bool {
        self.codec.is_between()
    }

    /// Takes from `input` and writes to `out[filled..]`, until one of them is used up.
    ///
    /// # Errors
    ///
    /// [`Kind::Decompress`], [`Kind::TrailingBytes`] or [`LimitExceeded`](crate::ErrorKind::LimitExceeded); the
    /// position is the offset among the compressed bytes. The output before the damage comes first; then every call
    /// gives the error.
    pub(crate) fn decode(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<InflateStep> {
        if let Some(failure) = &self.failure {
            return Err(self.error(failure));
        }
        // One byte beyond the limit at most, so that the room of the caller does not matter.
        let left = self.limits.decompressed_bytes.saturating_sub(self.produced).saturating_add(1);
        let end = filled.saturating_add(usize::try_from(left).unwrap_or(usize::MAX)).min(out.len());
        let out = out.get_mut(..end).unwrap_or_default();
        let step = match self.codec.decode(input, out, filled) {
            Ok(step) => step,
            Err(corrupt) => {
                let (kind, hint) = match corrupt.trailing {
                    true => (
                        Kind::TrailingBytes,
                        "cut the file off at this byte if they do not belong to it, or copy it again: a damaged part of the data \
                         looks the same",
                    ),
                    false => (
                        Kind::Decompress,
                        "the file is damaged; copy it again, or salvage the records before this",
                    ),
                };
                self.failure = Some(Failure { kind: Some(kind), what: corrupt.what, hint });
                corrupt.before
            }
        };
        self.consumed = self.consumed.saturating_add(step.consumed as u64);
        self.produced = self.produced.saturating_add(step.produced as u64);
        if self.failure.is_none() {
            self.failure = self.beyond_limits();
        }
        match &self.failure {
            Some(failure) if step.produced == 0 => Err(self.error(failure)),
            _ => Ok(step),
        }
    }

    /// Checks that the input, which has ended, is complete.
    ///
    /// # Errors
    ///
    /// [`Kind::Truncated`] if it ended inside a stream.
    pub(crate) fn finish(&self) -> Result<()> {
        let Some(inside) = self.codec.unfinished() else { return Ok(()) };
        Err(Error::new(Kind::Truncated, format!("the input ends inside {inside}"))
            .help(
                "the file was not written or copied to its end; copy it again, or salvage the records before this",
            )
            .at_stored_byte(self.consumed))
    }

    fn beyond_limits(&self) -> Option<Failure> {
        // Every stream may have a mebibyte: ratios of short streams say nothing.
        let most = self.consumed.saturating_mul(self.limits.decompression_ratio).saturating_add(1 << 20);
        let (what, hint) = if self.produced > self.limits.decompressed_bytes {
            let limit = self.limits.decompressed_bytes;
            (
                format!("the compressed input becomes more than {}, the limit", Count::of(limit, "byte")),
                "raise `decompressed_bytes` if the file is to be trusted",
            )
        } else if self.produced > most {
            let ratio = self.limits.decompression_ratio;
            (
                format!("the compressed input grows more than {}, the limit", Count::of(ratio, "time")),
                "raise `decompression_ratio` if the file is to be trusted",
            )
        } else {
            return None;
        };
        Some(Failure { kind: None, what, hint })
    }

    fn error(&self, failure: &Failure) -> Error {
        let error = match failure.kind {
            Some(kind) => Error::new(kind, &failure.what),
            None => Error::new(ErrorKind::LimitExceeded, &failure.what),
        };
        error.help(failure.hint).at_stored_byte(self.consumed)
    }
}
