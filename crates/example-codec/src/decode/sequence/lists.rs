//! The sequence features of a batch under construction.

use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_schema::{ArrowError, DataType, Field, Fields};
use tfxio_core::Limits;

use super::super::core::NewName;
use super::super::feature::{Fault, Span};
use super::super::names::IGNORED;
use super::super::store::Offset;
use super::super::walk::{NewNames, Trouble, Walk};
use super::column::{Failure, ListColumn, check, data_type};
use crate::ExampleSchema;

/// The field of `SequenceExample` that holds the feature lists.
const FEATURE_LISTS: u32 = 2;

/// Failure of a record's feature lists: before anything was appended, or in a column.
pub(super) enum Halt {
    Walk(Box<Trouble>),
    Append(usize, Failure),
    /// With this record the batch has too many columns.
    TooMany,
}

/// All sequence features.
pub(super) struct Lists<O> {
    walk: Walk,
    columns: ListColumns<O>,
    has_required: bool,
    /// The first row of the batch whose record has the map of feature lists, be it empty.
    there: Option<usize>,
    limits: Limits,
    scratch: Vec<Span>,
}

struct ListColumns<O> {
    list: Vec<ListColumn<O>>,
    new: NewName,
    most: usize,
    counts_empty: bool,
}

impl<O: Offset> NewNames for ListColumns<O> {
    fn column(&mut self, name: &Arc<str>) -> Result<u32, Trouble> {
        match self.new {
            NewName::Ignored => Ok(IGNORED),
            NewName::Refused => Err(Trouble::UnknownFeature(Arc::clone(name))),
            // Some of the list may be of earlier batches; the exact count is taken after the record.
            NewName::Becomes if self.list.len() / 2 >= self.most => {
                Err(Trouble::TooManyColumns(Arc::clone(name)))
            }
            NewName::Becomes => {
                let mut column = ListColumn::inferred(Arc::clone(name));
                column.counts_empty = self.counts_empty;
                column.begin();
                self.list.push(column);
                Ok(self.list.len() as u32 - 1)
            }
        }
    }
}

impl<O: Offset> Lists<O> {
    /// Makes the columns of a schema; or of a projection; or, without either, none yet.
    pub(super) fn new(
        schema: Option<&ExampleSchema>,
        projection: Option<Vec<Arc<str>>>,
        new: NewName,
        (limits, counts_empty): (Limits, bool),
    ) -> Self {
        let mut list: Vec<ListColumn<O>> = match (schema, projection) {
            (Some(schema), _) => {
                let specs = schema.features().iter();
                specs
                    .map(|spec| ListColumn::declared(Arc::clone(&spec.name), spec.kind, spec.required))
                    .collect()
            }
            (None, Some(names)) => names.into_iter().map(ListColumn::inferred).collect(),
            (None, None) => Vec::new(),
        };
        list.iter_mut().for_each(|column| column.counts_empty = counts_empty);
        let mut walk = Walk::new(check);
        walk.set_names(list.iter().map(|column| &column.name));
        let has_required = list.iter().any(|column| column.required);
        let columns = ListColumns { list, new, most: limits.columns, counts_empty };
        Self { walk, columns, has_required, there: None, limits, scratch: Vec::new() }
    }

    /// Returns the fields of a schema's struct column.
    pub(super) fn fields(schema: &ExampleSchema) -> Fields {
        let field = |spec: &crate::FeatureField| Field::new(&*spec.name, data_type::<O>(spec.kind), true);
        schema.features().iter().map(field).collect()
    }

    /// Returns the number of columns so far, columns of earlier batches included.
    pub(super) fn count(&self) -> usize {
        self.columns.list.len()
    }

    pub(super) fn name(&self, column: usize) -> &str {
        self.columns.list.get(column).map_or("", |column| &column.name)
    }

    /// Returns the column that was new in a row, of several the last.
    pub(super) fn newest(&self, row: usize) -> &str {
        let newest = self.columns.list.iter().rfind(|column| column.is_new_in(row));
        newest.map_or("", |column| &column.name)
    }

    /// Returns whether this batch has a feature list, or the map of them with nothing in it.
    pub(super) fn is_seen(&self) -> bool {
        self.there.is_some() || self.columns.list.iter().any(ListColumn::is_seen)
    }

    /// Readies the columns for the first row of a batch.
    pub(super) fn begin(&mut self) {
        self.columns.list.iter_mut().for_each(ListColumn::begin);
    }

    /// Appends the feature lists of a record; returns the number of steps and values. After a halt the
    /// row is to be [rolled back](Self::roll_back).
    #[inline(always)]
    pub(super) fn push(&mut self, row: usize, record: &[u8]) -> Result<u64, Halt> {
        if self.columns.list.is_empty() && self.columns.new == NewName::Ignored {
            return Ok(0);
        }
        let walked = self.walk.record(record, FEATURE_LISTS, &mut self.columns);
        walked.map_err(|trouble| Halt::Walk(Box::new(trouble)))?;
        if self.walk.has_map {
            self.there.get_or_insert(row);
        }
        let items = self.append(row, record).map_err(|(column, failure)| Halt::Append(column, failure))?;
        if self.count() > self.limits.columns {
            let seen = self.columns.list.iter().filter(|column| column.is_seen()).count();
            if seen > self.limits.columns {
                return Err(Halt::TooMany);
            }
        }
        Ok(items)
    }

    #[inline(always)]
    fn append(&mut self, row: usize, record: &[u8]) -> Result<u64, (usize, Failure)> {
        let Self { walk, columns, scratch, .. } = self;
        let mut items = 0;
        let mut append = |index, column: &mut ListColumn<O>, found: Option<(bool, Span)>| {
            if let Some((merged, span)) = found {
                let bytes = if merged { &walk.scratch } else { record };
                items += column.append(row, bytes, span, scratch).map_err(|failure| (index, failure))? as u64;
            }
            Ok(())
        };
        // Only where few of many columns are there, in the order in which they came.
        if !walk.is_sparse || walk.touched.len() * 4 >= columns.list.len() {
            for (index, (column, found)) in columns.list.iter_mut().zip(walk.all_found()).enumerate() {
                append(index, column, found)?;
            }
        } else {
            for &index in &walk.touched {
                let index = index as usize;
                if let Some(column) = columns.list.get_mut(index) {
                    append(index, column, walk.found(index))?;
                }
            }
        }
        if self.has_required {
            for (index, column) in self.columns.list.iter().enumerate() {
                if column.required && self.walk.found(index).is_none() {
                    return Err((index, Failure { step: None, in_record: false, fault: Fault::Missing }));
                }
            }
        }
        Ok(items)
    }

    /// Forgets the row that failed, and the columns beyond the first `known`, which came with it.
    #[cold]
    pub(super) fn roll_back(&mut self, row: usize, known: usize) {
        if self.columns.list.len() > known {
            self.columns.list.truncate(known);
            self.walk.set_names(self.columns.list.iter().map(|column| &column.name));
        }
        for column in &mut self.columns.list {
            column.roll_back(row);
        }
        self.there = self.there.filter(|there| *there != row);
    }

    /// Returns the struct column of `rows` rows, if there is one; the next batch starts empty.
    pub(super) fn finish(&mut self, rows: usize) -> Result<Option<ArrayRef>, ArrowError> {
        let stale = self.columns.list.iter().map(|column| !column.is_seen()).collect::<Vec<_>>();
        let result = self.try_finish(rows);
        self.there = None;
        self.columns.list.iter_mut().for_each(ListColumn::clear);
        self.drop_stale_columns(stale);
        result
    }

    fn try_finish(&mut self, rows: usize) -> Result<Option<ArrayRef>, ArrowError> {
        let mut order = (0..self.count()).collect::<Vec<_>>();
        if self.columns.new == NewName::Becomes {
            let list = &self.columns.list;
            order.retain(|&index| list.get(index).is_some_and(ListColumn::is_seen));
            order.sort_by(|&a, &b| {
                list.get(a).map(|column| &column.name).cmp(&list.get(b).map(|column| &column.name))
            });
        }
        if order.is_empty() {
            let is_there = self.columns.new == NewName::Becomes && self.there.is_some();
            return Ok(is_there.then(|| Arc::new(StructArray::new_empty_fields(rows, None)) as ArrayRef));
        }
        let mut fields = Vec::with_capacity(order.len());
        let mut arrays = Vec::with_capacity(order.len());
        for index in order {
            if let Some(column) = self.columns.list.get_mut(index) {
                let array = column.finish(rows)?;
                fields.push(Field::new(&*column.name, array.data_type().clone(), true));
                arrays.push(array);
            }
        }
        Ok(Some(Arc::new(StructArray::try_new_with_length(fields.into(), arrays, None, rows)?)))
    }

    /// Forgets inferred columns that the batch did not have, once they are many: a file whose names
    /// change all the time must not fill the memory.
    fn drop_stale_columns(&mut self, stale: Vec<bool>) {
        let count = stale.iter().filter(|stale| **stale).count();
        let (all, most) = (stale.len(), self.limits.columns);
        if self.columns.new != NewName::Becomes || count == 0 || (all <= most && count <= all / 2 + 64) {
            return;
        }
        let mut stale = stale.into_iter();
        self.columns.list.retain(|_| !stale.next().unwrap_or(false));
        self.walk.set_names(self.columns.list.iter().map(|column| &column.name));
    }
}

/// Returns the field of the struct column.
pub(super) fn struct_field(name: &str, fields: Fields) -> Field {
    Field::new(name, DataType::Struct(fields), true)
}
