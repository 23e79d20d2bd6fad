//! The rows that satisfy a predicate.

pub mod possible;

use std::sync::Arc;

use arrow_array::{Array as _, BooleanArray, RecordBatch};
use arrow_buffer::BooleanBuffer;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use tfxio_core::{Batch, Column, ColumnPath, Layout, Origins, Predicate, Projection, Result, ScanRequest};

/// Filter of the rows of batches, and projection to the requested columns if the filter reads others.
#[derive(Clone, Debug)]
pub struct RowFilter {
    predicate: Predicate,
    projection: Option<Arc<Projection>>,
}

impl RowFilter {
    /// Returns the filter of batches of a schema, of which these columns are returned, or all.
    ///
    /// # Errors
    /// `InvalidArgument` where the predicate does not fit the schema.
    pub fn new(predicate: &Predicate, schema: &SchemaRef, asked: Option<Vec<Column>>) -> Result<Self> {
        check(predicate, schema)?;
        let project = |asked| Projection::new(schema, &ScanRequest::new().columns::<Column>(asked));
        let projection = asked.map(project).transpose()?.map(Arc::new);
        Ok(Self { predicate: predicate.clone(), projection })
    }

    /// Returns the schema of the columns that are returned, where others are read.
    pub fn schema(&self) -> Option<&SchemaRef> {
        self.projection.as_ref().map(|projection| projection.schema())
    }

    /// Returns the rows that satisfy the filter.
    pub fn apply(&self, batch: Batch) -> Result<Batch> {
        let mask = self.predicate.evaluate(batch.columns())?;
        let Some(projection) = &self.projection else { return keep(&mask, batch) };
        let (columns, origins) = batch.into_parts();
        let batch = keep(&mask, Batch::new(columns.project(projection.read())?, origins))?;
        let (columns, origins) = batch.into_parts();
        Ok(Batch::new(projection.pick(&columns)?, origins))
    }

    /// Returns the columns that are returned of rows that are known to satisfy the filter.
    fn project(&self, columns: RecordBatch) -> Result<RecordBatch> {
        match &self.projection {
            Some(projection) => projection.pick(&columns.project(projection.read())?),
            None => Ok(columns),
        }
    }
}

/// One of this many records is sampled, to decide whether two steps are worth it for the others.
const SAMPLED: usize = 16;
/// Minimum number of records of a sample: of a few, all may satisfy a filter by chance.
const SMALL: usize = 64;
/// Percentage of records above which all columns are decoded at once. Copying rows out of lists takes longer than decoding the
/// columns of the filter twice, so that only of nearly all records it is not worth it.
const MOST: usize = 95;

/// The part of some records that satisfies a filter.
#[derive(Clone, Copy, Debug, Default)]
pub struct Share {
    /// Number of records that satisfy the filter.
    pub passed: usize,
    /// Number of records.
    pub records: usize,
}

impl Share {
    /// Returns the size of a sample that decides whether two steps are worth it for the other records.
    pub fn sample(records: usize) -> usize {
        records.min((records / SAMPLED).max(SMALL))
    }

    /// Returns whether it is so large that all columns are decoded at once.
    pub fn is_large(self) -> bool {
        self.passed.saturating_mul(100) > self.records.saturating_mul(MOST)
    }
}

/// Decoding of the records that satisfy a filter in two steps: the columns that the filter reads first, then the requested ones.
#[derive(Clone, Debug)]
pub struct TwoSteps {
    all: RowFilter,
    first: RowFilter,
    is_all: bool,
}

impl TwoSteps {
    /// Returns the steps for a request, with a decoder of all of its columns and a decoder of the columns of its filter. `make` returns a
    /// decoder and the schema of its batches. Nothing where the filter is not [applied](is_applied).
    ///
    /// # Errors
    /// When a column does not exist, or the filter does not fit the types of columns.
    pub fn new<D>(
        request: &ScanRequest,
        schema: &SchemaRef,
        make: impl Fn(&ScanRequest) -> Result<(D, SchemaRef)>,
    ) -> Result<Option<(Self, D, D)>> {
        let Some(predicate) = request.filter.as_ref().filter(|_| is_applied(request)) else {
            return Ok(None);
        };
        let mut whole = request.clone();
        let asked = whole.columns.as_mut().and_then(|columns| append_columns(columns, predicate));
        if whole.columns.is_none() {
            check(predicate, schema)?;
        }
        let (decoder, whole) = make(&whole)?;
        let all = RowFilter::new(predicate, &whole, asked)?;
        let (first_decoder, read) = make(&request.clone().columns(columns(predicate).into_iter().cloned()))?;
        let first = RowFilter::new(predicate, &read, None)?;
        let is_all = whole.fields().iter().all(|field| read.fields().iter().any(|other| other == field));
        Ok(Some((Self { all, first, is_all }, decoder, first_decoder)))
    }

    /// Returns whether the filter reads all columns, so that there is one step only.
    pub fn is_all(&self) -> bool {
        self.is_all
    }

    /// Returns the schema of the columns that are asked for, where the filter reads others.
    pub fn schema(&self) -> Option<&SchemaRef> {
        self.all.schema()
    }

    /// Returns which rows satisfy the filter, by the columns that it reads.
    pub fn hold(&self, columns: &RecordBatch) -> Result<BooleanBuffer> {
        let mask = self.first.predicate.evaluate(columns)?;
        Ok(match mask.nulls() {
            Some(nulls) => mask.values() & nulls.inner(),
            None => mask.values().clone(),
        })
    }

    /// Returns the columns that are asked for of rows that are known to satisfy the filter.
    pub fn project(&self, columns: RecordBatch) -> Result<RecordBatch> {
        self.all.project(columns)
    }

    /// Returns the rows that satisfy the filter.
    pub fn apply(&self, batch: Batch) -> Result<Batch> {
        self.all.apply(batch)
    }

    /// Returns the rows of all columns that satisfy the filter, and which they are.
    pub fn select(&self, columns: RecordBatch) -> Result<(RecordBatch, BooleanBuffer)> {
        let holds = self.hold(&columns)?;
        let origins = Origins::default();
        let kept = keep(&BooleanArray::new(holds.clone(), None), Batch::new(columns, origins))?;
        Ok((self.project(kept.into_columns())?, holds))
    }
}

/// Returns whether a scan that decodes in two steps applies the filter of a request. Where damage is skipped, records are looked
/// at in full, so that all of it is reported.
pub fn is_applied(request: &ScanRequest) -> bool {
    let reads = |filter| !columns(filter).is_empty();
    request.on_error.skip().is_none() && request.filter.as_ref().is_some_and(reads)
}

/// Checks that a predicate can be evaluated.
pub fn check(predicate: &Predicate, schema: &SchemaRef) -> Result<()> {
    predicate.evaluate(&RecordBatch::new_empty(Arc::clone(schema))).map(drop)
}

/// Returns the columns that a predicate reads, without columns that are parts of others.
pub fn columns(predicate: &Predicate) -> Vec<&ColumnPath> {
    let mut read: Vec<&ColumnPath> = Vec::new();
    predicate.columns(&mut read);
    let all = read.clone();
    read.retain(|path| !all.iter().any(|other| other != path && path.starts_with(other)));
    read
}

/// Appends the columns that a predicate reads to the columns of a request. Returns the columns as they were before; nothing if the request
/// had them all.
pub fn append_columns(columns: &mut Vec<Column>, predicate: &Predicate) -> Option<Vec<Column>> {
    let asked = columns.clone();
    let missing = |path: &&ColumnPath| !asked.iter().any(|column| path.starts_with(&column.path));
    // A format may have one width of offsets for all columns.
    let layout = asked.iter().map(|column| column.layout);
    let layout = layout.filter(|layout| matches!(layout, Layout::List | Layout::LargeList));
    let layout = layout.min_by_key(|layout| *layout == Layout::LargeList).unwrap_or_default();
    let read = self::columns(predicate).into_iter().filter(missing);
    columns.extend(read.map(|path| Column::new(path.clone()).layout(layout)));
    (columns.len() > asked.len()).then_some(asked)
}

/// Returns the rows of a mask.
pub fn keep(mask: &BooleanArray, batch: Batch) -> Result<Batch> {
    let kept = filter_record_batch(batch.columns(), mask)?;
    if kept.num_rows() == batch.num_rows() {
        return Ok(batch);
    }
    let mut origins = Origins::default();
    for row in mask.iter().enumerate().filter_map(|(row, holds)| (holds == Some(true)).then_some(row)) {
        match batch.origins().get(row) {
            Some(origin) => origins.push(origin.file, origin.record, origin.byte),
            None => origins.push_unknown(1),
        }
    }
    Ok(Batch::new(kept, origins))
}
