//! Filters that are applied while tf.Examples are decoded.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use proptest::prelude::*;
use tfxio_formats::example_codec::Example;
use tfxio_formats::tfxio_core::{Dataset, ErrorKind, OnError, Predicate, ScanRequest, Skip};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::seam::test_files::FileLayout;
use seam_laws::filters::{Asked, rows_are_those_of_decoding_all};

/// A record with a number, its remainder by 100, which some do not have, lists, and texts.
fn example(number: u64) -> Example {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let mut example = Example::new()
        .int64("number", [number as i64])
        .float("floats", (0..spread % 4).map(|at| (spread + at) as f32 / 8.0))
        .bytes("text", [format!("text {}", spread % 7)]);
    if !spread.is_multiple_of(11) {
        example = example.int64("part", [(spread % 100) as i64]);
    }
    // Decoding has to go by the names, where their order changes.
    for other in 0..spread % 5 {
        example = example.int64(format!("other {other}"), [1, 2, number as i64]);
    }
    example
}

fn write(folder: &Path, file: usize, layout: FileLayout, records: std::ops::Range<u64>) -> PathBuf {
    let path = folder.join(format!("{file}.tfrecord"));
    crate::seam::test_files::write_records(&path, layout, records.map(|number| example(number).to_vec()));
    path
}

fn open(files: &[PathBuf]) -> Arc<dyn Dataset> {
    let names = files.iter().map(|path| path.to_str().unwrap()).collect::<Vec<_>>();
    OpenOptions::new().open(names).unwrap()
}

const FILTERS: &[&str] = &[
    "part = 7",
    "part < 10",
    "part < 55",
    "part != 3",
    "not part < 90",
    "part is null",
    "floats > 1000 or text = 'text 3'",
    "floats is not null and not floats > 5",
    "text in ('text 1', 'text 4') and number >= 100",
    "\"other 1\" = 2 and part in (1, 2, 3)",
    "number < 40 or number >= 333",
    "number >= 0",
    "number < 0",
];

fn asked() -> impl Strategy<Value = Asked> {
    let columns = prop::option::of(prop::sample::subsequence(
        vec!["text", "number", "other 3", "floats", "part"],
        0..=5,
    ));
    let limit = prop_oneof![2 => Just(None), 1 => (0u64..150).prop_map(Some)];
    (prop::sample::select(FILTERS), columns, 1usize..300, limit, 500u64..30_000, 1usize..4).prop_map(
        |(filter, columns, batch_rows, limit, target, after)| {
            let filter = filter.parse().unwrap();
            Asked { filter, columns, batch_rows, limit, target, after }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_that_a_filter_leaves(
        layout in prop::sample::select(FileLayout::ALL.to_vec()), counts in prop::collection::vec(1u64..300, 1..4), asked in asked()
    ) {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, mut first) = (Vec::new(), 0);
        for (file, count) in counts.iter().enumerate() {
            files.push(write(folder.path(), file, layout, first..first + count));
            first += count;
        }
        // All features, whichever records there are.
        files.push(write(folder.path(), counts.len(), layout, 1000..1100));
        rows_are_those_of_decoding_all(&open(&files), &asked);
    }
}

/// Writes records of which one has a feature that cannot be decoded.
fn damaged(folder: &Path, records: u64, at: u64, feature: &str) -> PathBuf {
    let path = folder.join("damaged.tfrecord");
    let record = |number: u64| {
        let mut record = Example::new().int64("a", [number as i64]).int64("b", [77]).to_vec();
        if number == at {
            let name = record.windows(3).position(|bytes| bytes == [0x0a, 1, feature.as_bytes()[0]]).unwrap();
            // The list of the values is longer than the feature.
            record[name + 8] = 0x7f;
        }
        record
    };
    crate::seam::test_files::write_records(&path, FileLayout::Plain, (0..records).map(record));
    path
}

fn count(dataset: &Arc<dyn Dataset>, filter: &str, threads: usize) -> Result<usize, tfxio_formats::Error> {
    let request = ScanRequest::new().filter(filter.parse()?).threads(threads).batch_rows(256);
    dataset.read(request)?.map(|batch| Ok(batch?.num_rows())).sum()
}

#[test]
fn records_that_a_filter_leaves_out_are_read_for_its_columns_only() {
    let folder = tempfile::tempdir().unwrap();
    // Among the first records of a batch, and among those of which it is known how many satisfy the filter.
    for at in [3, 200, 700] {
        let file = damaged(folder.path(), 1000, at, "b");
        let options = OpenOptions::new()
            .set("schema", "feature { name: 'a' type: INT } feature { name: 'b' type: INT }");
        let dataset = options.unwrap().open([file.to_str().unwrap()]).unwrap();
        for threads in [1, 2] {
            assert_eq!(count(&dataset, &format!("a = {}", at + 1), threads).unwrap(), 1);
            assert_eq!(count(&dataset, &format!("a != {at}"), threads).unwrap(), 999, "most pass");
            for filter in [format!("a = {at}"), format!("a != {}", at + 1), "b = 77".to_owned()] {
                let error = count(&dataset, &filter, threads).unwrap_err();
                assert_eq!(error.kind(), ErrorKind::Malformed, "{filter}");
                assert_eq!(error.position().record, Some(at), "{filter}: {error}");
            }
        }
        // All damage is reported where it is skipped.
        let skip = Skip::default();
        let filter: Predicate = format!("a = {}", at + 1).parse().unwrap();
        let request = ScanRequest::new().filter(filter).on_error(OnError::Skip(skip.clone()));
        assert!(!dataset.applies_filter(&request));
        let rows = dataset.read(request).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
        assert_eq!((rows, skip.report().records), (1, 1));
    }
}

#[test]
fn rows_before_a_record_that_fails_come_first() {
    let folder = tempfile::tempdir().unwrap();
    let file = damaged(folder.path(), 1000, 700, "a");
    let options =
        OpenOptions::new().set("schema", "feature { name: 'a' type: INT } feature { name: 'b' type: INT }");
    let dataset = options.unwrap().open([file.to_str().unwrap()]).unwrap();
    for (filter, rows) in [("a >= 690", 10), ("a >= 0", 700), ("a < 0", 0), ("a < 100", 100)] {
        for threads in [1, 2] {
            let request = ScanRequest::new().filter(filter.parse().unwrap()).threads(threads).batch_rows(256);
            let (mut read, mut failed) = (0, false);
            for batch in dataset.read(request).unwrap() {
                match batch {
                    Ok(batch) => read += batch.num_rows(),
                    Err(error) => {
                        assert_eq!(error.position().record, Some(700), "{error}");
                        failed = true;
                    }
                }
            }
            assert_eq!((read, failed), (rows, true), "{filter}");
        }
    }
}

#[test]
fn columns_that_a_filter_names_must_exist() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = open(&[write(folder.path(), 0, FileLayout::Plain, 0..100)]);
    let error = |filter: &str, columns: Option<&str>| {
        let mut request = ScanRequest::new().filter(filter.parse().unwrap());
        if let Some(columns) = columns {
            request = request.columns([columns]);
        }
        dataset.read(request).unwrap_err().to_string()
    };
    let unknown = "the filter names the column \"prt\", which does not exist; did you mean \"part\"?";
    assert_eq!(error("prt = 1", None), unknown);
    assert!(error("prt = 1", Some("text")).contains("\"prt\""), "{}", error("prt = 1", Some("text")));
    assert!(error("part = 'a'", Some("text")).contains("cannot be compared with 'a'"));
    assert!(error("part.x = 1", None).contains("which has no fields"));
    assert!(!dataset.applies_filter(&ScanRequest::new().filter("true".parse().unwrap())));
    assert!(!dataset.applies_filter(&ScanRequest::new()));
}

#[test]
fn a_filter_may_read_the_source_column() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), 0, FileLayout::Plain, 0..300);
    let dataset = OpenOptions::new().source_column("from").open([file.to_str().unwrap()]).unwrap();
    let rows = |filter: &str, columns: Option<&str>| {
        let mut request = ScanRequest::new().filter(filter.parse().unwrap()).limit(20);
        if let Some(columns) = columns {
            request = request.columns([columns]);
        }
        dataset.read(request).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>()
    };
    assert_eq!(rows("from.record >= 290", None), 10);
    assert_eq!(rows("from.record >= 290 and number < 295", Some("text")), 5);
    assert_eq!(rows("number >= 290", Some("from")), 10);
    assert_eq!(rows("number >= 100", None), 20);
}
