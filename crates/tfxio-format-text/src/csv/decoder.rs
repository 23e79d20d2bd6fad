//! Decoding of rows to columns.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Fields, Schema, SchemaRef};
use tfxio_core::{
    ColumnReport, Count, Error, ErrorKind, FormatOptions, Limits, Loss, Origin, Position, Projection,
    RecordDecoder, RecordPlan, RecordPlanner, Result, ScanRequest, SchemaReport,
};

use super::cells::{BadCell, Cells};
use super::column::Column;
use super::infer::Inference;
use super::settings::Settings;
use super::types::{self, Kind};
use crate::lines::{RawColumn, Unfit, with_raw_record};

/// Splits a row into as many cells as there are columns. A blank one has none, which are all missing.
fn split(cells: &mut Cells, row: &[u8], names: &[String], settings: &Settings) -> Result<()> {
    cells.split(row, &settings.dialect).map_err(|bad| self::bad(bad, row, names, settings))?;
    let (found, columns) = (cells.len(), names.len());
    if found == columns || row.is_empty() {
        return Ok(());
    }
    Err(miscounted(found, row, columns, settings))
}

#[cold]
fn bad(bad: BadCell, row: &[u8], names: &[String], settings: &Settings) -> Error {
    let mut position = Position::new().record_byte(bad.at as u64);
    position.column = names.get(bad.cell).map(|name| name.as_str().into());
    let help = settings.dialect.escape_help(row).unwrap_or(bad.help);
    Error::new(ErrorKind::Malformed, bad.what).help(help).at(position)
}

#[cold]
fn miscounted(found: usize, row: &[u8], columns: usize, settings: &Settings) -> Error {
    let (cells, columns) = (Count::of(found, "cell"), Count::of(columns, "column"));
    let what = format!("the row has {cells}, and there {} {columns}", columns.verb("is", "are"));
    let delimiter = char::from(settings.dialect.delimiter);
    let help = match settings.dialect.escape_help(row) {
        Some(help) => help.to_owned(),
        None => format!("correct the row, or check the delimiter, which is {delimiter:?}"),
    };
    Error::new(ErrorKind::Malformed, what).help(help)
}

fn origin(error: Error, origin: Origin<'_>) -> Error {
    error.or_at(&origin.position())
}

/// Fixes the types of columns.
pub(super) struct CsvPlanner {
    names: Arc<[String]>,
    settings: Arc<Settings>,
    schema: Option<SchemaRef>,
    /// Whether the types were given, and not inferred in this or another process.
    is_given: bool,
    inference: Inference,
    cells: Cells,
}

impl CsvPlanner {
    pub(super) fn new(
        names: Arc<[String]>,
        settings: Arc<Settings>,
        options: &FormatOptions,
    ) -> Result<Self> {
        let inference = Inference::new(&names, &settings);
        let multivalent = settings.multivalent.iter().map(|name| (name, "to have several values in a cell"));
        let texts = settings.texts.iter().map(|name| (name, "to be a text"));
        if let Some((unknown, is)) = multivalent.chain(texts).find(|(name, _)| !names.contains(name)) {
            let what = format!("there is no column {unknown:?}, which is {is}");
            let hint = tfxio_core::suggest::hint(unknown, names.iter().map(String::as_str), "columns");
            return Err(Error::new(ErrorKind::InvalidArgument, what).help(hint));
        }
        #[allow(unused_mut, reason = "a feature sets it")]
        let mut planner = Self {
            names,
            settings,
            schema: options.schema.clone(),
            is_given: false,
            inference,
            cells: Cells::default(),
        };
        #[cfg(feature = "tensors")]
        if let Some(schema) = tensor_repr::schema_file::of_options(options)? {
            planner.is_given = true;
            if planner.schema.is_none() {
                let kinds = types::of_metadata(&planner.names, &schema)?;
                planner.schema = Some(planner.schema_of(&kinds)?);
            }
        }
        Ok(planner)
    }

    fn schema_of(&self, kinds: &[Kind]) -> Result<SchemaRef> {
        let fields =
            self.names.iter().zip(kinds).map(|(name, kind)| types::field(name, *kind, &self.settings));
        with_raw_record(fields.collect(), self.settings.raw_record.as_deref())
    }
}

impl RecordPlanner for CsvPlanner {
    fn needs_records(&self) -> bool {
        self.schema.is_none()
    }

    fn push(&mut self, record: &[u8], from: Origin<'_>) -> Result<()> {
        split(&mut self.cells, record, &self.names, &self.settings).map_err(|error| origin(error, from))?;
        self.inference.push(record, &self.cells);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        let (schema, records) = match &self.schema {
            Some(schema) => (Arc::clone(schema), None),
            None => (self.schema_of(&self.inference.kinds())?, Some(self.inference.records)),
        };
        let lost = if records.is_some() { self.inference.written_otherwise() } else { Vec::new() };
        let Self { names, settings, is_given, .. } = *self;
        let lost =
            lost.into_iter().filter_map(|(index, what)| Some((names.get(index)?.clone(), what))).collect();
        let plan = CsvPlan { names, settings, schema, is_given, records, lost };
        // Refuses types that cells are not read as.
        plan.decoder(&ScanRequest::new())?;
        Ok(Arc::new(plan))
    }
}

/// Plan of decoding rows of fixed types.
#[derive(Debug)]
struct CsvPlan {
    names: Arc<[String]>,
    settings: Arc<Settings>,
    schema: SchemaRef,
    is_given: bool,
    /// Number of records that the types were inferred from.
    records: Option<u64>,
    /// Names of columns of numbers, of which some are not written back as they were, and the loss.
    lost: Vec<(String, &'static str)>,
}

impl RecordPlan for CsvPlan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn losses(&self) -> Vec<Loss> {
        self.lost.iter().map(|(name, what)| Loss::new(name, *what)).collect()
    }

    fn describe(&self) -> Option<SchemaReport> {
        let column = |field: &arrow_schema::FieldRef| {
            ColumnReport::new(field.name().as_str(), Some(field.data_type().clone()))
        };
        let mut report = SchemaReport::new(self.schema.fields().iter().map(column).collect());
        report.records = self.records;
        Some(report)
    }

    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let projection = Projection::new(&self.schema, request)?;
        let (mut columns, mut raw) = (Vec::new(), None);
        for (index, field) in
            projection.read().iter().filter_map(|index| Some((*index, self.schema.fields().get(*index)?)))
        {
            if self.settings.raw_record.as_deref() == Some(field.name().as_str()) {
                raw = Some(RawColumn::new(field)?);
                continue;
            }
            let is_multivalent = self.settings.multivalent.contains(field.name());
            let separator = is_multivalent.then_some(self.settings.secondary_delimiter);
            columns.push(Column::new(index, field, separator, self.settings.is_plain)?);
        }
        let read = projection.read().iter().filter_map(|index| self.schema.fields().get(*index).cloned());
        let read = Arc::new(Schema::new(read.collect::<Fields>()));
        Ok(Box::new(CsvDecoder {
            names: Arc::clone(&self.names),
            settings: Arc::clone(&self.settings),
            projection,
            read,
            is_given: self.is_given,
            cells: Cells::default(),
            columns,
            raw,
            rows: 0,
            bytes: 0,
            limits: request.limits,
        }))
    }
}

struct CsvDecoder {
    names: Arc<[String]>,
    settings: Arc<Settings>,
    projection: Projection,
    /// Schema of the columns that are read.
    read: SchemaRef,
    is_given: bool,
    cells: Cells,
    columns: Vec<Column>,
    /// The column of the record itself, which is the last.
    raw: Option<RawColumn>,
    rows: usize,
    bytes: u64,
    limits: Limits,
}

impl CsvDecoder {
    fn push_row(&mut self, row: &[u8]) -> Result<()> {
        split(&mut self.cells, row, &self.names, &self.settings)?;
        self.bytes = self.bytes.saturating_add(row.len() as u64);
        if self.bytes > self.limits.batch_bytes {
            let what =
                format!("a batch of more than {}, the limit", Count::of(self.limits.batch_bytes, "byte"));
            return Err(Error::new(ErrorKind::LimitExceeded, what)
                .help("read smaller batches, or raise the limit batch_bytes"));
        }
        // Each item is a separator or more.
        if self.columns.iter().any(|column| column.separator.is_some())
            && row.len() as u64 > self.limits.list_items
        {
            self.check_items(row)?;
        }
        // Then each cell is: they end at bytes of ASCII.
        let is_utf8 = row.is_ascii() || std::str::from_utf8(row).is_ok();
        let cells = &self.cells;
        let unfit = self.columns.iter_mut().enumerate().find_map(|(index, column)| {
            let (cell, is_quoted) = cells.get(row, column.cell);
            column.push(cell, is_quoted, is_utf8).err().map(|unfit| (index, unfit))
        });
        if let Some((index, unfit)) = unfit {
            let error = self.unfit(index, row, unfit);
            self.columns.iter_mut().take(index + 1).for_each(|column| column.truncate(self.rows));
            return Err(error);
        }
        if let Some(raw) = &mut self.raw {
            raw.push(row);
        }
        self.rows += 1;
        Ok(())
    }

    /// Refuses a row with more items in its lists than one may have.
    #[cold]
    fn check_items(&self, row: &[u8]) -> Result<()> {
        let mut items = 0_u64;
        for column in &self.columns {
            let Some(separator) = column.separator else { continue };
            let (cell, _) = self.cells.get(row, column.cell);
            items = items.saturating_add(cell.iter().filter(|byte| **byte == separator).count() as u64 + 1);
        }
        if items <= self.limits.list_items {
            return Ok(());
        }
        let (items, most) = (Count::of(items, "item"), self.limits.list_items);
        let error = Error::new(
            ErrorKind::LimitExceeded,
            format!("the lists of a row have {items}, and have at most {most}"),
        );
        Err(error.help("read fewer columns, or raise the limit list_items"))
    }

    #[cold]
    fn unfit(&self, column: usize, row: &[u8], unfit: Unfit) -> Error {
        let Some(column) = self.columns.get(column) else {
            return Error::new(ErrorKind::Other, "a cell without a column");
        };
        let (cell, _) = self.cells.get(row, column.cell);
        let mut shown = String::from_utf8_lossy(cell.get(..40).unwrap_or(cell)).into_owned();
        if cell.len() > 40 {
            shown.push('…');
        }
        let data_type = match column.field.data_type() {
            arrow_schema::DataType::List(item) | arrow_schema::DataType::LargeList(item) => item.data_type(),
            data_type => data_type,
        };
        let what = match (unfit, data_type) {
            (Unfit::Utf8, _) => format!("the cell {shown:?} is not UTF-8"),
            (Unfit::Range, _) => format!("the number {shown} does not fit {data_type}"),
            (Unfit::Kind, arrow_schema::DataType::Null) => {
                format!("the cell {shown:?} has a value, and the column had none when its type was inferred")
            }
            (Unfit::Kind, _) => format!("the cell {shown:?} is not a value of type {data_type}"),
        };
        let help = match (unfit, self.is_given) {
            (Unfit::Utf8, _) => {
                "save the file as UTF-8, or read the column as bytes, with a schema or layout structured"
            }
            (_, true) => "correct the cell, or give the column another type in the schema",
            (_, false) => {
                "correct the cell, or infer the types from more records with the option infer_records, or give a schema"
            }
        };
        Error::new(ErrorKind::Malformed, what)
            .help(help)
            .at(Position::new().column(column.field.name().as_str()))
    }
}

impl RecordDecoder for CsvDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(self.projection.schema()))
    }

    #[inline]
    fn push(&mut self, record: &[u8], from: Origin<'_>) -> Result<()> {
        self.push_row(record).map_err(|error| origin(error, from))
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        self.bytes = 0;
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let mut columns = self.columns.iter_mut().map(Column::finish).collect::<Result<Vec<_>>>()?;
        if let Some(raw) = &mut self.raw {
            columns.push(raw.finish()?);
        }
        self.projection.pick(&RecordBatch::try_new_with_options(Arc::clone(&self.read), columns, &options)?)
    }
}
