//! Progress of a loader: the contents of a saved state.

use serde::{Deserialize, Serialize};

use crate::anomaly::Anomaly;
use crate::state::{ItemPositions, LoaderState, Settings, VERSION};

/// Position of an example.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemPosition {
    /// The part.
    pub(crate) part: u32,
    /// The step of the first record at which it begins; 0 unless it is a window of a continuous sequence.
    pub(crate) step: u32,
    /// Its length: rows, or steps of a continuous sequence.
    pub(crate) len: u32,
    /// Number of records from its first to its last, including records without steps and records that were left out.
    pub(crate) records: u32,
    /// The number of the first record.
    pub(crate) record: u64,
    /// The byte at which that begins.
    pub(crate) byte: u64,
}

/// A change of the shuffle buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BufferChange {
    /// An example came in, at the end.
    Push(ItemPosition),
    /// The example in this slot went out; the last takes its slot.
    Remove(u32),
}

/// Progress in one open part. Saved as its numbers, in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "[u64; 6]", try_from = "[u64; 6]")]
pub(crate) struct PartProgress {
    pub(crate) part: u32,
    /// The record with which the next example begins, and its byte.
    pub(crate) record: u64,
    pub(crate) byte: u64,
    /// The step of it at which the next window begins. It may be after the record's end.
    pub(crate) step: u64,
    /// Windows that were cut from it; for a record, its position among this part's.
    pub(crate) cut: u64,
    /// Number of random numbers drawn from its stream of lengths.
    pub(crate) draws: u64,
}

impl From<PartProgress> for [u64; 6] {
    fn from(PartProgress { part, record, byte, step, cut, draws }: PartProgress) -> Self {
        [u64::from(part), record, byte, step, cut, draws]
    }
}

impl TryFrom<[u64; 6]> for PartProgress {
    type Error = std::num::TryFromIntError;

    fn try_from([part, record, byte, step, cut, draws]: [u64; 6]) -> Result<Self, Self::Error> {
        Ok(Self { part: u32::try_from(part)?, record, byte, step, cut, draws })
    }
}

/// Progress of a loader between two batches. It is saved as it is; the order of the fields, which are sorted by name,
/// is that of the checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    /// Schema violations of the examples of these batches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) anomalies: Vec<Anomaly>,
    /// Batches that were given to the consumer.
    pub(crate) batches: u64,
    /// Number of blocks, of streams, and of examples in a window, in an order of blocks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) blocks: Option<[u64; 3]>,
    /// Examples that wait in the buckets by length, or in rows that are packed.
    pub(crate) buckets: Vec<ItemPositions>,
    /// The shuffle buffer, slot by slot.
    pub(crate) buffer: ItemPositions,
    /// The hash of the JSON text of all of it, without blanks, with an empty checksum. Not in the first version.
    #[serde(default)]
    pub(crate) checksum: String,
    #[serde(rename = "data_set")]
    pub(crate) settings: Settings,
    /// Whether the epoch has no more examples to read.
    pub(crate) drained: bool,
    /// Random numbers drawn from the stream that chooses slots of the shuffle buffer, or the data sets of a mixture.
    pub(crate) draws: u64,
    pub(crate) epoch: u64,
    /// Examples of this epoch so far, over all batches.
    pub(crate) examples: u64,
    pub(crate) format: String,
    /// Progress of the data sets of a mixture; empty for one data set.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) mixed: Vec<LoaderState>,
    /// The slots of the files that are open at once.
    pub(crate) open: Vec<Option<PartProgress>>,
    /// Number of files of the epoch's order that have been opened.
    pub(crate) opened: u64,
    /// The position in a global order.
    pub(crate) position: u64,
    pub(crate) seed: u64,
    /// Number of steps of the waiting example that were given out, where examples are split over rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) split: u64,
    /// The slot whose turn is next.
    pub(crate) turn: u32,
    /// The version of the settings.
    pub(crate) version: u32,
}

/// Changes of a batch to a loader's progress.
#[derive(Clone, Debug, Default)]
pub(crate) struct BatchStep {
    /// Changes of the shuffle buffer, and the progress, of each data set.
    pub(crate) read: Vec<(Vec<BufferChange>, Progress)>,
    /// Examples that wait in the buckets by length, or in rows that are packed.
    pub(crate) buckets: Vec<ItemPositions>,
    /// Number of steps of the waiting example that were given out, where examples are split.
    pub(crate) split: u64,
    /// Random numbers drawn from the stream that chooses the data sets of a mixture.
    pub(crate) draws: u64,
    /// The epoch of the example read last.
    pub(crate) epoch: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Progress {
    /// Notes the owner of the progress: the seed and the settings of the loader, and the settings of its data sets.
    pub(crate) fn belongs_to(
        &mut self,
        seed: u64,
        settings: Settings,
        mut data_sets: impl ExactSizeIterator<Item = (u64, Settings, Option<[u64; 3]>)>,
    ) {
        (self.version, self.seed, self.settings) = (VERSION, seed, settings);
        if data_sets.len() > 1 {
            self.mixed.resize_with(data_sets.len(), || LoaderState(Self::default()));
            for (state, (seed, settings, blocks)) in self.mixed.iter_mut().zip(data_sets) {
                state.0.belongs_to(seed, settings, std::iter::empty());
                state.0.blocks = blocks;
            }
        } else if let Some((_, settings, blocks)) = data_sets.next() {
            (self.settings, self.blocks) = (settings, blocks);
        }
    }

    /// Notes that the data sets were read to their ends.
    pub(crate) fn end_at(&mut self, ends: &[u64]) {
        if self.mixed.is_empty() {
            self.position = ends.iter().copied().fold(self.position, u64::max);
        }
        for (state, end) in self.mixed.iter_mut().zip(ends) {
            state.0.position = state.0.position.max(*end);
        }
    }

    /// Notes that one batch more was given to the consumer.
    pub(crate) fn apply(&mut self, step: BatchStep) {
        if self.mixed.is_empty() {
            step.read.into_iter().for_each(|(changes, now)| self.read_on(changes, now));
        } else {
            self.draws = step.draws;
            for (state, (changes, now)) in self.mixed.iter_mut().zip(step.read) {
                state.0.read_on(changes, now);
            }
        }
        (self.buckets, self.split) = (step.buckets, step.split);
        self.batches = self.batches.saturating_add(1);
    }

    /// Notes how far a data set has been read.
    fn read_on(&mut self, changes: Vec<BufferChange>, now: Self) {
        for change in changes {
            match change {
                BufferChange::Push(position) => self.buffer.0.push(position),
                BufferChange::Remove(slot) => {
                    let slot = slot as usize;
                    if slot < self.buffer.0.len() {
                        self.buffer.0.swap_remove(slot);
                    }
                }
            }
        }
        let Self { drained, draws, epoch, examples, open, opened, position, turn, .. } = now;
        (self.drained, self.draws, self.epoch, self.examples) = (drained, draws, epoch, examples);
        (self.open, self.opened, self.position, self.turn) = (open, opened, position, turn);
    }
}
