//! A format of one's own: the lines of a text file as rows `line: Utf8`. After this everything works on it: opening, projection,
//! partitions, tensors, the batch loader, specs in other processes, the command. `cargo run -p tfxio --example own_format`
use std::io::{BufRead, BufReader};
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use tfxio::prelude::*;
use tfxio::{Batch, FileFormat, Files, FormatOptions, Input, Origins, Partition, Projection};

#[derive(Debug)]
struct Lines {
    files: Files, // expanded patterns, local or in a store
    schema: SchemaRef,
}

impl Dataset for Lines {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }
    fn partitions(&self, target_bytes: u64) -> tfxio::Result<Vec<Partition>> {
        self.files.byte_ranges(target_bytes) // for formats that can be entered at any byte
    }
    fn scan(&self, partition: &Partition, request: &ScanRequest) -> tfxio::Result<Box<dyn Scan>> {
        let mut lines = BufReader::new(self.files.open(partition)?); // Read + Seek, whatever the store
        let (part, request, mut at) = (partition.clone(), request.clone(), partition.start);
        if at > 0 {
            lines.seek_relative(-1)?; // a line that begins before the range belongs to the one before
            at += lines.skip_until(b'\n')? as u64 - 1;
        }
        let projection = Projection::new(&self.schema, &request)?;
        Ok(Box::new(LineScan { lines, at, row: 0, part, request, projection }))
    }
    // `take`, `statistics`, `spec` and the rest have defaults.
}

struct LineScan {
    lines: BufReader<Box<dyn Input>>,
    at: u64,
    row: u64,
    part: Partition,
    request: ScanRequest,
    projection: Projection,
}

impl Scan for LineScan {
    fn schema(&self) -> &SchemaRef {
        self.projection.schema()
    }
    fn next_batch(&mut self) -> tfxio::Result<Option<Batch>> {
        let (mut lines, mut origins, mut line) = (StringBuilder::new(), Origins::default(), String::new());
        let most = self.request.next_rows(self.row);
        while origins.len() < most && self.at < self.part.end && self.lines.read_line(&mut line)? > 0 {
            origins.push(self.part.file.clone(), self.row, Some(self.at));
            lines.append_value(line.trim_end());
            (self.at, self.row) = (self.at + line.len() as u64, self.row + 1);
            line.clear();
        }
        if origins.is_empty() {
            return Ok(None);
        }
        let columns = self.projection.batch(vec![Arc::new(lines.finish())])?;
        Ok(Some(Batch::new(columns, origins)))
    }
}

#[derive(Debug)]
pub(crate) struct LinesFormat;

impl FileFormat for LinesFormat {
    fn name(&self) -> &str {
        "lines"
    }
    fn endings(&self) -> &[&str] {
        &[".lines", ".txt"]
    }
    fn open(&self, files: Files, _: &FormatOptions) -> tfxio::Result<Arc<dyn Dataset>> {
        let schema = Arc::new(Schema::new(vec![Field::new("line", DataType::Utf8, false)]));
        Ok(Arc::new(Lines { files, schema }))
    }
}

pub(crate) fn main() -> tfxio::Result<()> {
    let formats = tfxio::formats().register(LinesFormat)?; // a value: ours, and this one
    let dataset = OpenOptions::new().formats(&formats).open("fixtures/poems/*.txt")?;
    for batch in dataset.read(ScanRequest::new().limit(2))? {
        println!("{:?}", batch?);
    }
    Ok(())
}
