//! The rows of a conversion: which of the inputs, and what becomes of their columns.

use std::collections::HashSet;
use std::sync::Arc;

use arrow_schema::{DataType, Schema, SchemaRef};
use tfxio_core::{
    Batch, Column, ColumnPath, Dataset, Error, ErrorKind, Nested, Result, Scan as _, ScanRequest, suggest,
};
use tfxio_formats::{FoundValues, ValueOptions, ValuesExt as _, column_name};
use tfxio_scan::NamePattern;
use tfxio_scan::cast::{CastOptions, CastPlan, Profile, Target};
use tfxio_scan::filter::RowFilter;
use tfxio_scan::ranks::{Lowest, RowRanks};
use tfxio_scan::{Batches, DatasetExt as _};

use super::sample::{Sample, Sampler};

/// Bytes of records with which a batch ends where nothing else is asked for: several are held at a time.
const BATCH_BYTES: u64 = 16 << 20;
/// Bytes of columns that are sampled to find scalars and text.
const LOOKED_AT: u64 = 16 << 20;
/// Number of columns above which one batch is made at a time.
const MANY_COLUMNS: usize = 4096;

/// Options for rows and columns, in addition to the request.
#[derive(Clone, Debug, Default)]
pub(super) struct Shaping {
    /// Columns that are read, where patterns name some.
    pub(super) columns: Option<Vec<NamePattern>>,
    pub(super) excluded: Vec<NamePattern>,
    pub(super) cast: CastOptions,
    /// Whether features that have one value a record become columns of values.
    pub(super) scalars: bool,
    /// Whether features that are UTF-8 become texts.
    pub(super) text: bool,
    pub(super) sample: Option<(Sample, u64)>,
}

impl Shaping {
    /// Returns whether nothing is asked for that needs the values of records.
    pub(super) fn is_plain(&self) -> bool {
        self.columns.is_none()
            && self.excluded.is_empty()
            && self.cast.casts.is_empty()
            && !self.scalars
            && !self.text
            && self.sample.is_none()
    }
}

/// The rows of a data set that a conversion reads.
pub(super) struct InputRows {
    dataset: Arc<dyn Dataset>,
    request: ScanRequest,
    sampler: Option<Sampler>,
    shaping: Shaping,
}

impl InputRows {
    pub(super) fn new(dataset: Arc<dyn Dataset>, request: &ScanRequest, shaping: &Shaping) -> Result<Self> {
        let mut request = request.clone();
        let mut shaping = shaping.clone();
        if let Some(names) = shaping.columns.take() {
            request.columns = Some(choose(&names, dataset.schema())?);
        }
        exclude(&mut request, dataset.schema(), &mut shaping)?;
        let columns = columns(dataset.schema());
        request.batch_bytes.get_or_insert(BATCH_BYTES);
        if columns > MANY_COLUMNS {
            request.threads = 1;
        }
        let mut rows = Self { dataset, request, sampler: None, shaping };
        if let Some((sample, seed)) = rows.shaping.sample {
            rows.sampler = Some(rows.sampler(sample, seed)?);
        }
        Ok(rows)
    }

    /// Returns what chooses the rows of a sample. Which ones are a number of rows is known when all were looked at.
    fn sampler(&self, sample: Sample, seed: u64) -> Result<Sampler> {
        let ranks = RowRanks::new(&self.dataset, seed)?;
        let rows = match sample {
            Sample::Fraction(fraction) => return Ok(Sampler::of_fraction(ranks, fraction)),
            Sample::Rows(rows) => rows,
        };
        let (mut lowest, mut all) = (Lowest::new(rows), ranks.clone());
        let mut batches = self.dataset.read(self.request.clone().columns([""; 0]))?;
        while let Some(batch) = batches.next_batch()? {
            all.next(&batch).into_iter().for_each(|rank| lowest.push(rank));
        }
        Ok(Sampler::of_drawn(ranks, lowest.finish()))
    }

    /// Reads the rows.
    pub(super) fn read(&self) -> Result<InputBatches> {
        self.read_with(self.request.clone())
    }

    /// Reads the rows on threads of the pool that is given this queue.
    pub(super) fn read_within(&self, outer: &Nested) -> Result<InputBatches> {
        let threads = outer.threading(&self.request.threading());
        self.read_with(self.request.clone().spawn(threads.spawn))
    }

    fn read_with(&self, request: ScanRequest) -> Result<InputBatches> {
        let batches = self.dataset.read(request)?;
        Ok(InputBatches { batches, sampler: self.sampler.clone() })
    }

    /// Looks at all rows, where it depends on them what becomes of the columns. `progress` is called for each batch.
    pub(super) fn look(&mut self, mut progress: impl FnMut()) -> Result<()> {
        let Shaping { scalars, text, .. } = self.shaping;
        if !scalars && !text {
            return Ok(());
        }
        let mut reading = self.read()?;
        let mut profile = Profile::new(reading.schema(), scalars, text).of_whole_columns();
        while !profile.is_decided() {
            let Some(batch) = reading.next_batch()? else { break };
            profile.push(batch.columns());
            progress();
        }
        let cast = &mut self.shaping.cast;
        (cast.single, cast.texts) = (profile.single(), profile.texts());
        Ok(())
    }

    /// Returns the requested columns that could be scalars and text, by the first records; none where the options make them so already.
    pub(super) fn find_values(&self, records: u64) -> Result<FoundValues> {
        let Shaping { scalars, text, .. } = self.shaping;
        let request = ScanRequest::new().limits(self.request.limits).cancel(self.request.cancel.clone());
        let options = ValueOptions::new().infer_records(records).infer_bytes(LOOKED_AT).request(request);
        let mut found = self.dataset.find_values(&options.scalars(!scalars).text(!text))?;
        // Steps of sequence features stay as they are.
        let columns =
            self.dataset.schema().fields().iter().map(|field| ColumnPath::from(field.name().as_str()));
        let columns = columns.map(|path| column_name(&path)).collect::<HashSet<_>>();
        found.scalars.retain(|name| columns.contains(name));
        if let Some(columns) = &self.request.columns {
            let read = columns.iter().map(|column| column_name(&column.path)).collect::<HashSet<_>>();
            found.scalars.retain(|name| read.contains(name));
            found.text.retain(|name| read.contains(name));
        }
        Ok(found)
    }

    /// Plans what becomes of the columns for a format.
    pub(super) fn plan(&self, schema: &SchemaRef, target: &Target<'_>) -> Result<CastPlan> {
        let mut cast = self.shaping.cast.clone();
        cast.excluded.clone_from(&self.shaping.excluded);
        CastPlan::new(schema, &cast, target)
    }

    pub(super) fn dataset(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }

    pub(super) fn request(&self) -> &ScanRequest {
        &self.request
    }
}

/// The batches of the rows.
pub(super) struct InputBatches {
    batches: Batches,
    sampler: Option<Sampler>,
}

impl InputBatches {
    pub(super) fn schema(&self) -> &SchemaRef {
        self.batches.schema()
    }

    /// Returns the filter of the rows for the caller to apply, as [`Batches::filter_apart`]; nothing where a sample is taken of
    /// the rows that it leaves.
    pub(super) fn filter_apart(&mut self) -> Option<RowFilter> {
        if self.sampler.is_some() { None } else { self.batches.filter_apart() }
    }

    pub(super) fn next_batch(&mut self) -> Result<Option<Batch>> {
        loop {
            let Some(batch) = self.batches.next_batch()? else { return Ok(None) };
            let batch = match &mut self.sampler {
                Some(sampler) => sampler.batch(batch)?,
                None => batch,
            };
            if batch.num_rows() > 0 {
                return Ok(Some(batch));
            }
        }
    }
}

/// Returns the columns of names and patterns.
pub(super) fn choose(names: &[NamePattern], schema: &Schema) -> Result<Vec<Column>> {
    let all = || schema.fields().iter().map(|field| field.name().as_str());
    let mut chosen: Vec<&str> = Vec::new();
    for name in names {
        // A name that is not there, such as the path of a field, is of the scan, which says what is wrong with it.
        if !name.is_pattern() || all().any(|column| column == name.text()) {
            chosen.push(name.text());
            continue;
        }
        if !all().any(|column| name.fits(column)) {
            let what = format!("no column matches {:?}", name.text());
            let hint = suggest::hint(&name.text().replace(['*', '?'], ""), all(), "columns");
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
        }
        let is_named = |column: &str| names.iter().any(|name| name.text() == column);
        let new = all().filter(|column| name.fits(column) && !is_named(column) && !chosen.contains(column));
        let new = new.collect::<Vec<_>>();
        chosen.extend(new);
    }
    Ok(chosen.into_iter().map(Column::from).collect())
}

/// Leaves the columns out of a request that patterns name. Those that name no column stay, for fields of structs.
pub(super) fn exclude(request: &mut ScanRequest, schema: &Schema, shaping: &mut Shaping) -> Result<()> {
    if shaping.excluded.is_empty() {
        return Ok(());
    }
    let all = || schema.fields().iter().map(|field| Column::new(ColumnPath::new([field.name().as_str()])));
    let mut columns = request.columns.take().unwrap_or_else(|| all().collect());
    let name = |column: &Column| column.path.to_string();
    let is_named = |pattern: &NamePattern| columns.iter().any(|column| pattern.fits(&name(column)));
    let is_within = |pattern: &NamePattern| {
        let within = |(column, _)| schema.field_with_name(column).is_ok();
        pattern.text().split_once('.').is_some_and(within)
    };
    if let Some(unknown) = shaping.excluded.iter().find(|pattern| !is_named(pattern) && !is_within(pattern)) {
        let what = format!("there is no column {:?} to leave out", unknown.text());
        let known = schema.fields().iter().map(|field| field.name().as_str());
        let hint = suggest::hint(unknown.text(), known, "columns");
        return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
    }
    let (of_columns, within) = shaping.excluded.drain(..).partition::<Vec<_>, _>(is_named);
    shaping.excluded = within;
    columns.retain(|column| !of_columns.iter().any(|pattern| pattern.fits(&name(column))));
    if columns.is_empty() {
        let what = "every column is left out, so that there are none to write";
        return Err(Error::new(ErrorKind::InvalidArgument, what).help("leave out fewer columns"));
    }
    request.columns = Some(columns);
    Ok(())
}

/// Returns the number of columns; a column of sequence features counts as these.
fn columns(schema: &Schema) -> usize {
    let count = |data_type: &DataType| match data_type {
        DataType::Struct(fields) => fields.len(),
        _ => 1,
    };
    schema.fields().iter().map(|field| count(field.data_type())).sum()
}
