//! Lists of Parquet files that are longer than a batch may be, and are encoded in a few bytes.

use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_select::concat::concat_batches;
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::{WriterProperties, WriterVersion};
use proptest::prelude::*;
use tfxio_core::{ErrorKind, Limits, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

/// Rows with lists of these lengths: of numbers, of lists of two numbers each, and of words.
fn rows(lengths: &[usize], word: usize) -> RecordBatch {
    let mut numbers = ListBuilder::new(Int64Builder::new());
    let mut pairs = ListBuilder::new(ListBuilder::new(Int64Builder::new()));
    let mut words = ListBuilder::new(StringBuilder::new());
    let word = "w".repeat(word);
    for (row, length) in lengths.iter().enumerate() {
        for item in 0..*length {
            numbers.values().append_value((item % 3) as i64);
            pairs.values().values().append_slice(&[1, item as i64]);
            pairs.values().append(true);
            words.values().append_value(&word);
        }
        numbers.append(row % 5 != 4);
        pairs.append(true);
        words.append(true);
    }
    let row: ArrayRef = Arc::new(Int64Array::from_iter_values(0..lengths.len() as i64));
    let numbers: ArrayRef = Arc::new(numbers.finish());
    let columns: [(&str, ArrayRef); 4] = [
        ("row", row),
        ("numbers", numbers),
        ("pairs", Arc::new(pairs.finish())),
        ("words", Arc::new(words.finish())),
    ];
    RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap()
}

fn write(path: &Path, batch: &RecordBatch, group: usize, page_rows: usize, version: WriterVersion) {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .set_max_row_group_row_count(Some(group))
        .set_data_page_row_count_limit(page_rows)
        .set_write_batch_size(16)
        .set_writer_version(version);
    let file = std::fs::File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties.build())).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

fn read(path: &Path, request: ScanRequest) -> Result<Vec<RecordBatch>> {
    let dataset = OpenOptions::new().limits(request.limits).open(path.to_str().unwrap())?;
    dataset.read(request)?.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_the_same_in_batches_within_the_limit(
        lengths in prop::collection::vec(prop_oneof![8 => 0..6_usize, 1 => 20..60_usize], 1..120),
        word in 1..200_usize, group in 10..200_usize, page_rows in 1..100_usize, is_second: bool,
        batch_rows in 1..70_usize, filter in prop::option::of(prop::sample::select(&["row >= 7", "row < 20 or row > 60"][..])),
        columns in prop::sample::subsequence(vec!["row", "numbers", "pairs", "words"], 1..=4),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.parquet");
        let version = if is_second { WriterVersion::PARQUET_2_0 } else { WriterVersion::PARQUET_1_0 };
        write(&path, &rows(&lengths, word), group, page_rows, version);
        let mut request = ScanRequest::new().batch_rows(batch_rows).columns(columns);
        request.filter = filter.map(|filter| filter.parse().unwrap());
        let all = read(&path, request.clone()).unwrap();
        let schema = all.first().map(RecordBatch::schema);
        let whole = |batches: &[RecordBatch]| {
            schema.as_ref().map(|schema| concat_batches(schema, batches).unwrap())
        };
        // A row has 60 words of 200 bytes at most.
        let most = 16 << 10;
        let limited = request.limits(Limits::default().batch_bytes(most));
        let one = read(&path, limited.clone()).unwrap();
        prop_assert_eq!(whole(&one), whole(&all));
        let three = read(&path, limited.threads(3)).unwrap();
        prop_assert_eq!(&three, &one, "borders are those of one thread");
    }
}

#[test]
fn a_few_bytes_that_are_many_values_are_refused_before_they_are_decoded() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.parquet");
    // One long row among short ones.
    let mut lengths = vec![1; 200];
    lengths[150] = 100_000;
    write(&path, &rows(&lengths, 3), 1 << 20, 1 << 20, WriterVersion::PARQUET_2_0);
    let limited = |columns: &'static str, bytes: u64| {
        ScanRequest::new().columns([columns]).limits(Limits::default().batch_bytes(bytes))
    };
    for (column, bytes) in [("numbers", 1 << 20), ("pairs", 2 << 20), ("words", 1 << 20)] {
        let read_with = |bytes| read(&path, limited(column, bytes));
        let rows = read_with(4 * bytes).unwrap().iter().map(RecordBatch::num_rows).sum::<usize>();
        assert_eq!(rows, 200, "{column}");
        let error = read_with(bytes).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded, "{error}");
        let text = error.to_string();
        assert!(
            text.contains("the values of a row take")
                && text.ends_with("leave out the column, or raise the limit batch_bytes"),
            "{text}"
        );
    }
    assert_eq!(
        read(&path, limited("row", 8 << 10)).unwrap().iter().map(RecordBatch::num_rows).sum::<usize>(),
        200
    );
}
