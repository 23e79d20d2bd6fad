//! The seam behind which inflaters sit: raw deflate (RFC 1951) only. Wrappers, checksums and limits stand around it.
//!
//! # What was compared, and what was chosen
//!
//! A file of 205 MB of tf.Example records in one gzip member of 38 MB, as TensorFlow writes it; one core of a Xeon
//! (Sapphire Rapids), uncompressed bytes a second, best of several runs:
//!
//! | inflater | MB/s | kind |
//! | --- | --- | --- |
//! | zune-inflate 0.2, without checksum | 940 | whole buffers only, Rust |
//! | zlib-rs 0.6 (through flate2), with CRC-32 | 940 | streaming, Rust |
//! | fdeflate 0.3, without checksum | 1,160 | streaming, Rust, zlib only |
//! | ours, with CRC-32, and framing into batches | 1,140 | streaming, Rust |
//! | ISA-L (isal-rs 0.5), with CRC-32 | 1,480 | streaming, C and assembler |
//! | libdeflate 1.26, with CRC-32 | 1,670 | whole buffers only, C |
//!
//! *Streams of unknown size* (every gzip file of other writers, every zlib file) go through ours: with framing and all
//! checksums 1,080 MB/s against 880 with zlib-rs, and no C compiler is needed. ISA-L is faster still, but its binding
//! needs nasm, autoconf, automake and libtool to be built, and its safe interface does not tell how much input a stream
//! has used: not worth that to most users.
//! *Whole members of known size* (what our writer makes, see [`super::members`]) go through libdeflate when the feature
//! of that name is on. *Writing* is zlib-rs.

use super::stream::Step;

/// What an inflater cannot go on from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Corrupt {
    /// What is wrong.
    pub(crate) what: String,
    /// What the call did before, as far as is known: bytes that came out are good as far as anybody can tell.
    pub(crate) before: Step,
}

impl Corrupt {
    pub(crate) fn new(what: impl Into<String>, before: Step) -> Self {
        Self { what: what.into(), before }
    }

    /// The same, found by a part of a call that had done `earlier` before.
    pub(crate) fn after(self, earlier: Step) -> Self {
        let before = Step {
            consumed: self.before.consumed + earlier.consumed,
            produced: self.before.produced + earlier.produced,
        };
        Self { before, ..self }
    }
}

/// A streaming inflater.
pub(crate) trait Inflate {
    /// Takes from `input`, writes to `out[filled..]`. The bytes before `filled` are those that came out before, as
    /// many as [`HISTORY`] of them if there were as many.
    ///
    /// Ends when the input is used up, the output is full, or the stream has ended.
    fn inflate(&mut self, input: &[u8], out: &mut [u8], filled: usize) -> Result<Step, Corrupt>;

    /// Whether the stream has ended; further input belongs to something else.
    fn is_done(&self) -> bool;

    /// Starts a new stream.
    fn reset(&mut self);
}

mod table;
mod windowed;
#[cfg(test)]
mod zlib_rs;

#[cfg(test)]
mod tests;

/// The inflater of this build.
pub(crate) type Inflater = windowed::Windowed;

/// The history that [`Inflater`] wants before `filled`.
pub(crate) const HISTORY: usize = windowed::HISTORY;
