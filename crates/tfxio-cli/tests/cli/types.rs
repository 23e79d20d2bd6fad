//! Values of every Arrow type, as the format `arrow` gives them.

use std::fs::File;
use std::sync::Arc;

use arrow_array::builder::{
    FixedSizeBinaryBuilder, FixedSizeListBuilder, Int32Builder, Int64Builder, ListViewBuilder, MapBuilder,
    PrimitiveRunBuilder, StringBuilder, UnionBuilder,
};
use arrow_array::types::{Int8Type, Int32Type, IntervalDayTime, IntervalMonthDayNano, Time32MillisecondType};
use arrow_array::{
    Array as _, ArrayRef, BinaryViewArray, BooleanArray, Date32Array, Date64Array, Decimal32Array,
    Decimal64Array, Decimal128Array, Decimal256Array, DictionaryArray, DurationMillisecondArray,
    Float16Array, Int8Array, IntervalDayTimeArray, IntervalMonthDayNanoArray, IntervalYearMonthArray,
    NullArray, PrimitiveArray, RecordBatch, StringViewArray, StructArray, TimestampMicrosecondArray,
    TimestampSecondArray, UInt64Array,
};
use arrow_buffer::i256;
use arrow_schema::{Field, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use serde_json::{Value, json};

use crate::run::{json_lines, path, tfxio};

/// A column of one value, what its type is called, and what a table and JSON show.
type Case = (&'static str, ArrayRef, &'static str, &'static str, Value);

fn cases() -> Vec<Case> {
    let mut map = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    map.keys().append_value("a");
    map.values().append_value(1);
    map.append(true).unwrap();
    let union = |mut builder: UnionBuilder| {
        builder.append::<Int8Type>("small", 5).unwrap();
        builder.append::<Int32Type>("large", 6).unwrap();
        Arc::new(builder.build().unwrap().slice(1, 1)) as ArrayRef
    };
    let mut runs = PrimitiveRunBuilder::<Int32Type, Int32Type>::new();
    [Some(1), Some(1), Some(8)].into_iter().for_each(|value| runs.append_option(value));
    let mut view = ListViewBuilder::new(Int32Builder::new());
    view.append_value([Some(1), None]);
    let mut three = FixedSizeListBuilder::new(Int32Builder::new(), 3);
    [1, 2, 3].into_iter().for_each(|value| three.values().append_value(value));
    three.append(true);
    let mut fixed = FixedSizeBinaryBuilder::new(3);
    fixed.append_value([0xff, 0, 1]).unwrap();
    let mut sixteen = FixedSizeBinaryBuilder::new(16);
    sixteen.append_value([0xff; 16]).unwrap();
    let mut uuid = FixedSizeBinaryBuilder::new(16);
    uuid.append_value([0x12; 16]).unwrap();
    let inner: ArrayRef = Arc::new(Date32Array::from(vec![0]));
    let nested = StructArray::try_from(vec![("when", inner)]).unwrap();
    let words: DictionaryArray<Int8Type> = vec!["36"].into_iter().collect();
    let decimal = |precision, scale| (precision, scale);
    let (p9, s2) = decimal(9, 2);
    vec![
        ("null", Arc::new(NullArray::new(1)), "null", "null", json!(null)),
        ("bool", Arc::new(BooleanArray::from(vec![true])), "bool", "true", json!(true)),
        ("int8", Arc::new(Int8Array::from(vec![-5])), "int8", "-5", json!(-5)),
        (
            "uint64",
            Arc::new(UInt64Array::from(vec![u64::MAX])),
            "uint64",
            "18446744073709551615",
            json!(u64::MAX),
        ),
        (
            "float16",
            Arc::new(Float16Array::from(vec![half::f16::from_f32(1.5)])),
            "float16",
            "1.5",
            json!(1.5),
        ),
        ("string_view", Arc::new(StringViewArray::from(vec!["36"])), "string_view", "\"36\"", json!("36")),
        (
            "binary_view",
            Arc::new(BinaryViewArray::from(vec![&b"\xff"[..]])),
            "binary_view",
            "0xff",
            json!({"base64": "/w=="}),
        ),
        ("dictionary", Arc::new(words), "dictionary<int8, string>", "\"36\"", json!("36")),
        ("runs", Arc::new(runs.finish().slice(2, 1)), "run_end_encoded<int32, int32>", "8", json!(8)),
        ("map", Arc::new(map.finish()), "map<string, int64>", "{\"a\": 1}", json!({"a": 1})),
        (
            "sparse",
            union(UnionBuilder::new_sparse()),
            "sparse_union<large: int32, small: int8>",
            "{\"large\": 6}",
            json!({"large": 6}),
        ),
        (
            "dense",
            union(UnionBuilder::new_dense()),
            "dense_union<large: int32, small: int8>",
            "{\"large\": 6}",
            json!({"large": 6}),
        ),
        ("list_view", Arc::new(view.finish()), "list_view<int32>", "[1, null]", json!([1, null])),
        ("fixed_list", Arc::new(three.finish()), "fixed_size_list<int32>[3]", "[1, 2, 3]", json!([1, 2, 3])),
        ("fixed", Arc::new(fixed.finish()), "fixed_size_binary[3]", "0xff0001", json!({"base64": "/wAB"})),
        // What is no UUID by the extension of its field is bytes.
        (
            "sixteen",
            Arc::new(sixteen.finish()),
            "fixed_size_binary[16]",
            "0xffffffffffffffffffffffffffffffff",
            json!({"base64": "/////////////////////w=="}),
        ),
        (
            "uuid",
            Arc::new(uuid.finish()),
            "fixed_size_binary[16]",
            "12121212-1212-1212-1212-121212121212",
            json!("12121212-1212-1212-1212-121212121212"),
        ),
        (
            "struct",
            Arc::new(nested),
            "struct<when: date32>",
            "{\"when\": \"1970-01-01\"}",
            json!({"when": "1970-01-01"}),
        ),
        (
            "date32",
            Arc::new(Date32Array::from(vec![i32::MAX])),
            "date32",
            "+5881580-07-11",
            json!("+5881580-07-11"),
        ),
        (
            "date64",
            Arc::new(Date64Array::from(vec![86_400_000])),
            "date64",
            "1970-01-02",
            json!("1970-01-02"),
        ),
        (
            "time",
            Arc::new(PrimitiveArray::<Time32MillisecondType>::from(vec![43_200_001])),
            "time32[ms]",
            "12:00:00.001",
            json!("12:00:00.001"),
        ),
        (
            "zone",
            Arc::new(TimestampSecondArray::from(vec![0]).with_timezone("Europe/Berlin")),
            "timestamp[s, tz=Europe/Berlin]",
            "1970-01-01T00:00:00Z",
            json!("1970-01-01T00:00:00Z"),
        ),
        (
            "stamp",
            Arc::new(TimestampMicrosecondArray::from(vec![i64::MAX])),
            "timestamp[us]",
            "+294247-01-10T04:00:54.775807",
            json!("+294247-01-10T04:00:54.775807"),
        ),
        (
            "duration",
            Arc::new(DurationMillisecondArray::from(vec![-1500])),
            "duration[ms]",
            "-PT1.5S",
            json!("-PT1.5S"),
        ),
        (
            "months",
            Arc::new(IntervalYearMonthArray::from(vec![14])),
            "interval[months]",
            "P1Y2M",
            json!("P1Y2M"),
        ),
        (
            "day_time",
            Arc::new(IntervalDayTimeArray::from(vec![IntervalDayTime::new(2, 500)])),
            "interval[days, ms]",
            "P2DT0.5S",
            json!("P2DT0.5S"),
        ),
        (
            "interval",
            Arc::new(IntervalMonthDayNanoArray::from(vec![IntervalMonthDayNano::new(1, 2, 3)])),
            "interval[months, days, ns]",
            "P1M2DT0.000000003S",
            json!("P1M2DT0.000000003S"),
        ),
        (
            "d32",
            Arc::new(Decimal32Array::from(vec![-12345]).with_precision_and_scale(p9, s2).unwrap()),
            "decimal32(9, 2)",
            "-123.45",
            json!("-123.45"),
        ),
        (
            "d64",
            Arc::new(Decimal64Array::from(vec![100]).with_precision_and_scale(p9, s2).unwrap()),
            "decimal64(9, 2)",
            "1.00",
            json!("1.00"),
        ),
        (
            "d128",
            Arc::new(Decimal128Array::from(vec![1]).with_precision_and_scale(p9, s2).unwrap()),
            "decimal128(9, 2)",
            "0.01",
            json!("0.01"),
        ),
        (
            "d256",
            Arc::new(Decimal256Array::from(vec![i256::from(7)]).with_precision_and_scale(p9, s2).unwrap()),
            "decimal256(9, 2)",
            "0.07",
            json!("0.07"),
        ),
    ]
}

#[test]
fn every_type_is_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = path(&folder, "a.arrow");
    let cases = cases();
    let fields = cases.iter().map(|(name, column, ..)| {
        let field = Field::new(*name, column.data_type().clone(), true);
        let extension = [("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())].into();
        if *name == "uuid" { field.with_metadata(extension) } else { field }
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = cases.iter().map(|(_, column, ..)| Arc::clone(column)).collect();
    let batch = RecordBatch::try_new(schema, columns).unwrap();
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(File::create(&file).unwrap(), &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();

    let rows = json_lines(&tfxio(["head", &file, "--format", "json"]).ok());
    let shown = tfxio(["show", &format!("{file}@0")]).ok();
    let types = tfxio(["schema", &file, "--format", "arrow"]).ok();
    for (name, _, data_type, text, value) in &cases {
        assert_eq!(&rows[0][name], value, "{name}");
        let line = shown.lines().find(|line| line.split(' ').next() == Some(name)).unwrap();
        assert_eq!(line[name.len()..].trim_start(), *text, "{name}");
        assert!(types.contains(&format!("{name}: {data_type}\n")), "{name}: {types}");
    }
    // A table as well, and an inspection.
    tfxio(["head", &file]).ok();
    tfxio(["tail", &file]).ok();
    tfxio(["inspect", &file]).ok();
}

/// Sixteen bytes are a UUID if their field declares that, at any depth, and in every format that has UUIDs.
#[test]
fn a_uuid_is_one_by_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = |byte: u8| {
        let mut bytes = FixedSizeBinaryBuilder::new(16);
        bytes.append_value([byte; 16]).unwrap();
        Arc::new(bytes.finish()) as ArrayRef
    };
    let field = |name: &str, is_uuid: bool| {
        let field = Field::new(name, bytes(0).data_type().clone(), true);
        let extension = [("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())].into();
        Arc::new(if is_uuid { field.with_metadata(extension) } else { field })
    };
    let within =
        StructArray::from(vec![(field("id", true), bytes(0x12)), (field("sum", false), bytes(0xff))]);
    let fields = vec![
        field("id", true),
        field("sum", false),
        Arc::new(Field::new("within", within.data_type().clone(), true)),
    ];
    let columns = vec![bytes(0x12), bytes(0xff), Arc::new(within) as ArrayRef];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    let (from, lines) = (path(&folder, "a.parquet"), path(&folder, "a.jsonl"));
    // As others write it, who have no schema of Arrow.
    let options = ArrowWriterOptions::new().with_skip_arrow_metadata(true);
    let mut writer =
        ArrowWriter::try_new_with_options(File::create(&from).unwrap(), batch.schema(), options).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    let (id, sum) = ("12121212-1212-1212-1212-121212121212", json!({"base64": "/////////////////////w=="}));
    let expected = [json!({"id": id, "sum": sum, "within": {"id": id, "sum": sum}})];
    for to in ["a.parquet", "b.arrow", "b.avro", "b.parquet"] {
        let to = path(&folder, to);
        if to != from {
            tfxio(["convert", &from, &to]).ok();
        }
        assert_eq!(json_lines(&tfxio(["head", &to, "--format", "json"]).ok()), expected, "{to}");
        let run = tfxio(["convert", &to, &lines]);
        assert_eq!(
            run.err,
            "note: UUIDs become texts, and are read back as texts (columns \"id\", \"within\"; --lossless refuses that)\n"
        );
        assert_eq!(json_lines(&std::fs::read_to_string(&lines).unwrap()), expected, "{to}");
    }
    tfxio(["convert", &from, &lines, "--lossless", "--columns", "sum"]).ok();
}
