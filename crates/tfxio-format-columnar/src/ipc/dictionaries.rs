//! Dictionaries of batches, made one that only grows: a file holds one dictionary of each column, to which it may add.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowDictionaryKeyType, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type, UInt32Type,
    UInt64Type,
};
use arrow_array::{Array as _, ArrayRef, DictionaryArray, PrimitiveArray, RecordBatch, UInt64Array};
use arrow_buffer::ArrowNativeType as _;
use arrow_schema::{ArrowError, DataType, Schema};
use arrow_select::concat::concat;
use arrow_select::take::take;

/// The dictionaries of the columns of a file.
pub(super) struct Dictionaries(Vec<Option<Growing>>);

impl Dictionaries {
    pub(super) fn new(schema: &Schema) -> Self {
        let of_text = |data_type: &DataType| match data_type {
            DataType::Dictionary(_, value) => matches!(
                **value,
                DataType::Utf8 | DataType::LargeUtf8 | DataType::Binary | DataType::LargeBinary
            ),
            _ => false,
        };
        let growing = |data_type| of_text(data_type).then(Growing::default);
        Self(schema.fields().iter().map(|field| growing(field.data_type())).collect())
    }

    /// Returns a batch whose dictionaries begin with the dictionaries of the batches before it.
    pub(super) fn joined(&mut self, batch: &RecordBatch) -> Result<RecordBatch, ArrowError> {
        if self.0.iter().all(Option::is_none) {
            return Ok(batch.clone());
        }
        let columns = batch.columns().iter().zip(&mut self.0).map(|(column, growing)| match growing {
            Some(growing) => growing.joined(column),
            None => Ok(Arc::clone(column)),
        });
        RecordBatch::try_new(batch.schema(), columns.collect::<Result<_, _>>()?)
    }
}

/// The dictionary of a column.
#[derive(Default)]
struct Growing {
    /// Nothing before the first batch.
    values: Option<ArrayRef>,
    index: HashMap<Vec<u8>, usize>,
    /// The last dictionary that came, and where its values are in this one.
    last: Option<(ArrayRef, Vec<Option<usize>>)>,
}

impl Growing {
    fn joined(&mut self, column: &ArrayRef) -> Result<ArrayRef, ArrowError> {
        let words = column.as_any_dictionary();
        let is_last = self.last.as_ref().is_some_and(|(last, _)| Arc::ptr_eq(last, words.values()));
        if !is_last {
            let map = self.add(words.values())?;
            self.last = Some((Arc::clone(words.values()), map));
        }
        let (Some(values), Some((_, map))) = (&self.values, &self.last) else {
            return Ok(Arc::clone(column));
        };
        // Without values all keys are null.
        let keys = if map.is_empty() { vec![0; column.len()] } else { words.normalized_keys() };
        let keys = keys
            .into_iter()
            .enumerate()
            .map(|(row, key)| if column.is_null(row) { None } else { map.get(key).copied().flatten() });
        let DataType::Dictionary(kind, _) = column.data_type() else { return Ok(Arc::clone(column)) };
        match **kind {
            DataType::Int8 => with_keys::<Int8Type>(keys, values),
            DataType::Int16 => with_keys::<Int16Type>(keys, values),
            DataType::Int32 => with_keys::<Int32Type>(keys, values),
            DataType::Int64 => with_keys::<Int64Type>(keys, values),
            DataType::UInt8 => with_keys::<UInt8Type>(keys, values),
            DataType::UInt16 => with_keys::<UInt16Type>(keys, values),
            DataType::UInt32 => with_keys::<UInt32Type>(keys, values),
            _ => with_keys::<UInt64Type>(keys, values),
        }
    }

    /// Adds the values that are new, and returns where each value is.
    fn add(&mut self, values: &ArrayRef) -> Result<Vec<Option<usize>>, ArrowError> {
        let mut new = Vec::new();
        let mut map = Vec::with_capacity(values.len());
        for row in 0..values.len() {
            if values.is_null(row) {
                map.push(None);
                continue;
            }
            let value = match values.data_type() {
                DataType::Utf8 => values.as_string::<i32>().value(row).as_bytes(),
                DataType::LargeUtf8 => values.as_string::<i64>().value(row).as_bytes(),
                DataType::Binary => values.as_binary::<i32>().value(row),
                _ => values.as_binary::<i64>().value(row),
            };
            let next = self.index.len();
            let at = match self.index.get(value) {
                Some(at) => *at,
                None => {
                    self.index.insert(value.to_owned(), next);
                    new.push(row as u64);
                    next
                }
            };
            map.push(Some(at));
        }
        if !new.is_empty() || self.values.is_none() {
            let new = take(values, &UInt64Array::from(new), None)?;
            self.values = Some(match &self.values {
                Some(before) => concat(&[&**before, &*new])?,
                None => new,
            });
        }
        Ok(map)
    }
}

fn with_keys<K: ArrowDictionaryKeyType>(
    keys: impl Iterator<Item = Option<usize>>,
    values: &ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    let key = |key: Option<usize>| match key {
        Some(key) => match K::Native::from_usize(key) {
            Some(key) => Ok(Some(key)),
            None => Err(ArrowError::DictionaryKeyOverflowError),
        },
        None => Ok(None),
    };
    let keys = keys.map(key).collect::<Result<PrimitiveArray<K>, _>>()?;
    Ok(Arc::new(DictionaryArray::try_new(keys, Arc::clone(values))?))
}
