//! Conversion of columns to Arrow arrays.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int32Type, Int64Type, UInt32Type, UInt64Type,
};
use arrow_array::{
    Array as _, ArrayRef, BooleanArray, GenericBinaryArray, GenericListArray, GenericStringArray, MapArray,
    NullArray, OffsetSizeTrait, PrimitiveArray, StructArray,
};
use arrow_buffer::{BooleanBuffer, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{ArrowError, DataType, Field, FieldRef};

use super::slot::Slot;
use super::{State, map};
use crate::plan::{CompiledPlan, Shape, SlotSpec, Store};

impl State {
    /// Returns the columns of a message that has `rows` rows.
    pub(super) fn finish_node(
        &mut self,
        plan: &CompiledPlan,
        node: usize,
        rows: usize,
    ) -> Result<Vec<ArrayRef>, ArrowError> {
        let Some(node) = plan.nodes.get(node) else { return Ok(Vec::new()) };
        node.columns.iter().map(|&slot| self.finish_slot(plan, slot, rows)).collect()
    }

    fn finish_slot(&mut self, plan: &CompiledPlan, at: usize, rows: usize) -> Result<ArrayRef, ArrowError> {
        let (Some(spec), Some(slot)) = (plan.slots.get(at), self.slots.get_mut(at)) else {
            return Ok(Arc::new(NullArray::new(rows)));
        };
        slot.pad(spec, rows);
        if !spec.shape.is_list() {
            let valid = slot.valid.finish();
            let valid = valid.as_slice();
            let is_set = |at: usize| valid.get(at).is_some_and(|set| *set != 0);
            let nulls = NullBuffer::new(BooleanBuffer::collect_bool(valid.len(), is_set));
            let nulls = Some(nulls).filter(|nulls| nulls.null_count() > 0);
            return match spec.store {
                Store::Rows(node) => self.finish_structs(plan, spec, node, rows, nulls),
                _ => slot.finish_values(spec, nulls),
            };
        }
        let mut ends = slot.ends.finish();
        let mut kept = None;
        let values = match spec.store {
            Store::Rows(node) => {
                let items = slot_end(&ends);
                if spec.shape == Shape::Map {
                    kept = self.without_repeated_keys(plan, node, &ends);
                }
                self.finish_structs(plan, spec, node, items, None)?
            }
            _ => slot.finish_values(spec, None)?,
        };
        let values = match kept {
            None => values,
            Some(kept) => {
                ends = kept.ends;
                arrow_select::take::take(&values, &kept.entries, None)?
            }
        };
        lists(plan, spec, &ends, values)
    }

    fn finish_structs(
        &mut self,
        plan: &CompiledPlan,
        spec: &SlotSpec,
        node: usize,
        rows: usize,
        nulls: Option<NullBuffer>,
    ) -> Result<ArrayRef, ArrowError> {
        let columns = self.finish_node(plan, node, rows)?;
        let DataType::Struct(fields) = &spec.value_type else { return Ok(Arc::new(NullArray::new(rows))) };
        Ok(Arc::new(StructArray::try_new_with_length(fields.clone(), columns, nulls, rows)?))
    }

    /// Finds the entries of maps whose keys do not come again in the same row.
    fn without_repeated_keys(
        &mut self,
        plan: &CompiledPlan,
        node: usize,
        ends: &Buffer,
    ) -> Option<map::Kept> {
        let key = plan.nodes.get(node)?.fields.iter().find(|field| field.number == 1)?.slot;
        let (spec, slot) = (plan.slots.get(key)?, self.slots.get_mut(key)?);
        slot.pad(spec, slot_end(ends));
        map::kept(slot, spec.store, ends.typed_data())
    }
}

/// Returns the number of values in lists.
fn slot_end(ends: &Buffer) -> usize {
    ends.typed_data::<i64>().last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
}

impl Slot {
    /// Returns whether nothing is in it.
    pub(super) fn is_empty(&self) -> bool {
        let fixed = self.bools.len() + self.bits32.len() + self.bits64.len();
        fixed + self.ends.len() + self.valid.len() + self.byte_ends.len() + self.bytes.len() == 0
    }

    /// Returns the values, without the lists around them.
    fn finish_values(&mut self, spec: &SlotSpec, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
        Ok(match spec.value_type {
            DataType::Boolean => {
                let bools = self.bools.finish();
                let bools = bools.as_slice();
                let bits =
                    BooleanBuffer::collect_bool(bools.len(), |at| bools.get(at).is_some_and(|b| *b != 0));
                Arc::new(BooleanArray::new(bits, nulls))
            }
            DataType::Int32 => numbers::<Int32Type>(self.bits32.finish(), nulls)?,
            DataType::UInt32 => numbers::<UInt32Type>(self.bits32.finish(), nulls)?,
            DataType::Float32 => numbers::<Float32Type>(self.bits32.finish(), nulls)?,
            DataType::Int64 => numbers::<Int64Type>(self.bits64.finish(), nulls)?,
            DataType::UInt64 => numbers::<UInt64Type>(self.bits64.finish(), nulls)?,
            DataType::Float64 => numbers::<Float64Type>(self.bits64.finish(), nulls)?,
            DataType::LargeUtf8 => {
                let ends = offsets64(&self.byte_ends.finish());
                Arc::new(GenericStringArray::<i64>::try_new(ends, self.bytes.finish(), nulls)?)
            }
            DataType::Utf8 => {
                let ends = offsets32(&self.byte_ends.finish())?;
                Arc::new(GenericStringArray::<i32>::try_new(ends, self.bytes.finish(), nulls)?)
            }
            DataType::LargeBinary => {
                let ends = offsets64(&self.byte_ends.finish());
                Arc::new(GenericBinaryArray::<i64>::try_new(ends, self.bytes.finish(), nulls)?)
            }
            DataType::Binary => {
                let ends = offsets32(&self.byte_ends.finish())?;
                Arc::new(GenericBinaryArray::<i32>::try_new(ends, self.bytes.finish(), nulls)?)
            }
            ref other => return Err(ArrowError::SchemaError(format!("no field has values of type {other}"))),
        })
    }
}

fn numbers<T: ArrowPrimitiveType>(values: Buffer, nulls: Option<NullBuffer>) -> Result<ArrayRef, ArrowError> {
    let len = values.len() / size_of::<T::Native>();
    Ok(Arc::new(PrimitiveArray::<T>::try_new(ScalarBuffer::new(values, 0, len), nulls)?))
}

fn offsets64(ends: &Buffer) -> OffsetBuffer<i64> {
    OffsetBuffer::new(ScalarBuffer::new(ends.clone(), 0, ends.len() / 8))
}

/// Returns 32-bit offsets. The decoder allows only batches whose offsets fit.
fn offsets32(ends: &Buffer) -> Result<OffsetBuffer<i32>, ArrowError> {
    let overflow = |end: i64| ArrowError::OffsetOverflowError(usize::try_from(end).unwrap_or(usize::MAX));
    let ends = ends.typed_data::<i64>().iter().map(|&end| i32::try_from(end).map_err(|_| overflow(end)));
    let ends = ends.collect::<Result<Vec<i32>, _>>()?;
    // 64-byte aligned, as all buffers.
    Ok(OffsetBuffer::new(ScalarBuffer::new(Buffer::from_slice_ref(&ends), 0, ends.len())))
}

/// Returns lists of values.
fn lists(
    plan: &CompiledPlan,
    spec: &SlotSpec,
    ends: &Buffer,
    values: ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    match spec.field.data_type() {
        DataType::Map(entries, is_sorted) => {
            let entries_array = values.as_any().downcast_ref::<StructArray>();
            let Some(structs) = entries_array else {
                return Err(ArrowError::SchemaError("the entries of a map are structs".to_owned()));
            };
            let (entries, structs) = (Arc::clone(entries), structs.clone());
            Ok(Arc::new(MapArray::try_new(entries, offsets32(ends)?, structs, None, *is_sorted)?))
        }
        DataType::LargeList(item) => list(item, spec.shape, offsets64(ends), values),
        DataType::List(item) => list(item, spec.shape, offsets32(ends)?, values),
        other => {
            let what = format!("{:?} is {other} and not a list ({:?})", spec.field.name(), plan.layout);
            Err(ArrowError::SchemaError(what))
        }
    }
}

/// Returns a list array. A list of one value is null if it is empty.
fn list<O: OffsetSizeTrait>(
    item: &FieldRef,
    shape: Shape,
    ends: OffsetBuffer<O>,
    values: ArrayRef,
) -> Result<ArrayRef, ArrowError> {
    let rows = ends.len().saturating_sub(1);
    let nulls = (shape == Shape::ListOfOne && values.len() < rows).then(|| {
        let is_set = |at: usize| ends.get(at) != ends.get(at + 1);
        NullBuffer::new(BooleanBuffer::collect_bool(rows, is_set))
    });
    let item: Arc<Field> = Arc::clone(item);
    Ok(Arc::new(GenericListArray::<O>::try_new(item, ends, values, nulls)?))
}
