//! Statistics of batches and of data sets.
#![allow(clippy::expect_used, reason = "a test")]

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeBinaryBuilder, LargeListBuilder};
use arrow_array::{ArrayRef, Float32Array, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field, Schema};
use tfxio_core::ScanRequest;
use tfxio_stats::{Statistics, StatisticsExt, StatisticsList, StatisticsOptions};

pub(crate) mod shown;

use shown::shown;

fn of(batch: &RecordBatch, options: StatisticsOptions) -> StatisticsList {
    let mut statistics = Statistics::builder(&batch.schema()).options(options).build();
    statistics.update(batch).expect("statistics");
    statistics.finish()
}

fn batch(columns: Vec<(&str, ArrayRef)>) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable(columns.into_iter().map(|(name, array)| (name, array, true)))
        .expect("a batch")
}

/// Rows of lists of integers and strings, some absent, some empty.
fn lists(rows: usize) -> RecordBatch {
    let mut numbers = LargeListBuilder::new(Int64Builder::new());
    let mut words = LargeListBuilder::new(LargeBinaryBuilder::new());
    for row in 0..rows {
        for value in 0..row % 3 {
            numbers.values().append_value((row * value) as i64 % 50);
        }
        numbers.append(row % 5 != 0);
        words.values().append_value(format!("w{}", row % 7));
        words.append(true);
    }
    batch(vec![("numbers", Arc::new(numbers.finish())), ("words", Arc::new(words.finish()))])
}

#[test]
fn numbers_are_counted_as_tfdv_does() {
    let values = vec![Some(0.0), Some(2.0), None, Some(4.0), Some(f32::NAN), Some(-2.0)];
    let list = of(&batch(vec![("x", Arc::new(Float32Array::from(values)))]), StatisticsOptions::default());
    let text = shown(&list);
    for line in [
        "num_examples: 6",
        "type: FLOAT",
        "num_non_missing: 5",
        "num_missing: 1",
        "mean: 1",
        "std_dev: 2.23607",
        "num_zeros: 1",
        "min: -2",
        "max: 4",
        "num_nan: 1",
    ] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn strings_are_counted_as_tfdv_does() {
    let words = StringArray::from(vec!["b", "a", "cc", "a", "b"]);
    let text = shown(&of(&batch(vec![("s", Arc::new(words))]), StatisticsOptions::default()));
    for line in ["type: STRING", "unique: 3", "avg_length: 1.2"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    // Of equal counts the largest first.
    let at = |value: &str| text.find(&format!("value: \"{value}\"")).expect(value);
    assert!(at("b") < at("a") && at("a") < at("cc"), "{text}");
}

#[test]
fn parts_merge_to_the_whole() {
    let whole = lists(1000);
    let expected = shown(&of(&whole, StatisticsOptions::default()));
    let mut merged = Statistics::builder(&whole.schema()).build();
    for (offset, rows) in [(0, 10), (10, 500), (510, 490)] {
        let mut part = Statistics::builder(&whole.schema()).build();
        part.update(&whole.slice(offset, rows)).expect("statistics");
        merged.merge(&part).expect("merged");
    }
    assert_eq!(shown(&merged.finish()), expected);
}

#[test]
fn fields_of_structs_have_paths() {
    let fields = vec![
        (
            Arc::new(Field::new("age", DataType::Int64, true)),
            Arc::new(Int64Array::from(vec![1, 2, 3])) as ArrayRef,
        ),
        (
            Arc::new(Field::new("name", DataType::Utf8, true)),
            Arc::new(StringArray::from(vec![None, Some("x"), None])) as ArrayRef,
        ),
    ];
    let text =
        shown(&of(&batch(vec![("user", Arc::new(StructArray::from(fields)))]), StatisticsOptions::default()));
    for line in ["type: STRUCT", "path: user.age", "path: user.name", "num_missing: 2"] {
        assert!(text.contains(line), "{line} in {text}");
    }
}

#[test]
fn what_one_part_has_no_column_for_is_missing_there() {
    let one = batch(vec![("a", Arc::new(Int64Array::from(vec![1, 2])))]);
    let other = batch(vec![("b", Arc::new(StringArray::from(vec!["x", "y", "z"])))]);
    let mut statistics = Statistics::builder(&one.schema()).build();
    statistics.update(&one).expect("statistics");
    let mut part = Statistics::builder(&other.schema()).build();
    part.update(&other).expect("statistics");
    statistics.merge(&part).expect("merged");
    let text = shown(&statistics.finish());
    assert!(text.contains("num_examples: 5"), "{text}");
    assert!(text.contains("num_missing: 3") && text.contains("num_missing: 2"), "{text}");
}

#[test]
fn other_types_are_refused() {
    let numbers = batch(vec![("a", Arc::new(Int64Array::from(vec![1])))]);
    let words = batch(vec![("a", Arc::new(StringArray::from(vec!["1"])))]);
    let mut statistics = Statistics::builder(&numbers.schema()).build();
    statistics.update(&numbers).expect("statistics");
    let mut other = Statistics::builder(&words.schema()).build();
    other.update(&words).expect("statistics");
    let expected = "column \"a\": values are strings here, and integers before; read all data with one schema, or leave \
                    the column out";
    assert_eq!(statistics.clone().merge(&other).expect_err("types").to_string(), expected);
    assert_eq!(statistics.update(&words).expect_err("types").to_string(), expected);
    let lists = lists(3).project(&[0]).expect("a column");
    let mut nested = LargeListBuilder::new(LargeListBuilder::new(Int64Builder::new()));
    nested.append_null();
    let nested = batch(vec![("numbers", Arc::new(nested.finish()))]);
    let mut statistics = Statistics::builder(&lists.schema()).build();
    statistics.update(&lists).expect("statistics");
    assert_eq!(
        statistics.update(&nested).expect_err("levels").to_string(),
        "column \"numbers\": values are in 2 levels of lists here, and in 1 before; read all data with one schema, or leave \
         the column out"
    );
}

#[test]
fn no_rows_are_no_error() {
    let empty = lists(0);
    let text = shown(&of(&empty, StatisticsOptions::default()));
    assert!(text.contains("num_examples: 0") && text.contains("path: words"), "{text}");
    let statistics = Statistics::builder(&Schema::empty()).build();
    assert_eq!(statistics.finish().num_examples(0), Some(0));
}

#[test]
fn weights_count() {
    let weights = Float32Array::from(vec![1.0, 3.0, 0.0]);
    let values = batch(vec![
        ("w", Arc::new(weights)),
        ("x", Arc::new(Int64Array::from(vec![10, 20, 70]))),
        ("s", Arc::new(StringArray::from(vec!["a", "b", "a"]))),
    ]);
    let text = shown(&of(&values, StatisticsOptions::default().weight("w")));
    for line in ["weighted_num_examples: 4", "weighted_mean: 17.5", "weighted_top: b 3"] {
        assert!(text.contains(line), "{line} in {text}");
    }
    let bad = batch(vec![("w", Arc::new(Float32Array::from(vec![Some(1.0), Some(-1.0)])))]);
    let mut statistics =
        Statistics::builder(&bad.schema()).options(StatisticsOptions::default().weight("w")).build();
    assert_eq!(
        statistics.update(&bad).expect_err("a weight").to_string(),
        "column \"w\", row 1: a weight that is null, negative or not finite; a weight is one number a row, finite and not \
         negative; filter the other rows out"
    );
}

#[test]
fn slices_are_data_sets() {
    let rows = lists(100);
    let list = of(&rows, StatisticsOptions::default().by("words"));
    let names: Vec<&str> = list.names().collect();
    assert_eq!(names[..3], ["All Examples", "words_w0", "words_w1"]);
    assert_eq!((list.num_examples(0), list.num_examples(1), list.len()), (Some(100), Some(15), 8));
    let mut statistics = Statistics::builder(&rows.schema())
        .options(StatisticsOptions::default().by("words").max_slices(3))
        .build();
    let error = statistics.update(&rows).expect_err("slices");
    assert_eq!(
        error.to_string(),
        "column \"words\": more than 3 values to slice by; slice by a column of few values, or allow more slices (max_slices)"
    );
}

#[test]
fn data_sets_are_read_by_any_number_of_threads() {
    let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/digits/digits@3.tfrecord");
    let dataset = tfxio_formats::open(pattern).expect("the digits");
    let stats = |request: ScanRequest| {
        dataset.stats(StatisticsOptions::default().by("label"), request.batch_rows(100)).expect("statistics")
    };
    let one = stats(ScanRequest::new());
    assert_eq!((one.num_examples(0), one.len()), (Some(1797), 11));
    for threads in [2, 5] {
        assert_eq!(shown(&stats(ScanRequest::new().threads(threads))), shown(&one), "{threads}");
    }
    let filtered =
        stats(ScanRequest::new().columns(["image"]).filter("label = 7".parse().expect("a filter")));
    assert_eq!((filtered.num_examples(0), filtered.len()), (Some(179), 2));
    assert!(!shown(&filtered).contains("path: label"));
    let limited = stats(ScanRequest::new().columns([""; 0]).limit(1000));
    assert_eq!(limited.num_examples(0), Some(1000));
}

/// Returns whether lines are equal but for the rounding of numbers.
fn is_near(found: &str, expected: &str) -> bool {
    let is_near = |(found, expected): (&str, &str)| match (found.parse::<f64>(), expected.parse::<f64>()) {
        (Ok(found), Ok(expected)) => (found - expected).abs() <= 2e-5 * expected.abs(),
        _ => false,
    };
    let (found, expected): (Vec<_>, Vec<_>) = (found.split(' ').collect(), expected.split(' ').collect());
    found.len() == expected.len()
        && found
            .into_iter()
            .zip(expected)
            .all(|(found, expected)| found == expected || is_near((found, expected)))
}

/// The numbers of TensorFlow Data Validation itself for the same table (`fixtures/scripts/record_statistics.py`).
#[test]
fn numbers_are_those_of_tfdv() {
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/statistics");
    let dataset = tfxio_formats::open(format!("{fixtures}/table.arrow").as_str()).expect("the table");
    for (name, options) in [
        ("tfdv", StatisticsOptions::default()),
        ("tfdv-weighted", StatisticsOptions::default().weight("weight")),
    ] {
        let recorded = std::fs::read(format!("{fixtures}/{name}.pb")).expect("recorded statistics");
        let expected = shown(&StatisticsList::from_bytes(&recorded).expect("a list"));
        let found = shown(&dataset.stats(options, ScanRequest::new()).expect("statistics"));
        for (at, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            assert!(is_near(found, expected), "{name}, line {at}: {found}, not {expected}");
        }
        assert_eq!(found.lines().count(), expected.lines().count(), "{name}");
    }
}

#[test]
fn states_go_on_where_they_were() {
    let rows = lists(1000);
    let options = || StatisticsOptions::default().by("words").exact_values(40);
    let mut statistics = Statistics::builder(&rows.schema()).options(options()).build();
    statistics.update(&rows).expect("statistics");
    let bytes = statistics.to_bytes();
    let read = Statistics::from_bytes(&bytes, options()).expect("a state");
    assert_eq!(read.to_bytes(), bytes);
    assert_eq!(read.finish(), statistics.finish());
    let refused =
        |bytes: &[u8], options| Statistics::from_bytes(bytes, options).expect_err("refused").to_string();
    assert_eq!(
        refused(&bytes, StatisticsOptions::default()),
        "statistics that were made with other options cannot be merged; give both the same weight, by, categorical, epsilon and \
         exact_values"
    );
    assert_eq!(refused(b"", options()), "not a state of statistics: it has the version 0, not 2");
    // No prefix and no changed byte does harm.
    for end in (0..bytes.len()).step_by(bytes.len() / 300 + 1) {
        let mut changed = bytes.clone();
        changed[end] ^= 0x55;
        for state in [&bytes[..end], &changed[..]] {
            if let Ok(mut read) = Statistics::from_bytes(state, options()) {
                let _ = read.update(&rows);
                let _ = read.finish();
                let _ = read.merge(&statistics);
            }
        }
    }
}

#[test]
fn pairs_of_numbers_are_correlated() {
    let x: Vec<f32> = (0..100).map(|row| row as f32).collect();
    let columns = |rows: &[f32]| {
        let y = rows.iter().map(|x| Some(3.0 - 2.0 * x)).collect::<Float32Array>();
        batch(vec![("x", Arc::new(Float32Array::from(rows.to_vec())) as ArrayRef), ("y", Arc::new(y))])
    };
    let options = || StatisticsOptions::default().correlations(true);
    let mut statistics = Statistics::builder(&Schema::empty()).options(options()).build();
    for rows in x.chunks(30) {
        let mut part = Statistics::builder(&Schema::empty()).options(options()).build();
        part.update(&columns(rows)).expect("statistics");
        statistics
            .merge(&Statistics::from_bytes(&part.to_bytes(), options()).expect("a state"))
            .expect("merged");
    }
    let list = statistics.finish();
    let [pair] = &list.correlations(0)[..] else { panic!("one pair") };
    assert_eq!((pair.x.to_string(), pair.y.to_string(), pair.rows), ("x".into(), "y".into(), 100));
    assert!((pair.correlation + 1.0).abs() < 1e-6 && (pair.covariance + 1683.33).abs() < 0.1, "{pair:?}");
    assert_eq!(list.correlations(1), []);
    let json = list.to_json();
    for text in ["orrelation", "-1683"] {
        assert!(json.contains(text), "{text} in {json}");
    }
}
