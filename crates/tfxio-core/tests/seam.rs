//! The seam, with a format of files that is not ours: each row is one line of a text file.
#![allow(clippy::expect_used, reason = "outside of a test function a panic is a failed test too")]

use std::io::{BufRead, BufReader, Write as _};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray as _;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio_core::{
    Batch, Dataset, Error, ErrorKind, Feed, FileFormat, Files, FormatOptions, Formats, Input, LostRange,
    OnError, OptionSpec, OptionType, Origins, Partition, RecordRun, Result, Scan, ScanRequest, Seek, Sink,
    Skip, Threading, Written,
};

#[derive(Debug)]
struct Lines {
    files: Files,
    schema: SchemaRef,
}

impl Dataset for Lines {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.files.byte_ranges(target_bytes)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let mut input = BufReader::new(self.files.open(partition)?);
        let mut at = partition.start;
        if at > 0 {
            // The line that began before belongs to the partition before.
            input.seek_relative(-1)?;
            at = at - 1 + input.skip_until(b'\n')? as u64;
        }
        let schema = Arc::clone(&self.schema);
        Ok(Box::new(LineScan {
            input,
            at,
            record: 0,
            partition: partition.clone(),
            rows: request.batch_rows,
            skip: request.on_error.skip().cloned(),
            schema,
        }))
    }
}

struct LineScan {
    input: BufReader<Box<dyn Input>>,
    at: u64,
    record: u64,
    partition: Partition,
    rows: usize,
    /// Leaves out lines with a question mark.
    skip: Option<Skip>,
    schema: SchemaRef,
}

impl Scan for LineScan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        let (mut lines, mut origins, mut line) = (StringBuilder::new(), Origins::default(), String::new());
        while origins.len() < self.rows
            && self.at < self.partition.end
            && self.input.read_line(&mut line)? > 0
        {
            let (file, end) = (Arc::clone(&self.partition.file), self.at + line.len() as u64);
            match self.skip.as_ref().filter(|_| line.contains('?')) {
                Some(skip) => skip.add(LostRange::new(self.at, end, "a question").file(file).records(1))?,
                None => {
                    origins.push(file, self.record, Some(self.at));
                    lines.append_value(line.trim_end_matches('\n'));
                }
            }
            self.at = end;
            self.record += 1;
            line.clear();
        }
        if origins.is_empty() {
            return Ok(None);
        }
        let column: ArrayRef = Arc::new(lines.finish());
        Ok(Some(Batch::new(RecordBatch::try_new(Arc::clone(&self.schema), vec![column])?, origins)))
    }
}

#[derive(Debug)]
struct LinesFormat;

impl FileFormat for LinesFormat {
    fn name(&self) -> &str {
        "lines"
    }

    fn endings(&self) -> &[&str] {
        &[".lines", ".txt"]
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::new("column", OptionType::Text, "Name of the column. Default `line`.")]
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        let name = options.text("column").unwrap_or("line");
        let schema = Arc::new(Schema::new(vec![Field::new(name, DataType::Utf8, false)]));
        Ok(Arc::new(Lines { files, schema }))
    }
}

fn file(lines: &[&str]) -> tempfile::NamedTempFile {
    let mut file = tempfile::Builder::new().suffix(".txt").tempfile().expect("a file");
    file.write_all(lines.join("\n").as_bytes()).expect("written");
    file
}

fn open(file: &tempfile::NamedTempFile) -> Arc<dyn Dataset> {
    let formats = Formats::empty().register(LinesFormat).expect("a format");
    let name = file.path().to_str().expect("Unicode");
    let format = formats.by_ending(name).expect("known by its ending");
    let options = FormatOptions::default().checked(format.name(), &format.options()).expect("no options");
    format.open(Files::local([name]).expect("a file"), &options).expect("a data set")
}

fn rows(scan: &mut dyn Scan) -> Vec<String> {
    let mut out = Vec::new();
    while let Some(batch) = scan.next_batch().expect("a batch") {
        let lines = batch.columns().column(0).as_string::<i32>();
        out.extend(lines.iter().flatten().map(str::to_owned));
    }
    out
}

#[test]
fn partitions_of_any_size_hold_every_row_once() {
    let lines = ["one", "", "three", "a longer line", "five"];
    let file = file(&lines);
    let dataset = open(&file);
    for target in 1..40 {
        let mut all = Vec::new();
        for partition in dataset.partitions(target).expect("partitions") {
            // As another process gets it.
            let text = serde_json::to_string(&(&partition, ScanRequest::new().batch_rows(2))).expect("JSON");
            let (partition, request): (Partition, ScanRequest) = serde_json::from_str(&text).expect("JSON");
            all.extend(rows(&mut *dataset.scan(&partition, &request).expect("a scan")));
        }
        assert_eq!(all, lines, "{target}");
    }
}

#[test]
fn chosen_records_are_taken_in_the_order_of_the_request() {
    let file = file(&["0", "1", "2", "3", "4", "5", "6"]);
    let dataset = open(&file);
    let name = file.path().to_str().expect("Unicode");
    let run = |first, records| RecordRun::new(name, first, records);
    for batch_rows in 1..5 {
        let request = ScanRequest::new().batch_rows(batch_rows);
        let take = |runs: &[RecordRun], request: &ScanRequest| dataset.take(runs, request).expect("a scan");
        let all = rows(&mut *take(&[run(5, 1), run(1, 2), run(4, 3), run(0, 0), run(4, 1)], &request));
        assert_eq!(all, ["5", "1", "2", "4", "5", "6", "4"]);
        assert_eq!(rows(&mut *take(&[run(2, 4)], &request.clone().limit(3))), ["2", "3", "4"]);
        assert_eq!(rows(&mut *take(&[], &request)), [""; 0]);
        let mut beyond = take(&[run(6, 2)], &request);
        let error = loop {
            match beyond.next_batch() {
                Ok(batch) => assert!(batch.is_some()),
                Err(error) => break error,
            }
        };
        let text = "there is no record 7: the file has 7; take the numbers from the files as they are now";
        assert_eq!(error.to_string(), format!("{name}: {text}"));
        assert!(beyond.next_batch().expect("the end").is_none());
    }
    let error = dataset.take(&[RecordRun::new("other", 0, 1)], &ScanRequest::new()).err().expect("an error");
    assert_eq!(error.to_string(), "the data set has no file \"other\"");
}

#[test]
fn records_keep_their_numbers_where_others_are_skipped() {
    let file = file(&["0", "1?", "2?", "3", "4", "5?", "6", "7?", "8?"]);
    let dataset = open(&file);
    let name = file.path().to_str().expect("Unicode");
    let run = |first, records| RecordRun::new(name, first, records);
    for batch_rows in 1..6 {
        let take = |runs: &[RecordRun]| {
            let request = ScanRequest::new().batch_rows(batch_rows).on_error(OnError::Skip(Skip::default()));
            dataset.take(runs, &request).expect("a scan")
        };
        assert_eq!(rows(&mut *take(&[run(1, 4), run(4, 2), run(6, 1)])), ["3", "4", "4", "6"]);
        assert_eq!(rows(&mut *take(&[run(1, 2), run(3, 1), run(5, 1), run(6, 2)])), ["3", "6"]);
        // The last ones may be what was skipped.
        assert_eq!(rows(&mut *take(&[run(6, 3), run(0, 2)])), ["6", "0"]);
    }
    let whole = self::file(&["0", "1"]);
    let runs = [RecordRun::new(whole.path().to_str().expect("Unicode"), 1, 2)];
    let request = ScanRequest::new().batch_rows(1).on_error(OnError::Skip(Skip::default()));
    let mut beyond = open(&whole).take(&runs, &request).expect("a scan");
    assert!(beyond.next_batch().expect("a record").is_some());
    let error = beyond.next_batch().expect_err("the end").to_string();
    assert!(error.contains("there is no record 2: the file has 2"), "{error}");
}

#[test]
fn what_a_format_does_not_offer_has_an_answer() {
    let file = file(&["one"]);
    let dataset = open(&file);
    let partition = dataset.partitions(u64::MAX).expect("partitions").remove(0);
    let mut scan = dataset.scan(&partition, &ScanRequest::new()).expect("a scan");
    assert_eq!(scan.try_split(0.5).expect("an answer"), None);
    assert_eq!(scan.remaining(), None);
    assert_eq!(scan.seek(0).expect("an answer"), Seek::NotOffered);
    assert_eq!(dataset.statistics(&partition).expect("an answer"), Default::default());
    assert_eq!(dataset.spec().err().map(|error| error.kind()), Some(ErrorKind::Unsupported));
    let sink = LinesFormat.sink("out.txt", dataset.schema(), &FormatOptions::default());
    let text = sink.err().map(|error| error.to_string());
    assert_eq!(text.as_deref(), Some("the format lines does not offer writing"));
    assert!(LinesFormat.inspect().is_none());
}

/// Keeps batches.
struct Kept(Arc<std::sync::Mutex<Vec<usize>>>);

impl Sink for Kept {
    fn write(&mut self, batch: &Batch) -> Result<()> {
        self.0.lock().expect("no panic").push(batch.num_rows());
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Written> {
        Ok(Written::new(self.0.lock().expect("no panic").iter().sum::<usize>() as u64, Vec::new()))
    }
}

#[test]
fn a_sink_is_fed_in_order_on_any_number_of_threads() {
    let column: ArrayRef = Arc::new(arrow_array::Int64Array::from_iter_values(0..9));
    let whole = RecordBatch::try_from_iter([("x", column)]).expect("a batch");
    for threads in [1, 2, 5] {
        let kept = Arc::default();
        let mut sink: Box<dyn Sink> = Box::new(Kept(Arc::clone(&kept)));
        let batches = whole.clone();
        let mut sizes = (0..10).rev();
        let next = move || Ok(sizes.next().map(|rows| batches.slice(0, rows).into()));
        // Rows that a batch loses on the way are not written, and one without rows is left out.
        let change = |batch: Batch| Ok(batch.slice(2, usize::MAX));
        let feed = Feed::new(Threading::new().threads(threads), next).change(change);
        let mut said = Vec::new();
        sink.write_all(feed, &mut |rows| said.push(rows)).expect("all");
        assert_eq!(*kept.lock().expect("no panic"), [7, 6, 5, 4, 3, 2, 1]);
        assert_eq!(said, [7, 13, 18, 22, 25, 27, 28]);
        // The batches before an error are written.
        let batches = whole.clone();
        let mut left = 3;
        let next = move || {
            left -= 1;
            let failed = || Err(Error::new(ErrorKind::Malformed, "the third is damaged"));
            if left == 0 { failed() } else { Ok(Some(batches.clone().into())) }
        };
        let error = sink.write_all(Feed::new(Threading::new().threads(threads), next), &mut |_| {});
        assert_eq!(error.expect_err("an error").to_string(), "the third is damaged");
        assert_eq!(sink.finish().expect("an end").rows, 28 + 18);
    }
}

#[test]
fn formats_are_registered_once_and_found_by_name_and_ending() {
    let formats = Formats::empty().register(LinesFormat).expect("a format");
    let text = |result: Result<_>| result.map(|_: ()| ()).map_err(|error: Error| error.to_string());
    let twice = formats.clone().register(LinesFormat).map(|_| ());
    assert_eq!(
        text(twice),
        Err("there is a format \"lines\" already; register it under another name".into())
    );
    let unknown = formats.file_format("line").map(|_| ());
    assert_eq!(text(unknown), Err("there is no format of files \"line\"; did you mean \"lines\"?".into()));
    assert!(formats.by_ending("A.TXT").is_some() && formats.by_ending("a.avro").is_none());
}
