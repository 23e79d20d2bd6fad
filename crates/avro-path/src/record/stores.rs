//! All that grows while data are read: buffers by their numbers, so that a plan can be shared by decoders.

use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer, ToByteSlice};

use crate::buffers::{Binary, Bits, Ends, Offset, Strings, Values};
use crate::walk::Sink;

/// How many buffers of each kind a plan needs.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) values: usize,
    pub(super) bits: usize,
    pub(super) ends: usize,
    pub(super) binaries: usize,
    pub(super) strings: usize,
}

/// The buffers of a decoder.
#[derive(Debug)]
pub(super) struct Stores<O> {
    /// Numbers and fixed bytes.
    pub(super) values: Vec<Values>,
    /// Booleans, and which entries are not null.
    pub(super) bits: Vec<Bits>,
    /// Where lists end.
    pub(super) ends: Vec<Ends<O>>,
    pub(super) binaries: Vec<Binary<O>>,
    pub(super) strings: Vec<Strings<O>>,
    /// Offsets of lists of one item each: 0, 1, 2, …; shared by all columns of a batch that need them.
    ones: Buffer,
}

impl<O: Offset> Stores<O> {
    pub(super) fn new(counts: Counts) -> Self {
        Self {
            values: (0..counts.values).map(|_| Values::default()).collect(),
            bits: (0..counts.bits).map(|_| Bits::default()).collect(),
            ends: (0..counts.ends).map(|_| Ends::default()).collect(),
            binaries: (0..counts.binaries).map(|_| Binary::default()).collect(),
            strings: (0..counts.strings).map(|_| Strings::default()).collect(),
            ones: Buffer::from(Vec::<u8>::new()),
        }
    }

    /// Takes back everything.
    pub(super) fn clear(&mut self) {
        self.values.iter_mut().for_each(|values| values.truncate(0));
        self.bits.iter_mut().for_each(|bits| bits.truncate(0));
        self.ends.iter_mut().for_each(|ends| ends.truncate(0));
        self.binaries.iter_mut().for_each(|binary| binary.truncate(0));
        self.strings.iter_mut().for_each(|strings| strings.truncate(0));
    }

    /// The bytes that are held, and the greatest offset.
    pub(super) fn measure(&self) -> (usize, usize) {
        let values = self.values.iter().map(|values| (values.bytes(), 0));
        let bits = self.bits.iter().map(|bits| (bits.bytes(), 0));
        let ends = self.ends.iter().map(|ends| (ends.bytes(), ends.last()));
        let binaries = self.binaries.iter().map(|binary| (binary.bytes(), binary.last()));
        let strings = self.strings.iter().map(|strings| (strings.bytes(), strings.last()));
        let all = values.chain(bits).chain(ends).chain(binaries).chain(strings);
        all.fold((0, 0), |(sum, most), (bytes, last)| (sum + bytes, last.max(most)))
    }

    /// The offsets of so many lists of one item each.
    pub(super) fn ones(&mut self, count: usize) -> OffsetBuffer<O> {
        if self.ones.len() / size_of::<O>() <= count {
            let mut values = Values::default();
            (0..=count).for_each(|end| values.push(O::usize_as(end)));
            self.ones = values.finish();
        }
        OffsetBuffer::new(ScalarBuffer::new(self.ones.clone(), 0, count + 1))
    }
}

impl<O: Offset> Sink for Stores<O> {
    type Texts = Strings<O>;

    #[inline(always)]
    fn number<T: ToByteSlice>(&mut self, column: usize, value: T) {
        self.values[column].push(value);
    }

    #[inline(always)]
    fn texts(&mut self, column: usize) -> &mut Strings<O> {
        &mut self.strings[column]
    }
}
