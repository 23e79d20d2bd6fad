//! Decoding of lines to columns.

use std::collections::{BTreeMap, HashSet};
use std::fmt;
use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{FieldRef, Fields, Schema, SchemaRef};
use tfxio_core::{
    ColumnReport, Count, Error, ErrorKind, FormatOptions, Limits, Loss, Origin, Position, Projection,
    RecordDecoder, RecordPlan, RecordPlanner, Result, ScanRequest, SchemaReport,
};

use super::infer::{self, Looked};
use super::parse::{First, Json};
use super::settings::Settings;
use super::value_builder::{Members, Scratch};
use crate::lines::{RawColumn, with_raw_record};

/// Returns an error with the record, and the first step of its path as the column.
fn located(mut error: Error, from: Origin<'_>) -> Error {
    if let Some(path) = error.position().path.clone() {
        error.position_mut().column = Some(path);
        error.position_mut().path = None;
    }
    error.or_at(&from.position())
}

/// Refuses a line that is not an object.
fn begin(json: &mut Json<'_>) -> Result<()> {
    if json.first()? == First::Object {
        return Ok(());
    }
    let what = "the line is a value, and not an object of columns";
    Err(Error::new(ErrorKind::Malformed, what).help("write each row as an object").at_record_byte(json.at()))
}

/// Looks at the object of a line.
fn look(line: &[u8], members: &mut infer::Members, looked: &mut Looked<'_>) -> Result<()> {
    let mut json = Json::new(line, looked.limits)?;
    begin(&mut json)?;
    members.push(&mut json, looked)?;
    json.finish()
}

/// Values of several kinds in one column.
#[derive(Debug)]
struct Conflict {
    what: String,
    help: Option<String>,
    position: Position,
}

impl Conflict {
    fn of(error: Error) -> Self {
        let (what, help) = (error.what().to_owned(), error.hint().map(str::to_owned));
        Self { what, help, position: error.position().clone() }
    }

    fn error(&self) -> Error {
        let error = Error::new(ErrorKind::Malformed, self.what.clone()).at(self.position.clone());
        match &self.help {
            Some(help) => error.help(help.clone()),
            None => error,
        }
    }
}

/// Fixes the types of columns.
pub(super) struct JsonPlanner {
    settings: Arc<Settings>,
    schema: Option<SchemaRef>,
    /// Whether the types were given, and not inferred in this or another process.
    is_given: bool,
    members: infer::Members,
    /// Whether lines that are damaged are skipped.
    skips: bool,
    unescaped: (Vec<u8>, Vec<u8>),
    columns: usize,
    limits: Limits,
    records: u64,
    /// The file of the last record.
    file: Option<Arc<str>>,
    /// The first conflict of each column, by its name.
    conflicts: BTreeMap<String, Conflict>,
}

impl JsonPlanner {
    pub(super) fn new(settings: Arc<Settings>, options: &FormatOptions) -> Result<Self> {
        #[allow(unused_mut, reason = "a feature sets it")]
        let mut planner = Self {
            settings,
            schema: options.schema.clone(),
            is_given: false,
            members: infer::Members::default(),
            skips: options.request.on_error.skip().is_some(),
            unescaped: Default::default(),
            columns: 0,
            limits: options.request.limits,
            records: 0,
            file: None,
            conflicts: BTreeMap::new(),
        };
        #[cfg(feature = "tensors")]
        if let Some(schema) = tensor_repr::schema_file::of_options(options)? {
            planner.is_given = true;
            if planner.schema.is_none() {
                let fields = of_metadata(&schema, planner.settings.is_plain)?;
                planner.schema = Some(with_raw_record(fields, planner.settings.raw_record.as_deref())?);
            }
        }
        Ok(planner)
    }
}

/// Returns the columns of a schema of TensorFlow Metadata.
#[cfg(feature = "tensors")]
fn of_metadata(schema: &tensor_repr::TfmdSchema, is_plain: bool) -> Result<Vec<FieldRef>> {
    use arrow_schema::{DataType, Field};
    use tensor_repr::FeatureType;
    use tfxio_core::Position;

    let field = |feature: tensor_repr::SchemaFeature<'_>| {
        let value = match feature.feature_type() {
            Some(FeatureType::Int) => DataType::Int64,
            Some(FeatureType::Float) => {
                if is_plain {
                    DataType::Float64
                } else {
                    DataType::Float32
                }
            }
            Some(FeatureType::Bytes) => DataType::LargeBinary,
            None => return Ok(Arc::new(Field::new(feature.name(), DataType::Null, true))),
            Some(_) => {
                let what = "the schema says that the column has structs";
                let error =
                    Error::new(ErrorKind::Unsupported, what).help("leave out the schema: types are inferred");
                return Err(error.at(Position::new().column(feature.name())));
            }
        };
        let list = DataType::LargeList(Arc::new(Field::new_list_field(value, true)));
        Ok(Arc::new(Field::new(feature.name(), list, true)))
    };
    schema.features().map(field).collect()
}

impl RecordPlanner for JsonPlanner {
    fn needs_records(&self) -> bool {
        self.schema.is_none()
    }

    fn push(&mut self, record: &[u8], from: Origin<'_>) -> Result<()> {
        let (unescaped, key) = std::mem::take(&mut self.unescaped);
        let limits = self.limits;
        let looked = Looked::new(&limits, !self.settings.is_plain);
        if self.file.as_deref() != from.file {
            self.file = from.file.map(Into::into);
        }
        let at = (self.file.as_ref(), from.index);
        let mut looked = Looked { columns: self.columns, at, unescaped, key, ..looked };
        let mut result = look(record, &mut self.members, &mut looked);
        let mut conflicts = std::mem::take(&mut looked.conflicts).into_iter();
        // Where damage is skipped, such a line is damaged.
        if self.skips
            && let Some((_, conflict)) = conflicts.next()
        {
            result = result.and(Err(conflict));
        }
        for (column, conflict) in conflicts {
            self.conflicts.entry(column).or_insert_with(|| Conflict::of(located(conflict, from)));
        }
        self.unescaped = (looked.unescaped, looked.key);
        // A line that is not whole says nothing.
        if result.is_ok() {
            self.columns = looked.columns;
        }
        if looked.changes > 0 {
            self.members.settle(result.is_ok());
        }
        self.records += u64::from(result.is_ok());
        result.map_err(|error| located(error, from))
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        let is_plain = self.settings.is_plain;
        let (schema, records) = match &self.schema {
            Some(schema) => (Arc::clone(schema), None),
            None => {
                let of = |seen: &infer::Seen| if is_plain { seen.plain() } else { seen.structured() };
                let fields = self.members.fields(&of).iter().cloned().collect();
                (with_raw_record(fields, self.settings.raw_record.as_deref())?, Some(self.records))
            }
        };
        let mut conflicts = self.conflicts;
        for (column, conflict) in &mut conflicts {
            // What came after it may not fit either.
            let fits = self.members.get(column).is_some_and(infer::Seen::fits_structured);
            if !fits && conflict.help.as_deref() == Some(infer::STRUCTURED) {
                conflict.help = Some(infer::ONE_KIND.to_owned());
            }
        }
        let lost = match (records, is_plain) {
            (None, _) => Vec::new(),
            (_, true) => self.members.rounded_columns().collect(),
            (_, false) => self.members.mixed_columns(),
        };
        let (settings, is_given) = (self.settings, self.is_given);
        let plan = JsonPlan { settings, schema, is_given, records, conflicts, lost };
        // Refuses types that JSON is not read as.
        plan.json_decoder(&ScanRequest::new())?;
        Ok(Arc::new(plan))
    }
}

/// Plan of decoding lines of fixed types.
#[derive(Debug)]
struct JsonPlan {
    settings: Arc<Settings>,
    schema: SchemaRef,
    is_given: bool,
    /// Number of records that the types were inferred from.
    records: Option<u64>,
    /// The first conflict of each column, by its name.
    conflicts: BTreeMap<String, Conflict>,
    /// Names of columns with values in lists of several depths, or with rounded numbers, and what is made of them.
    lost: Vec<Loss>,
}

impl RecordPlan for JsonPlan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn losses(&self) -> Vec<Loss> {
        self.lost.clone()
    }

    fn describe(&self) -> Option<SchemaReport> {
        let column =
            |field: &FieldRef| ColumnReport::new(field.name().as_str(), Some(field.data_type().clone()));
        let mut report = SchemaReport::new(self.schema.fields().iter().map(column).collect());
        report.records = self.records;
        report.errors = self.conflicts.values().map(Conflict::error).collect();
        Some(report)
    }

    /// # Errors
    /// For a column of values of several kinds, unless it is not read or damage is skipped.
    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let asked = request.columns.as_ref().filter(|_| !self.conflicts.is_empty()).map(|columns| {
            let first = columns.iter().filter_map(|column| column.path.steps().first());
            first.map(|first| &**first).collect::<HashSet<&str>>()
        });
        let is_read = |column: &String| asked.as_ref().is_none_or(|asked| asked.contains(column.as_str()));
        let conflict = self.conflicts.iter().find(|(column, _)| is_read(column));
        match conflict.filter(|_| request.on_error.skip().is_none()) {
            Some((_, conflict)) => Err(conflict.error()),
            None => self.json_decoder(request),
        }
    }
}

impl JsonPlan {
    fn json_decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let projection = Projection::new(&self.schema, request)?;
        let is_raw = |field: &FieldRef| self.settings.raw_record.as_deref() == Some(field.name().as_str());
        let read = projection.read().iter().filter_map(|index| self.schema.fields().get(*index).cloned());
        let read = Arc::new(Schema::new(read.collect::<Fields>()));
        let raw = read.fields().last().filter(|field| is_raw(field));
        let raw = raw.map(|field| RawColumn::new(field)).transpose()?;
        // The column of the record itself is the last.
        let members = self.schema.fields().iter().filter(|field| !is_raw(field)).cloned().collect::<Fields>();
        let indices =
            projection.read().iter().copied().filter(|index| *index < members.len()).collect::<Vec<_>>();
        let (wraps, refuses) = (!self.settings.is_plain, !self.is_given);
        Ok(Box::new(JsonDecoder {
            members: Members::new(&members, &indices, wraps, refuses)?,
            inferred: refuses.then_some(wraps),
            raw,
            projection,
            read,
            scratch: Scratch::default(),
            limits: request.limits,
            rows: 0,
            bytes: 0,
        }))
    }
}

struct JsonDecoder {
    members: Members,
    /// If types were inferred: whether a value and a list of one are the same.
    inferred: Option<bool>,
    /// The column of the record itself.
    raw: Option<RawColumn>,
    projection: Projection,
    /// Schema of the columns that are read.
    read: SchemaRef,
    scratch: Scratch,
    limits: Limits,
    rows: usize,
    bytes: u64,
}

impl JsonDecoder {
    fn push_line(&mut self, line: &[u8]) -> Result<()> {
        self.bytes = self.bytes.saturating_add(line.len() as u64);
        if self.bytes > self.limits.batch_bytes {
            let what =
                format!("a batch of more than {}, the limit", Count::of(self.limits.batch_bytes, "byte"));
            return Err(Error::new(ErrorKind::LimitExceeded, what)
                .help("read smaller batches, or raise the limit batch_bytes"));
        }
        self.scratch.items = self.limits.list_items;
        let mut json = Json::new(line, &self.limits)?;
        begin(&mut json)?;
        let (members, scratch) = (&mut self.members, &mut self.scratch);
        let pushed = members.push(&mut json, scratch).and_then(|()| json.finish());
        if let Err(error) = pushed {
            self.members.truncate(self.rows);
            return Err(self.damage(line).unwrap_or(error));
        }
        if let Some(raw) = &mut self.raw {
            raw.push(line);
        }
        self.rows += 1;
        Ok(())
    }

    /// Returns the error of a line by itself. Such a line is ignored in the inference of columns where damage is passed over, so that its
    /// content is not known.
    #[cold]
    fn damage(&self, line: &[u8]) -> Option<Error> {
        look(line, &mut infer::Members::default(), &mut Looked::new(&self.limits, self.inferred?)).err()
    }
}

impl RecordDecoder for JsonDecoder {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(self.projection.schema()))
    }

    fn push(&mut self, record: &[u8], from: Origin<'_>) -> Result<()> {
        self.push_line(record).map_err(|error| located(error, from))
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        self.bytes = 0;
        let options = RecordBatchOptions::new().with_row_count(Some(std::mem::take(&mut self.rows)));
        let mut columns = self.members.finish()?;
        if let Some(raw) = &mut self.raw {
            columns.push(raw.finish()?);
        }
        self.projection.pick(&RecordBatch::try_new_with_options(Arc::clone(&self.read), columns, &options)?)
    }
}

impl fmt::Debug for JsonDecoder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonDecoder").field("read", &self.read).finish_non_exhaustive()
    }
}
