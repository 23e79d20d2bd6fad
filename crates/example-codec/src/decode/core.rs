//! The decoder proper, for one width of offsets.

use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions};
use arrow_schema::{ArrowError, Field, Schema, SchemaRef};
use tfxio_core::{Limits, Origin, RecordDecoder};

use super::column::{Column, Row, SingleOffsets, data_type};
use super::explain::offset_overflow;
use super::extra::{RawRecords, Sources};
use super::feature::{self, Fault, Span};
use super::names::IGNORED;
use super::options::{ExampleDecoderBuilder, UnknownFeatures};
use super::store::Offset;
use super::template::Templates;
use super::walk::{NewNames, Trouble, Walk};
use crate::error::{Locate, check_size, too_many_columns};
use crate::foreign::{is_other_message, other_message};
use crate::infer::FEATURE_LISTS;
use crate::sequence_schema::distinct;
use crate::{Error, Kind};

pub(super) struct Core<O: Offset> {
    pub(super) walk: Walk,
    pub(super) columns: FeatureColumns<O>,
    pub(super) templates: Templates,
    single: SingleOffsets<O>,
    raw: Option<(Arc<str>, RawRecords<O>)>,
    sources: Option<(Arc<str>, Sources)>,
    pub(super) schema: Option<SchemaRef>,
    /// Columns of the batch before in their order, and its schema, while types are inferred.
    order: Vec<usize>,
    last_schema: Option<SchemaRef>,
    pub(super) limits: Limits,
    rows: usize,
    /// About the bytes that the columns take so far.
    bytes: u64,
    has_required: bool,
    /// Whether a record without a feature must be without bytes as well.
    refuses_others: bool,
    lists: Vec<Span>,
    /// Name of the message type, for errors.
    pub(super) message: &'static str,
    /// Values of the next record that another decoder has appended, and that count for the limits.
    pub(super) beside: u64,
    /// A name that no feature may have.
    pub(super) reserved: Option<Arc<str>>,
}

/// Failure of a record: before anything of it was appended, or in a column.
enum Halt {
    Walk(Box<Trouble>),
    Append(usize, Fault),
}

/// The columns, and the policy for a name without one.
pub(super) struct FeatureColumns<O> {
    pub(super) list: Vec<Column<O>>,
    new: NewName,
    most: usize,
    counts_empty: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum NewName {
    Becomes,
    Ignored,
    Refused,
}

impl<O: Offset> FeatureColumns<O> {
    /// Returns the number of columns in this batch.
    #[cold]
    fn seen(&self) -> usize {
        self.list.iter().filter(|column| column.is_seen()).count()
    }
}

impl<O: Offset> NewNames for FeatureColumns<O> {
    fn column(&mut self, name: &Arc<str>) -> Result<u32, Trouble> {
        match self.new {
            NewName::Ignored => Ok(IGNORED),
            NewName::Refused => Err(Trouble::UnknownFeature(Arc::clone(name))),
            // Some of the list may be of earlier batches; the exact count is taken after the record.
            NewName::Becomes if self.list.len() / 2 >= self.most => {
                Err(Trouble::TooManyColumns(Arc::clone(name)))
            }
            NewName::Becomes => {
                let mut column = Column::inferred(Arc::clone(name));
                column.counts_empty = self.counts_empty;
                column.begin();
                self.list.push(column);
                Ok(self.list.len() as u32 - 1)
            }
        }
    }
}

impl<O: Offset> Core<O> {
    pub(super) fn new(options: ExampleDecoderBuilder) -> Result<Self, Error> {
        let ExampleDecoderBuilder { schema, projection, fixed_size_lists, limits, .. } = options;
        let other_messages = options.other_messages;
        let declared = schema.is_some();
        let refuse = declared && options.unknown_features == UnknownFeatures::Refuse;
        let new = match (&projection, refuse) {
            (None, false) if !declared => NewName::Becomes,
            (None, true) => NewName::Refused,
            _ => NewName::Ignored,
        };
        let schema = match (schema, &projection) {
            (Some(schema), Some(names)) => Some(schema.project(names)?),
            (schema, _) => schema,
        };
        let counts_empty = options.kinds_of_empty_lists;
        let mut list = match (&schema, projection) {
            (Some(schema), _) => {
                let column = |spec: &crate::FeatureField| {
                    let fixed = spec.fixed_len.filter(|_| fixed_size_lists);
                    if fixed.is_some_and(|values| values == 0 || i32::try_from(values).is_err()) {
                        let message = "a fixed length is between 1 and 2147483647 values";
                        return Err(Error::new(Kind::InvalidOption, message).in_feature(&spec.name));
                    }
                    Ok(Column::declared(Arc::clone(&spec.name), spec.kind, fixed, spec.required))
                };
                schema.features().iter().map(column).collect::<Result<Vec<_>, _>>()?
            }
            (None, Some(names)) => names.into_iter().map(Column::inferred).collect(),
            (None, None) => Vec::new(),
        };
        if list.len() > limits.columns {
            return Err(too_many_columns(limits.columns));
        }
        list.iter_mut().for_each(|column: &mut Column<O>| column.counts_empty = counts_empty);
        let raw = options.raw_record_column.map(|name| (name, RawRecords::new()));
        let sources = options.source_column.map(|name| (name, Sources::default()));
        let extra = raw.iter().map(|(name, _)| name).chain(sources.iter().map(|(name, _)| name));
        distinct(list.iter().map(|column| &column.name).chain(extra).map(|name| &**name))?;
        let mut walk = Walk::new(feature::check);
        walk.set_names(list.iter().map(|column: &Column<O>| &column.name));
        let refuses_others = match other_messages {
            Some(action) => action == UnknownFeatures::Refuse,
            // A projection passes over features, not over what makes a record another message.
            None => refuse,
        };
        if refuses_others {
            walk.refused = Some(FEATURE_LISTS);
        }
        let has_required = list.iter().any(|column| column.required);
        let mut core = Self {
            walk,
            columns: FeatureColumns { list, new, most: limits.columns, counts_empty },
            templates: Templates::default(),
            single: SingleOffsets::default(),
            raw,
            sources,
            schema: None,
            order: Vec::new(),
            last_schema: None,
            limits,
            rows: 0,
            bytes: 0,
            has_required,
            refuses_others,
            lists: Vec::new(),
            message: "tf.Example",
            beside: 0,
            reserved: None,
        };
        if let Some(schema) = schema {
            let fields = schema.features().iter().map(|spec| {
                let fixed = spec.fixed_len.filter(|_| fixed_size_lists);
                Field::new(&*spec.name, data_type::<O>(spec.kind, fixed), true)
            });
            let fields = fields.chain(core.extra_fields()).collect::<Vec<_>>();
            core.schema = Some(Arc::new(Schema::new(fields)));
        }
        Ok(core)
    }

    fn extra_fields(&self) -> Vec<Field> {
        let raw = self.raw.iter().map(|(name, _)| Field::new(&**name, RawRecords::<O>::data_type(), true));
        let sources = self.sources.iter().map(|(name, _)| Field::new(&**name, Sources::data_type(), true));
        raw.chain(sources).collect()
    }

    /// Completes and checks a row once the features of its record are appended.
    #[inline(always)]
    fn close_row(&mut self, record: &[u8], origin: Origin<'_>, items: u64) -> Result<(), Error> {
        let items = items + self.beside;
        if items == 0 && self.refuses_others && is_other_message(record) {
            return Err(other_message(self.message, record).in_record(origin));
        }
        // What a row adds, at most: its values, an offset a column, and its record.
        let columns = self.columns.list.len();
        let added = 16 * items + 16 * columns as u64 + record.len() as u64;
        if items > self.limits.list_items || self.bytes + added > self.limits.batch_bytes {
            return Err(self.row_too_large(items).in_record(origin));
        }
        if columns > self.limits.columns && self.columns.seen() > self.limits.columns {
            let newest = self.columns.list.iter().rfind(|column| column.is_new_in(self.rows));
            let name = newest.map_or("", |column| &column.name);
            return Err(too_many_columns(self.limits.columns).in_record(origin).in_feature(name));
        }
        if let Some(name) = &self.reserved
            && self.columns.list.iter().any(|column| column.name == *name && column.is_seen())
        {
            return Err(self.reserved_name(name).in_record(origin));
        }
        if self.raw.is_some() || self.sources.is_some() {
            self.append_extra(record, origin)?;
        }
        self.bytes += added;
        let row = self.rows;
        self.rows += 1;
        self.templates.end_row(&mut self.columns.list, Row::new(row));
        Ok(())
    }

    /// Finds the features of a record and appends them; returns the number of values.
    #[inline(always)]
    fn row(&mut self, record: &[u8]) -> Result<u64, Halt> {
        self.templates.settle(&mut self.columns.list, Row::new(self.rows));
        self.walk.record(record, 1, &mut self.columns).map_err(|trouble| Halt::Walk(Box::new(trouble)))?;
        let items = self.append(record).map_err(|(column, fault)| Halt::Append(column, fault))?;
        self.templates.learn(&self.walk, &self.columns.list, record);
        Ok(items)
    }

    /// Finds the features of a record by a template and appends them; returns the number of values, if the record is
    /// like earlier ones.
    #[inline(always)]
    fn row_by_template(&mut self, record: &[u8]) -> Option<u64> {
        if !self.fits_surely(record) {
            return None;
        }
        let way = self.templates.way(&mut self.walk.names, record)?;
        let row = Row::new(self.rows);
        let items = self.templates.row(&self.walk, &mut self.columns.list, record, (row, way));
        if items.is_none() {
            self.roll_back(self.columns.list.len());
        }
        items
    }

    /// Appends the features found; returns the number of values, or the column that failed.
    #[inline(never)]
    fn append(&mut self, record: &[u8]) -> Result<u64, (usize, Fault)> {
        let row = Row::new(self.rows);
        let Self { walk, columns, lists, .. } = self;
        let mut items = 0;
        // In the order of the columns, so that the processor can foresee their kinds; only where
        // few of many columns are there, in the order in which they came.
        if !walk.is_sparse || walk.touched.len() * 4 >= columns.list.len() {
            for (index, (column, found)) in columns.list.iter_mut().zip(walk.all_found()).enumerate() {
                if let Some((merged, span)) = found {
                    let bytes = if merged { &walk.scratch } else { record };
                    let values = column.append(row, bytes, span, lists).map_err(|fault| (index, fault))?;
                    items += values as u64;
                }
            }
        } else {
            for &index in &walk.touched {
                let index = index as usize;
                let (Some(column), Some((merged, span))) = (columns.list.get_mut(index), walk.found(index))
                else {
                    continue;
                };
                let bytes = if merged { &walk.scratch } else { record };
                let values = column.append(row, bytes, span, lists).map_err(|fault| (index, fault))?;
                items += values as u64;
            }
        }
        if self.has_required {
            for (index, column) in self.columns.list.iter().enumerate() {
                if column.required && self.walk.found(index).is_none() {
                    return Err((index, Fault::Missing));
                }
            }
        }
        Ok(items)
    }

    /// Returns whether no limit is near that could be reached by one column and not by another.
    #[inline(always)]
    fn fits_surely(&self, record: &[u8]) -> bool {
        self.columns.list.len() <= self.limits.columns
            && self.reserved.is_none()
            && self.bytes.saturating_add(record.len() as u64) <= O::MAX_OFFSET as u64
    }

    fn append_extra(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        if let Some((name, raw)) = &mut self.raw {
            raw.push(record).map_err(|_| offset_overflow().in_feature(name).in_record(origin))?;
        }
        if let Some((name, sources)) = &mut self.sources {
            sources.push(origin).map_err(|_| offset_overflow().in_feature(name).in_record(origin))?;
        }
        Ok(())
    }

    /// Forgets the row that failed, and the columns beyond the first `known`, which came with it.
    #[cold]
    fn roll_back(&mut self, known: usize) {
        self.templates.take_back(Row::new(self.rows));
        if self.columns.list.len() > known {
            self.columns.list.truncate(known);
            self.order.clear();
            self.rename();
        }
        for column in &mut self.columns.list {
            column.roll_back(Row::new(self.rows));
        }
        if let Some((_, raw)) = &mut self.raw {
            raw.truncate(self.rows);
        }
    }

    /// Forgets inferred columns that the batch did not have, once they are many: a file whose names
    /// change all the time must not fill the memory.
    fn drop_stale_columns(&mut self, stale: Vec<bool>) {
        let count = stale.iter().filter(|stale| **stale).count();
        let (all, most) = (stale.len(), self.limits.columns);
        if self.columns.new != NewName::Becomes || count == 0 || (all <= most && count <= all / 2 + 64) {
            return;
        }
        self.order.clear();
        let mut stale = stale.into_iter();
        self.columns.list.retain(|_| !stale.next().unwrap_or(false));
        self.rename();
    }

    /// Tells the walk the names of the columns, whose numbers have changed.
    fn rename(&mut self) {
        self.walk.set_names(self.columns.list.iter().map(|column| &column.name));
        self.templates.forget();
    }

    fn try_flush(&mut self) -> Result<RecordBatch, ArrowError> {
        let rows = self.rows;
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(self.columns.list.len() + 2);
        let schema = match &self.schema {
            Some(schema) => {
                for column in &mut self.columns.list {
                    arrays.push(column.finish(rows, &mut self.single)?);
                }
                Arc::clone(schema)
            }
            None => {
                let order = self.inferred_order();
                for &index in &order {
                    if let Some(column) = self.columns.list.get_mut(index) {
                        arrays.push(column.finish(rows, &mut self.single)?);
                    }
                }
                let schema = self.inferred_schema(&order, &arrays);
                self.order = order;
                schema
            }
        };
        if let Some((_, raw)) = &mut self.raw {
            arrays.push(raw.finish(rows)?);
        }
        if let Some((_, sources)) = &mut self.sources {
            arrays.push(sources.finish()?);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(schema, arrays, &options)
    }

    /// Returns the columns of this batch, in the order in which they are handed out.
    fn inferred_order(&mut self) -> Vec<usize> {
        let list = &self.columns.list;
        let mut order = std::mem::take(&mut self.order);
        if self.columns.new == NewName::Becomes {
            let is_seen = |index: &usize| list.get(*index).is_some_and(Column::is_seen);
            let seen = self.columns.seen();
            if order.len() != seen || !order.iter().all(is_seen) {
                order = (0..list.len()).filter(is_seen).collect();
                order.sort_by_key(|&index| list.get(index).map(|column| &column.name));
            }
        } else if order.len() != list.len() {
            order = (0..list.len()).collect();
        }
        order
    }

    /// Returns the schema of a batch of these columns: that of the batch before, if it is the same.
    fn inferred_schema(&mut self, order: &[usize], arrays: &[ArrayRef]) -> SchemaRef {
        let names = order.iter().map(|&index| self.columns.list.get(index).map_or("", |column| &column.name));
        if let Some(schema) = &self.last_schema
            && schema.fields().len()
                == arrays.len() + usize::from(self.raw.is_some()) + usize::from(self.sources.is_some())
            && names
                .clone()
                .zip(arrays)
                .zip(schema.fields())
                .all(|((name, array), field)| field.name() == name && field.data_type() == array.data_type())
        {
            return Arc::clone(schema);
        }
        let fields = names.zip(arrays).map(|(name, array)| Field::new(name, array.data_type().clone(), true));
        let fields = fields.chain(self.extra_fields()).collect::<Vec<_>>();
        Arc::clone(self.last_schema.insert(Arc::new(Schema::new(fields))))
    }
}

impl<O: Offset> RecordDecoder for Core<O> {
    fn schema(&self) -> Option<SchemaRef> {
        self.schema.clone()
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<(), Error> {
        check_size(record, &self.limits).map_err(|error| error.in_record(origin))?;
        if self.rows == 0 {
            for column in &mut self.columns.list {
                column.begin();
            }
        }
        let known = self.columns.list.len();
        let result = match self.row_by_template(record) {
            Some(items) => self.close_row(record, origin, items),
            None => match self.row(record) {
                Ok(items) => self.close_row(record, origin, items),
                Err(Halt::Walk(trouble)) => Err(self.explain_trouble(*trouble, origin)),
                Err(Halt::Append(column, fault)) => Err(self.explain(column, fault).in_record(origin)),
            },
        };
        if result.is_err() {
            self.roll_back(known);
        }
        result
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn flush(&mut self) -> Result<RecordBatch, Error> {
        self.templates.settle(&mut self.columns.list, Row::new(self.rows.saturating_sub(1)));
        let stale = self.columns.list.iter().map(|column| !column.is_seen()).collect::<Vec<_>>();
        let result = self.try_flush();
        self.rows = 0;
        self.bytes = 0;
        for column in &mut self.columns.list {
            column.clear();
        }
        self.drop_stale_columns(stale);
        result.map_err(|error| Error::new(Kind::Arrow, "the columns do not make a batch").because(error))
    }
}
