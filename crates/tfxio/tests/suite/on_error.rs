//! Damage in TFRecord files that is skipped.
#![cfg(all(feature = "example", feature = "tensors", feature = "parquet", feature = "ipc"))]

use crate::records;

use records::{File, example, ints, sequence_example};
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::{ErrorKind, OnError, Result, Skip, SkipBudget};

fn request(threads: usize, skip: &Skip) -> ScanRequest {
    ScanRequest::new().threads(threads).on_error(OnError::Skip(skip.clone()))
}

/// Examples with numbers, of which the fourth is not one although its checksums are right.
fn bad_fourth(count: i64) -> File {
    File::new((0..count).map(|n| if n == 3 { vec![0x0a, 0xff] } else { example([("n", ints(&[n]))]) }))
}

/// Returns the number of rows that are left where damage is skipped, both while the file is opened and while it is read.
fn rows(file: &File, threads: usize, skip: &Skip) -> Result<usize> {
    let request = request(threads, skip).batch_rows(5);
    let dataset = OpenOptions::new().request(request.clone()).open(file.name())?;
    dataset.read(request)?.map(|batch| Ok(batch?.num_rows())).sum()
}

#[test]
fn records_that_cannot_be_decoded_are_skipped() {
    let file = bad_fourth(20);
    let bytes = std::fs::read(file.name()).unwrap();
    let start = bytes.windows(2).position(|found| found == [0x0a, 0xff]).unwrap() as u64 - 12;
    for threads in [1, 3] {
        let skip = Skip::default();
        assert_eq!(rows(&file, threads, &skip).unwrap(), 19);
        let report = skip.report();
        assert_eq!((report.ranges, report.records, report.bytes), (1, 1, 18), "{report}");
        assert_eq!(report.listed[0].start, start);
        // Read again, nothing is counted twice.
        assert_eq!(rows(&file, threads, &skip).unwrap(), 19);
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
        assert_eq!(rows(&file, threads, &skip).unwrap(), 17);
        let report = skip.report();
        assert_eq!((report.ranges, report.records, report.records_unknown), (3, 2, true), "{report}");
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
        let conversion = Conversion::builder([file.name()], file.path(output)).request(request(2, &skip));
        let summary = conversion.build().unwrap().run(|_| {}).unwrap();
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
    let conversion = Conversion::builder([file.name()], &output).request(request(1, &skip));
    let summary = conversion.build().unwrap().run(|_| {}).unwrap();
    assert_eq!((summary.records, skip.report().records), (5, 1));
    let reader = arrow_ipc::reader::FileReader::try_new(std::fs::File::open(output).unwrap(), None).unwrap();
    assert!(reader.schema().index_of("##SEQUENCE##").is_ok());
}

#[test]
fn the_budget_ends_reading() {
    let file = bad_fourth(20);
    for threads in [1, 3] {
        let skip = Skip::new(SkipBudget::default().ranges(0));
        let error = rows(&file, threads, &skip).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::LimitExceeded);
        assert!(error.to_string().contains("1 damaged range, and the budget allows 0"), "{error}");
    }
}

#[test]
fn records_that_a_schema_refuses_are_not_damaged() {
    let file = File::new((0..5).map(|n| example([(if n == 3 { "other" } else { "n" }, ints(&[n]))])));
    let skip = Skip::default();
    let dataset = OpenOptions::new().set("infer_records", 2).unwrap().open(file.name()).unwrap();
    let mut batches = dataset.read(ScanRequest::new().on_error(OnError::Skip(skip.clone()))).unwrap();
    let error = batches.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert!(skip.report().is_clean());
}

/// Good records with `n` and `b`, and some with all checksums right that no pass may keep.
fn damaged_elsewhere() -> File {
    let good = |n: i64| example([("n", ints(&[n])), ("b", ints(&[n]))]);
    let mut records = (0..10).map(good).collect::<Vec<_>>();
    // A feature that no good record has, before the damage.
    records.push([example([("other", ints(&[1]))]), vec![0x0a, 0xff]].concat());
    // A feature of another kind, before the damage.
    records.push([example([("n", records::floats(&[1.5]))]), vec![0x0a, 0xff]].concat());
    // Damage in `b` alone: its int64_list ends too early.
    records.push([good(1), vec![0x0a, 8, 0x0a, 6, 0x0a, 1, b'b', 0x12, 1, 0x1a]].concat());
    // Another message.
    records.push(vec![0x10, 7]);
    File::new(records)
}

#[test]
fn both_passes_skip_the_same_records_whatever_the_columns() {
    let file = damaged_elsewhere();
    let output = file.path("out.arrow");
    for (columns, sample, threads) in
        [(None, u64::MAX, 1), (None, 3, 2), (Some("n"), u64::MAX, 2), (Some("n"), 3, 1)]
    {
        let skip = Skip::default();
        let request = match columns {
            Some(name) => request(threads, &skip).columns([name]),
            None => request(threads, &skip),
        };
        let conversion = Conversion::builder([file.name()], &output).request(request);
        let conversion = conversion.set("infer_records", sample).unwrap().build().unwrap();
        let summary = conversion.run(|_| {}).unwrap();
        assert_eq!((summary.records, skip.report().records), (10, 4), "{}", skip.report());
    }
}

#[test]
fn an_output_is_not_replaced_where_nothing_is_left() {
    let file = File::new([vec![0x0a, 0xff]]);
    let mut bytes = std::fs::read(file.name()).unwrap();
    bytes[14] ^= 1; // the checksum of the payload does not match either
    std::fs::write(file.name(), bytes).unwrap();
    for output in ["out.parquet", "out.arrow", "out.tfrecord"] {
        let output = file.path(output);
        std::fs::write(&output, "precious").unwrap();
        let skip = Skip::default();
        let conversion = Conversion::builder([file.name()], &output).request(request(1, &skip));
        let error = conversion.build().unwrap().run(|_| {}).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Malformed);
        assert_eq!(error.to_string(), "everything was damaged and skipped: there is no record");
        assert_eq!(std::fs::read(&output).unwrap(), b"precious");
    }
}

#[test]
fn a_projection_does_not_hide_feature_lists_or_other_messages() {
    let good = |n: i64| example([("n", ints(&[n]))]);
    let late = sequence_example([("n", ints(&[5]))], [("list", vec![ints(&[1])])]);
    for (last, says) in [(late, "feature lists"), (vec![0x10, 7], "no feature comes from its 2 bytes")] {
        let file = File::new((0..5).map(good).chain([last]));
        let conversion = Conversion::builder([file.name()], file.path("out.arrow"));
        let conversion =
            conversion.request(ScanRequest::new().columns(["n"])).set("infer_records", 5).unwrap();
        let error = conversion.build().unwrap().run(|_| {}).unwrap_err().to_string();
        assert!(error.contains("record 5") && error.contains(says), "{error}");
    }
}
