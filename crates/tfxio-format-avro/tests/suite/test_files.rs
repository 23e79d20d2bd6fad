//! Files made for tests, and what they hold.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::Int64Array;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use tfxio_core::{Batch, Dataset, FileFormat as _, Files, FormatOptions, Scan};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::{BlockHeads, Codec, ContainerReader, ContainerWriter};
use tfxio_formats::avro_path::datum::write;

/// A number, its text, and the numbers below it, three at most.
pub const SCHEMA: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "n", "type": "long"}, {"name": "text", "type": ["null", "string"]},
    {"name": "below", "type": {"type": "array", "items": "int"}}]}"#;
/// The same without the last, in another order.
pub const OTHER: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "text", "type": "string"}, {"name": "n", "type": "int"}]}"#;
/// Schema that both can be read with.
pub const BOTH: &str = r#"{"type": "record", "name": "row", "fields": [
    {"name": "n", "type": "long"}, {"name": "text", "type": ["null", "string"]}]}"#;

/// A record of [`SCHEMA`].
fn datum(n: i64, out: &mut Vec<u8>) {
    write::long(out, n);
    write::long(out, i64::from(n % 3 != 0));
    if n % 3 != 0 {
        write::string(out, &format!("row {n}"));
    }
    let below = n.min(3);
    if below > 0 {
        write::long(out, below);
        (0..below).for_each(|below| write::long(out, below));
    }
    write::long(out, 0);
}

/// A container of numbers, in [`SCHEMA`] or in [`OTHER`].
pub fn container(is_other: bool, codec: Codec, numbers: std::ops::Range<i64>, block_bytes: usize) -> Vec<u8> {
    let schema = AvroSchema::parse(if is_other { OTHER } else { SCHEMA }).unwrap();
    let builder = ContainerWriter::builder(Vec::new(), &schema)
        .codec(codec)
        .block_bytes(block_bytes)
        .sync_marker(*b"a marker of rows");
    let mut writer = builder.build().unwrap();
    for n in numbers {
        writer
            .write_with(|out| {
                if is_other {
                    write::string(out, &format!("row {n}"));
                    write::long(out, n);
                } else {
                    datum(n, out);
                }
                Ok(())
            })
            .unwrap();
    }
    writer.finish().unwrap()
}

/// A record of a file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Record {
    pub file: Arc<str>,
    pub record: u64,
    /// Offset of the block.
    pub byte: u64,
    pub n: i64,
}

/// Files that are there as long as this is.
#[derive(Debug)]
pub struct TestFiles {
    pub folder: tempfile::TempDir,
    pub files: Vec<Arc<str>>,
    pub records: Vec<Record>,
}

impl TestFiles {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap(), files: Vec::new(), records: Vec::new() }
    }

    /// Adds a file of numbers, from `first` on.
    pub fn file(mut self, first: i64, bytes: &[u8]) -> Self {
        let path = self.folder.path().join(format!("{}.avro", self.files.len()));
        std::fs::write(&path, bytes).unwrap();
        let file: Arc<str> = path.to_str().unwrap().into();
        let header = Arc::clone(ContainerReader::new(bytes).unwrap().header());
        let mut heads = BlockHeads::new(Cursor::new(bytes), header, Default::default());
        while let Some(head) = heads.next_head().unwrap() {
            for record in head.first_record..head.first_record + head.count {
                let n = first + i64::try_from(record).unwrap();
                self.records.push(Record { file: Arc::clone(&file), record, byte: head.offset, n });
            }
        }
        self.files.push(file);
        self
    }

    pub fn open(&self, options: FormatOptions) -> Arc<dyn Dataset> {
        let files = Files::local(self.files.iter().cloned()).unwrap();
        AvroFormat.open(files, &options).unwrap()
    }
}

/// Whole records, without lists around their fields.
pub fn plain() -> FormatOptions {
    FormatOptions::default().option("layout", "plain")
}

/// A column of numbers.
pub fn numbers(batch: &Batch) -> Int64Array {
    batch.columns().column_by_name("n").unwrap().as_primitive::<Int64Type>().clone()
}

/// Returns the records of a batch by its own origins.
pub fn records(batch: &Batch) -> Vec<Record> {
    assert_eq!(batch.origins().len(), batch.num_rows());
    let numbers = numbers(batch);
    let record = |(row, n): (usize, &i64)| {
        let origin = batch.origins().get(row).expect("every row has an origin");
        Record { file: origin.file, record: origin.record, byte: origin.byte.expect("an offset"), n: *n }
    };
    numbers.values().iter().enumerate().map(record).collect()
}

/// All that a scan holds.
pub fn all(scan: &mut dyn Scan) -> Vec<Record> {
    let mut out = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        assert_eq!(batch.schema(), *scan.schema());
        out.extend(records(&batch));
    }
    assert!(scan.next_batch().unwrap().is_none());
    out
}
