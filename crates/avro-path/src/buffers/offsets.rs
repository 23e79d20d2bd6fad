//! Columns with offsets while they grow: lists, bytes, strings.
//!
//! Offsets are made from lengths that are added up, and strings are checked when they come. So Arrow's constructors,
//! which look at all of it once more, would find nothing: they are left out, which saves a seventh of the instructions that
//! a record with many strings takes. Nothing outside of this module can append an offset or a byte of a string.
//!
//! Appending does not check whether an offset overflows: the decoder compares the stored bytes with
//! [`Offset::MAX_OFFSET`](arrow_array::OffsetSizeTrait::MAX_OFFSET), and `finish` fails if there are more.

use std::marker::PhantomData;
use std::sync::Arc;

use arrow_array::{ArrayRef, GenericBinaryArray, GenericStringArray};
use arrow_buffer::{NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::ArrowError;

use super::{Offset, Values};
use crate::datum::{At, ShortText};

/// Offsets of a column: 0, and the end of each entry.
#[derive(Debug)]
struct Offsets<O> {
    values: Values,
    /// Whether an end ever exceeded the maximum offset, so that the offsets have to be validated.
    is_doubtful: bool,
    offset: PhantomData<O>,
}

impl<O: Offset> Default for Offsets<O> {
    fn default() -> Self {
        let mut values = Values::default();
        values.push(O::usize_as(0));
        Self { values, is_doubtful: false, offset: PhantomData }
    }
}

impl<O: Offset> Offsets<O> {
    /// Appends an end that is not before the last one.
    #[inline(always)]
    fn push(&mut self, end: usize) {
        self.values.push(O::usize_as(end));
    }

    /// Returns the number of ends.
    fn count(&self) -> usize {
        // The first offset is there always.
        self.values.bytes() / size_of::<O>() - 1
    }

    /// Removes all but the first `count` entries, of which the last end was `last`, and returns the last end that
    /// remains.
    fn truncate(&mut self, count: usize, last: usize) -> usize {
        self.is_doubtful |= last > O::MAX_OFFSET;
        self.values.truncate((count + 1) * size_of::<O>());
        self.values.typed::<O>().last().map_or(0, |end| end.as_usize())
    }

    /// Returns the offsets, of which the last is `last`, and whether they are certain to be what was pushed.
    fn finish(&mut self, last: usize) -> Result<(OffsetBuffer<O>, bool), ArrowError> {
        let is_doubtful = std::mem::take(&mut self.is_doubtful);
        let ends = self.values.typed::<O>();
        let count = ends.len();
        let is_sorted = !is_doubtful || ends.is_sorted() && ends.first() == Some(&O::usize_as(0));
        let values = ScalarBuffer::new(self.values.finish(), 0, count);
        self.values.push(O::usize_as(0));
        if last > O::MAX_OFFSET || !is_sorted {
            return Err(ArrowError::OffsetOverflowError(last));
        }
        // SAFETY: the first one is 0, which `default` and this function push and `truncate` leaves, and each is as great
        // as the one before: `push` is given sums of lengths, which only `truncate` takes back, down to the end that is
        // then the last. None has wrapped round, since the greatest of them fits, or else they were looked at just now.
        Ok((unsafe { OffsetBuffer::new_unchecked(values) }, !is_doubtful))
    }
}

/// Ends of lists.
#[derive(Debug)]
pub(crate) struct Ends<O> {
    offsets: Offsets<O>,
    last: usize,
}

impl<O: Offset> Default for Ends<O> {
    fn default() -> Self {
        Self { offsets: Offsets::default(), last: 0 }
    }
}

impl<O: Offset> Ends<O> {
    /// Appends the end of a list of `length` items.
    #[inline(always)]
    pub(crate) fn push(&mut self, length: usize) {
        self.last = self.last.saturating_add(length);
        self.offsets.push(self.last);
    }

    /// Returns the ends of lists that have one item where they are not null, and none where they are.
    pub(crate) fn of_ones(&mut self, nulls: &NullBuffer) -> Result<OffsetBuffer<O>, ArrowError> {
        nulls.iter().for_each(|is_valid| self.push(usize::from(is_valid)));
        self.finish()
    }

    /// Returns the number of lists.
    pub(crate) fn count(&self) -> usize {
        self.offsets.count()
    }

    /// Returns the end of the last list.
    pub(crate) fn last(&self) -> usize {
        self.last
    }

    /// Returns the bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.offsets.values.bytes()
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        self.last = self.offsets.truncate(count, self.last);
    }

    /// Returns the offsets, and begins anew.
    ///
    /// # Errors
    /// When the last end exceeds the maximum offset.
    pub(crate) fn finish(&mut self) -> Result<OffsetBuffer<O>, ArrowError> {
        let last = std::mem::take(&mut self.last);
        self.offsets.finish(last).map(|(ends, _)| ends)
    }
}

/// Bytes or strings of all entries one after the other, and the end of each.
#[derive(Debug)]
pub(crate) struct Binary<O> {
    data: Values,
    offsets: Offsets<O>,
    /// Whether some entries may not be strings.
    has_bytes: bool,
}

impl<O: Offset> Default for Binary<O> {
    fn default() -> Self {
        Self { data: Values::default(), offsets: Offsets::default(), has_bytes: false }
    }
}

impl<O: Offset> Binary<O> {
    #[inline]
    pub(crate) fn push_bytes(&mut self, bytes: &[u8]) {
        self.has_bytes = true;
        self.data.extend(bytes);
        self.push_end();
    }

    #[inline]
    pub(crate) fn push_text(&mut self, text: &str) {
        self.data.extend(text.as_bytes());
        self.push_end();
    }

    #[inline(always)]
    pub(crate) fn push_short(&mut self, text: ShortText<'_>) {
        self.data.extend_short(text.chunk(), text.length());
        self.push_end();
    }

    /// Appends consecutive short strings: up to `count`, as long as they are short and there is room for them. Returns
    /// their number, and the end of the last one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn push_shorts(&mut self, count: u64, bytes: At<'_>, mut at: usize) -> (u64, usize) {
        let mut last = self.data.bytes();
        let mut appended = 0;
        let ends = self.offsets.values.free().chunks_exact_mut(size_of::<O>());
        let mut free = self.data.free();
        let wanted = usize::try_from(count).unwrap_or(usize::MAX);
        for end in ends.take(wanted) {
            let Some(text) = bytes.short_text(at) else { break };
            let Some(room) = free.first_chunk_mut() else { break };
            *room = *text.chunk();
            free = free.get_mut(text.length()..).unwrap_or_default();
            last += text.length();
            end.copy_from_slice(O::usize_as(last).to_byte_slice());
            at += 1 + text.length();
            appended += 1;
        }
        self.data.use_free(last - self.data.bytes());
        self.offsets.values.use_free(appended * size_of::<O>());
        (appended as u64, at)
    }

    /// Ends an entry, which has the bytes that were appended since the last one.
    #[inline(always)]
    fn push_end(&mut self) {
        self.offsets.push(self.data.bytes());
    }

    /// Returns the number of entries.
    pub(crate) fn count(&self) -> usize {
        self.offsets.count()
    }

    /// Returns the bytes of all entries.
    pub(crate) fn last(&self) -> usize {
        self.data.bytes()
    }

    /// Returns the bytes of memory in use.
    pub(crate) fn bytes(&self) -> usize {
        self.data.bytes() + self.offsets.values.bytes()
    }

    pub(crate) fn truncate(&mut self, count: usize) {
        let last = self.offsets.truncate(count, self.data.bytes());
        self.data.truncate(last);
    }

    /// Returns the entries as bytes.
    pub(crate) fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        self.has_bytes = false;
        let ends = self.offsets.finish(self.data.bytes());
        let data = self.data.finish();
        Ok(Arc::new(GenericBinaryArray::<O>::try_new(ends?.0, data, nulls)?))
    }

    /// Returns the entries as strings.
    pub(crate) fn finish_strings(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        let has_bytes = std::mem::take(&mut self.has_bytes);
        let ends = self.offsets.finish(self.data.bytes());
        let data = self.data.finish();
        let (ends, are_ends_of_entries) = ends?;
        let is_doubtful = has_bytes || !are_ends_of_entries;
        if is_doubtful || nulls.as_ref().is_some_and(|nulls| nulls.len() + 1 != ends.len()) {
            return Ok(Arc::new(GenericStringArray::<O>::try_new(ends, data, nulls)?));
        }
        // SAFETY: `data` are whole strings, one after the other, since only `push_text` and `push_short` have appended to
        // it since it was empty (`push_bytes` would have set `has_bytes`), and `truncate` leaves whole ones; each offset is
        // the length of the data after a string, the last one that of all. There are as many nulls as entries.
        Ok(Arc::new(unsafe { GenericStringArray::<O>::new_unchecked(ends, data, nulls) }))
    }
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;

    use super::{Binary, Ends};

    #[test]
    fn strings_are_taken_back() {
        let mut strings = Binary::<i32>::default();
        for count in 0..4 {
            for text in ["", "a", "é", "long enough to be no short text"] {
                strings.push_text(text);
            }
            strings.truncate(count);
            strings.push_text("x");
            let array = strings.finish_strings(None).unwrap();
            array.to_data().validate_full().unwrap();
            let found = array.as_string::<i32>().iter().flatten().collect::<Vec<_>>();
            assert_eq!(found, [&["", "a", "é"][..count], &["x"]].concat());
        }
    }

    #[test]
    fn bytes_among_strings_are_looked_at() {
        let mut strings = Binary::<i64>::default();
        for (bytes, is_text) in [(&b"ab"[..], true), (&[0xff], false), (&[0xc3], false)] {
            strings.push_text("a");
            strings.push_bytes(bytes);
            assert_eq!(strings.finish_strings(None).is_ok(), is_text);
            strings.push_text("b");
            assert_eq!(strings.finish_strings(None).unwrap().len(), 1);
        }
    }

    #[test]
    fn more_than_an_offset_can_say_is_refused_and_can_be_taken_back() {
        let mut ends = Ends::<i32>::default();
        ends.push(5);
        ends.push(usize::MAX);
        assert!(ends.finish().is_err());
        for more in [i32::MAX as usize, 1 << 32, usize::MAX] {
            ends.push(5);
            ends.push(more);
            ends.truncate(1);
            ends.push(7);
            assert_eq!(ends.finish().unwrap().iter().copied().collect::<Vec<_>>(), [0, 5, 12]);
        }
        // What is left has wrapped round.
        ends.push(i32::MAX as usize + 1);
        ends.push(1);
        ends.truncate(1);
        assert!(ends.finish().is_err());
    }
}
