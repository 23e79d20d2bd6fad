//! How far a loader has come: what a saved state holds.

/// Where an example lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ItemPlace {
    /// The part.
    pub(crate) part: u32,
    /// The step of the first record at which it begins; 0 unless it is a window of a continuous sequence.
    pub(crate) step: u32,
    /// Its length: rows, or steps of a continuous sequence.
    pub(crate) len: u32,
    /// How many records there are from its first to its last, those without steps or left out included.
    pub(crate) records: u32,
    /// The number of the first record.
    pub(crate) record: u64,
    /// The byte at which that begins.
    pub(crate) byte: u64,
}

/// A change of the shuffle buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Change {
    /// An example came in, at the end.
    Push(ItemPlace),
    /// The example in this slot went out; the last takes its slot.
    Remove(u32),
}

/// How far one open part has been read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PartProgress {
    pub(crate) part: u32,
    /// The record with which the next example begins, and its byte.
    pub(crate) record: u64,
    pub(crate) byte: u64,
    /// The step of it at which the next window begins. It may lie after the record's end.
    pub(crate) step: u64,
    /// Windows that were cut from it; for a record, its position among this part's.
    pub(crate) cut: u64,
    /// How far its stream of random lengths is.
    pub(crate) draws: u64,
}

/// How far the files of an epoch have been read, between two batches.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Progress {
    pub(crate) epoch: u64,
    /// How many files of the epoch's order have been opened.
    pub(crate) opened: u64,
    /// The slots of the files that are open at once.
    pub(crate) open: Vec<Option<PartProgress>>,
    /// The slot whose turn is next.
    pub(crate) turn: u32,
    /// Whether the epoch has no more examples to read.
    pub(crate) drained: bool,
    /// How far the stream is from which slots of the shuffle buffer are drawn.
    pub(crate) draws: u64,
    /// Examples of this epoch so far, over all batches.
    pub(crate) examples: u64,
    /// The position in a global order.
    pub(crate) position: u64,
    /// Examples that wait in the buckets by length.
    pub(crate) buckets: Vec<Vec<ItemPlace>>,
}

/// How far the consumer has come.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Committed {
    pub(crate) batches: u64,
    pub(crate) progress: Progress,
    /// The shuffle buffer, slot by slot.
    pub(crate) buffer: Vec<ItemPlace>,
}

/// What a batch changes in [`Committed`].
#[derive(Clone, Debug, Default)]
pub(crate) struct Step {
    pub(crate) changes: Vec<Change>,
    pub(crate) progress: Progress,
    /// The epoch of the example read last.
    pub(crate) epoch: u64,
}

impl Committed {
    /// One batch more was given to the consumer.
    pub(crate) fn apply(&mut self, step: Step) {
        for change in step.changes {
            match change {
                Change::Push(place) => self.buffer.push(place),
                Change::Remove(slot) => {
                    let slot = slot as usize;
                    if slot < self.buffer.len() {
                        self.buffer.swap_remove(slot);
                    }
                }
            }
        }
        self.progress = step.progress;
        self.batches = self.batches.saturating_add(1);
    }
}
