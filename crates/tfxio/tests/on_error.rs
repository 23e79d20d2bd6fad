//! Damage in TFRecord files that is skipped.
#![cfg(all(feature = "example", feature = "tensors", feature = "parquet", feature = "ipc"))]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test")]

#[allow(dead_code, reason = "other tests make more kinds of features")]
mod records;

use records::{File, example, ints, sequence_example};
use tfxio::convert::Conversion;
use tfxio::{
    Error, ErrorKind, ExampleTfxIo, OnError, ReadOptions, RecordOptions, Sample, Skip, SkipBudget, TfxIo as _,
};

fn options(threads: usize, skip: &Skip) -> RecordOptions {
    RecordOptions::default().with_threads(threads).with_on_error(OnError::Skip(skip.clone()))
}

/// Examples with numbers, of which the fourth is not one although its checksums are right.
fn bad_fourth(count: i64) -> File {
    File::new((0..count).map(|n| if n == 3 { vec![0x0a, 0xff] } else { example([("n", ints(&[n]))]) }))
}

fn rows(dataset: &ExampleTfxIo) -> Result<usize, Error> {
    let batches = dataset.read_all(&ReadOptions::default().with_batch_size(5))?;
    batches.map(|batch| Ok(batch?.num_rows())).sum()
}

#[test]
fn records_that_cannot_be_decoded_are_skipped() {
    let file = bad_fourth(20);
    let bytes = std::fs::read(file.name()).unwrap();
    let start = bytes.windows(2).position(|found| found == [0x0a, 0xff]).unwrap() as u64 - 12;
    for threads in [1, 3] {
        let skip = Skip::default();
        let builder = ExampleTfxIo::builder([file.name()]).record_options(options(threads, &skip));
        let dataset = builder.infer_schema(Sample::All).build().unwrap();
        assert_eq!(rows(&dataset).unwrap(), 19);
        let report = skip.report();
        assert_eq!((report.ranges, report.records, report.bytes), (1, 1, 18), "{report}");
        assert_eq!(report.listed[0].start, start);
        // Read again, nothing is counted twice.
        assert_eq!(rows(&dataset).unwrap(), 19);
        assert_eq!(skip.report(), report);
    }
}

#[test]
fn checksums_that_do_not_match_are_skipped() {
    let file = bad_fourth(20);
    let mut bytes = std::fs::read(file.name()).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1; // the payload of the last record
    bytes[0] ^= 1; // the length of the first
    std::fs::write(file.name(), bytes).unwrap();
    for threads in [1, 3] {
        let skip = Skip::default();
        let builder = ExampleTfxIo::builder([file.name()]).record_options(options(threads, &skip));
        let dataset = builder.infer_schema(Sample::All).build().unwrap();
        assert_eq!(rows(&dataset).unwrap(), 17);
        let report = skip.report();
        assert_eq!((report.ranges, report.records, report.records_unknown), (3, 2, true), "{report}");
        assert!(dataset.splits(1).unwrap().iter().all(tfxio::Split::is_whole));
    }
}

#[test]
fn a_conversion_counts_each_range_once() {
    let file = bad_fourth(20);
    let mut bytes = std::fs::read(file.name()).unwrap();
    let last = bytes.len() - 5;
    bytes[last] ^= 1;
    std::fs::write(file.name(), bytes).unwrap();
    for (output, records) in [("out.parquet", 18), ("out.arrow", 18), ("out.tfrecord", 19)] {
        let skip = Skip::default();
        let conversion = Conversion::new([file.name()], file.path(output)).unwrap();
        let summary = conversion.record_options(options(2, &skip)).run(|_| {}).unwrap();
        let report = skip.report();
        // A copy of the records does not decode them.
        let ranges = if records == 19 { 1 } else { 2 };
        assert_eq!((summary.records, report.ranges, report.records), (records, ranges, ranges), "{report}");
    }
}

#[test]
fn a_bad_record_does_not_change_the_message_of_the_others() {
    let mut records = (0..5)
        .map(|n| sequence_example([("n", ints(&[n]))], [("list", vec![ints(&[n])])]))
        .collect::<Vec<_>>();
    // An Example with field 2, which is not a feature list.
    records.insert(2, [example([("n", ints(&[7]))]), vec![0x12, 1, 0xff]].concat());
    let file = File::new(records);
    let skip = Skip::default();
    let output = file.path("out.arrow");
    let conversion = Conversion::new([file.name()], &output).unwrap();
    let summary = conversion.record_options(options(1, &skip)).run(|_| {}).unwrap();
    assert_eq!((summary.records, skip.report().records), (5, 1));
    let reader = arrow_ipc::reader::FileReader::try_new(std::fs::File::open(output).unwrap(), None).unwrap();
    assert!(reader.schema().index_of("##SEQUENCE##").is_ok());
}

#[test]
fn the_budget_ends_reading() {
    let file = bad_fourth(20);
    for threads in [1, 3] {
        let skip = Skip::new(SkipBudget { ranges: 0, ..SkipBudget::default() });
        let builder = ExampleTfxIo::builder([file.name()]).record_options(options(threads, &skip));
        let error = rows(&builder.infer_schema(Sample::All).build().unwrap()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("1 damaged ranges, and the budget allows 0"), "{error}");
    }
}

#[test]
fn records_that_a_schema_refuses_are_not_damaged() {
    let file = File::new((0..5).map(|n| example([(if n == 3 { "other" } else { "n" }, ints(&[n]))])));
    let skip = Skip::default();
    let builder = ExampleTfxIo::builder([file.name()]).record_options(options(1, &skip));
    let error = rows(&builder.infer_schema(Sample::First(2)).build().unwrap()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(skip.report().is_clean());
}
