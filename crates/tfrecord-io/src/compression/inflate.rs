//! The seam behind which inflaters sit: raw deflate (RFC 1951) only. Wrappers, checksums and limits are ours.

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
