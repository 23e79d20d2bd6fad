//! Effects of the options, and results of odd but legal records.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use example_codec::{
    ExampleSchema, FeatureField, FeatureKind, Kind, OffsetWidth, SequenceExampleDecoder,
    SequenceExampleSchema, UnknownFeatures,
};
use tfxio_core::{Origin, RecordDecoder};

use super::model::{Cells, Model};
use super::rows::{List, Rows, builder, decode};
use super::wire::{self, bytes, floats, ints, sequence_example};

fn names(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| field.name().clone()).collect()
}

fn only_lists(rows: usize, lists: Vec<(&str, List)>) -> Rows {
    let lists = lists.into_iter().map(|(name, list)| (name.to_owned(), list)).collect();
    Rows { context: Model { rows, columns: Vec::new() }, lists }
}

#[test]
fn integers_keep_their_64_bits() {
    let values = [i64::MIN, i64::MAX, 1 << 31, -(1 << 31) - 1, 1 << 40, -1, 0];
    let steps = values.map(|value| ints(&[value, value]));
    let batch = decode(builder(), &[sequence_example(&[], &[("s", &steps)])]);
    let list = List::Ints(vec![Some(values.iter().map(|value| Some(vec![*value, *value])).collect())]);
    let mut expected = only_lists(1, vec![("s", list)]);
    expected.context.columns.clear();
    assert_eq!(batch, expected.batch(OffsetWidth::Bits64));
}

#[test]
fn null_and_empty_are_kept_apart_at_both_levels() {
    let records = [
        sequence_example(&[], &[]),
        sequence_example(&[], &[("s", &[])]),
        sequence_example(&[], &[("s", &[Vec::new(), ints(&[]), ints(&[1])])]),
        Vec::new(),
    ];
    let rows = vec![None, Some(vec![]), Some(vec![None, Some(vec![]), Some(vec![1])]), None];
    let expected = only_lists(4, vec![("s", List::Ints(rows))]);
    for width in [OffsetWidth::Bits32, OffsetWidth::Bits64] {
        assert_eq!(decode(builder().offsets(width), &records), expected.batch(width));
    }
}

#[test]
fn the_order_of_columns() {
    let record = sequence_example(&[("z", ints(&[1])), ("a", ints(&[1]))], &[("y", &[]), ("b", &[])]);
    let builder = builder().raw_record_column("raw").source_column("source").sequence_column("lists");
    let batch = decode(builder, std::slice::from_ref(&record));
    assert_eq!(names(&batch), ["a", "z", "lists", "raw", "source"]);
    assert_eq!(batch.column(2).as_struct().column_names(), ["b", "y"]);
    let raw = batch.column(3).as_list::<i64>().value(0);
    assert_eq!(raw.as_binary::<i64>().value(0), record);
}

#[test]
fn a_projection_takes_what_it_names_in_its_order() {
    let records = [sequence_example(
        &[("a", ints(&[1])), ("b", floats(&[1.0]))],
        &[("x", &[ints(&[1])]), ("y", &[floats(&[1.0])])],
    )];
    let batch = decode(builder().projection(["b", "nothing"], ["y", "nothing", "x"]), &records);
    assert_eq!(names(&batch), ["b", "nothing", "##SEQUENCE##"]);
    let lists = batch.column(2).as_struct();
    assert_eq!(lists.column_names(), ["y", "nothing", "x"]);
    assert_eq!(lists.column(1).data_type(), &DataType::Null);
    let batch = decode(builder().projection([""; 0], ["x"]), &records);
    assert_eq!(names(&batch), ["##SEQUENCE##"]);
    let batch = decode(builder().projection(["a"], [""; 0]), &records);
    assert_eq!(names(&batch), ["a"]);
}

#[test]
fn what_a_projection_leaves_out_is_not_read() {
    let damaged = wire::field(1, b"\x1a\x02\x0a\x05");
    let entry = wire::field(1, &[wire::field(1, b"bad"), wire::field(2, &damaged)].concat());
    let record = [sequence_example(&[], &[("s", &[ints(&[1])])]), wire::field(2, &entry)].concat();
    assert!(builder().build().unwrap().push(&record, Origin::record(0)).is_err());
    let batch = decode(builder().projection([""; 0], ["s"]), &[record]);
    assert_eq!(batch.num_rows(), 1);
}

#[test]
fn a_schema_says_columns_and_fields() {
    let context = ExampleSchema::new([FeatureField::new("c", FeatureKind::Int64).fixed_len(2)]).unwrap();
    let sequence = ExampleSchema::new([
        FeatureField::new("s", FeatureKind::Bytes),
        FeatureField::null("n"),
        FeatureField::new("a", FeatureKind::Float).fixed_len(3),
    ])
    .unwrap();
    let schema = SequenceExampleSchema::new(context, sequence);
    let builder = builder().schema(schema).fixed_size_lists(true).offsets(OffsetWidth::Bits32);
    let mut decoder = builder.build().unwrap();
    let schema = decoder.schema().unwrap();
    assert_eq!(schema.field(0).data_type().to_string(), "FixedSizeList(2 x Int64)");
    let expected = "Struct(\"s\": List(List(Binary)), \"n\": List(Null), \"a\": List(List(Float32)))";
    assert_eq!(schema.field(1).data_type().to_string(), expected);
    assert_eq!(decoder.flush().unwrap().schema(), schema, "of a batch without rows, too");
    let record = sequence_example(&[("c", ints(&[1, 2]))], &[("n", &[Vec::new()]), ("other", &[ints(&[1])])]);
    decoder.push(&record, Origin::record(0)).unwrap();
    let batch = decoder.flush().unwrap();
    assert_eq!(batch.schema(), schema);
    let lists = batch.column(1).as_struct();
    assert_eq!((lists.column(0).null_count(), lists.column(1).as_list::<i32>().value_length(0)), (1, 1));
}

#[test]
fn required_and_unknown_lists() {
    let schema =
        |spec| SequenceExampleSchema::new(ExampleSchema::default(), ExampleSchema::new([spec]).unwrap());
    let required = schema(FeatureField::new("s", FeatureKind::Int64).required());
    let mut decoder = builder().schema(required).build().unwrap();
    let error = decoder.push(&sequence_example(&[], &[("t", &[])]), Origin::record(0)).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::MissingFeature));
    // A list without steps is there.
    decoder.push(&sequence_example(&[], &[("s", &[])]), Origin::record(1)).unwrap();
    assert_eq!(decoder.flush().unwrap().num_rows(), 1);

    let known = schema(FeatureField::new("s", FeatureKind::Int64));
    let builder = builder().schema(known).unknown_features(UnknownFeatures::Refuse);
    let mut decoder = builder.build().unwrap();
    let error = decoder.push(&sequence_example(&[], &[("t", &[])]), Origin::record(0)).unwrap_err();
    assert_eq!(
        (error.detail(), error.position().column.as_deref()),
        (Some(&Kind::UnknownFeature), Some("t"))
    );
}

#[test]
fn a_context_feature_with_the_name_of_the_struct_column() {
    let context = |name| sequence_example(&[(name, ints(&[1]))], &[]);
    let list = sequence_example(&[], &[("s", &[ints(&[1])])]);
    let mut decoder = builder().build().unwrap();
    let push = |decoder: &mut SequenceExampleDecoder, record: &[u8]| decoder.push(record, Origin::record(0));
    // Which of the two comes first makes no difference, nor what was in earlier batches.
    for _ in 0..2 {
        push(&mut decoder, &context("##SEQUENCE##")).unwrap();
        assert_eq!(push(&mut decoder, &list).unwrap_err().detail(), Some(&Kind::InvalidOption));
        push(&mut decoder, &context("a")).unwrap();
        assert_eq!(names(&decoder.flush().unwrap()), ["##SEQUENCE##", "a"]);
        push(&mut decoder, &list).unwrap();
        assert_eq!(
            push(&mut decoder, &context("##SEQUENCE##")).unwrap_err().detail(),
            Some(&Kind::InvalidOption)
        );
        push(&mut decoder, &context("a")).unwrap();
        assert_eq!(names(&decoder.flush().unwrap()), ["a", "##SEQUENCE##"]);
    }
}

#[test]
fn lists_are_merged_as_protobuf_merges_them() {
    let entry = |pieces: &[Vec<u8>]| {
        let pieces = pieces.iter().map(|steps| wire::field(2, steps)).collect::<Vec<_>>().concat();
        wire::field(1, &[wire::field(1, b"s"), pieces].concat())
    };
    let steps =
        |values: &[i64]| wire::steps_of(&values.iter().map(|value| ints(&[*value])).collect::<Vec<_>>());
    let lists = |rows: &[i64]| {
        let steps = rows.iter().map(|value| Some(vec![*value])).collect();
        only_lists(1, vec![("s", List::Ints(vec![Some(steps)]))]).batch(OffsetWidth::Bits64)
    };
    let of = |maps: &[Vec<u8>]| maps.iter().flat_map(|map| wire::field(2, map)).collect::<Vec<_>>();
    // Pieces of one entry add up; of two entries the last one counts, in one map or in two.
    assert_eq!(decode(builder(), &[of(&[entry(&[steps(&[1]), steps(&[2, 3])])])]), lists(&[1, 2, 3]));
    let (first, second) = (entry(&[steps(&[1])]), entry(&[steps(&[2])]));
    assert_eq!(decode(builder(), &[of(&[[first.clone(), second.clone()].concat()])]), lists(&[2]));
    assert_eq!(decode(builder(), &[of(&[first, second])]), lists(&[2]));
}

#[test]
fn long_steps_of_every_kind() {
    for length in [0, 1, 7, 8, 9, 31, 32, 33, 127, 128, 300, 5000] {
        let numbers = (0..length as i64).map(|value| value * 77 - 40).collect::<Vec<_>>();
        let reals = numbers.iter().map(|value| *value as f32).collect::<Vec<_>>();
        let text = vec![b'x'; length];
        let record = sequence_example(
            &[],
            &[
                ("b", &[bytes(&[&text, b"", &text]), bytes(&[&text])]),
                ("f", &[floats(&reals), floats(&reals)]),
                ("i", &[ints(&numbers), ints(&numbers)]),
            ],
        );
        let twice = |values: Vec<i64>| Some(vec![Some(values.clone()), Some(values)]);
        let strings = Some(vec![Some(vec![text.clone(), Vec::new(), text.clone()]), Some(vec![text])]);
        let expected = only_lists(
            2,
            vec![
                ("b", List::Bytes(vec![strings.clone(), strings])),
                ("f", List::Floats(vec![Some(vec![Some(reals.clone()), Some(reals)]); 2])),
                ("i", List::Ints(vec![twice(numbers); 2])),
            ],
        );
        assert_eq!(decode(builder(), &[&record, &record]), expected.batch(OffsetWidth::Bits64), "{length}");
    }
}

#[test]
fn many_lists_of_which_a_record_has_few() {
    let all = (0..3000).map(|number| format!("list{number}")).collect::<Vec<_>>();
    let specs = all.iter().map(|name| FeatureField::new(name.as_str(), FeatureKind::Int64));
    let schema = SequenceExampleSchema::new(ExampleSchema::default(), ExampleSchema::new(specs).unwrap());
    let record = sequence_example(&[], &[("list2999", &[ints(&[1])]), ("list7", &[ints(&[2, 3])])]);
    let batch = decode(builder().schema(schema), &[&record, &record]);
    let lists = batch.column(0).as_struct();
    let values = |name: &str| {
        let steps = lists.column_by_name(name).unwrap().as_list::<i64>().values().as_list::<i64>().clone();
        steps.values().as_primitive::<Int64Type>().values().to_vec()
    };
    assert_eq!((values("list2999"), values("list7")), (vec![1, 1], vec![2, 3, 2, 3]));
    assert_eq!(lists.column_by_name("list8").unwrap().null_count(), 2);
}

#[test]
fn buffers_are_used_again_and_aligned() {
    let record = sequence_example(
        &[("c", ints(&[1]))],
        &[("b", &[bytes(&[b"x"]), Vec::new()]), ("i", &[ints(&[1, 2]), ints(&[3])])],
    );
    let mut decoder = builder().build().unwrap();
    let mut seen = Vec::new();
    for _ in 0..3 {
        for index in 0..100 {
            decoder.push(&record, Origin::record(index)).unwrap();
        }
        let batch = decoder.flush().unwrap();
        let lists = batch.column(1).as_struct();
        for list in lists.columns() {
            let data = list.to_data();
            for buffer in data.buffers().iter().chain(data.child_data()[0].buffers()) {
                assert_eq!(buffer.as_ptr().align_offset(64), 0);
            }
        }
        seen.push(lists.column(1).as_list::<i64>().values().to_data().buffers()[0].as_ptr());
    }
    assert_eq!(seen[1], seen[2], "the buffer of a batch that was dropped");
}

#[test]
fn it_is_a_record_decoder() {
    fn rows(decoder: &mut dyn RecordDecoder) -> usize {
        decoder.push(b"", Origin::record(0)).unwrap();
        decoder.flush().unwrap().num_rows()
    }
    let mut decoder = builder().build().unwrap();
    assert_eq!(rows(&mut decoder), 1);
    assert_eq!(format!("{decoder:?}"), "SequenceExampleDecoder { schema: None, rows: 0, .. }");
    let context = Model { rows: 1, columns: vec![("c".to_owned(), Cells::Ints(vec![Some(vec![1])]))] };
    let expected = Rows { context, lists: Vec::new() };
    let batch = decode(builder(), &[sequence_example(&[("c", ints(&[1]))], &[])]);
    assert_eq!(batch, expected.batch(OffsetWidth::Bits64));
    assert!(Arc::strong_count(&batch.schema()) > 0);
}
