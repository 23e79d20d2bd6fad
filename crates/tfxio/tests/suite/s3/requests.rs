//! How many requests files of other formats than TFRecord need, and for how many bytes.

use std::path::Path;
use std::sync::Arc;

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
/// Bytes that are asked for beside those of rows: first bytes, footers, heads of batches and blocks.
const BESIDE: u64 = 400 << 10;

/// Numbers in order, and bytes that do not shrink.
fn table() -> RecordBatch {
    let payload = |row: u64| {
        let mut state = row;
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 56) as u8
        };
        (0..1000).map(|_| byte()).collect::<Vec<u8>>()
    };
    let payloads: ArrayRef = Arc::new(BinaryArray::from_iter_values((0..ROWS).map(payload)));
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..ROWS as i64));
    RecordBatch::try_from_iter([("n", numbers), ("payload", payloads)]).unwrap()
}

/// Writes 12 MB as `t.parquet`, `t.arrow` and `t.avro`, in row groups, batches and blocks.
fn write(folder: &Path, bed: &Bed) {
    let table = table();
    let properties = WriterProperties::builder()
        .set_max_row_group_row_count(Some(2000))
        .set_data_page_row_count_limit(100)
        .set_write_batch_size(100)
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::Page)
        .build();
    let mut parquet = ArrowWriter::try_new(Vec::new(), table.schema(), Some(properties)).unwrap();
    parquet.write(&table).unwrap();
    std::fs::write(folder.join("t.parquet"), parquet.into_inner().unwrap()).unwrap();
    let mut arrow = arrow_ipc::writer::FileWriter::try_new(Vec::new(), &table.schema()).unwrap();
    (0..table.num_rows()).step_by(100).for_each(|row| arrow.write(&table.slice(row, 100)).unwrap());
    std::fs::write(folder.join("t.arrow"), arrow.into_inner().unwrap()).unwrap();
    let (from, to) = (folder.join("t.arrow"), folder.join("t.avro"));
    Conversion::builder([from.to_str().unwrap()], to).build().unwrap().run(|_| {}).unwrap();
    for name in FILES {
        bed.server.put(name, std::fs::read(folder.join(name)).unwrap());
    }
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
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &bed);
    let table = table();
    for name in FILES {
        bed.proxy.set_rule(|_| Fault::None);
        let options = bed.opener().prefer("layout", "plain");
        let dataset = options.open(format!("s3://bucket/{name}").as_str()).unwrap();
        let batches = dataset.read(ScanRequest::new()).unwrap().map(Result::unwrap);
        assert_eq!(numbers(batches, &table), (0..ROWS as i64).collect::<Vec<_>>(), "{name}");
        let len = std::fs::metadata(folder.path().join(name)).unwrap().len();
        let (count, asked) = reads(&bed);
        assert!((len..len + BESIDE).contains(&asked), "{name}: {asked} of {len} bytes");
        assert!(count <= 64, "{name}: {count} requests");
    }
}

#[test]
fn chosen_rows_are_few_requests() {
    let Some(bed) = Bed::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &bed);
    let table = table();
    for name in FILES {
        let options = bed.opener().prefer("layout", "plain");
        let dataset = options.open(format!("s3://bucket/{name}").as_str()).unwrap();
        let file = dataset.spec().unwrap().files[0].clone();
        let runs = [350, 5750, 11_150].map(|first| RecordRun::new(Arc::clone(&file), first, 20));
        bed.proxy.set_rule(|_| Fault::None);
        let mut scan = dataset.take(&runs, &ScanRequest::new()).unwrap();
        let batches = std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.into_columns());
        let expected = [350..370, 5750..5770, 11_150..11_170].into_iter().flatten().collect::<Vec<i64>>();
        assert_eq!(numbers(batches, &table), expected, "{name}");
        let len = std::fs::metadata(folder.path().join(name)).unwrap().len();
        let (count, asked) = reads(&bed);
        // The page index of a Parquet file finds rows; others are gone through by the heads of batches and blocks, which lie
        // nearer to each other than what is worth a request.
        let most = if name == "t.parquet" { len / 2 } else { 2 * len };
        assert!(asked < most, "{name}: {asked} of {len} bytes");
        assert!(count <= 64, "{name}: {count} requests");
    }
}

#[test]
fn pages_that_a_filter_leaves_out_are_not_asked_for() {
    let Some(bed) = Bed::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), &bed);
    bed.proxy.set_rule(|_| Fault::None);
    let dataset = bed.opener().open("s3://bucket/t.parquet").unwrap();
    let request = ScanRequest::new().filter("n >= 1000 and n < 1150 or n = 9333".parse().unwrap());
    let batches = dataset.read(request).unwrap().map(Result::unwrap);
    assert_eq!(numbers(batches, &table()), (1000..1150).chain([9333]).collect::<Vec<_>>());
    let len = std::fs::metadata(folder.path().join("t.parquet")).unwrap().len();
    let (count, asked) = reads(&bed);
    assert!(asked < len / 4, "{asked} of {len} bytes");
    assert!(count <= 12, "{count} requests");
}
