//! Columns that are not features: the raw record, and where it came from.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    ArrayRef, DictionaryArray, Int32Array, StringArray, StructArray, UInt64Array, new_null_array,
};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use tfxio_core::Origin;

use super::column::data_type;
use super::feature::{Fault, Span, Values};
use super::store::{Offset, Store, list_array};
use crate::FeatureKind;

/// The records themselves, a list of one byte string each.
pub(super) struct RawRecords<O>(Store<O>);

impl<O: Offset> RawRecords<O> {
    pub(super) fn new() -> Self {
        let mut records = Store::new(FeatureKind::Bytes);
        records.begin();
        Self(records)
    }

    pub(super) fn data_type() -> DataType {
        data_type::<O>(Some(FeatureKind::Bytes), None)
    }

    pub(super) fn push(&mut self, record: &[u8]) -> Result<(), Fault> {
        self.0.bytes(record, Span { start: 0, end: record.len() })
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.0.truncate(rows);
    }

    pub(super) fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let Some(values) = self.0.finish()? else { return Ok(new_null_array(&Self::data_type(), rows)) };
        self.0.begin();
        let offsets = (0..=rows).map(O::usize_as).collect::<Vec<_>>();
        list_array::<O>(ScalarBuffer::from(aligned(&offsets)), values, None)
    }
}

/// Returns a copy in memory that Arrow has allocated, which is aligned to 64 bytes.
fn aligned<T: arrow_buffer::ArrowNativeType>(values: &[T]) -> arrow_buffer::Buffer {
    arrow_buffer::Buffer::from_slice_ref(values)
}

/// Origins of the rows.
#[derive(Default)]
pub(super) struct Sources {
    files: Vec<Arc<str>>,
    known: HashMap<Arc<str>, i32>,
    keys: Vec<Option<i32>>,
    offsets: Vec<u64>,
}

impl Sources {
    pub(super) fn data_type() -> DataType {
        DataType::Struct(Self::fields())
    }

    fn fields() -> Fields {
        let file = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
        vec![Field::new("file", file, true), Field::new("offset", DataType::UInt64, false)].into()
    }

    pub(super) fn push(&mut self, origin: Origin<'_>) -> Result<(), Fault> {
        let key = match origin.file {
            None => None,
            Some(file) => Some(self.key(file)?),
        };
        self.keys.push(key);
        self.offsets.push(origin.offset);
        Ok(())
    }

    fn key(&mut self, file: &str) -> Result<i32, Fault> {
        // Rows of one file come one after the other.
        if let Some(Some(last)) = self.keys.last()
            && self.files.get(*last as usize).is_some_and(|known| **known == *file)
        {
            return Ok(*last);
        }
        if let Some(key) = self.known.get(file) {
            return Ok(*key);
        }
        let key = i32::try_from(self.files.len()).map_err(|_| Fault::OffsetOverflow)?;
        let file: Arc<str> = Arc::from(file);
        self.files.push(Arc::clone(&file));
        self.known.insert(file, key);
        Ok(key)
    }

    pub(super) fn finish(&mut self) -> Result<ArrayRef, ArrowError> {
        let mut ends = vec![0i32];
        let mut names = Vec::new();
        for file in self.files.drain(..) {
            names.extend_from_slice(file.as_bytes());
            let end = i32::try_from(names.len());
            ends.push(end.map_err(|_| ArrowError::OffsetOverflowError(names.len()))?);
        }
        self.known.clear();
        let ends = OffsetBuffer::new(ScalarBuffer::from(aligned(&ends)));
        let files = StringArray::try_new(ends, aligned(&names), None)?;
        let nulls = self.keys.iter().any(Option::is_none).then(|| {
            let valid = BooleanBuffer::from_iter(self.keys.iter().map(Option::is_some));
            NullBuffer::new(BooleanBuffer::new(aligned(valid.values()), 0, self.keys.len()))
        });
        let keys = self.keys.drain(..).map(Option::unwrap_or_default).collect::<Vec<_>>();
        let keys = Int32Array::try_new(ScalarBuffer::from(aligned(&keys)), nulls)?;
        let file = DictionaryArray::<Int32Type>::try_new(keys, Arc::new(files))?;
        let offsets = UInt64Array::new(ScalarBuffer::from(aligned(&std::mem::take(&mut self.offsets))), None);
        Ok(Arc::new(StructArray::try_new(Self::fields(), vec![Arc::new(file), Arc::new(offsets)], None)?))
    }
}
