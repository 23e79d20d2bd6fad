//! Rows with and without a field of structs: a field is missing where its row has no value of it.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, MapBuilder, StringBuilder};
use arrow_array::{
    Array as _, ArrayRef, FixedSizeListArray, Int64Array, ListArray, RecordBatch, StructArray, UInt32Array,
};
use arrow_buffer::{NullBuffer, OffsetBuffer};
use arrow_schema::{DataType, Field};
use tfxio_stats::{Statistics, StatisticsList, StatisticsOptions};

type Numbers<'a> = &'a [Option<i64>];

/// Structs with these values of the field `x`, and of `y` their opposites; null where that is said.
fn structs(x: Numbers<'_>, valid: &[bool]) -> StructArray {
    let y = x.iter().map(|x| x.is_none().then_some(1)).collect::<Int64Array>();
    let columns: [ArrayRef; 2] = [Arc::new(Int64Array::from(x.to_vec())), Arc::new(y)];
    let fields = ["x", "y"].map(|name| Field::new(name, DataType::Int64, true));
    StructArray::new(fields.to_vec().into(), columns.into(), Some(NullBuffer::from(valid.to_vec())))
}

fn lists(lengths: &[usize], items: ArrayRef, valid: Option<&[bool]>) -> ArrayRef {
    let item = Arc::new(Field::new("item", items.data_type().clone(), true));
    let nulls = valid.map(|valid| NullBuffer::from(valid.to_vec()));
    Arc::new(ListArray::new(item, OffsetBuffer::from_lengths(lengths.iter().copied()), items, nulls))
}

fn batch(column: ArrayRef) -> RecordBatch {
    RecordBatch::try_from_iter_with_nullable([("s", column, true)]).unwrap()
}

/// Rows with and without each column, in the order of the paths, in batches of as many rows.
fn counts(batch: &RecordBatch, rows: usize) -> Vec<(String, u64, u64)> {
    let mut whole = Statistics::builder(&batch.schema()).build();
    for start in (0..batch.num_rows()).step_by(rows) {
        let mut part = Statistics::builder(&batch.schema()).build();
        part.update(&batch.slice(start, rows.min(batch.num_rows() - start))).unwrap();
        let part = Statistics::from_bytes(&part.to_bytes(), StatisticsOptions::default()).unwrap();
        whole.merge(&part).unwrap();
    }
    of(&whole.finish())
}

fn of(list: &StatisticsList) -> Vec<(String, u64, u64)> {
    let features = list.summaries(0);
    features.iter().map(|feature| (feature.path.to_string(), feature.present, feature.missing)).collect()
}

#[track_caller]
fn check(column: ArrayRef, expected: &[(&str, u64, u64)]) {
    let batch = batch(column);
    let expected = expected.iter().map(|(path, present, missing)| ((*path).to_owned(), *present, *missing));
    let expected = expected.collect::<Vec<_>>();
    for rows in [1, 2, 3, 100] {
        assert_eq!(counts(&batch, rows), expected, "{rows} rows at a time");
    }
    for (_, present, missing) in expected {
        assert_eq!(present + missing, batch.num_rows() as u64);
    }
}

#[test]
fn rows_without_the_struct_are_without_its_fields() {
    // {x: null}, null, {x: 3}, null although there is a value, {x: 5}
    let x = [None, None, Some(3), Some(4), Some(5)];
    let column = Arc::new(structs(&x, &[true, false, true, false, true]));
    check(column, &[("s", 3, 2), ("s.x", 2, 3), ("s.y", 1, 4)]);
    // Structs in structs.
    let outer = StructArray::new(
        vec![Field::new(
            "s",
            batch(Arc::new(structs(&x, &[true; 5]))).schema().field(0).data_type().clone(),
            true,
        )]
        .into(),
        vec![Arc::new(structs(&x, &[true, true, true, false, true]))],
        Some(NullBuffer::from(vec![true, true, false, true, true])),
    );
    check(Arc::new(outer), &[("s", 4, 1), ("s.s", 3, 2), ("s.s.x", 1, 4), ("s.s.y", 2, 3)]);
}

#[test]
fn rows_of_lists_have_a_field_where_one_of_the_structs_has() {
    // [{x: 1}, {x: null}], [], null, [{x: null}], [null, {x: 2}, {x: 3}]
    let x = [Some(1), None, None, Some(9), Some(2), Some(3)];
    let items = Arc::new(structs(&x, &[true, true, true, false, true, true]));
    let valid = [true, true, false, true, true];
    check(lists(&[2, 0, 0, 1, 3], items, Some(&valid)), &[("s", 4, 1), ("s.x", 2, 3), ("s.y", 2, 3)]);
    // Lists of lists, and what a null list hides.
    let x = [Some(1), Some(2), None, Some(3), Some(4)];
    let inner =
        lists(&[1, 1, 0, 1, 2], Arc::new(structs(&x, &[true; 5])), Some(&[true, false, true, true, true]));
    check(lists(&[2, 1, 2], inner, None), &[("s", 3, 0), ("s.x", 2, 1), ("s.y", 1, 2)]);
    let fixed = FixedSizeListArray::new(
        Arc::new(Field::new("item", structs(&x, &[true; 5]).data_type().clone(), true)),
        1,
        Arc::new(structs(&x, &[true; 5])),
        Some(NullBuffer::from(vec![true, false, true, true, true])),
    );
    check(Arc::new(fixed), &[("s", 4, 1), ("s.x", 3, 2), ("s.y", 1, 4)]);
}

#[test]
fn an_empty_list_in_a_struct_is_a_value() {
    let x = lists(&[0, 1, 0], Arc::new(Int64Array::from(vec![1])), Some(&[true, true, false]));
    let fields = vec![Field::new("x", x.data_type().clone(), true)];
    let column = StructArray::new(fields.into(), vec![x], None);
    check(Arc::new(column), &[("s", 3, 0), ("s.x", 2, 1)]);
}

#[test]
fn entries_of_maps_have_rows() {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    for row in [&[Some(1), None][..], &[], &[None]] {
        for value in row {
            map.keys().append_value("k");
            map.values().append_option(*value);
        }
        map.append(true).unwrap();
    }
    map.append(false).unwrap();
    let counts = counts(&batch(Arc::new(map.finish())), 3);
    let last = counts.iter().map(|(_, present, missing)| (*present, *missing)).collect::<Vec<_>>();
    assert_eq!(last, [(3, 1), (2, 2), (1, 3)], "{counts:?}");
}

#[test]
fn slices_and_columns_that_come_later_have_their_own() {
    let items = Arc::new(structs(&[Some(1), None, Some(2)], &[true; 3]));
    let s = lists(&[1, 2, 0, 0], items, Some(&[true, true, true, false]));
    let by: ArrayRef = Arc::new(UInt32Array::from(vec![1, 2, 2, 1]));
    let batch = RecordBatch::try_from_iter_with_nullable([("s", s, true), ("by", by, false)]).unwrap();
    let mut options = StatisticsOptions::default();
    options.by = Some("by".into());
    let mut statistics = Statistics::builder(&batch.schema()).options(options.clone()).build();
    statistics.update(&batch).unwrap();
    let list = statistics.finish();
    let x = |dataset: usize| {
        let features = list.summaries(dataset);
        let x = features.iter().find(|feature| feature.path.to_string() == "s.x").unwrap();
        (x.present, x.missing)
    };
    assert_eq!((x(0), x(1), x(2)), ((2, 2), (1, 1), (1, 1)));

    let without =
        RecordBatch::try_from_iter([("by", Arc::new(UInt32Array::from(vec![1])) as ArrayRef)]).unwrap();
    let mut statistics = Statistics::builder(&without.schema()).build();
    statistics.update(&without).unwrap();
    statistics.update(&batch).unwrap();
    assert!(of(&statistics.finish()).contains(&("s.x".to_owned(), 2, 3)));
}

#[test]
fn the_messages_count_structs_as_those_of_tfdv_do() {
    let items = Arc::new(structs(&[Some(1), None, Some(2)], &[true; 3]));
    let batch = batch(lists(&[3, 0], items, None));
    let mut statistics = Statistics::builder(&batch.schema()).build();
    statistics.update(&batch).unwrap();
    let list = statistics.finish();
    let json: String = list.to_json();
    let x = json.split(r#"{"path":"#).find(|feature| feature.starts_with(r#"["s","x"]"#)).unwrap();
    assert!(x.contains(r#""present":1,"missing":1"#), "{x}");
    assert!(x.contains(r#"["num_rows_present",1.0],["num_rows_missing",1.0]"#), "{x}");
    // One struct in each row is what the messages say already.
    let column = Arc::new(structs(&[Some(1), None], &[true; 2]));
    assert!(!counts_json(column).contains("num_rows"));
}

fn counts_json(column: ArrayRef) -> String {
    let batch = batch(column);
    let mut statistics = Statistics::builder(&batch.schema()).build();
    statistics.update(&batch).unwrap();
    statistics.finish().to_json()
}
