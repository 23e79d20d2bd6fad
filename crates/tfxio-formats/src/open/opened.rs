//! A data set that was opened, with what the opener adds to it.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::{Field, SchemaRef};
#[cfg(feature = "tensors")]
use tfxio_core::shared_options::{FEATURES, REPRESENTATIONS};
use tfxio_core::{
    Column, Dataset, DatasetSpec, Entries, Error, ErrorKind, Files, FormatOptions, Loss, OptionValue,
    Partition, PartitionStatistics, RecordRun, Result, Scan, ScanRequest,
};
use tfxio_scan::executor::{self, unfiltered};
use tfxio_scan::filter;
use tfxio_store::DASH;

use super::missing::Missing;
use super::opening::SOURCE_COLUMN;
use super::source_column;

/// A data set with its description and, where it is asked for, a column with the record of each row.
#[derive(Debug)]
pub(super) struct Opened {
    dataset: Arc<dyn Dataset>,
    spec: DatasetSpec,
    source: Option<Arc<str>>,
    schema: SchemaRef,
    missing: Option<Missing>,
    /// Number of all columns that hold values, including the ones within others.
    columns: usize,
}

/// Cells of a batch, rows times columns, of which each takes an offset even where nothing is in it. What has more columns comes in
/// batches of fewer rows.
const CELLS: usize = 1 << 23;
/// Bytes of columns that a byte of a record becomes at most, but for what no writer writes: a batch ends after as many bytes of records
/// as are certainly within the limit of its columns, rather than with an error.
const EXPANSION: u64 = 32;
/// Bytes that are set aside for a cell, whatever is in it.
const CELL_BYTES: u64 = 64;

impl Opened {
    pub(super) fn new(
        dataset: Arc<dyn Dataset>,
        format: &str,
        files: &Files,
        options: &FormatOptions,
        source: Option<Arc<str>>,
        own: BTreeMap<String, OptionValue>,
    ) -> Self {
        let schema = match &source {
            Some(source) => source_column::insert(dataset.schema(), source, usize::MAX),
            None => Arc::clone(dataset.schema()),
        };
        let mut spec = DatasetSpec::new(format, files.names().to_vec(), Arc::clone(&schema));
        spec.options = match dataset.local_spec() {
            Ok(own) => own.options,
            Err(_) => options.values().clone(),
        };
        #[cfg(feature = "tensors")]
        if own.contains_key(FEATURES) && !own.contains_key(REPRESENTATIONS) {
            // What is asked for goes before what the format has to say of its records.
            spec.options.remove(REPRESENTATIONS);
        }
        spec.options.extend(own);
        if let Some(source) = &source {
            spec.options.insert(SOURCE_COLUMN.to_owned(), OptionValue::Text(source.to_string()));
        }
        let is_leaf = |field: &&&Field| !field.data_type().is_nested();
        let columns = schema.flattened_fields().iter().filter(is_leaf).count();
        Self { dataset, spec, source, schema, missing: None, columns }
    }

    /// Sets which shards are missing.
    pub(super) fn missing(mut self, missing: Option<Missing>) -> Self {
        self.missing = missing;
        self
    }

    /// Returns whether the filter of a request reads the source column, which the inner data set does not have.
    fn filters_source(&self, request: &ScanRequest) -> bool {
        let Some((source, filter)) = self.source.as_ref().zip(request.filter.as_ref()) else { return false };
        filter::columns(filter).iter().any(|path| path.steps().first() == Some(source))
    }

    /// Returns a request that the inner data set can be given: without a filter of the source column, which what reads above applies
    /// with the limit, and with batches of no more cells than are held at a time.
    fn inner<'a>(&self, request: &'a ScanRequest) -> Cow<'a, ScanRequest> {
        let inner = if self.filters_source(request) { unfiltered(request) } else { Cow::Borrowed(request) };
        let columns = match &request.columns {
            Some(columns) => columns.len().min(self.columns),
            None => self.columns,
        };
        let most = request.limits.batch_bytes;
        let cells = usize::try_from(most / CELL_BYTES).unwrap_or(usize::MAX).min(CELLS);
        let rows = (cells / columns.max(1)).max(1);
        let bytes = (most / EXPANSION).max(1);
        if request.batch_rows <= rows && request.batch_bytes.is_some_and(|asked| asked <= bytes) {
            return inner;
        }
        let mut inner = inner.into_owned();
        inner.batch_rows = inner.batch_rows.min(rows);
        inner.batch_bytes = Some(inner.batch_bytes.map_or(bytes, |asked| asked.min(bytes)));
        Cow::Owned(inner)
    }

    /// Refuses more columns than a batch may have.
    fn check_columns(&self, request: &ScanRequest) -> Result<()> {
        let columns = request.columns.as_ref().map_or(self.schema.fields().len(), Vec::len);
        executor::check_columns(columns, &request.limits)
    }

    /// Returns the source column, where a request has it, its index, and the request without it.
    fn without_source(&self, request: &ScanRequest) -> Option<(&str, usize, ScanRequest)> {
        let source = self.source.as_ref()?;
        let mut inner = request.clone();
        let mut position = usize::MAX;
        if let Some(columns) = &mut inner.columns {
            let is_source = |column: &Column| column.path.steps().first() == Some(source);
            position = columns.iter().position(is_source)?;
            columns.retain(|column| !is_source(column));
        }
        Some((source, position, inner))
    }

    /// Scans with the source column, if the request has it.
    fn with_source(
        &self,
        request: &ScanRequest,
        scan: impl FnOnce(&ScanRequest) -> Result<Box<dyn Scan>>,
    ) -> Result<Box<dyn Scan>> {
        self.check_columns(request)?;
        let request = self.inner(request);
        match self.without_source(&request) {
            Some((source, position, inner)) => Ok(source_column::add(scan(&inner)?, source, position)),
            None => scan(&request),
        }
    }
}

impl Dataset for Opened {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.dataset.partitions(target_bytes)
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        !self.filters_source(request) && self.dataset.applies_filter(request)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.with_source(request, |request| self.dataset.scan(partition, request))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        match self.without_source(request) {
            Some((source, position, inner)) => {
                Ok(source_column::insert(&self.dataset.scan_schema(&inner)?, source, position))
            }
            None => self.dataset.scan_schema(request),
        }
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        self.check_columns(request)?;
        let request = self.inner(request);
        let Some((source, position, inner)) = self.without_source(&request) else {
            return self.dataset.scan_all(partitions, &request);
        };
        let scan = self.dataset.scan_all(partitions, &inner)?;
        Ok(scan.map(|scan| source_column::add(scan, source, position)))
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.with_source(request, |request| self.dataset.take(runs, request))
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        self.with_source(request, |request| self.dataset.take_in_file(file, runs, request))
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        self.dataset.statistics(partition)
    }

    fn losses(&self) -> Vec<Loss> {
        self.dataset.losses()
    }

    fn notes(&self) -> Vec<String> {
        self.dataset.notes()
    }

    fn check_complete(&self) -> Result<()> {
        match &self.missing {
            Some(missing) => Err(missing.error()),
            None => self.dataset.check_complete(),
        }
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.dataset.count_rows(partition, request)
    }

    fn leaves_out(&self) -> bool {
        self.dataset.leaves_out()
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.dataset.count_records(partition, request)
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.dataset.entries(partition, records)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        if self.spec.files.iter().any(|file| **file == *DASH) {
            let what = "a data set of standard input has no description: no other process can read it";
            let error = Error::new(ErrorKind::Unsupported, what);
            return Err(error.help("write it to a file first, and open that"));
        }
        Ok(self.spec.clone())
    }

    fn local_spec(&self) -> Result<DatasetSpec> {
        Ok(self.spec.clone())
    }
}
