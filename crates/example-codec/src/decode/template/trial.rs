//! Decoders that try templates at each record, or at none, so that tests can compare what both make of records.

use arrow_array::RecordBatch;
use tfxio_core::{Origin, RecordDecoder};

use super::Templates;
use crate::Error;
use crate::decode::core::Core;
use crate::decode::options::{ExampleDecoderBuilder, OffsetWidth};
use crate::decode::store::Offset;

/// Selection of the records that a decoder tries to decode by a template.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trials {
    /// Each, without a pause after one that was not taken; in the order of the steps where names come in an order.
    Each,
    /// The same in any order: each entry is looked up by its name.
    EachByName,
    /// None: all are decoded in two passes.
    Never,
}

/// Method by which a record was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// By a template.
    Template,
    /// In two passes, after a template did not take it.
    Redone,
    /// In two passes at once.
    TwoPasses,
}

/// An [`ExampleDecoder`](crate::ExampleDecoder) whose use of templates is decided by the caller.
pub struct TrialDecoder {
    core: Box<dyn Tried>,
    trials: Trials,
    way: Way,
}

/// A decoder of either width of offsets.
trait Tried: RecordDecoder {
    fn templates(&mut self) -> &mut Templates;

    /// Returns the number of records that were decoded in two passes.
    fn walked(&self) -> u32;
}

impl<O: Offset> Tried for Core<O> {
    fn templates(&mut self) -> &mut Templates {
        &mut self.templates
    }

    fn walked(&self) -> u32 {
        self.walk.stamp
    }
}

impl TrialDecoder {
    /// Makes a decoder.
    ///
    /// # Errors
    /// Those of [`ExampleDecoderBuilder::build`].
    pub fn new(builder: ExampleDecoderBuilder, trials: Trials) -> Result<Self, Error> {
        let core: Box<dyn Tried> = match builder.offsets {
            OffsetWidth::Bits32 => Box::new(Core::<i32>::new(builder)?),
            OffsetWidth::Bits64 => Box::new(Core::<i64>::new(builder)?),
        };
        Ok(Self { core, trials, way: Way::TwoPasses })
    }

    /// Appends a record as one row.
    ///
    /// # Errors
    /// Those of [`ExampleDecoder::push`](crate::ExampleDecoder::push).
    pub fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        let (ordered, scattered) = match self.trials {
            Trials::Each => (0, 0),
            Trials::EachByName => (u32::MAX, 0),
            Trials::Never => (u32::MAX, u32::MAX),
        };
        let templates = self.core.templates();
        (templates.ordered.pause, templates.scattered.pause) = (ordered, scattered);
        let walked = self.core.walked();
        let result = self.core.push(record, origin);
        self.way = if self.core.walked() == walked {
            Way::Template
        } else if self.is_pausing() {
            Way::Redone
        } else {
            Way::TwoPasses
        };
        result
    }

    /// Returns whether the record before was tried and not taken.
    fn is_pausing(&mut self) -> bool {
        let trials = self.trials;
        let templates = self.core.templates();
        match trials {
            Trials::Each => templates.ordered.pause > 0 || templates.scattered.pause > 0,
            Trials::EachByName => templates.scattered.pause > 0,
            Trials::Never => false,
        }
    }

    /// Returns how the last record was decoded.
    #[must_use]
    pub fn way(&self) -> Way {
        self.way
    }

    /// Returns the number of rows since the last flush.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.core.rows()
    }

    /// Returns the rows since the last flush as a batch.
    ///
    /// # Errors
    /// Those of [`ExampleDecoder::flush`](crate::ExampleDecoder::flush).
    pub fn flush(&mut self) -> Result<RecordBatch, Error> {
        self.core.flush()
    }
}

impl std::fmt::Debug for TrialDecoder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TrialDecoder").field("trials", &self.trials).finish_non_exhaustive()
    }
}
