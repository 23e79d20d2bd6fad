//! Growing buffers by their numbers, so that a plan can be shared by decoders.

use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use super::op::Entry;
use super::slot::Slot;
use crate::buffers::{Binary, Bits, Ends, Nulls, Offset, Values};

/// Number of buffers of each kind that a plan needs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    pub(crate) values: usize,
    pub(crate) bits: usize,
    pub(crate) ends: usize,
    pub(crate) binaries: usize,
    pub(crate) nulls: usize,
    /// Values that filters compare.
    pub(crate) slots: usize,
    /// Counts of items.
    pub(crate) counters: usize,
}

/// The buffers of a decoder.
#[derive(Debug)]
pub(crate) struct Stores<O> {
    /// Numbers and fixed bytes.
    pub(crate) values: Vec<Values>,
    /// Booleans, and validity bits.
    pub(crate) bits: Vec<Bits>,
    /// Ends of lists.
    pub(crate) ends: Vec<Ends<O>>,
    /// Bytes and strings.
    pub(crate) binaries: Vec<Binary<O>>,
    /// Null entries, by their numbers.
    pub(crate) nulls: Vec<Nulls>,
    /// Values that filters compare.
    pub(crate) slots: Vec<Slot>,
    /// Counts of picked items of arrays and maps.
    pub(crate) counters: Vec<u64>,
    /// Offsets of lists of one item each: 0, 1, 2, …; shared by all columns of a batch that need them.
    ones: Buffer,
}

impl<O: Offset> Stores<O> {
    pub(crate) fn new(counts: Counts) -> Self {
        Self {
            values: (0..counts.values).map(|_| Values::default()).collect(),
            bits: (0..counts.bits).map(|_| Bits::default()).collect(),
            ends: (0..counts.ends).map(|_| Ends::default()).collect(),
            binaries: (0..counts.binaries).map(|_| Binary::default()).collect(),
            slots: vec![Slot::default(); counts.slots],
            counters: vec![0; counts.counters],
            nulls: (0..counts.nulls).map(|_| Nulls::default()).collect(),
            ones: Buffer::from(Vec::<u8>::new()),
        }
    }

    /// Takes back everything.
    pub(crate) fn clear(&mut self) {
        self.values.iter_mut().for_each(|values| values.truncate(0));
        self.bits.iter_mut().for_each(|bits| bits.truncate(0));
        self.ends.iter_mut().for_each(|ends| ends.truncate(0));
        self.binaries.iter_mut().for_each(|binary| binary.truncate(0));
        self.nulls.iter_mut().for_each(|nulls| nulls.truncate(0));
    }

    /// Returns the number of entries of a buffer.
    pub(crate) fn entries(&self, entry: Entry) -> usize {
        match entry {
            Entry::Bit(bits) => self.bits[bits].len(),
            Entry::Zeros(values, 4) => self.values[values].bytes() / 4,
            Entry::Zeros(values, 8) => self.values[values].bytes() / 8,
            Entry::Zeros(values, width) => self.values[values].bytes().checked_div(width).unwrap_or_default(),
            Entry::End(ends) => self.ends[ends].count(),
            Entry::Binary(binary) => self.binaries[binary].count(),
        }
    }

    /// Returns the bytes that are held, and the greatest offset.
    pub(crate) fn measure(&self) -> (usize, usize) {
        let values = self.values.iter().map(|values| (values.bytes(), 0));
        let bits = self.bits.iter().map(|bits| (bits.bytes(), 0));
        let ends = self.ends.iter().map(|ends| (ends.bytes(), ends.last()));
        let binaries = self.binaries.iter().map(|binary| (binary.bytes(), binary.last()));
        let nulls = self.nulls.iter().map(|nulls| (nulls.bytes(), 0));
        let all = values.chain(bits).chain(ends).chain(binaries).chain(nulls);
        all.fold((0, 0), |(sum, most), (bytes, last)| (sum + bytes, last.max(most)))
    }

    /// Returns the offsets of `count` lists of one item each.
    pub(crate) fn ones(&mut self, count: usize) -> OffsetBuffer<O> {
        if self.ones.len() / size_of::<O>() <= count {
            let mut values = Values::default();
            (0..=count).for_each(|end| values.push(O::usize_as(end)));
            self.ones = values.finish();
        }
        OffsetBuffer::new(ScalarBuffer::new(self.ones.clone(), 0, count + 1))
    }
}
