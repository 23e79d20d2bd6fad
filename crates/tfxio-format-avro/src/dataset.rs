//! Avro files as a data set.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use avro_path::AvroSchema;
use tfxio_core::{
    Dataset, DatasetSpec, Entries, Error, ErrorKind, Estimate as Statistic, Files, FormatOptions, Loss,
    OptionValue, Partition, PartitionStatistics, RecordRun, Result, Scan, ScanRequest, take_by_seeking,
    take_in_file_by_seeking,
};
use tfxio_scan::executor::unfiltered;
use tfxio_scan::filter::{self, TwoSteps};
use tfxio_scan::merge::{Merged, UNION_BY_NAME};

use super::chain::Chain;
use super::columns::ColumnMapping;
use super::cursor::Cursor;
use super::decoder::{BatchPlan, Filtering, Program, Recipe};
use super::file_metadata::FileMetadata;
use super::mixed::Mixed;
use super::scan::AvroScan;
use super::take::Take;
use super::{resolved, settings};

/// Records of a run that is scanned, and not read block by block for each batch.
const LONG: u64 = 1024;

/// A data set of Avro files. Scans share it.
#[derive(Debug)]
pub(super) struct AvroDataset {
    inner: Arc<Inner>,
    /// Columns of all files, where some are not read with one schema.
    mixed: Option<Mixed>,
}

/// Files that are read with one schema.
pub(super) struct Inner {
    pub(super) metadata: Arc<FileMetadata>,
    /// Schema that all files are read with.
    pub(super) schema: AvroSchema,
    pub(super) columns: ColumnMapping,
    /// All columns.
    pub(super) program: Program,
    pub(super) arrow: SchemaRef,
    pub(super) options: BTreeMap<String, OptionValue>,
}

impl AvroDataset {
    /// Fixes the schema: by the reader's schema if one is given, otherwise by the headers of the files.
    pub(super) fn open(files: Files, options: &FormatOptions) -> Result<Self> {
        let metadata = Arc::new(FileMetadata::new(files));
        let given = settings::schema(&**metadata.files.store(), options, "reader_schema")?;
        let is_given = given.is_some();
        let schema = match (given, metadata.files.names().first()) {
            (Some(schema), _) => schema,
            (None, Some(file)) => metadata.header(file, &options.request.cancel)?.schema().clone(),
            (None, None) => return Err(Error::new(ErrorKind::InvalidArgument, "no file is named")),
        };
        #[allow(unused_mut, reason = "specs add an option")]
        let mut values = options.values().clone();
        let columns = match options.text("features") {
            None => settings::columns(options)?,
            Some(_) if options.list("keys").is_some() => {
                let what =
                    "key expressions and feature specs are given, and each says what columns there are";
                return Err(Error::new(ErrorKind::InvalidArgument, what).help("give one"));
            }
            #[cfg(feature = "tensors")]
            Some(specs) => {
                let (columns, representations) =
                    super::specs::bind(&schema, specs, settings::key_options(options))?;
                values.extend([representations]);
                columns
            }
            #[cfg(not(feature = "tensors"))]
            Some(_) => settings::columns(options)?,
        };
        let program = columns.compile(&schema)?;
        let arrow = program.arrow_schema();
        if let Some(given) =
            options.schema.as_ref().filter(|given| is_given && given.fields() != arrow.fields())
        {
            let names = |schema: &ArrowSchema| {
                schema
                    .fields()
                    .iter()
                    .map(|field| format!("{}: {}", field.name(), field.data_type()))
                    .collect::<Vec<_>>()
                    .join(", ")
            };
            let what = format!(
                "the columns are {}, and {} when the data set was described",
                names(&arrow),
                names(given)
            );
            return Err(Error::new(ErrorKind::SchemaMismatch, what).help("describe the data set again"));
        }
        let inner = Arc::new(Inner { metadata, schema, columns, program, arrow, options: values });
        let is_union = options.flag(UNION_BY_NAME.key);
        let mixed = match (&options.schema, inner.metadata.files.names().first()) {
            _ if is_given => None,
            (Some(given), Some(first)) => {
                Some(Mixed::new(Merged::given(Arc::clone(first), Arc::clone(given), is_union)))
            }
            _ => Mixed::look(&inner, is_union, &options.request.cancel)?,
        };
        Ok(Self { inner, mixed })
    }

    /// Returns whether some files are not read with one schema.
    pub(super) fn is_mixed(&self) -> bool {
        self.mixed.is_some()
    }
}

impl AvroDataset {
    /// Scans records that follow each other, whose blocks then are read once; `None` where the file does not have all of them.
    fn scan_of(
        &self,
        run: &RecordRun,
        plan: &BatchPlan,
        request: &ScanRequest,
    ) -> Result<Option<Box<dyn Scan>>> {
        let (metadata, end) = (&self.inner.metadata, run.first.saturating_add(run.records));
        if request.on_error.skip().is_some() || !metadata.files.names().contains(&run.file) {
            return Ok(None);
        }
        let last = metadata.block_of(&run.file, end.saturating_sub(1), &request.limits, &request.cancel)?;
        if last.is_none() {
            return Ok(None);
        }
        let partition = Partition::whole(Arc::clone(&run.file)).records(end);
        let mut scan = AvroScan::open(Arc::clone(&self.inner), &partition, plan.clone(), request, 0)?;
        scan.seek(run.first)?;
        Ok(Some(Box::new(scan)))
    }
}

impl Inner {
    /// Returns what makes the columns of a request.
    pub(super) fn plan(&self, request: &ScanRequest) -> Result<BatchPlan> {
        if let Some((steps, program, first)) =
            TwoSteps::new(request, &self.arrow, |request| self.program(request))?
        {
            let schema = steps.schema().cloned().unwrap_or_else(|| program.arrow_schema());
            return Ok(BatchPlan {
                program: Some(program),
                filtering: Some(Filtering { steps, first }),
                schema,
            });
        }
        if request.columns.as_ref().is_some_and(Vec::is_empty) {
            return Ok(BatchPlan { program: None, filtering: None, schema: Arc::new(ArrowSchema::empty()) });
        }
        let (program, schema) = self.program(request)?;
        Ok(BatchPlan { program: Some(program), filtering: None, schema })
    }

    /// Returns what makes columns, and their schema.
    fn program(&self, request: &ScanRequest) -> Result<(Program, SchemaRef)> {
        match request.columns.as_deref() {
            None => Ok((self.program.clone(), Arc::clone(&self.arrow))),
            Some(columns) => {
                let program = self.columns.select(columns, &self.schema)?.compile(&self.schema)?;
                let schema = program.arrow_schema();
                Ok((program, schema))
            }
        }
    }

    /// Returns what makes rows of the data of a file.
    pub(super) fn recipe(
        &self,
        program: &Program,
        filtering: Option<&Filtering>,
        file: &Arc<str>,
        writer: &AvroSchema,
        request: &ScanRequest,
    ) -> Result<Recipe> {
        resolved::recipe(program, filtering, writer, &self.schema, request.limits, file)
    }
}

impl AvroDataset {
    /// Returns a scan of records of files, of which each block is read once a batch, whatever the order of its records.
    fn taken(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        // Each record that was chosen is a row.
        let request = unfiltered(request);
        let plan = self.inner.plan(&request)?;
        if let [run] = runs
            && run.records >= LONG
            && let Some(scan) = self.scan_of(run, &plan, &request)?
        {
            return Ok(scan);
        }
        let BatchPlan { program, schema, .. } = plan;
        Ok(Box::new(Take::open(Arc::clone(&self.inner), runs, program, schema, &request)?))
    }
}

impl Dataset for AvroDataset {
    fn schema(&self) -> &SchemaRef {
        match &self.mixed {
            Some(mixed) => mixed.merged().schema(),
            None => &self.inner.arrow,
        }
    }

    fn losses(&self) -> Vec<Loss> {
        self.inner.columns.losses(&self.inner.schema)
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.inner.metadata.files.byte_ranges(target_bytes)
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        self.mixed.is_none() && filter::is_applied(request)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        if let Some(mixed) = &self.mixed {
            return mixed.scan(&self.inner, partition, request);
        }
        let plan = self.inner.plan(request)?;
        Ok(Box::new(AvroScan::open(Arc::clone(&self.inner), partition, plan, request, 0)?))
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        if self.mixed.is_some() {
            return Ok(None);
        }
        let plan = self.inner.plan(request)?;
        Ok(Some(Box::new(Chain::open(Arc::clone(&self.inner), partitions, plan, request)?)))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        match &self.mixed {
            Some(mixed) => mixed.merged().projected(request),
            None => Ok(self.inner.plan(request)?.schema),
        }
    }

    /// Reads each block once a batch, whatever the order of its records.
    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        if self.mixed.is_some() {
            return take_by_seeking(self, runs, request);
        }
        let names = self.inner.metadata.files.names().iter().collect::<HashSet<_>>();
        if let Some(run) = runs.iter().find(|run| !names.contains(&run.file)) {
            let what = format!("the data set has no file {:?}", run.file);
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        self.taken(runs, request)
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        if self.mixed.is_some() || runs.iter().any(|run| run.file != file.file) {
            return take_in_file_by_seeking(self, file, runs, request);
        }
        self.taken(runs, request)
    }

    /// Finds the first records of blocks by their heads.
    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        let (metadata, request) = (&self.inner.metadata, ScanRequest::default());
        let (mut first_records, mut next) = (Vec::new(), 0u64);
        while next < records {
            let found = metadata.block_of(&partition.file, next, &request.limits, &request.cancel)?;
            let Some(found) = found.filter(|found| found.next_record > next) else { break };
            first_records.push(next);
            next = found.next_record;
        }
        Ok(Entries::At(first_records))
    }

    /// Counts rows by the heads of blocks, exactly.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let request = ScanRequest::default();
        let (metadata, file) = (&self.inner.metadata, &partition.file);
        let mut statistics = PartitionStatistics::default();
        if let Some(size) = metadata.files.store().size(file)? {
            let start = partition.start.min(size);
            statistics.bytes = Statistic::Exact(partition.end.min(size).saturating_sub(start));
        }
        let number = |offset| {
            let position = metadata.block_at(file, offset, &request.limits, &request.cancel);
            position.map(|position| position.first_record)
        };
        let first = number(partition.start)?.saturating_add(Cursor::start(partition).skip);
        let rows = number(partition.end)?.saturating_sub(first);
        statistics.rows = Statistic::Exact(partition.records.map_or(rows, |records| rows.min(records)));
        Ok(statistics)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        let Inner { metadata, schema, options, .. } = &*self.inner;
        let mut options = options.clone();
        if self.mixed.is_none() {
            // So that no header need be read, nor a file with the schema be there.
            options.insert("reader_schema".to_owned(), schema.text().into());
        }
        let files = metadata.files.names().to_vec();
        Ok(DatasetSpec::new("avro", files, Arc::clone(self.schema())).options(options))
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroDataset")
            .field("files", &self.metadata)
            .field("columns", &self.columns)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
