//! Formats of files and of records that are not ours, and a description that another process opens.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch, RecordBatchOptions, UInt64Array};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio_formats::tfrecord_io::Writer;
use tfxio_formats::tfxio_core::{
    Batch, Dataset, DatasetSpec, Error, ErrorKind, FileFormat, Files, FormatOptions, Formats, LocalStore,
    OptionSpec, OptionType, Origin, Origins, Partition, RecordDecoder, RecordFormat, RecordPlan,
    RecordPlanner, Result, Scan, ScanRequest,
};
use tfxio_formats::{DatasetExt as _, OpenOptions, SpecExt as _, formats};

/// Text, a row a line.
#[derive(Debug)]
struct Lines;

impl FileFormat for Lines {
    fn name(&self) -> &str {
        "lines"
    }

    fn endings(&self) -> &[&str] {
        &[".lines"]
    }

    fn open(&self, files: Files, _: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        let field = Field::new("line", DataType::Utf8, false);
        Ok(Arc::new(LinesOf { files, schema: Arc::new(Schema::new(vec![field])) }))
    }
}

#[derive(Debug)]
struct LinesOf {
    files: Files,
    schema: SchemaRef,
}

impl Dataset for LinesOf {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(self.files.names().iter().map(|file| Partition::whole(Arc::clone(file))).collect())
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let mut text = String::new();
        self.files
            .open(partition)?
            .read_to_string(&mut text)
            .map_err(|error| Error::io(error, "reading").in_file(Arc::clone(&partition.file)))?;
        let wants = request.columns.as_ref().is_none_or(|columns| !columns.is_empty());
        let lines = text.lines().map(str::to_owned).collect::<Vec<_>>().into_iter();
        let schema = if wants { Arc::clone(&self.schema) } else { Arc::new(Schema::empty()) };
        let (file, rows) = (Arc::clone(&partition.file), request.batch_rows);
        Ok(Box::new(LineScan { schema, lines, at: 0, file, rows }))
    }
}

struct LineScan {
    schema: SchemaRef,
    lines: std::vec::IntoIter<String>,
    at: u64,
    file: Arc<str>,
    rows: usize,
}

impl Scan for LineScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let (mut lines, mut origins) = (StringBuilder::new(), Origins::default());
        for line in self.lines.by_ref().take(self.rows) {
            lines.append_value(line);
            origins.push(Arc::clone(&self.file), self.at, None);
            self.at += 1;
        }
        if origins.is_empty() {
            return Ok(None);
        }
        let mut columns: Vec<ArrayRef> = vec![Arc::new(lines.finish())];
        columns.truncate(self.schema.fields().len());
        let options = RecordBatchOptions::new().with_row_count(Some(origins.len()));
        let columns = RecordBatch::try_new_with_options(Arc::clone(&self.schema), columns, &options)?;
        Ok(Some(Batch::new(columns, origins)))
    }
}

/// Records that are digits, as numbers to add something to.
#[derive(Debug)]
struct Numbers;

impl RecordFormat for Numbers {
    fn name(&self) -> &str {
        "numbers"
    }

    fn recognises(&self, record: &[u8]) -> bool {
        !record.is_empty() && record.iter().all(u8::is_ascii_digit)
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::new("add", OptionType::Count, "Number to add. Default: 0.")]
    }

    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
        let field = Field::new("number", DataType::UInt64, false);
        let add = options.count("add").unwrap_or(0);
        Ok(Box::new(NumbersOf { schema: Arc::new(Schema::new(vec![field])), add, numbers: Vec::new() }))
    }
}

#[derive(Clone)]
struct NumbersOf {
    schema: SchemaRef,
    add: u64,
    numbers: Vec<u64>,
}

impl fmt::Debug for NumbersOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "numbers, with {} added", self.add)
    }
}

impl RecordPlanner for NumbersOf {
    fn needs_records(&self) -> bool {
        false
    }

    fn push(&mut self, _: &[u8], _: Origin<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        Ok(Arc::new(*self))
    }
}

impl RecordPlan for NumbersOf {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn decoder(&self, _: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        Ok(Box::new(self.clone()))
    }
}

impl RecordDecoder for NumbersOf {
    fn schema(&self) -> Option<SchemaRef> {
        Some(Arc::clone(&self.schema))
    }

    fn push(&mut self, record: &[u8], origin: Origin<'_>) -> Result<()> {
        let number = std::str::from_utf8(record).ok().and_then(|text| text.parse::<u64>().ok());
        let number = number.ok_or_else(|| {
            Error::new(ErrorKind::Malformed, "the record is not a number").at(origin.position())
        })?;
        self.numbers.push(number + self.add);
        Ok(())
    }

    fn rows(&self) -> usize {
        self.numbers.len()
    }

    fn flush(&mut self) -> Result<RecordBatch> {
        let numbers = UInt64Array::from(std::mem::take(&mut self.numbers));
        Ok(RecordBatch::try_new(Arc::clone(&self.schema), vec![Arc::new(numbers)])?)
    }
}

fn known() -> Formats {
    formats().register(Lines).unwrap().register_records(Numbers).unwrap()
}

fn numbers(scan: &mut dyn Scan) -> Vec<u64> {
    let mut all = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        let column = batch.columns().column(0).as_primitive::<arrow_array::types::UInt64Type>();
        all.extend_from_slice(column.values());
    }
    all
}

#[test]
fn a_format_of_files_is_opened_and_read() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in [("a.lines", "one\ntwo\nthree"), ("b.lines", "four\n")] {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let pattern = folder.path().join("*.lines");
    let dataset = OpenOptions::new().formats(&known()).source_column("from").open(&pattern).unwrap();
    assert_eq!(dataset.count().unwrap(), 4);
    let request = ScanRequest::new().batch_rows(2).filter("line != 'two'".parse().unwrap());
    let batches = dataset.read(request).unwrap().collect::<Result<Vec<_>>>().unwrap();
    let lines = batches.iter().flat_map(|batch| batch.column(0).as_string::<i32>().iter());
    assert_eq!(lines.flatten().collect::<Vec<_>>(), ["one", "three", "four"]);
    assert_eq!(batches[0].schema().field(1).name(), "from");
    let spec = dataset.spec().unwrap();
    let error = spec.open().unwrap_err().to_string();
    assert!(error.starts_with("there is no format of files \"lines\""), "{error}");
    assert_eq!(spec.open_with(&known()).unwrap().count().unwrap(), 4);
    let error = known().open(&spec, Arc::new(LocalStore), ScanRequest::new()).unwrap_err().to_string();
    let text = "the format lines has no option \"source_column\"; ";
    assert!(error.starts_with(text) && error.ends_with("are those of `OpenOptions::open_spec`"), "{error}");
    let found = OpenOptions::new().formats(&known()).find(&pattern).unwrap();
    assert!(found.format.inspect().is_none());
}

/// Writes the numbers from 0 on as records.
fn write(folder: &Path, name: &str, count: u64) -> PathBuf {
    let path = folder.join(name);
    let mut writer = Writer::builder(&path).create().unwrap();
    for number in 0..count {
        writer.write(number.to_string().as_bytes()).unwrap();
    }
    writer.finish().unwrap();
    path
}

#[test]
fn a_format_of_records_is_recognised_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.tfrecord", 2000);
    let options = || OpenOptions::new().formats(&known());
    let dataset = options().set("add", 10).unwrap().open(&path).unwrap();
    for threads in [1, 3] {
        let mut batches = dataset.read(ScanRequest::new().threads(threads)).unwrap();
        assert_eq!(numbers(&mut batches), (10..2010).collect::<Vec<_>>());
    }
    let chosen = options().format("numbers").open(&path).unwrap();
    assert_eq!(numbers(&mut chosen.read(ScanRequest::new().limit(3)).unwrap()), [0, 1, 2]);
    // Other records are not of it.
    let digits = format!("{}/../../fixtures/digits/digits@3.tfrecord", env!("CARGO_MANIFEST_DIR"));
    assert_eq!(options().open(digits.as_str()).unwrap().schema().fields().len(), 3);
    let error = chosen.scan(&Partition::whole(digits.as_str()), &ScanRequest::new());
    assert!(error.err().unwrap().to_string().contains("is not of this data set"));
    let error = options().format("numbers").open(digits.as_str()).unwrap().read(ScanRequest::new());
    let error = error.unwrap().next().unwrap().unwrap_err().to_string();
    assert!(error.ends_with("digits-00000-of-00003.tfrecord, byte 0, record 0: the record is not a number"));
}

/// Set in a process that is started to scan a partition.
const SHIPPED: &str = "TFXIO_TEST_SHIPPED";

#[test]
fn another_process_scans_half_a_partition() {
    if let Ok(text) = std::env::var(SHIPPED) {
        let (spec, partition): (DatasetSpec, Partition) = serde_json::from_str(&text).unwrap();
        let dataset = spec.open_with(&known()).unwrap();
        let mut scan = dataset.scan(&partition, &ScanRequest::new()).unwrap();
        println!("numbers {:?}.", numbers(&mut *scan));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.tfrecord", 500);
    let dataset = OpenOptions::new().formats(&known()).set("add", 7).unwrap().open(&path).unwrap();
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = dataset.scan(&whole, &ScanRequest::new().batch_rows(10)).unwrap();
    scan.next_batch().unwrap();
    let tail = scan.try_split(0.5).unwrap().expect("a plain file can be cut");
    let shipped = serde_json::to_string(&(dataset.spec().unwrap(), tail)).unwrap();
    let mut other = Command::new(std::env::current_exe().unwrap());
    other.args(["seam::foreign::another_process_scans_half_a_partition", "--exact", "--nocapture"]);
    let output = other.env(SHIPPED, shipped).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let list = text.split_once("numbers [").and_then(|(_, rest)| rest.split_once("].")).expect("numbers").0;
    let there = list.split(", ").map(|number| number.parse().unwrap()).collect::<Vec<u64>>();
    let here = numbers(&mut *scan);
    assert!(there.len() > 100 && here.len() > 100, "{} and {}", there.len(), here.len());
    assert_eq!([here, there].concat(), (17..507).collect::<Vec<_>>());
}
