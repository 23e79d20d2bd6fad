//! Laws of filters, columns, limits, partitions and splits over scalars and text.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;
use proptest::prelude::*;
use tfxio_formats::example_codec::Example;
use tfxio_formats::tfxio_core::{Dataset, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use super::test_files::{both, examples, types};
use seam_laws::filters::{Asked, rows_are_those_of_decoding_all};

/// A record with scalars, some of which are absent, text, and lists.
fn example(number: u64) -> Example {
    let spread = number.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
    let mut example = Example::new()
        .int64("number", [number as i64])
        .float("floats", (0..spread % 4).map(|at| (spread + at) as f32 / 8.0))
        .bytes("words", (0..spread % 3).map(|at| format!("wörd {at}")));
    if !spread.is_multiple_of(11) {
        example = example.int64("part", [(spread % 100) as i64]);
    }
    if !spread.is_multiple_of(5) {
        example = example.bytes("text", [format!("text {}", spread % 7)]);
    }
    example
}

const FILTERS: &[&str] = &[
    "part = 7",
    "part < 55",
    "not part < 90",
    "part is null",
    "text is null and part is not null",
    "text in ('text 1', 'text 4') and number >= 100",
    "text > 'text 2' or words = 'wörd 1'",
    "floats is not null and not floats > 5",
    "number < 40 or number >= 333",
    "number >= 0",
    "number < 0",
];

fn asked() -> impl Strategy<Value = Asked> {
    let all = vec!["text", "number", "words", "floats", "part"];
    let columns = prop::option::of(prop::sample::subsequence(all, 0..=5));
    let limit = prop_oneof![2 => Just(None), 1 => (0u64..150).prop_map(Some)];
    (prop::sample::select(FILTERS), columns, 1usize..300, limit, 500u64..30_000, 1usize..4).prop_map(
        |(filter, columns, batch_rows, limit, target, after)| {
            let filter = filter.parse().unwrap();
            Asked { filter, columns, batch_rows, limit, target, after }
        },
    )
}

/// Returns the values of a list column as a column of scalars and text would have them, a row each: nothing where it is null.
fn unwrapped(column: &ArrayRef) -> Vec<Option<Vec<u8>>> {
    let value = |values: &ArrayRef| match values.data_type() {
        DataType::Int64 => values.as_primitive::<Int64Type>().value(0).to_le_bytes().to_vec(),
        DataType::Float32 => values.as_primitive::<Float32Type>().value(0).to_le_bytes().to_vec(),
        DataType::Binary => values.as_binary::<i32>().value(0).to_vec(),
        DataType::LargeBinary => values.as_binary::<i64>().value(0).to_vec(),
        DataType::Utf8 => values.as_string::<i32>().value(0).as_bytes().to_vec(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(0).as_bytes().to_vec(),
        other => panic!("no value of {other}"),
    };
    let row = |row: usize| {
        if column.is_null(row) {
            return None;
        }
        let values = match column.data_type() {
            DataType::List(_) => column.as_list::<i32>().value(row),
            DataType::LargeList(_) => column.as_list::<i64>().value(row),
            DataType::FixedSizeList(..) => column.as_fixed_size_list().value(row),
            _ => column.slice(row, 1),
        };
        assert_eq!(values.len(), 1);
        Some(value(&values))
    };
    (0..column.len()).map(row).collect()
}

/// A feature that a record has or not: a number, a float, bytes, and a text.
type Row = (Option<i64>, Option<f32>, Option<Vec<u8>>, Option<String>);

fn row() -> impl Strategy<Value = Row> {
    let float = prop::option::weighted(0.8, (-9i16..9).prop_map(f32::from));
    let bytes = prop::option::of(prop::collection::vec(any::<u8>(), 0..5));
    (prop::option::weighted(0.9, any::<i64>()), float, bytes, prop::option::of("[a-zäÿ€😀]{0,4}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn values_are_those_of_the_lists(
        records in prop::collection::vec(row(), 1..60), batch_rows in 1usize..40, offsets in prop::sample::select(vec!["32", "64"]),
        threads in 1usize..3, skip in 0u64..20,
    ) {
        let folder = tempfile::tempdir().unwrap();
        let record = |(number, float, bytes, text): Row| {
            // One of each, so that all records that are looked at show what the columns are.
            let example = Example::new();
            let example = number.map_or(example.clone(), |number| example.int64("number", [number]));
            let example = float.map_or(example.clone(), |float| example.float("float", [float]));
            let example = bytes.map_or(example.clone(), |bytes| example.bytes("bytes", [bytes]));
            text.map_or(example.clone(), |text| example.bytes("text", [text]))
        };
        let whole: Row = (Some(1), Some(1.0), Some(vec![0xff]), Some("x".to_owned()));
        let records = [whole].into_iter().chain(records).map(record);
        let file = examples(folder.path(), "a.tfrecord", records);
        let options = || OpenOptions::new().set("offsets", offsets).unwrap();
        let (plain, valued) =
            (options().open(&file).unwrap(), options().scalars(true).text(true).open(&file).unwrap());
        let of_kind = |name: &str| valued.schema().field_with_name(name).unwrap().data_type().clone();
        prop_assert_eq!(of_kind("text"), if offsets == "32" { DataType::Utf8 } else { DataType::LargeUtf8 });
        prop_assert!(matches!(of_kind("bytes"), DataType::Binary | DataType::LargeBinary));
        let request = ScanRequest::new().batch_rows(batch_rows).threads(threads);
        let all = |dataset: &Arc<dyn Dataset>| {
            let batches = dataset.read_after(skip, request.clone()).unwrap();
            batches.map(|batch| batch.unwrap()).collect::<Vec<_>>()
        };
        let (plain, valued) = (all(&plain), all(&valued));
        prop_assert_eq!(plain.len(), valued.len());
        for (lists, values) in plain.iter().zip(&valued) {
            for (lists, values) in lists.columns().iter().zip(values.columns()) {
                prop_assert_eq!(unwrapped(lists), unwrapped(values));
                values.to_data().validate_full().unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn rows_are_those_that_a_filter_leaves(counts in prop::collection::vec(1u64..300, 1..4), asked in asked()) {
        let folder = tempfile::tempdir().unwrap();
        let (mut files, mut first) = (Vec::new(), 0);
        // All features, whichever records there are.
        for (file, count) in counts.iter().chain([&100]).enumerate() {
            files.push(examples(folder.path(), &format!("{file}.tfrecord"), (first..first + count).map(example)));
            first += count;
        }
        let dataset = both().open(&files).unwrap();
        prop_assert_eq!(
            types(&dataset),
            ["floats: LargeList(Float32)", "number: Int64", "part: Int64", "text: LargeUtf8", "words: LargeList(LargeUtf8)"]
        );
        rows_are_those_of_decoding_all(&dataset, &asked);
    }
}
