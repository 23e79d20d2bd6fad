//! Number of requests, and of requested bytes, for files of formats other than TFRecord.

use std::sync::{Arc, LazyLock};

use arrow_array::{ArrayRef, BinaryArray, Int64Array, RecordBatch};
use parquet::arrow::ArrowWriter;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use s3_bed::Fault;
use tfxio::RecordRun;
use tfxio::convert::Conversion;
use tfxio::prelude::*;

use crate::s3::Bed;
use crate::s3::planning::reads;

const ROWS: u64 = 12_000;
/// Bytes that may be requested beside rows: first bytes, footers, heads of batches and blocks.
const BESIDE: u64 = 400 << 10;

/// A table of 12 MB and the same table as files, named by [`FILES`].
struct Made {
    table: RecordBatch,
    files: [Vec<u8>; 3],
}

/// Returns what all tests here read, which is made once.
fn made() -> &'static Made {
    static MADE: LazyLock<Made> = LazyLock::new(|| {
        let table = table();
        let files = files(&table);
        Made { table, files }
    });
    &MADE
}

/// Numbers in order, and bytes that do not shrink.
fn table() -> RecordBatch {
    let payload = |row: u64| {
        let mut state = row;
        let mut word = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 32) as u32).to_le_bytes()
        };
        (0..250).flat_map(|_| word()).collect::<Vec<u8>>()
    };
    let payloads: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..ROWS).map(payload)));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    RecordBatch::try_from_iter([("n", numbers), ("payload", payloads)]).unwrap()
}

/// Returns the files, in row groups, batches and blocks.
fn files(table: &RecordBatch) -> [Vec<u8>; 3] {
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2000))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Page)
        .build();
    let mut parquet = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    parquet.write(table).unwrap();
    let mut arrow = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    (0..table.num_rows()).step_by(100).for_each(|row| arrow.write(&table.slice(row, 100)).unwrap());
    let arrow = arrow.into_inner().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (folder.path().join("t.arrow"), folder.path().join("t.avro"));
    std::fs::write(&from, &arrow).unwrap();
    Conversion::builder([from.to_str().unwrap()], to.clone()).build().unwrap().run(|_| {}).unwrap();
    [parquet.into_inner().unwrap(), arrow, std::fs::read(to).unwrap()]
}

/// Puts the files into the bucket and returns them with their table.
fn put(bed: &Bed) -> &'static Made {
    let made = made();
    FILES.iter().zip(&made.files).for_each(|(name, bytes)| bed.server.put(name, bytes));
    made
}

const FILES: [&str; 3] = ["t.parquet", "t.arrow", "t.avro"];

/// Returns the numbers of the rows, whose payloads are checked.
fn numbers(batches: impl IntoIterator<Item = RecordBatch>, table: &RecordBatch) -> Vec<i64> {
    let mut numbers = Vec::new();
    for batch in batches {
        let column = |name: &str| batch.column_by_name(name).unwrap();
        let found = column("n").as_any().downcast_ref::<Int64Array>().unwrap();
        let payloads = column("payload").as_any().downcast_ref::<BinaryArray>();
        let expected = table.column(1).as_any().downcast_ref::<BinaryArray>().unwrap();
        for (row, number) in found.values().iter().enumerate() {
            if let Some(payloads) = payloads {
                assert_eq!(payloads.value(row), expected.value(usize::try_from(*number).unwrap()));
            }
            numbers.push(*number);
        }
    }
    numbers
}

#[test]
fn a_file_is_asked_for_each_byte_once() {
    let Some(bed) = Bed::start() else { return };
    let Made { table, files } = put(&bed);
    for (name, bytes) in FILES.iter().zip(files) {
        bed.proxy.set_rule(|_| Fault::None);
        let options = bed.opener().prefer("layout", "plain");
        let dataset = options.open(format!("s3://bucket/{name}").as_str()).unwrap();
        let batches = dataset.read(ScanRequest::new()).unwrap().map(Result::unwrap);
        assert_eq!(numbers(batches, table), (0..ROWS as i64).collect::<Vec<_>>(), "{name}");
        let len = bytes.len() as u64;
        let (count, asked) = reads(&bed);
        assert!((len..len + BESIDE).contains(&asked), "{name}: {asked} of {len} bytes");
        assert!(count <= 64, "{name}: {count} requests");
    }
}

#[test]
fn chosen_rows_are_few_requests() {
    let Some(bed) = Bed::start() else { return };
    let Made { table, files } = put(&bed);
    for (name, bytes) in FILES.iter().zip(files) {
        let options = bed.opener().prefer("layout", "plain");
        let dataset = options.open(format!("s3://bucket/{name}").as_str()).unwrap();
        let file = dataset.spec().unwrap().files[0].clone();
        let runs = [350, 5750, 11_150].map(|first| RecordRun::new(Arc::clone(&file), first, 20));
        bed.proxy.set_rule(|_| Fault::None);
        let mut scan = dataset.take(&runs, &ScanRequest::new()).unwrap();
        let batches = std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.into_columns());
        let expected = [350..370, 5750..5770, 11_150..11_170].into_iter().flatten().collect::<Vec<i64>>();
        assert_eq!(numbers(batches, table), expected, "{name}");
        let len = bytes.len() as u64;
        let (count, asked) = reads(&bed);
        // The page index of a Parquet file finds rows; others are gone through by the heads of batches and blocks, which lie
        // nearer to each other than what is worth a request.
        let most = if *name == "t.parquet" { len / 2 } else { 2 * len };
        assert!(asked < most, "{name}: {asked} of {len} bytes");
        assert!(count <= 64, "{name}: {count} requests");
    }
}

#[test]
fn pages_that_a_filter_leaves_out_are_not_asked_for() {
    let Some(bed) = Bed::start() else { return };
    let Made { table, files } = put(&bed);
    bed.proxy.set_rule(|_| Fault::None);
    let dataset = bed.opener().open("s3://bucket/t.parquet").unwrap();
    let request = ScanRequest::new().filter("n >= 1000 and n < 1150 or n = 9333".parse().unwrap());
    let batches = dataset.read(request).unwrap().map(Result::unwrap);
    assert_eq!(numbers(batches, table), (1000..1150).chain([9333]).collect::<Vec<_>>());
    let len = files[0].len() as u64;
    let (count, asked) = reads(&bed);
    assert!(asked < len / 4, "{asked} of {len} bytes");
    assert!(count <= 12, "{count} requests");
}
