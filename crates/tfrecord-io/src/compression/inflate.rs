//! Interface of the inflater: raw deflate (RFC 1951) only. Wrappers, checksums and limits are added around it, so that
//! another inflater means another body of [`Inflater`] and nothing else.
//!
//! # Choice of the inflater
//!
//! A file of 205 MB of tf.Example records in one gzip member of 38 MB, as TensorFlow writes it; one core of a Xeon
//! (Sapphire Rapids), uncompressed bytes a second, best of several runs, without framing:
//!
//! | inflater | MB/s | kind |
//! | --- | --- | --- |
//! | zlib-rs 0.6 (through flate2), with CRC-32 | 940 | streaming, Rust |
//! | zune-inflate 0.2 | 950 | whole buffers only, Rust |
//! | fdeflate 0.3 | 1,160 | streaming, Rust, zlib only |
//! | ISA-L 2.31 (isal-rs 0.5), with CRC-32 | 1,480 | streaming, C and assembler |
//! | libdeflate 1.26, with CRC-32 | 1,690 | whole buffers only, C |
//!
//! *Streams of unknown size* (every gzip file of other writers, every zlib file) go through zlib-rs: streaming, well
//! kept, and built with nothing but Rust. ISA-L is half as fast again, but its binding needs nasm, autoconf, automake
//! and libtool to be built, does not tell how much input a stream has used, and covers x86-64 and aarch64 only. An
//! inflater of our own that used the reader's buffer as its window was tried too: a fifth faster than zlib-rs, which
//! is not worth keeping one. *Whole members of known size* (what our writer makes, see [`super::members`]) go through
//! libdeflate when the feature of that name is on. *Writing* is zlib-rs.

use flate2::{Decompress, FlushDecompress, Status};

use super::stream::{Corrupt, InflateStep};

impl Corrupt {
    pub(crate) fn new(what: impl Into<String>, before: InflateStep) -> Self {
        Self { what: what.into(), before, trailing: false }
    }

    /// Returns the failure of bytes that follow the end of the data.
    pub(crate) fn trailing(what: impl Into<String>, before: InflateStep) -> Self {
        Self { trailing: true, ..Self::new(what, before) }
    }

    /// Returns the same, found by a part of a call that had done `earlier` before.
    pub(crate) fn after(self, earlier: InflateStep) -> Self {
        let before = InflateStep {
            consumed: self.before.consumed + earlier.consumed,
            produced: self.before.produced + earlier.produced,
        };
        Self { before, ..self }
    }
}

/// A streaming inflater for one raw deflate stream after the other.
#[derive(Debug)]
pub(crate) struct Inflater {
    state: Decompress,
    done: bool,
}

impl Inflater {
    pub(crate) fn new() -> Self {
        Self { state: Decompress::new(false), done: false }
    }

    /// Takes from `input`, writes to `out[filled..]`. Ends when the input is used up, the output is full, or the
    /// stream has ended.
    pub(crate) fn inflate(
        &mut self,
        input: &[u8],
        out: &mut [u8],
        filled: usize,
    ) -> Result<InflateStep, Corrupt> {
        let Some(out) = out.get_mut(filled..) else { return Ok(InflateStep::default()) };
        if self.done {
            return Ok(InflateStep::default());
        }
        let (before_in, before_out) = (self.state.total_in(), self.state.total_out());
        let status = self.state.decompress(input, out, FlushDecompress::None);
        // Both differences are at most the lengths of the slices.
        let consumed = (self.state.total_in() - before_in) as usize;
        let produced = (self.state.total_out() - before_out) as usize;
        match status {
            Ok(status) => {
                self.done = status == Status::StreamEnd;
                Ok(InflateStep { consumed, produced })
            }
            Err(error) => {
                let what = error.message().unwrap_or("the codes make no sense");
                Err(Corrupt::new(
                    format!("the deflate stream is corrupt: {what}"),
                    InflateStep { consumed, produced },
                ))
            }
        }
    }

    /// Returns whether the stream has ended; further input belongs to something else.
    pub(crate) fn is_done(&self) -> bool {
        self.done
    }

    /// Starts a new stream.
    pub(crate) fn reset(&mut self) {
        self.state.reset(false);
        self.done = false;
    }
}
