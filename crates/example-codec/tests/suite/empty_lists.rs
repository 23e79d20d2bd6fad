//! Lists without values contradict no kind: with a schema and without one, in features and in steps, decoded, and read as
//! values of Rust.

use crate::wire;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use arrow_schema::DataType;
use example_codec::{
    Example, ExampleDecoder, ExampleDecoderBuilder, ExampleSchema, ExampleView, Feature, FeatureField,
    FeatureKind, Kind, SequenceExample, SequenceExampleDecoder, SequenceExampleSchema,
};
use tfxio_core::Origin;
use wire::{bytes, example, field, floats, ints, sequence_example};

/// Returns a list of each kind without values, in each form: no field, a packed run of no bytes, and in parts.
fn empty_lists() -> Vec<Vec<u8>> {
    let packed = |kind: u64| field(kind, &field(1, &[]));
    let twice = |kind: u64| [field(kind, &[]), field(kind, &[])].concat();
    let unknown = |kind: u64| field(kind, &[0x20, 0x05]);
    // A list of values that another one replaces.
    let replaced = |kind: u64| [bytes(&[b"x"]), field(2, &[]), field(kind, &[])].concat();
    let forms = [1, 2, 3].map(|kind| vec![field(kind, &[]), twice(kind), unknown(kind), replaced(kind)]);
    // In a list of bytes such a field is a value.
    [forms.concat(), vec![packed(2), packed(3)]].concat()
}

fn values() -> [(FeatureKind, Vec<u8>); 3] {
    [
        (FeatureKind::Int64, ints(&[7, 8])),
        (FeatureKind::Float, floats(&[7.0, 8.0])),
        (FeatureKind::Bytes, bytes(&[b"7", b"8"])),
    ]
}

fn schema(kind: FeatureKind) -> ExampleSchema {
    ExampleSchema::new([FeatureField::new("x", kind)]).unwrap()
}

fn decode(builder: ExampleDecoderBuilder, records: &[Vec<u8>]) -> RecordBatch {
    let mut decoder = builder.build().unwrap();
    for (number, record) in (0..).zip(records) {
        decoder.push(record, Origin::record(number)).unwrap();
    }
    decoder.flush().unwrap()
}

/// Returns the number of values of each row of the column `x`.
fn counts(batch: &RecordBatch) -> Vec<Option<usize>> {
    let lists = batch.column_by_name("x").unwrap().as_list::<i64>();
    lists.iter().map(|list| list.map(|list| list.len())).collect()
}

fn item(batch: &RecordBatch) -> DataType {
    batch.column_by_name("x").unwrap().as_list::<i64>().value_type()
}

fn type_of(kind: FeatureKind) -> DataType {
    match kind {
        FeatureKind::Int64 => DataType::Int64,
        FeatureKind::Float => DataType::Float32,
        _ => DataType::LargeBinary,
    }
}

#[test]
fn features_of_any_kind_before_and_after_values() {
    for (kind, feature) in values() {
        let value = example(&[("x", feature)]);
        for empty in empty_lists() {
            let empty = example(&[("x", empty)]);
            let absent = example(&[]);
            let records = [empty.clone(), value.clone(), absent.clone(), empty.clone(), value.clone()];
            let expected = [Some(0), Some(2), None, Some(0), Some(2)];
            let builder = ExampleDecoder::builder;
            for builder in [builder(), builder().schema(schema(kind)), builder().projection(["x"])] {
                let batch = decode(builder, &records);
                assert_eq!(
                    (counts(&batch), item(&batch)),
                    (expected.to_vec(), type_of(kind)),
                    "{empty:02x?}"
                );
            }
            // Values first, and as many records as it takes to learn what they are like.
            let many = records.iter().skip(1).cycle().take(999).cloned().collect::<Vec<_>>();
            let batch = decode(builder(), &many);
            assert_eq!(item(&batch), type_of(kind));
            let alone = many
                .iter()
                .map(|record| decode(builder().schema(schema(kind)), std::slice::from_ref(record)));
            assert_eq!(counts(&batch), alone.flat_map(|batch| counts(&batch)).collect::<Vec<_>>());
        }
    }
}

#[test]
fn of_lists_without_values_the_first_says_the_kind_of_its_batch() {
    let [int, float, string] = [ints(&[]), floats(&[]), bytes(&[])].map(|list| example(&[("x", list)]));
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    let mut flushed = |records: &[&Vec<u8>]| {
        for record in records {
            decoder.push(record, Origin::default()).unwrap();
        }
        item(&decoder.flush().unwrap())
    };
    assert_eq!(flushed(&[&int, &float, &string]), DataType::Int64);
    // Earlier batches decide nothing.
    assert_eq!(flushed(&[&float, &int]), DataType::Float32);
    assert_eq!(flushed(&[&string]), DataType::LargeBinary);
    assert_eq!(flushed(&[&int, &example(&[("x", floats(&[1.0]))]), &string]), DataType::Float32);
    assert_eq!(flushed(&[&int, &int]), DataType::Int64);
}

#[test]
fn a_record_that_is_refused_leaves_the_kind_as_it_was() {
    let value = |kind: Vec<u8>| example(&[("x", kind)]);
    // Values of a kind that nothing contradicts, in a record that is damaged after them.
    let damaged = example(&[("x", floats(&[1.0])), ("y", vec![0x1a, 0x05])]);
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    for _ in 0..3 {
        decoder.push(&value(ints(&[])), Origin::default()).unwrap();
        decoder.push(&damaged, Origin::default()).unwrap_err();
        decoder.push(&value(bytes(&[])), Origin::default()).unwrap();
        let batch = decoder.flush().unwrap();
        assert_eq!((counts(&batch), item(&batch)), (vec![Some(0); 2], DataType::Int64));
        // Then values of two kinds are two kinds, whatever lists came before.
        decoder.push(&value(ints(&[])), Origin::default()).unwrap();
        decoder.push(&damaged, Origin::default()).unwrap_err();
        decoder.push(&value(bytes(&[b"a"])), Origin::default()).unwrap();
        let error = decoder.push(&value(floats(&[1.0])), Origin::default()).unwrap_err();
        let kind = Kind::KindMismatch { expected: Some(FeatureKind::Bytes), found: FeatureKind::Float };
        assert_eq!(error.detail(), Some(&kind));
        assert_eq!(item(&decoder.flush().unwrap()), DataType::LargeBinary);
    }
}

#[test]
fn kinds_of_empty_lists_count_where_that_is_asked_for() {
    let declared = schema(FeatureKind::Int64);
    let (strict, steps) =
        (ExampleDecoder::builder().kinds_of_empty_lists(true), SequenceExampleDecoder::builder());
    let steps = steps.kinds_of_empty_lists(true);
    let of_steps = SequenceExampleSchema::new(ExampleSchema::default(), declared.clone());
    let list = |step: Vec<u8>| sequence_example(&[], &[("x", &[step])]);
    let kind = Some(Kind::KindMismatch { expected: Some(FeatureKind::Int64), found: FeatureKind::Float });
    for builder in [strict.clone(), strict.clone().projection(["x"]), strict.schema(declared)] {
        let mut decoder = builder.build().unwrap();
        decoder.push(&example(&[("x", ints(&[]))]), Origin::default()).unwrap();
        let error = decoder.push(&example(&[("x", floats(&[]))]), Origin::default()).unwrap_err();
        assert_eq!(error.detail().cloned(), kind);
        assert_eq!(counts(&decoder.flush().unwrap()), [Some(0)]);
    }
    for builder in [steps.clone(), steps.clone().projection([""; 0], ["x"]), steps.schema(of_steps)] {
        let mut decoder = builder.build().unwrap();
        decoder.push(&list(ints(&[])), Origin::default()).unwrap();
        let error = decoder.push(&list(floats(&[])), Origin::default()).unwrap_err();
        assert_eq!(error.detail().cloned(), kind);
    }
}

#[test]
fn a_fixed_length_counts_values_and_not_kinds() {
    let schema = ExampleSchema::new([FeatureField::new("x", FeatureKind::Float).fixed_len(2)]).unwrap();
    let mut decoder = ExampleDecoder::builder().schema(schema).fixed_size_lists(true).build().unwrap();
    for empty in empty_lists() {
        let error = decoder.push(&example(&[("x", empty)]), Origin::default()).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::WrongLength { expected: 2, found: 0 }), "{error}");
    }
}

/// Returns the numbers of values of the steps of each row; `None` is a step without a list.
fn steps(batch: &RecordBatch) -> Vec<Vec<Option<usize>>> {
    let lists = batch.column_by_name("##SEQUENCE##").unwrap().as_struct().column(0).as_list::<i64>().clone();
    let of = |steps: arrow_array::ArrayRef| {
        steps.as_list::<i64>().iter().map(|step| step.map(|step| step.len())).collect()
    };
    lists.iter().flatten().map(of).collect()
}

#[test]
fn steps_of_any_kind_before_and_after_values() {
    for (kind, feature) in values() {
        for empty in empty_lists() {
            let rows = [
                vec![empty.clone(), feature.clone(), empty.clone(), Vec::new(), feature.clone()],
                vec![empty.clone()],
                vec![feature.clone(), empty.clone()],
            ];
            let expected =
                [vec![Some(0), Some(2), Some(0), None, Some(2)], vec![Some(0)], vec![Some(2), Some(0)]];
            let sequence = SequenceExampleSchema::new(ExampleSchema::default(), schema(kind));
            let builder = SequenceExampleDecoder::builder;
            for order in [[0, 1, 2], [1, 0, 2], [2, 1, 0]] {
                for builder in [builder(), builder().schema(sequence.clone())] {
                    let mut decoder = builder.build().unwrap();
                    for at in order {
                        let record = sequence_example(&[("c", empty.clone())], &[("x", &rows[at])]);
                        decoder.push(&record, Origin::default()).unwrap();
                        let damaged = [record, vec![0xff]].concat();
                        decoder.push(&damaged, Origin::default()).unwrap_err();
                    }
                    let batch = decoder.flush().unwrap();
                    assert_eq!(steps(&batch), order.map(|at| expected[at].clone()), "{empty:02x?}");
                    let lists = batch.column_by_name("##SEQUENCE##").unwrap().as_struct().column(0);
                    let lists = lists.as_list::<i64>().values().as_list::<i64>().clone();
                    assert_eq!(lists.value_type(), type_of(kind));
                }
            }
        }
    }
}

#[test]
fn steps_of_a_record_that_is_refused_leave_the_kind_as_it_was() {
    let list = |steps: &[Vec<u8>]| sequence_example(&[], &[("x", steps)]);
    let mut decoder = SequenceExampleDecoder::builder().build().unwrap();
    decoder.push(&list(&[ints(&[])]), Origin::default()).unwrap();
    decoder.push(&list(&[floats(&[1.0]), bytes(&[b"x"])]), Origin::default()).unwrap_err();
    decoder.push(&list(&[bytes(&[])]), Origin::default()).unwrap();
    let batch = decoder.flush().unwrap();
    let lists = batch.column(0).as_struct().column(0).as_list::<i64>().values().as_list::<i64>().clone();
    assert_eq!(lists.value_type(), DataType::Int64);
    assert_eq!(steps(&batch), [[Some(0)], [Some(0)]]);
}

#[test]
fn feature_lists_that_are_there_and_empty_are_a_struct_without_fields() {
    let none = example(&[("c", ints(&[1]))]);
    let empty = [none.clone(), field(2, &[])].concat();
    let some = sequence_example(&[("c", ints(&[1]))], &[("s", &[ints(&[1])])]);
    let mut decoder = SequenceExampleDecoder::builder().raw_record_column("raw").build().unwrap();
    let mut flushed = |records: &[&Vec<u8>]| {
        for record in records {
            decoder.push(record, Origin::default()).unwrap();
            // What a refused record has does not count.
            let damaged = [record.as_slice(), &field(2, &[]), &[0xff]].concat();
            decoder.push(&damaged, Origin::default()).unwrap_err();
        }
        decoder.flush().unwrap()
    };
    let names = |batch: &RecordBatch| {
        batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>()
    };
    assert_eq!(names(&flushed(&[&none, &none])), ["c", "raw"]);
    for records in [[&empty, &none], [&none, &empty]] {
        let batch = flushed(&records);
        assert_eq!(names(&batch), ["c", "##SEQUENCE##", "raw"]);
        let lists = batch.column(1).as_struct();
        assert_eq!((lists.num_columns(), lists.len(), lists.nulls()), (0, 2, None));
    }
    assert_eq!(flushed(&[&empty, &some]).column(1).as_struct().column_names(), ["s"]);
    assert_eq!(names(&flushed(&[&none])), ["c", "raw"], "an earlier batch decides nothing");
    // A schema says which columns there are.
    let schema = SequenceExampleSchema::new(ExampleSchema::default(), ExampleSchema::default());
    let mut decoder = SequenceExampleDecoder::builder().schema(schema).build().unwrap();
    decoder.push(&empty, Origin::default()).unwrap();
    assert_eq!(decoder.flush().unwrap().num_columns(), 0);
}

#[test]
fn values_of_rust() {
    for empty in empty_lists() {
        let record = example(&[("x", empty.clone()), ("y", ints(&[5])), ("unset", Vec::new())]);
        let view = ExampleView::parse(&record).unwrap();
        let x = view.get("x").unwrap();
        assert_eq!(x.to_int64().unwrap(), [0_i64; 0]);
        assert_eq!(x.to_float().unwrap(), [0.0_f32; 0]);
        assert_eq!(x.to_bytes().unwrap(), [b""; 0]);
        // The kind is there all the same, and is written again.
        let owned = Example::parse(&record).unwrap();
        assert_eq!(owned.get("x").unwrap().kind(), x.kind());
        assert_eq!(Example::parse(&owned.to_vec()).unwrap(), owned);
        assert!(owned.get_int64("x").unwrap().is_empty() && owned.get_float("x").unwrap().is_empty());
        assert!(owned.get_bytes("x").unwrap().is_empty());
        let steps = SequenceExample::parse(&sequence_example(&[], &[("s", &[empty])])).unwrap();
        assert_eq!(steps.get("s").unwrap()[0].as_float(), Some(&[][..]));
        // Values of another kind, and what is not set, are errors as before.
        assert!(matches!(
            view.get("y").unwrap().to_float().unwrap_err().detail(),
            Some(Kind::KindMismatch { .. })
        ));
        assert_eq!(view.get("unset").unwrap().to_int64().unwrap_err().detail(), Some(&Kind::MissingFeature));
        assert_eq!(owned.get_bytes("unset").unwrap_err().detail(), Some(&Kind::MissingFeature));
    }
    assert_eq!(Feature::Unset.as_int64(), None);
    assert_eq!(Feature::bytes([""]).as_int64(), None, "one value, of no bytes");
}

#[cfg(feature = "derive")]
#[test]
fn fields_of_structs() {
    use example_codec::{FromExample, FromSequenceExample};

    #[derive(Debug, PartialEq, FromExample)]
    struct Row {
        ints: Vec<i64>,
        floats: Vec<f32>,
        strings: Vec<String>,
        none: [f32; 0],
        maybe: Option<Vec<u8>>,
    }
    /// Structs of one field, called after their types.
    macro_rules! one {
        ($($name:ident: $type:ty),*) => {$(
            #[derive(Debug, FromExample)]
            struct $name {
                #[expect(dead_code, reason = "it is never read")]
                x: $type,
            }
        )*};
    }
    one!(Int: i64, Float: f32, Text: String, Bytes: Vec<u8>, Two: [i64; 2]);
    #[derive(Debug, PartialEq, FromSequenceExample)]
    struct Steps {
        #[example(steps)]
        s: Vec<Vec<f32>>,
    }
    for empty in empty_lists() {
        let all = ["ints", "floats", "strings", "none"].map(|name| (name, empty.clone()));
        let row = Row::from_example(&example(&all)).unwrap();
        let expected = Row { ints: vec![], floats: vec![], strings: vec![], none: [], maybe: None };
        assert_eq!(row, expected);
        // One value is not none, of whatever kind.
        let record = example(&[("x", empty.clone())]);
        let wrong = Some(Kind::WrongLength { expected: 1, found: 0 });
        assert_eq!(Int::from_example(&record).unwrap_err().detail().cloned(), wrong);
        assert_eq!(Float::from_example(&record).unwrap_err().detail().cloned(), wrong);
        assert_eq!(Text::from_example(&record).unwrap_err().detail().cloned(), wrong);
        assert_eq!(Bytes::from_example(&record).unwrap_err().detail().cloned(), wrong);
        let wrong = Some(Kind::WrongLength { expected: 2, found: 0 });
        assert_eq!(Two::from_example(&record).unwrap_err().detail().cloned(), wrong);
        let record = sequence_example(&[], &[("s", &[floats(&[1.0]), empty])]);
        assert_eq!(Steps::from_sequence_example(&record).unwrap(), Steps { s: vec![vec![1.0], vec![]] });
    }
}

/// Values come back as they went in, with lists of other kinds between them.
#[test]
fn values_beside_empty_lists_are_kept() {
    let rows = (0..500_i64).map(|row| match row % 3 {
        0 => (Some(vec![row]), example(&[("x", ints(&[row])), ("y", floats(&[row as f32]))])),
        1 => (Some(vec![]), example(&[("x", floats(&[])), ("y", ints(&[]))])),
        _ => (Some(vec![row, -row]), example(&[("x", ints(&[row, -row])), ("y", bytes(&[]))])),
    });
    let (expected, records): (Vec<_>, Vec<_>) = rows.unzip();
    let batch = decode(ExampleDecoder::builder(), &records);
    let x = batch.column(0).as_list::<i64>();
    let found = x.iter().map(|list| list.map(|list| list.as_primitive::<Int64Type>().values().to_vec()));
    assert_eq!(found.collect::<Vec<_>>(), expected);
    let y = batch.column(1).as_list::<i64>();
    let y = y.values().as_primitive::<Float32Type>().values().to_vec();
    assert_eq!(y, (0..500).filter(|row| row % 3 == 0).map(|row| row as f32).collect::<Vec<_>>());
}
