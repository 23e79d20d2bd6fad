//! Avro files as a data set.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use arrow_schema::{Schema as ArrowSchema, SchemaRef};
use avro_path::Schema;
use tfxio_core::{
    Dataset, DatasetSpec, Error, ErrorKind, Files, FormatOptions, Known as Statistic, OptionValue, Partition,
    PartitionStatistics, RecordRun, Result, Scan, ScanRequest,
};

use super::chain::Chain;
use super::columns::Columns;
use super::cursor::Cursor;
use super::decoder::{Filtering, Plan, Program, Recipe};
use super::known::Known;
use super::scan::AvroScan;
use super::take::Take;
use super::{resolved, settings};
use crate::engine::unfiltered;
use crate::filter::{self, TwoSteps};

/// A data set of Avro files. Scans share it.
#[derive(Debug)]
pub(super) struct AvroDataset(Arc<Inner>);

pub(super) struct Inner {
    pub(super) known: Known,
    /// What all files are read with.
    schema: Schema,
    columns: Columns,
    /// All columns.
    program: Program,
    arrow: SchemaRef,
    options: BTreeMap<String, OptionValue>,
}

impl AvroDataset {
    /// Fixes the schema: by the reader's schema if one is given, otherwise by the header of the first file.
    pub(super) fn open(files: Files, options: &FormatOptions) -> Result<Self> {
        let known = Known::new(files);
        let schema = match (
            settings::schema(&**known.files.store(), options, "reader_schema")?,
            known.files.names().first(),
        ) {
            (Some(schema), _) => schema,
            (None, Some(file)) => known.header(file, &options.request.cancel)?.schema().clone(),
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
        if let Some(given) = options.schema.as_ref().filter(|given| given.fields() != arrow.fields()) {
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
        Ok(Self(Arc::new(Inner { known, schema, columns, program, arrow, options: values })))
    }
}

impl Inner {
    /// Returns what makes the columns of a request.
    fn plan(&self, request: &ScanRequest) -> Result<Plan> {
        if let Some((steps, program, first)) =
            TwoSteps::new(request, &self.arrow, |request| self.program(request))?
        {
            let schema = steps.schema().cloned().unwrap_or_else(|| program.arrow_schema());
            return Ok(Plan { program: Some(program), filtering: Some(Filtering { steps, first }), schema });
        }
        if request.columns.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Plan { program: None, filtering: None, schema: Arc::new(ArrowSchema::empty()) });
        }
        let (program, schema) = self.program(request)?;
        Ok(Plan { program: Some(program), filtering: None, schema })
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
        writer: &Schema,
        request: &ScanRequest,
    ) -> Result<Recipe> {
        resolved::recipe(program, filtering, writer, &self.schema, request.limits, file)
    }
}

impl Dataset for AvroDataset {
    fn schema(&self) -> &SchemaRef {
        &self.0.arrow
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.0.known.files.byte_ranges(target_bytes)
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        filter::is_applied(request)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let plan = self.0.plan(request)?;
        Ok(Box::new(AvroScan::open(Arc::clone(&self.0), partition, plan, request, 0)?))
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        let plan = self.0.plan(request)?;
        Ok(Some(Box::new(Chain::open(Arc::clone(&self.0), partitions, plan, request)?)))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(self.0.plan(request)?.schema)
    }

    /// Reads each block once a batch, whatever the order of its records.
    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        // Each record that was chosen is a row.
        let request = unfiltered(request);
        let Plan { program, schema, .. } = self.0.plan(&request)?;
        Ok(Box::new(Take::open(Arc::clone(&self.0), runs, program, schema, &request)?))
    }

    /// Counts rows by the heads of blocks, exactly.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let request = ScanRequest::default();
        let (known, file) = (&self.0.known, &partition.file);
        let mut statistics = PartitionStatistics::default();
        if let Some(size) = known.files.store().size(file)? {
            let start = partition.start.min(size);
            statistics.bytes = Statistic::Exact(partition.end.min(size).saturating_sub(start));
        }
        let number = |offset| {
            let place = known.block_at(file, offset, &request.limits, &request.cancel);
            place.map(|place| place.first_record)
        };
        let first = number(partition.start)?.saturating_add(Cursor::start(partition).skip);
        let rows = number(partition.end)?.saturating_sub(first);
        statistics.rows = Statistic::Exact(partition.records.map_or(rows, |records| rows.min(records)));
        Ok(statistics)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        let Inner { known, schema, arrow, options, .. } = &*self.0;
        let mut options = options.clone();
        // So that no header need be read, nor a file with the schema be there.
        options.insert("reader_schema".to_owned(), schema.text().into());
        let files = known.files.names().to_vec();
        Ok(DatasetSpec::new("avro", files, Arc::clone(arrow)).options(options))
    }
}

impl fmt::Debug for Inner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AvroDataset")
            .field("files", &self.known)
            .field("columns", &self.columns)
            .field("options", &self.options)
            .finish_non_exhaustive()
    }
}
