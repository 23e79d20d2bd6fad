//! One sequence feature under construction.

use std::sync::Arc;

use arrow_array::{ArrayRef, GenericListArray, NullArray};
use arrow_schema::{ArrowError, DataType, Field};
use proto_wire::{Error as WireError, Reader, WireType};

use super::super::buffer::Buf;
use super::super::column::data_type as feature_type;
use super::super::feature::{self, Fault, Span};
use super::super::store::{Offset, Store, list_array, scalars};
use super::bits::Bits;
use super::steps::append_plain;
use crate::FeatureKind;

/// Depth of a `FeatureList` in a `SequenceExample`: FeatureLists, a map entry, itself.
const LIST_DEPTH: u32 = 3;

/// Reason why a feature list cannot be appended.
pub(super) struct Failure {
    /// The step, if it is one that fails. The first is 0.
    pub(super) step: Option<usize>,
    /// Whether a kind that the step contradicts is that of an earlier step of the record.
    pub(super) in_record: bool,
    pub(super) fault: Fault,
}

/// One sequence feature under construction: a list of steps a row, a list of values a step.
pub(super) struct ListColumn<O> {
    store: Store<O>,
    /// End offsets of the values of each step; begins with 0 as soon as a batch has begun.
    ends: Buf<O>,
    /// Steps without a kind.
    unset: Bits,
    /// End offsets of the steps of each row; begins with 0 as soon as there is a row.
    rows: Buf<O>,
    /// Rows that have the list.
    valid: Bits,
    pub(super) name: Arc<str>,
    /// The kind that the schema declares; outer `None` without a schema.
    declared: Option<Option<FeatureKind>>,
    pub(super) required: bool,
    /// Whether lists without values have a kind that others contradict.
    pub(super) counts_empty: bool,
    /// Row of this batch in which the list was first seen.
    seen: Option<usize>,
    /// Row in which a step first had a kind.
    typed: Option<usize>,
    /// Row in which values came after lists without any of another kind, and that kind.
    retyped: Option<(usize, FeatureKind)>,
}

impl<O: Offset> ListColumn<O> {
    /// Returns a column whose kind is inferred from each batch.
    pub(super) fn inferred(name: Arc<str>) -> Self {
        Self {
            store: Store::None,
            ends: Buf::default(),
            unset: Bits::default(),
            rows: Buf::default(),
            valid: Bits::default(),
            name,
            declared: None,
            required: false,
            counts_empty: false,
            seen: None,
            typed: None,
            retyped: None,
        }
    }

    /// Returns a column of a schema.
    pub(super) fn declared(name: Arc<str>, kind: Option<FeatureKind>, required: bool) -> Self {
        Self {
            declared: Some(kind),
            required,
            store: kind.map_or(Store::None, Store::new),
            ..Self::inferred(name)
        }
    }

    /// Returns whether this batch has the list at all.
    pub(super) fn is_seen(&self) -> bool {
        self.seen.is_some()
    }

    /// Returns whether the list was first seen in that row.
    pub(super) fn is_new_in(&self, row: usize) -> bool {
        self.seen == Some(row)
    }

    /// Steps so far.
    fn steps(&self) -> usize {
        self.ends.len().saturating_sub(1)
    }

    /// Appends the list of a row, which comes after all rows before.
    ///
    /// Returns the number of steps and values. After a failure the column is to be
    /// [rolled back](Self::roll_back).
    #[inline(always)]
    pub(super) fn append(
        &mut self,
        row: usize,
        record: &[u8],
        list: Span,
        lists: &mut Vec<Span>,
    ) -> Result<usize, Failure> {
        let before = (self.steps(), self.store.len());
        self.append_steps(row, record, list, lists).map_err(|fault| Failure {
            step: Some(self.steps() - before.0),
            in_record: before.1 == 0,
            fault,
        })?;
        self.end_row(row).map_err(|fault| Failure { step: None, in_record: false, fault })?;
        Ok(self.steps() - before.0 + self.store.len().saturating_sub(before.1))
    }

    #[inline(always)]
    fn append_steps(
        &mut self,
        row: usize,
        record: &[u8],
        list: Span,
        lists: &mut Vec<Span>,
    ) -> Result<(), Fault> {
        let mut rest = list;
        loop {
            let plain = append_plain(record, rest, &mut self.store, &mut self.ends)?;
            if plain > rest.start && self.typed.is_none() {
                self.typed = Some(row);
            }
            if plain >= rest.end {
                return Ok(());
            }
            rest.start = self.append_field(row, record, Span { start: plain, end: rest.end }, lists)?;
        }
    }

    /// Appends any field of a `FeatureList`; returns where it ends.
    #[inline(never)]
    fn append_field(
        &mut self,
        row: usize,
        record: &[u8],
        rest: Span,
        lists: &mut Vec<Span>,
    ) -> Result<usize, Fault> {
        let (step, end) = next_field(record, rest)?;
        if let Some(step) = step {
            self.append_step(row, record, step, lists)?;
        }
        Ok(end)
    }

    /// Appends the general form of a step.
    fn append_step(
        &mut self,
        row: usize,
        record: &[u8],
        step: Span,
        lists: &mut Vec<Span>,
    ) -> Result<(), Fault> {
        match feature::parse(record, step, LIST_DEPTH + 1, lists)? {
            None => self.unset.set(self.steps()),
            Some(found) => {
                if self.store.kind() != Some(found) {
                    self.agree(row, record, found, lists)?;
                }
                self.typed.get_or_insert(row);
                for list in lists.iter() {
                    feature::read_list(record, *list, LIST_DEPTH + 2, found, &mut self.store)?;
                }
            }
        }
        self.ends.push(O::from_usize(self.store.len()).ok_or(Fault::OffsetOverflow)?);
        Ok(())
    }

    /// Makes the kind of the column that of the lists of a step, where it is another. A list without values contradicts no
    /// kind.
    #[inline(never)]
    fn agree(&mut self, row: usize, record: &[u8], found: FeatureKind, lists: &[Span]) -> Result<(), Fault> {
        if self.declared.is_some() || self.typed.is_some() {
            let Some(kind) = self.store.kind() else { return Err(Fault::Kind { expected: None, found }) };
            if !self.counts_empty && feature::is_empty(record, lists, LIST_DEPTH + 2, found)? {
                return Ok(());
            }
            if self.declared.is_some() || self.store.len() > 0 || self.counts_empty {
                return Err(Fault::Kind { expected: Some(kind), found });
            }
            // Of two changes in a row, the kind before the first counts.
            self.retyped.get_or_insert((row, kind));
        }
        self.set_kind(found);
        Ok(())
    }

    /// Changes the kind of a column without values; steps without a kind may be there.
    fn set_kind(&mut self, kind: FeatureKind) {
        self.store = Store::new(kind);
        self.store.begin();
    }

    /// Closes a row that has the list.
    #[inline(always)]
    fn end_row(&mut self, row: usize) -> Result<(), Fault> {
        let end = O::from_usize(self.steps()).ok_or(Fault::OffsetOverflow)?;
        if self.rows.len() <= row {
            self.fill_rows(row);
        }
        self.rows.push(end);
        self.valid.set(row);
        self.seen.get_or_insert(row);
        Ok(())
    }

    /// Ends of the first `rows` rows as far as they are not there: rows without the list.
    #[inline(never)]
    fn fill_rows(&mut self, rows: usize) {
        let last = self.rows.values().last().copied().unwrap_or_default();
        self.rows.push_n(last, (rows + 1).saturating_sub(self.rows.len()));
    }

    /// Forgets row `row`, if it is there in whole or in part. Rows before it stay.
    pub(super) fn roll_back(&mut self, row: usize) {
        self.rows.truncate(row + 1);
        self.valid.truncate(row);
        let steps = self.rows.values().last().map_or(0, |end| end.as_usize());
        self.ends.truncate(steps + 1);
        self.unset.truncate(steps);
        self.store.truncate(self.ends.values().last().map_or(0, |end| end.as_usize()));
        if let Some((_, kind)) = self.retyped.take_if(|(changed, _)| *changed == row) {
            self.set_kind(kind);
        }
        if self.seen == Some(row) {
            self.seen = None;
        }
        if self.typed == Some(row) {
            self.typed = None;
        }
    }

    /// Returns the column of `rows` rows; the next batch starts empty.
    pub(super) fn finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        let result = self.try_finish(rows);
        self.clear();
        result
    }

    fn try_finish(&mut self, rows: usize) -> Result<ArrayRef, ArrowError> {
        if self.declared.is_none() && self.seen.is_none() {
            return Ok(Arc::new(NullArray::new(rows)));
        }
        self.begin();
        self.fill_rows(rows);
        let steps = self.steps();
        let has_kind = match self.declared {
            Some(kind) => kind.is_some(),
            None => self.typed.is_some(),
        };
        let values = if has_kind { self.store.finish()? } else { None };
        let inner: ArrayRef = match values {
            None => Arc::new(NullArray::new(steps)),
            Some(values) => list_array(scalars(&mut self.ends), values, self.unset.nulls(steps, false))?,
        };
        list_array(scalars(&mut self.rows), inner, self.valid.nulls(rows, true))
    }

    /// Forgets all rows, so that a batch can begin.
    pub(super) fn clear(&mut self) {
        self.seen = None;
        self.typed = None;
        self.retyped = None;
        self.ends.truncate(0);
        self.unset.truncate(0);
        self.rows.truncate(0);
        self.valid.truncate(0);
        self.store.clear();
    }

    /// Readies the buffers for the first row of a batch.
    pub(super) fn begin(&mut self) {
        self.store.begin();
        if self.ends.len() == 0 {
            self.ends.push(O::usize_as(0));
        }
    }
}

/// Checks that a `FeatureList` is well-formed.
pub(super) fn check(record: &[u8], list: Span, lists: &mut Vec<Span>) -> Result<(), Fault> {
    let mut rest = list;
    while rest.start < rest.end {
        let (step, end) = next_field(record, rest)?;
        if let Some(step) = step {
            feature::parse(record, step, LIST_DEPTH + 1, lists)?;
        }
        rest.start = end;
    }
    Ok(())
}

/// Returns the step that the rest of a `FeatureList` begins with, if it is one and not an unknown field, and where that
/// field ends.
fn next_field(record: &[u8], rest: Span) -> Result<(Option<Span>, usize), Fault> {
    let shift = |error: WireError| error.shifted(rest.start);
    let mut reader = Reader::at_depth(rest.of(record), LIST_DEPTH);
    let Some(tag) = reader.tag().map_err(shift)? else { return Ok((None, rest.end)) };
    if tag.field == 1 && tag.wire == WireType::Len {
        let length = reader.bytes().map_err(shift)?.len();
        let end = rest.start + reader.position();
        return Ok((Some(Span { start: end - length, end }), end));
    }
    reader.skip(tag).map_err(shift)?;
    Ok((None, rest.start + reader.position()))
}

/// Returns the type of the column of a sequence feature of that kind.
pub(super) fn data_type<O: Offset>(kind: Option<FeatureKind>) -> DataType {
    let item = Arc::new(Field::new_list_field(feature_type::<O>(kind, None), true));
    GenericListArray::<O>::DATA_TYPE_CONSTRUCTOR(item)
}
