//! CSV and JSON lines: what is read, written and read again is the same, and a file that is cut has each row once.

use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use tfxio_core::{
    Batch, Cancel, Dataset, FileFormat, Files, FormatOptions, Input, Limits, Partition, ScanRequest, Store,
};
use tfxio_formats::{CsvFormat, JsonLinesFormat};

/// One file in memory.
#[derive(Debug)]
struct Memory(Arc<[u8]>);

struct Bytes(Cursor<Arc<[u8]>>);

impl Read for Bytes {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        self.0.read(out)
    }
}

impl Seek for Bytes {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

impl Input for Bytes {}

impl Store for Memory {
    fn list(&self, pattern: &str) -> tfxio_core::Result<Vec<Arc<str>>> {
        Ok(vec![pattern.into()])
    }

    fn size(&self, _: &str) -> tfxio_core::Result<Option<u64>> {
        Ok(Some(self.0.len() as u64))
    }

    fn open(&self, _: &str, range: Range<u64>, _: &Cancel) -> tfxio_core::Result<Box<dyn Input>> {
        let mut bytes = Cursor::new(Arc::clone(&self.0));
        bytes.set_position(range.start);
        Ok(Box::new(Bytes(bytes)))
    }
}

fn open(
    format: &dyn FileFormat,
    bytes: &[u8],
    options: &FormatOptions,
) -> tfxio_core::Result<Arc<dyn Dataset>> {
    format.open(Files::new(["x".into()], Arc::new(Memory(bytes.into()))), options)
}

/// Returns the rows of partitions, a batch each.
fn rows(dataset: &dyn Dataset, partitions: &[Partition], limits: Limits) -> tfxio_core::Result<Vec<RecordBatch>> {
    let mut rows = Vec::new();
    for partition in partitions {
        let mut scan = dataset.scan(partition, &ScanRequest::new().limits(limits).batch_rows(3))?;
        while let Some(batch) = scan.next_batch()? {
            let batch = batch.into_columns();
            rows.extend((0..batch.num_rows()).map(|row| batch.slice(row, 1)));
        }
    }
    Ok(rows)
}

/// Returns the rows as text, since NaN is not equal to itself.
fn text(rows: &[RecordBatch]) -> String {
    format!("{rows:?}")
}

fn check_format(format: &dyn FileFormat, ending: &str, bytes: &[u8], layout: &str, cuts: [u64; 2]) {
    let mut options = FormatOptions::default().option("layout", layout);
    let limits = Limits::default().decompressed_bytes(1 << 20).record_bytes(1 << 20);
    options.request.limits = limits;
    let Ok(dataset) = open(format, bytes, &options) else { return };
    let Ok(whole) = rows(&*dataset, &[Partition::whole("x")], limits) else { return };
    let [first, second] = cuts;
    let parts = [(0, first), (first, second), (second, u64::MAX)];
    let parts = parts.map(|(start, end)| Partition::range("x", start, end));
    let read = rows(&*dataset, &parts, limits);
    assert_eq!(read.map(|rows| text(&rows)).ok(), Some(text(&whole)), "cut at {cuts:?}");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(format!("x.{ending}"));
    // What a cell or an object cannot hold is refused.
    let Some(()) = write(format, &path, &dataset, &whole) else { return };
    let written = std::fs::read(&path).expect("a file");
    let mut options = FormatOptions::default().option("layout", layout);
    options.schema = Some(Arc::clone(dataset.schema()));
    let again = open(format, &written, &options).and_then(|again| rows(&*again, &[Partition::whole("x")], limits));
    let again = again.unwrap_or_else(|error| panic!("{error}: {:?}", String::from_utf8_lossy(&written)));
    assert_eq!(text(&again), text(&whole), "{:?}", String::from_utf8_lossy(&written));
}

fn write(format: &dyn FileFormat, path: &Path, dataset: &Arc<dyn Dataset>, rows: &[RecordBatch]) -> Option<()> {
    let mut sink = format.sink(path.to_str()?, dataset.schema(), &FormatOptions::default()).ok()?;
    for row in rows {
        sink.write(&Batch::from(row.clone())).ok()?;
    }
    sink.finish().ok().map(drop)
}

/// Panics when the law does not hold for these bytes: two for the cuts, one for the format and layout, and a file.
pub fn check(data: &[u8]) {
    let [a, b, how, bytes @ ..] = data else { return };
    let cut = |byte: u8| u64::from(byte) * (bytes.len() as u64 + 1) / 256;
    let cuts = [cut(*a).min(cut(*b)), cut(*a).max(cut(*b))];
    let layout = if how & 1 == 0 { "plain" } else { "structured" };
    match how & 2 {
        0 => check_format(&CsvFormat, "csv", bytes, layout, cuts),
        _ => check_format(&JsonLinesFormat, "jsonl", bytes, layout, cuts),
    }
}

/// Returns files that reach most of the code.
pub fn seeds() -> Vec<Vec<u8>> {
    let csv = ["n,t\r\n1,\"a,\"\"b\"\"\nc\"\n,\n-2.5e3,\"\"\n", "\u{feff}x\n\n1\nnan\n", "a,b\ntrue,1_000\nFALSE, 7 \n"];
    let json = [
        "{\"a\": 1, \"b\": [1.5, \"NaN\"], \"c\": {\"d\": null}}\n\n{\"b\": [], \"c\": {\"d\": \"\\u00e9\\n\"}}\n",
        "{\"x\": {\"base64\": \"/w==\"}, \"y\": [[1], [2, 3]]}\n{\"x\": \"t\", \"y\": null}",
    ];
    let csv = csv.iter().flat_map(|text| [0, 1].map(|how| (how, *text)));
    let json = json.iter().flat_map(|text| [2, 3].map(|how| (how, *text)));
    csv.chain(json).map(|(how, text)| [&[60, 150, how], text.as_bytes()].concat()).collect()
}
