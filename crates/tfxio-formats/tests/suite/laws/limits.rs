//! The table of limits of `docs/formats.md`, a test a cell.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeListBuilder};
use arrow_array::{ArrayRef, Int64Array, LargeStringArray, RecordBatch};
use tfxio_convert::BatchOutput;
use tfxio_core::{ErrorKind, Limits, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

const ROWS: usize = 300;
const WORD: usize = 10_000;
const ITEMS: usize = 100;

/// Result of reading a file that has more than a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Held {
    /// Batches have fewer rows.
    Cut,
    /// An error names the limit.
    Refused,
}

/// A format, the ending of its files, options that both sides need, and what becomes of bytes of a batch, items of a row, and columns.
type Row = (&'static str, &'static str, &'static [(&'static str, &'static str)], [Held; 3]);

const TABLE: [Row; 6] = [
    ("tfrecord", "tfrecord", &[], [Held::Cut, Held::Refused, Held::Refused]),
    ("avro", "avro", &[], [Held::Cut, Held::Refused, Held::Refused]),
    ("parquet", "parquet", &[], [Held::Cut, Held::Refused, Held::Refused]),
    ("arrow", "arrow", &[], [Held::Refused; 3]),
    (
        "csv",
        "csv",
        &[("secondary_delimiter", "|"), ("multivalent_columns", "l")],
        [Held::Cut, Held::Refused, Held::Refused],
    ),
    ("jsonl", "jsonl", &[], [Held::Cut, Held::Refused, Held::Refused]),
];

fn batch() -> RecordBatch {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    let word = "a".repeat(WORD);
    let words: ArrayRef = Arc::new(LargeStringArray::from_iter_values((0..ROWS).map(|_| word.as_str())));
    let mut lists = LargeListBuilder::new(Int64Builder::new());
    for row in 0..ROWS {
        lists.values().append_slice(&vec![row as i64; ITEMS]);
        lists.append(true);
    }
    let lists: ArrayRef = Arc::new(lists.finish());
    RecordBatch::try_from_iter([("n", numbers), ("t", words), ("l", lists)]).unwrap()
}

fn written(folder: &Path, (format, ending, options, _): &Row) -> String {
    let path = folder.join(format!("a.{ending}")).display().to_string();
    let mut output = BatchOutput::new(&path).output_format(*format);
    for (key, value) in options.iter().filter(|(key, _)| *key != "multivalent_columns") {
        output = output.set(key, *value).unwrap();
    }
    let mut batches = vec![batch()].into_iter();
    output.write(&batch().schema(), move || Ok(batches.next().map(Into::into))).unwrap();
    path
}

fn batches(path: &str, row: &Row, limits: Limits) -> Result<Vec<RecordBatch>> {
    let mut open = OpenOptions::new().limits(limits);
    for (key, value) in row.2 {
        open = open.set(key, *value)?;
    }
    let dataset = open.open(path)?;
    dataset.read(ScanRequest::new().limits(limits))?.collect()
}

/// The bytes of the rows of a batch.
fn bytes(batch: &RecordBatch) -> u64 {
    let of = |column: &ArrayRef| column.to_data().get_slice_memory_size().unwrap() as u64;
    batch.columns().iter().map(of).sum()
}

/// Returns what is wrong with how a limit is held.
fn wrong(
    row: &Row,
    path: &str,
    limits: Limits,
    (name, held): (&str, Held),
    within: impl Fn(&RecordBatch) -> bool,
) -> Option<String> {
    let read = batches(path, row, limits);
    let found = match (held, &read) {
        (Held::Cut, Ok(read)) => {
            let rows = read.iter().map(RecordBatch::num_rows).sum::<usize>();
            rows == ROWS && read.len() > 1 && read.iter().all(within)
        }
        (Held::Refused, Err(error)) => {
            error.kind() == ErrorKind::LimitExceeded && error.to_string().contains(name)
        }
        _ => false,
    };
    let read = read.map(|read| (read.len(), read.iter().map(bytes).max()));
    (!found).then(|| format!("{} {name}: {read:?}", row.0))
}

#[test]
fn every_limit_holds_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = Vec::new();
    for row in &TABLE {
        let path = written(folder.path(), row);
        let [of_bytes, of_items, of_columns] = row.3;
        let most = 256 << 10;
        let limits = Limits::default();
        all.extend(wrong(row, &path, limits.batch_bytes(most), ("batch_bytes", of_bytes), |batch| {
            bytes(batch) <= most
        }));
        all.extend(wrong(row, &path, limits.list_items(50), ("list_items", of_items), |_| true));
        all.extend(wrong(row, &path, limits.columns(2), ("columns", of_columns), |_| true));
    }
    assert!(all.is_empty(), "{}", all.join("\n"));
}
