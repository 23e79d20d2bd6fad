//! A column under construction: lists in lists, and the values in the innermost.

use std::sync::Arc;

use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{
    ArrayRef, BooleanArray, GenericBinaryArray, GenericListArray, NullArray, OffsetSizeTrait, PrimitiveArray,
};
use arrow_buffer::{OffsetBuffer, ScalarBuffer, ToByteSlice};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

use super::buffer::{Bits, Validity, Values};
use crate::key::resolve::Leaf;
use crate::{Error, ErrorKind, Result};

/// The offsets of lists and byte strings: `i32` or `i64`.
pub(crate) trait Offset: OffsetSizeTrait + ToByteSlice {}
impl Offset for i32 {}
impl Offset for i64 {}

/// What a column of values in so many lists is called in Arrow.
pub(super) fn data_type(leaf: Leaf, rank: usize, is_large: bool) -> DataType {
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
struct Lists {
    item: FieldRef,
    /// Where each list begins, and where the last one ends.
    ends: Values,
    validity: Validity,
}

#[derive(Debug)]
enum Store {
    Null(usize),
    Boolean(Bits),
    Int(Values),
    Long(Values),
    Float(Values),
    Double(Values),
    Binary { ends: Values, data: Values },
}

/// A column: `lists[0]` has an entry for each row, each further level one for each entry of the lists above, and the
/// values one for each of the innermost.
#[derive(Debug)]
pub(super) struct Column<O> {
    lists: Vec<Lists>,
    store: Store,
    validity: Validity,
    offset: std::marker::PhantomData<O>,
}

impl<O: Offset> Column<O> {
    pub(super) fn new(leaf: Leaf, rank: usize) -> Self {
        let store = match leaf {
            Leaf::Null => Store::Null(0),
            Leaf::Boolean => Store::Boolean(Bits::default()),
            Leaf::Int => Store::Int(Values::default()),
            Leaf::Long => Store::Long(Values::default()),
            Leaf::Float => Store::Float(Values::default()),
            Leaf::Double => Store::Double(Values::default()),
            Leaf::Binary => Store::Binary { ends: Values::default(), data: Values::default() },
        };
        let lists = (0..rank).map(|level| {
            let item = data_type(leaf, rank - level - 1, O::IS_LARGE);
            let item = Arc::new(Field::new_list_field(item, true));
            Lists { item, ends: Values::default(), validity: Validity::default() }
        });
        let mut column = Self {
            lists: lists.collect(),
            store,
            validity: Validity::default(),
            offset: std::marker::PhantomData,
        };
        column.begin();
        column
    }

    /// The number of lists that each value is in.
    pub(super) fn rank(&self) -> usize {
        self.lists.len()
    }

    /// Offsets begin with 0.
    fn begin(&mut self) {
        for lists in &mut self.lists {
            lists.ends.push(O::usize_as(0));
        }
        if let Store::Binary { ends, .. } = &mut self.store {
            ends.push(O::usize_as(0));
        }
    }

    /// The entries of a level; below the lists come the values.
    #[inline]
    pub(super) fn len(&self, level: usize) -> usize {
        match self.lists.get(level) {
            Some(lists) => lists.validity.0.len(),
            None => match &self.store {
                Store::Null(len) => *len,
                _ => self.validity.0.len(),
            },
        }
    }

    /// A missing value or list at a level.
    #[inline]
    pub(super) fn push_null(&mut self, level: usize) {
        if let Some(lists) = self.lists.get_mut(level) {
            let last = lists.ends.typed::<O>().last().copied().unwrap_or_default();
            lists.ends.push(last);
            lists.validity.0.append_null();
            return;
        }
        match &mut self.store {
            Store::Null(len) => {
                *len += 1;
                return;
            }
            Store::Boolean(values) => values.0.append(false),
            Store::Int(values) => values.push(0_i32),
            Store::Long(values) => values.push(0_i64),
            Store::Float(values) => values.push(0_f32),
            Store::Double(values) => values.push(0_f64),
            Store::Binary { ends, .. } => {
                let last = ends.typed::<O>().last().copied().unwrap_or_default();
                ends.push(last);
            }
        }
        self.validity.0.append_null();
    }

    /// Ends a list of a level: it holds what the level below got since the last one.
    #[inline]
    pub(super) fn close_list(&mut self, level: usize) -> Result<()> {
        let end = O::from_usize(self.len(level + 1)).ok_or_else(too_long)?;
        if let Some(lists) = self.lists.get_mut(level) {
            lists.ends.push(end);
            lists.validity.0.append_non_null();
        }
        Ok(())
    }

    #[inline]
    pub(super) fn push_boolean(&mut self, value: bool) {
        if let Store::Boolean(values) = &mut self.store {
            values.0.append(value);
            self.validity.0.append_non_null();
        }
    }

    #[inline]
    pub(super) fn push_int(&mut self, value: i32) {
        if let Store::Int(values) = &mut self.store {
            values.push(value);
            self.validity.0.append_non_null();
        }
    }

    #[inline]
    pub(super) fn push_long(&mut self, value: i64) {
        if let Store::Long(values) = &mut self.store {
            values.push(value);
            self.validity.0.append_non_null();
        }
    }

    #[inline]
    pub(super) fn push_float(&mut self, value: f32) {
        if let Store::Float(values) = &mut self.store {
            values.push(value);
            self.validity.0.append_non_null();
        }
    }

    #[inline]
    pub(super) fn push_double(&mut self, value: f64) {
        if let Store::Double(values) = &mut self.store {
            values.push(value);
            self.validity.0.append_non_null();
        }
    }

    #[inline]
    pub(super) fn push_bytes(&mut self, value: &[u8]) -> Result<()> {
        if let Store::Binary { ends, data } = &mut self.store {
            let end = O::from_usize(data.bytes() + value.len()).ok_or_else(too_long)?;
            data.extend(value);
            ends.push(end);
            self.validity.0.append_non_null();
        }
        Ok(())
    }

    /// Takes back the last entries of a level and what they hold.
    pub(super) fn truncate(&mut self, level: usize, mut len: usize) {
        for lists in self.lists.iter_mut().skip(level) {
            lists.validity.0.truncate(len);
            lists.ends.truncate((len + 1) * size_of::<O>());
            len = lists.ends.typed::<O>().last().map_or(0, |end| end.as_usize());
        }
        match &mut self.store {
            Store::Null(count) => *count = len.min(*count),
            Store::Boolean(values) => values.0.truncate(len),
            Store::Int(values) | Store::Float(values) => values.truncate(len * 4),
            Store::Long(values) | Store::Double(values) => values.truncate(len * 8),
            Store::Binary { ends, data } => {
                ends.truncate((len + 1) * size_of::<O>());
                data.truncate(ends.typed::<O>().last().map_or(0, |end| end.as_usize()));
            }
        }
        self.validity.0.truncate(len);
    }

    /// The bytes that the column holds.
    pub(super) fn bytes(&self) -> usize {
        let lists =
            self.lists.iter().map(|lists| lists.ends.bytes() + lists.validity.0.len() / 8).sum::<usize>();
        let values = match &self.store {
            Store::Null(_) => 0,
            Store::Boolean(values) => values.0.len() / 8,
            Store::Int(values) | Store::Long(values) | Store::Float(values) | Store::Double(values) => {
                values.bytes()
            }
            Store::Binary { ends, data } => ends.bytes() + data.bytes(),
        };
        lists + values + self.validity.0.len() / 8
    }

    /// The column as an array; the next batch begins.
    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let entries = self.len(self.lists.len());
        let nulls = self.validity.0.finish();
        let mut array: ArrayRef = match &mut self.store {
            Store::Null(len) => {
                *len = 0;
                Arc::new(NullArray::new(entries))
            }
            Store::Boolean(values) => Arc::new(BooleanArray::new(values.0.finish(), nulls)),
            Store::Int(values) => {
                Arc::new(PrimitiveArray::<Int32Type>::try_new(scalars(values, entries), nulls)?)
            }
            Store::Long(values) => {
                Arc::new(PrimitiveArray::<Int64Type>::try_new(scalars(values, entries), nulls)?)
            }
            Store::Float(values) => {
                Arc::new(PrimitiveArray::<Float32Type>::try_new(scalars(values, entries), nulls)?)
            }
            Store::Double(values) => {
                Arc::new(PrimitiveArray::<Float64Type>::try_new(scalars(values, entries), nulls)?)
            }
            Store::Binary { ends, data } => {
                let ends = OffsetBuffer::<O>::new(scalars(ends, entries + 1));
                Arc::new(GenericBinaryArray::<O>::try_new(ends, data.finish(), nulls)?)
            }
        };
        for lists in self.lists.iter_mut().rev() {
            let count = lists.validity.0.len();
            let nulls = lists.validity.0.finish();
            let ends = OffsetBuffer::<O>::new(scalars(&mut lists.ends, count + 1));
            let item = Arc::clone(&lists.item);
            array = Arc::new(GenericListArray::<O>::try_new(item, ends, array, nulls)?);
        }
        self.begin();
        Ok(array)
    }
}

fn scalars<T: arrow_buffer::ArrowNativeType>(values: &mut Values, count: usize) -> ScalarBuffer<T> {
    ScalarBuffer::new(values.finish(), 0, count)
}

#[cold]
fn too_long() -> Error {
    Error::new(ErrorKind::LimitExceeded, "a column of the batch is longer than 32-bit offsets can say")
        .with_hint("use 64-bit offsets, or flush smaller batches")
}
