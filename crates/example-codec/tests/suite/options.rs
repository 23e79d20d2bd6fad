//! Effects of the decoder's options.

use crate::model;
use crate::wire;

use arrow_array::cast::AsArray;
use arrow_array::types::{Int32Type, Int64Type, UInt64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::DataType;
use example_codec::{
    Error, ExampleDecoder, ExampleDecoderBuilder, ExampleSchema, FeatureField, FeatureKind, Kind,
    OffsetWidth, UnknownFeatures,
};
use model::{Cells, Lists, Strings};
use tfxio_core::Origin;
use wire::{bytes, example, floats, ints};

fn try_decode(builder: ExampleDecoderBuilder, records: &[Vec<u8>]) -> Result<RecordBatch, Error> {
    let mut decoder = builder.build()?;
    for (index, record) in records.iter().enumerate() {
        decoder.push(record, Origin::record(index as u64))?;
    }
    decoder.flush()
}

fn decode(builder: ExampleDecoderBuilder, records: &[Vec<u8>]) -> RecordBatch {
    try_decode(builder, records).unwrap()
}

fn schema(specs: impl IntoIterator<Item = FeatureField>) -> ExampleSchema {
    ExampleSchema::new(specs).unwrap()
}

fn names(batch: &RecordBatch) -> Vec<String> {
    batch.schema().fields().iter().map(|field| field.name().clone()).collect()
}

#[test]
fn a_schema_gives_columns_order_and_kinds_whatever_the_records_hold() {
    let schema = schema([
        FeatureField::new("z", FeatureKind::Bytes),
        FeatureField::null("nothing"),
        FeatureField::new("a", FeatureKind::Int64),
    ]);
    let builder = ExampleDecoder::builder().schema(schema);
    let decoder = builder.clone().build().unwrap();
    let batch = decode(builder.clone(), &[example(&[("a", ints(&[1])), ("other", floats(&[1.0]))])]);
    assert_eq!(names(&batch), ["z", "nothing", "a"]);
    assert_eq!(decoder.schema().unwrap(), batch.schema());
    assert_eq!(batch.column(1).data_type(), &DataType::Null);
    assert!(batch.column(0).is_null(0));
    let empty = decode(builder.clone(), &[]);
    assert_eq!((empty.num_rows(), empty.schema()), (0, batch.schema()));
    // A feature that should have no value.
    let error = try_decode(builder, &[example(&[("nothing", floats(&[]))])]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::KindMismatch { expected: None, found: FeatureKind::Float }));
}

#[test]
fn a_projection_reads_nothing_else() {
    // The value of `bad` is no Feature, and `f` changes its kind: neither is looked at.
    let records = [
        example(&[("bad", b"\xff\xff\xff".to_vec()), ("i", ints(&[1])), ("f", floats(&[1.0]))]),
        example(&[("f", ints(&[1])), ("i", ints(&[2])), ("bad", b"\x1a\x7f".to_vec())]),
    ];
    assert!(try_decode(ExampleDecoder::builder(), &records).is_err());
    let batch = decode(ExampleDecoder::builder().projection(["i", "gone"]), &records);
    assert_eq!(names(&batch), ["i", "gone"]);
    assert_eq!(batch.column(0).as_list::<i64>().values().as_primitive::<Int64Type>().values(), &[1, 2]);
    assert_eq!(batch.column(1).data_type(), &DataType::Null);
    // The same with a schema, in the order asked for.
    let schema = schema([
        FeatureField::new("bad", FeatureKind::Int64),
        FeatureField::new("i", FeatureKind::Int64),
        FeatureField::new("j", FeatureKind::Bytes),
    ]);
    let builder = ExampleDecoder::builder().schema(schema).projection(["j", "i"]);
    assert_eq!(names(&decode(builder, &records)), ["j", "i"]);
    // Of nothing, rows without columns.
    let batch = decode(ExampleDecoder::builder().projection([""; 0]), &records);
    assert_eq!((batch.num_rows(), batch.num_columns()), (2, 0));
}

#[test]
fn the_last_key_of_an_entry_counts_also_behind_one_that_is_passed_over() {
    for passed in ["other", "a name that is longer than sixteen bytes"] {
        let value = wire::field(2, &ints(&[7]));
        let entry = [wire::field(1, passed.as_bytes()), value, wire::field(1, b"a")].concat();
        let strange = wire::field(1, &wire::field(1, &entry));
        let usual = example(&[(passed, ints(&[1])), ("a", ints(&[2]))]);
        let builder = ExampleDecoder::builder().projection(["a"]);
        let batch = decode(builder, &[usual.clone(), usual, strange]);
        let values = batch.column(0).as_list::<i64>().values().as_primitive::<Int64Type>().values();
        assert_eq!(values, &[2, 2, 7], "behind {passed:?}");
    }
}

#[test]
fn offsets_of_32_bits() {
    let records = [example(&[("b", bytes(&[b"xy", b""])), ("i", ints(&[1]))]), example(&[])];
    let batch = decode(ExampleDecoder::builder().offsets(OffsetWidth::Bits32), &records);
    let cells = Cells::Bytes(vec![Some(vec![b"xy".to_vec(), vec![]]), None]);
    assert_eq!(batch.column(0), &model::array(&cells, 2, Lists::Bits32, Strings::Bits32));
    let cells = Cells::Ints(vec![Some(vec![1]), None]);
    assert_eq!(batch.column(1), &model::array(&cells, 2, Lists::Bits32, Strings::Bits32));
}

#[test]
fn fixed_size_lists() {
    let schema = schema([
        FeatureField::new("f", FeatureKind::Float).fixed_len(2),
        FeatureField::new("b", FeatureKind::Bytes).fixed_len(1),
        FeatureField::new("v", FeatureKind::Int64),
    ]);
    let fixed = ExampleDecoder::builder().schema(schema.clone()).fixed_size_lists(true);
    let records = [
        example(&[("f", floats(&[1.0, 2.0])), ("b", bytes(&[b"x"])), ("v", ints(&[1, 2, 3]))]),
        example(&[("v", ints(&[]))]),
        example(&[("f", Vec::new()), ("b", bytes(&[b"yz"]))]),
        example(&[("f", floats(&[3.0, 4.0]))]),
    ];
    let batch = decode(fixed.clone(), &records);
    let cells = Cells::Floats(vec![Some(vec![1.0, 2.0]), None, None, Some(vec![3.0, 4.0])]);
    assert_eq!(batch.column(0), &model::array(&cells, 4, Lists::Fixed(2), Strings::Bits64));
    let cells = Cells::Bytes(vec![Some(vec![b"x".to_vec()]), None, Some(vec![b"yz".to_vec()]), None]);
    assert_eq!(batch.column(1), &model::array(&cells, 4, Lists::Fixed(1), Strings::Bits64));
    let cells = Cells::Ints(vec![Some(vec![1, 2, 3]), Some(vec![]), None, None]);
    assert_eq!(batch.column(2), &model::array(&cells, 4, Lists::Bits64, Strings::Bits64));
    // Any other number of values, none included.
    for (values, found) in [(vec![], 0), (vec![1.0], 1), (vec![1.0, 2.0, 3.0], 3)] {
        let records = [records[0].clone(), example(&[("f", floats(&values))])];
        let error = try_decode(fixed.clone(), &records).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::WrongLength { expected: 2, found }));
        assert_eq!(error.position().record, Some(1));
        assert_eq!(error.position().column.as_deref(), Some("f"));
        // Without the option the length is not looked at.
        decode(ExampleDecoder::builder().schema(schema.clone()), &records);
    }
}

#[test]
fn raw_records_and_sources() {
    let records = [example(&[("i", ints(&[1]))]), Vec::new(), example(&[])];
    let builder = ExampleDecoder::builder().raw_record_column("raw").source_column("from");
    let mut decoder = builder.build().unwrap();
    let origins = [Origin::new("one", 0, 0), Origin::new("two", 16, 1), Origin::record(7)];
    for (record, origin) in records.iter().zip(origins) {
        decoder.push(record, origin).unwrap();
    }
    let batch = decoder.flush().unwrap();
    assert_eq!(names(&batch), ["i", "raw", "from"]);
    let raw = Cells::Bytes(records.iter().map(|record| Some(vec![record.clone()])).collect());
    assert_eq!(batch.column(1), &model::array(&raw, 3, Lists::Bits64, Strings::Bits64));
    let from = batch.column(2).as_struct();
    let files = from.column_by_name("file").unwrap().as_dictionary::<Int32Type>();
    let files = files.downcast_dict::<arrow_array::StringArray>().unwrap();
    assert_eq!(files.into_iter().collect::<Vec<_>>(), [Some("one"), Some("two"), None]);
    let offsets = from.column_by_name("offset").unwrap().as_primitive::<UInt64Type>();
    assert_eq!(offsets.values(), &[0, 16, 0]);
    // The next batch begins anew.
    decoder.push(&records[0], Origin::new("two", 99, 2)).unwrap();
    let batch = decoder.flush().unwrap();
    let from = batch.column(2).as_struct();
    let files = from.column_by_name("file").unwrap().as_dictionary::<Int32Type>();
    assert_eq!(files.values().len(), 1);
}

#[test]
fn unknown_features_are_passed_over_or_refused() {
    let schema = schema([FeatureField::new("i", FeatureKind::Int64)]);
    let records = [example(&[("i", ints(&[1])), ("j", ints(&[2]))])];
    let builder = ExampleDecoder::builder().schema(schema);
    assert_eq!(names(&decode(builder.clone(), &records)), ["i"]);
    let error = try_decode(builder.unknown_features(UnknownFeatures::Refuse), &records).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::UnknownFeature));
    assert_eq!(error.position().column.as_deref(), Some("j"));
}

#[test]
fn required_features() {
    let schema = schema([FeatureField::new("i", FeatureKind::Int64).required()]);
    let builder = ExampleDecoder::builder().schema(schema);
    assert_eq!(decode(builder.clone(), &[example(&[("i", ints(&[]))])]).num_rows(), 1);
    let error = try_decode(builder, &[example(&[("j", ints(&[1]))])]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::MissingFeature));
    assert_eq!(error.position().column.as_deref(), Some("i"));
}

#[test]
fn a_kind_that_changes_is_named_with_both_kinds_and_the_record() {
    let kinds = [
        (FeatureKind::Int64, ints(&[1])),
        (FeatureKind::Float, floats(&[1.0])),
        (FeatureKind::Bytes, bytes(&[b"1"])),
    ];
    for (before, first) in &kinds {
        for (after, second) in &kinds {
            let records = [example(&[("x", first.clone())]), example(&[]), example(&[("x", second.clone())])];
            let declared = schema([FeatureField::new("x", *before)]);
            for builder in [ExampleDecoder::builder(), ExampleDecoder::builder().schema(declared)] {
                match try_decode(builder, &records) {
                    Ok(_) => assert_eq!(before, after),
                    Err(error) => {
                        let kind = Kind::KindMismatch { expected: Some(*before), found: *after };
                        assert_eq!(error.detail(), Some(&kind));
                        assert_eq!(error.position().record, Some(2));
                        assert_eq!(error.position().column.as_deref(), Some("x"));
                    }
                }
            }
        }
    }
    // A batch has the kinds of its own records.
    let mut decoder = ExampleDecoder::builder().build().unwrap();
    for (_, feature) in kinds {
        decoder.push(&example(&[("x", feature)]), Origin::record(0)).unwrap();
        decoder.flush().unwrap();
    }
}

#[test]
fn names_that_are_not_utf8_are_refused_only_where_they_are_read() {
    let entry = wire::field(1, &[wire::field(1, b"\xff"), wire::field(2, &ints(&[1]))].concat());
    let record = wire::field(1, &entry);
    let error = try_decode(ExampleDecoder::builder(), &[record]).unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::NameNotUtf8));
}
