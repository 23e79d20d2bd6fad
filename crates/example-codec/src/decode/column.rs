//! One column under construction.

mod lists;
mod offsets;
mod ones;

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, FixedSizeListArray, GenericBinaryArray, GenericListArray, NullArray};
use arrow_buffer::{BooleanBuffer, NullBuffer};
use arrow_schema::{ArrowError, DataType, Field};

pub(super) use self::offsets::SingleOffsets;
pub(super) use self::ones::Ones;
use super::buffer::Buf;
use super::feature::{self, FEATURE_DEPTH, Fault, Span, single_run};
use super::store::{Offset, Store, append_bytes, append_floats, append_ints, offset_buffer, scalars};
use crate::FeatureKind;

/// Division of the values into rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RowDivision {
    /// No row of this batch has a value yet.
    Fresh,
    /// So far every row that is not null has one value: the offsets follow from the nulls, and are
    /// written at the end.
    OneEach,
    /// Offsets are written row by row.
    Offsets,
    /// Every row has this many values.
    Fixed(u32),
}

/// A row of the batch, and its bit in a bitmap.
#[derive(Clone, Copy)]
pub(super) struct Row {
    index: usize,
    bit: u64,
}

impl Row {
    pub(super) fn new(index: usize) -> Self {
        Self { index, bit: 1 << (index % 64) }
    }

    /// Returns the bit of the row in its group of 64.
    #[inline(always)]
    pub(super) fn bit(self) -> u64 {
        self.bit
    }

    /// Returns the number of the next row.
    #[inline(always)]
    pub(super) fn next(self) -> usize {
        self.index + 1
    }

    #[inline(always)]
    fn word(self) -> usize {
        self.index / 64
    }
}

/// One column under construction. Rows without the feature cost nothing until they must be filled in.
pub(super) struct Column<O> {
    store: Store<O>,
    rows: RowDivision,
    /// One bit a row, set where the row has the feature; words that are not there are zero.
    valid: Vec<u64>,
    /// The same, on its way out.
    bitmap: Buf<u64>,
    /// Starts with 0 once it is used.
    offsets: Buf<O>,
    /// Rows that `offsets`, or the values of fixed length, already cover.
    filled: usize,
    pub(super) name: Arc<str>,
    /// The kind that the schema declares; outer `None` without a schema.
    declared: Option<Option<FeatureKind>>,
    fixed: Option<u32>,
    pub(super) required: bool,
    /// Whether lists without values have a kind that others contradict.
    pub(super) counts_empty: bool,
    /// Row of this batch in which the feature was first seen, with or without a value.
    seen: Option<usize>,
    /// Row in which it first had a kind.
    typed: Option<usize>,
    /// Row in which values came after lists without any of another kind, and that kind.
    retyped: Option<(usize, FeatureKind)>,
    /// The field inside of the lists of the batch before, to be used again.
    item: Option<Arc<Field>>,
}

impl<O: Offset> Column<O> {
    /// Returns a column whose kind is inferred from each batch.
    pub(super) fn inferred(name: Arc<str>) -> Self {
        Self {
            store: Store::None,
            rows: RowDivision::Fresh,
            valid: Vec::new(),
            bitmap: Buf::default(),
            offsets: Buf::default(),
            filled: 0,
            name,
            declared: None,
            fixed: None,
            required: false,
            counts_empty: false,
            seen: None,
            typed: None,
            retyped: None,
            item: None,
        }
    }

    /// Returns a column of a schema.
    pub(super) fn declared(
        name: Arc<str>,
        kind: Option<FeatureKind>,
        fixed: Option<u32>,
        required: bool,
    ) -> Self {
        Self {
            declared: Some(kind),
            // A column without values has no length either.
            fixed: kind.and(fixed),
            required,
            rows: kind.and(fixed).map_or(RowDivision::Fresh, RowDivision::Fixed),
            store: kind.map_or(Store::None, Store::new),
            ..Self::inferred(name)
        }
    }

    /// Returns whether this batch has the feature at all.
    pub(super) fn is_seen(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns whether the feature was first seen in that row.
    pub(super) fn is_new_in(&self, row: usize) -> bool {
        self.seen == Some(row)
    }

    /// Values of the complete rows.
    fn committed(&self) -> usize {
        match self.rows {
            RowDivision::Fresh => 0,
            RowDivision::OneEach => self.present(),
            RowDivision::Offsets => self.offsets.values().last().map_or(0, |last| last.as_usize()),
            RowDivision::Fixed(count) => self.filled * count as usize,
        }
    }

    /// Appends the feature of a row, which comes after all rows before.
    ///
    /// Returns the number of values. After a fault the column is to be [rolled back](Self::roll_back).
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        row: Row,
        record: &[u8],
        feature: Span,
        lists: &mut Vec<Span>,
    ) -> Result<usize, Fault> {
        if let RowDivision::Fixed(count) = self.rows {
            self.fill_fixed(row.index, count);
        }
        let values = match &mut self.store {
            Store::Ints(values) => match single_run(record, feature, 0x1a) {
                Some(start) => append_ints(values, record, Span { start, end: feature.end })?,
                None => return self.append_any(row, record, feature, lists),
            },
            Store::Bytes(ends, data) => match single_run(record, feature, 0x0a) {
                Some(start) => {
                    append_bytes(ends, data, record, Span { start, end: feature.end })?;
                    1
                }
                None => return self.append_any(row, record, feature, lists),
            },
            Store::Floats(values) => match single_run(record, feature, 0x12) {
                Some(start) => match append_floats(values, record, Span { start, end: feature.end }) {
                    Ok(values) => values,
                    // Says where it is wrong as if nothing were known of the column.
                    Err(_) => return self.append_any(row, record, feature, lists),
                },
                None => return self.append_any(row, record, feature, lists),
            },
            Store::None => return self.append_any(row, record, feature, lists),
        };
        if values == 1
            && self.rows == RowDivision::OneEach
            && let Some(word) = self.valid.get_mut(row.word())
        {
            *word |= row.bit;
            return Ok(1);
        }
        self.end_row(row, values)
    }

    /// Appends the general form of a feature.
    #[inline(never)]
    fn append_any(
        &mut self,
        row: Row,
        record: &[u8],
        feature: Span,
        lists: &mut Vec<Span>,
    ) -> Result<usize, Fault> {
        let before = self.store.len();
        let Some(found) = feature::parse(record, feature, FEATURE_DEPTH, lists)? else {
            // Present without a value: null, like absent.
            if self.required {
                return Err(Fault::Missing);
            }
            self.seen.get_or_insert(row.index);
            return Ok(0);
        };
        if self.store.kind() != Some(found) {
            if self.declared.is_some() || self.typed.is_some() {
                let Some(kind) = self.store.kind() else { return Err(Fault::Kind { expected: None, found }) };
                if self.counts_empty {
                    return Err(Fault::Kind { expected: Some(kind), found });
                }
                // A list without values contradicts no kind.
                if feature::is_empty(record, lists, FEATURE_DEPTH + 1, found)? {
                    return self.end_row(row, 0);
                }
                if self.declared.is_some() || before > 0 {
                    return Err(Fault::Kind { expected: Some(kind), found });
                }
                self.retyped = Some((row.index, kind));
            }
            self.set_kind(found);
        }
        for list in lists.iter() {
            feature::read_list(record, *list, FEATURE_DEPTH + 1, found, &mut self.store)?;
        }
        self.end_row(row, self.store.len().saturating_sub(before))
    }

    /// Changes the kind of a column without values.
    fn set_kind(&mut self, kind: FeatureKind) {
        self.store = Store::new(kind);
        self.store.begin();
    }

    /// Closes a row of `values` values.
    #[inline]
    fn end_row(&mut self, row: Row, values: usize) -> Result<usize, Fault> {
        match self.rows {
            RowDivision::Fixed(count) => {
                if values != count as usize {
                    return Err(Fault::Length { expected: count, found: values as u64 });
                }
                self.filled = row.index + 1;
            }
            RowDivision::Offsets => self.push_offset(row)?,
            RowDivision::OneEach | RowDivision::Fresh if values == 1 => self.rows = RowDivision::OneEach,
            RowDivision::OneEach | RowDivision::Fresh => {
                self.write_offsets(row.index);
                self.rows = RowDivision::Offsets;
                self.push_offset(row)?;
            }
        }
        if self.typed.is_none() {
            self.typed = Some(row.index);
            self.seen.get_or_insert(row.index);
        }
        if self.valid.len() <= row.word() {
            self.valid.resize(row.word() + 1, 0);
        }
        if let Some(word) = self.valid.get_mut(row.word()) {
            *word |= row.bit;
        }
        Ok(values)
    }

    #[inline(always)]
    fn push_offset(&mut self, row: Row) -> Result<(), Fault> {
        let end = O::from_usize(self.store.len()).ok_or(Fault::OffsetOverflow)?;
        if self.filled < row.index {
            self.fill_offsets(row.index);
        }
        self.offsets.push(end);
        self.filled = row.index + 1;
        Ok(())
    }

    /// Offsets of null rows, up to row `rows`.
    #[inline(never)]
    fn fill_offsets(&mut self, rows: usize) {
        let last = self.offsets.values().last().copied().unwrap_or_default();
        self.offsets.push_n(last, rows.saturating_sub(self.filled));
        self.filled = rows;
    }

    /// Values of null rows of fixed length, up to row `rows`.
    fn fill_fixed(&mut self, rows: usize, count: u32) {
        if self.filled < rows {
            self.store.push_zeros((rows - self.filled) * count as usize);
            self.filled = rows;
        }
    }

    /// Forgets row `row`, if it is there in whole or in part. Rows before it stay.
    pub(super) fn roll_back(&mut self, row: Row) {
        if let Some(word) = self.valid.get_mut(row.word()) {
            *word &= !row.bit;
        }
        if self.filled > row.index {
            self.filled = row.index;
            self.offsets.truncate(row.index + 1);
        }
        let committed = self.committed();
        self.store.truncate(committed);
        if let Some((_, kind)) = self.retyped.take_if(|(changed, _)| *changed == row.index) {
            self.set_kind(kind);
        }
        if self.seen == Some(row.index) {
            self.seen = None;
        }
        if self.typed == Some(row.index) {
            self.typed = None;
            if !matches!(self.rows, RowDivision::Fixed(_)) {
                self.rows = RowDivision::Fresh;
            }
        }
    }

    /// Returns the column of `rows` rows; the next batch starts empty.
    pub(super) fn finish(
        &mut self,
        rows: usize,
        single: &mut SingleOffsets<O>,
    ) -> Result<ArrayRef, ArrowError> {
        if self.declared.is_none() && self.typed.is_none() {
            // The buffers of an earlier batch wait for a value.
            self.clear();
            return Ok(Arc::new(NullArray::new(rows)));
        }
        let is_full = self.present() == rows;
        let offsets = match self.rows {
            RowDivision::OneEach if is_full => Some(single.of(rows)),
            RowDivision::Fresh | RowDivision::OneEach => {
                self.write_offsets(rows);
                None
            }
            RowDivision::Offsets => {
                self.fill_offsets(rows);
                None
            }
            RowDivision::Fixed(count) => {
                self.fill_fixed(rows, count);
                None
            }
        };
        let nulls = (!is_full).then(|| self.nulls(rows));
        let Some(values) = self.store.finish()? else {
            self.clear();
            return Ok(Arc::new(NullArray::new(rows)));
        };
        let item = match &self.item {
            Some(item) if item.data_type() == values.data_type() => Arc::clone(item),
            _ => {
                let item = Arc::new(Field::new_list_field(values.data_type().clone(), true));
                Arc::clone(self.item.insert(item))
            }
        };
        let array: ArrayRef = match self.rows {
            RowDivision::Fixed(count) => {
                let count = i32::try_from(count).unwrap_or(i32::MAX);
                Arc::new(FixedSizeListArray::try_new_with_length(item, count, values, nulls, rows)?)
            }
            RowDivision::Fresh | RowDivision::OneEach | RowDivision::Offsets => {
                let offsets = offsets.unwrap_or_else(|| offset_buffer(scalars(&mut self.offsets)));
                Arc::new(GenericListArray::<O>::try_new(item, offsets, values, nulls)?)
            }
        };
        self.clear();
        Ok(array)
    }

    /// Returns the validity of `rows` rows.
    fn nulls(&mut self, rows: usize) -> NullBuffer {
        self.valid.resize(rows.div_ceil(64), 0);
        if cfg!(target_endian = "big") {
            self.valid.iter_mut().for_each(|word| *word = word.to_le());
        }
        self.bitmap.extend_from_slice(&self.valid);
        NullBuffer::new(BooleanBuffer::new(self.bitmap.finish(), 0, rows))
    }

    /// Rows that are not null.
    fn present(&self) -> usize {
        self.valid.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Forgets all rows, so that a batch can begin.
    pub(super) fn clear(&mut self) {
        self.filled = 0;
        self.seen = None;
        self.typed = None;
        self.retyped = None;
        self.offsets.truncate(0);
        self.valid.clear();
        self.rows = self.fixed.map_or(RowDivision::Fresh, RowDivision::Fixed);
        self.store.clear();
    }

    /// Readies the buffers for the first row of a batch: buffers of earlier batches that nobody holds any more are taken
    /// back.
    pub(super) fn begin(&mut self) {
        self.store.begin();
    }
}

/// Returns the type of a column of that kind.
pub(super) fn data_type<O: Offset>(kind: Option<FeatureKind>, fixed: Option<u32>) -> DataType {
    let values = match kind {
        None => return DataType::Null,
        Some(FeatureKind::Int64) => DataType::Int64,
        Some(FeatureKind::Float) => DataType::Float32,
        Some(FeatureKind::Bytes) => GenericBinaryArray::<O>::DATA_TYPE,
    };
    let item = Arc::new(Field::new_list_field(values, true));
    match fixed {
        Some(count) => DataType::FixedSizeList(item, i32::try_from(count).unwrap_or(i32::MAX)),
        None => GenericListArray::<O>::DATA_TYPE_CONSTRUCTOR(item),
    }
}
