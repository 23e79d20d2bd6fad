//! JSON lines as a format of files.

use std::sync::Arc;

use arrow_schema::{Field, SchemaRef};
use tfxio_core::{
    Dataset, FileFormat, FileReport, Files, FormatOptions, Inspect, Limits, OptionSpec, RecordPlanner as _,
    Result, Sink,
};

use super::decoder::JsonPlanner;
use super::parse::Json;
use super::settings::{self, Settings};
use super::sink;
use crate::lines::{self, Blank, Data, Syntax, TextFiles};

/// JSON lines: an object a line, with a member for each column; plain or gzip. Also called NDJSON.
///
/// ```
/// use tfxio_formats::tfxio_core::ScanRequest;
/// use tfxio_formats::{DatasetExt, OpenOptions};
///
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("people.jsonl");
/// std::fs::write(&path, "{\"name\": \"Ada\", \"tags\": [1, 2]}\n{\"name\": \"Grace\"}\n")?;
/// let people = OpenOptions::new().set("layout", "plain")?.open(&path)?;
/// assert_eq!(people.schema().field(0).data_type().to_string(), "LargeUtf8");
/// let batch = people.read(ScanRequest::new())?.next().transpose()?.expect("a batch");
/// assert_eq!((batch.num_rows(), batch.column(1).null_count()), (2, 1));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct JsonLinesFormat;

const NAME: &str = "jsonl";

impl FileFormat for JsonLinesFormat {
    fn name(&self) -> &str {
        NAME
    }

    fn endings(&self) -> &[&str] {
        &[".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"]
    }

    /// Whether the first line with anything on it is an object, or begins like one that is longer than the first bytes.
    fn sniff(&self, first_bytes: &[u8]) -> bool {
        let text = first_bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(first_bytes);
        let text = text.trim_ascii_start();
        match text.iter().position(|byte| *byte == b'\n') {
            Some(end) => text.starts_with(b"{") && is_object(text.get(..end).unwrap_or_default()),
            None => text.starts_with(b"{\"") || is_object(text),
        }
    }

    fn is_text(&self) -> bool {
        true
    }

    fn options(&self) -> Vec<OptionSpec> {
        settings::options()
    }

    fn open(&self, files: Files, options: &FormatOptions) -> Result<Arc<dyn Dataset>> {
        Ok(Arc::new(open(files, options)?))
    }

    /// Writes a file, or the shards of a pattern such as `train@16.jsonl`, with an object for each row.
    fn sink(&self, output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
        let options = options.clone().checked(NAME, &settings::options())?;
        sink::sink(output, schema, &options)
    }

    fn losses(&self, column: &Field, _: &FormatOptions) -> Vec<String> {
        lines::losses(column, &sink::loss)
    }

    fn inspect(&self) -> Option<&dyn Inspect> {
        Some(self)
    }
}

impl Inspect for JsonLinesFormat {
    /// Decodes every line.
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = options.clone().checked(NAME, &settings::options())?;
        Ok(lines::inspect(files, &options, open))
    }
}

fn is_object(line: &[u8]) -> bool {
    let pass = |mut json: Json<'_>| json.pass(&mut Vec::new()).and_then(|()| json.finish());
    line.starts_with(b"{") && Json::new(line, &Limits::default()).and_then(pass).is_ok()
}

/// Opens files: fixes the types of the columns.
fn open(files: Files, options: &FormatOptions) -> Result<TextFiles> {
    let options = options.clone().checked(NAME, &settings::options())?;
    let settings = Arc::new(Settings::new(&options));
    let data = Arc::new(Data::new(files, Syntax { quotes: None, blank: Blank::Spaces, header: None }));
    let mut planner = JsonPlanner::new(Arc::clone(&settings), &options)?;
    if planner.needs_records() {
        lines::infer(&data, &mut planner, settings.infer_records, &options.request)?;
    }
    Ok(TextFiles { data, plan: Box::new(planner).finish()?, format: NAME, options, notes: Vec::new() })
}
