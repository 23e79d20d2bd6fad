//! A column under construction: lists in lists, and the values in the innermost.

use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{ArrayRef, ArrowPrimitiveType, BooleanArray, GenericListArray, NullArray, PrimitiveArray};
use arrow_buffer::{NullBuffer, ScalarBuffer, ToByteSlice};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

use super::nulls::Nulls;
use crate::buffers::{Binary, Bits, Ends, Offset, Values};
use crate::key::leaf::Leaf;
use crate::walk::Sink;

/// What a column of values in so many lists is called in Arrow.
pub(crate) fn data_type(leaf: Leaf, rank: usize, is_large: bool) -> DataType {
    let leaf = match (leaf, is_large) {
        (Leaf::Null, _) => DataType::Null,
        (Leaf::Boolean, _) => DataType::Boolean,
        (Leaf::Int, _) => DataType::Int32,
        (Leaf::Long, _) => DataType::Int64,
        (Leaf::Float, _) => DataType::Float32,
        (Leaf::Double, _) => DataType::Float64,
        (Leaf::Binary, false) => DataType::Binary,
        (Leaf::Binary, true) => DataType::LargeBinary,
    };
    (0..rank).fold(leaf, |below, _| {
        let item = Arc::new(Field::new_list_field(below, true));
        if is_large { DataType::LargeList(item) } else { DataType::List(item) }
    })
}

/// Lists of one level.
#[derive(Debug)]
struct Lists<O> {
    item: FieldRef,
    ends: Ends<O>,
    nulls: Nulls,
}

/// A column: `lists[0]` has an entry for each row, each further level one for each entry of the lists above, and the
/// values one for each of the innermost.
///
/// A function that appends a value of a type is for columns of that type.
#[derive(Debug)]
pub(super) struct Column<O> {
    leaf: Leaf,
    lists: Vec<Lists<O>>,
    numbers: Values,
    binary: Binary<O>,
    bits: Bits,
    /// Which values are null.
    nulls: Nulls,
    /// Entries of a column that has nothing else.
    count: usize,
}

impl<O: Offset> Column<O> {
    pub(super) fn new(leaf: Leaf, rank: usize) -> Self {
        let lists = (0..rank).map(|level| {
            let item = data_type(leaf, rank - level - 1, O::IS_LARGE);
            let item = Arc::new(Field::new_list_field(item, true));
            Lists { item, ends: Ends::default(), nulls: Nulls::default() }
        });
        Self {
            leaf,
            lists: lists.collect(),
            numbers: Values::default(),
            binary: Binary::default(),
            bits: Bits::default(),
            nulls: Nulls::default(),
            count: 0,
        }
    }

    /// The number of lists that each value is in.
    pub(super) fn rank(&self) -> usize {
        self.lists.len()
    }

    /// The entries of a level; below the lists come the values.
    pub(super) fn len(&self, level: usize) -> usize {
        match (self.lists.get(level), self.leaf) {
            (Some(lists), _) => lists.ends.count(),
            (None, Leaf::Null) => self.count,
            (None, Leaf::Boolean) => self.bits.len(),
            (None, Leaf::Int | Leaf::Float) => self.numbers.bytes() / 4,
            (None, Leaf::Long | Leaf::Double) => self.numbers.bytes() / 8,
            (None, Leaf::Binary) => self.binary.count(),
        }
    }

    /// A missing value or list at a level.
    #[inline]
    pub(super) fn push_null(&mut self, level: usize) {
        if let Some(lists) = self.lists.get_mut(level) {
            lists.nulls.push(lists.ends.count());
            lists.ends.push(0);
            return;
        }
        if self.leaf == Leaf::Null {
            self.count += 1;
            return;
        }
        self.nulls.push(self.len(level));
        match self.leaf {
            Leaf::Null => {}
            Leaf::Boolean => self.bits.push(false),
            Leaf::Int | Leaf::Float => self.numbers.push(0_u32),
            Leaf::Long | Leaf::Double => self.numbers.push(0_u64),
            Leaf::Binary => self.binary.push(&[]),
        }
    }

    /// Ends a list of a level, which holds so many entries of the level below.
    #[inline]
    pub(super) fn push_list(&mut self, level: usize, items: usize) {
        if let Some(lists) = self.lists.get_mut(level) {
            lists.ends.push(items);
        }
    }

    /// Ends a list of a level: it holds what the level below got since the last one.
    pub(super) fn close_list(&mut self, level: usize) {
        let before = self.lists.get(level).map_or(0, |lists| lists.ends.last());
        self.push_list(level, self.len(level + 1).saturating_sub(before));
    }

    #[inline]
    pub(super) fn push_boolean(&mut self, value: bool) {
        self.bits.push(value);
    }

    /// An int, a long, a float or a double.
    #[inline(always)]
    pub(super) fn push_number<T: ToByteSlice>(&mut self, value: T) {
        self.numbers.push(value);
    }

    #[inline]
    pub(super) fn push_bytes(&mut self, value: &[u8]) {
        self.binary.push(value);
    }

    /// Takes back the last entries of a level and what they hold.
    pub(super) fn truncate(&mut self, level: usize, mut len: usize) {
        for lists in self.lists.iter_mut().skip(level) {
            lists.nulls.truncate(len);
            lists.ends.truncate(len);
            len = lists.ends.last();
        }
        self.nulls.truncate(len);
        match self.leaf {
            Leaf::Null => self.count = len.min(self.count),
            Leaf::Boolean => self.bits.truncate(len),
            Leaf::Int | Leaf::Float => self.numbers.truncate(len.saturating_mul(4)),
            Leaf::Long | Leaf::Double => self.numbers.truncate(len.saturating_mul(8)),
            Leaf::Binary => self.binary.truncate(len),
        }
    }

    /// The bytes that the column holds, and its greatest offset.
    pub(super) fn measure(&self) -> (usize, usize) {
        let values = self.numbers.bytes() + self.binary.bytes() + self.bits.bytes() + self.nulls.bytes();
        self.lists.iter().fold((values, self.binary.last()), |(sum, last), lists| {
            (sum + lists.ends.bytes() + lists.nulls.bytes(), last.max(lists.ends.last()))
        })
    }

    /// The column as an array; the next batch begins.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let entries = self.len(self.lists.len());
        let nulls = self.nulls.finish(entries);
        let mut array: ArrayRef = match self.leaf {
            Leaf::Null => {
                self.count = 0;
                Arc::new(NullArray::new(entries))
            }
            Leaf::Boolean => Arc::new(BooleanArray::new(self.bits.finish(), nulls)),
            Leaf::Int => self.numbers::<Int32Type>(entries, nulls)?,
            Leaf::Long => self.numbers::<Int64Type>(entries, nulls)?,
            Leaf::Float => self.numbers::<Float32Type>(entries, nulls)?,
            Leaf::Double => self.numbers::<Float64Type>(entries, nulls)?,
            Leaf::Binary => self.binary.finish(nulls)?,
        };
        for lists in self.lists.iter_mut().rev() {
            let nulls = lists.nulls.finish(lists.ends.count());
            let ends = lists.ends.finish()?;
            let item = Arc::clone(&lists.item);
            array = Arc::new(GenericListArray::<O>::try_new(item, ends, array, nulls)?);
        }
        Ok(array)
    }

    fn numbers<T: ArrowPrimitiveType>(
        &mut self,
        count: usize,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        let values = ScalarBuffer::new(self.numbers.finish(), 0, count);
        Ok(Arc::new(PrimitiveArray::<T>::try_new(values, nulls)?))
    }
}

impl<O: Offset> Sink for [Column<O>] {
    type Texts = Binary<O>;

    #[inline(always)]
    fn number<T: ToByteSlice>(&mut self, column: usize, value: T) {
        self[column].push_number(value);
    }

    #[inline(always)]
    fn texts(&mut self, column: usize) -> &mut Binary<O> {
        &mut self[column].binary
    }
}
