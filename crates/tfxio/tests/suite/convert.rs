//! Conversions keep the difference between absent and empty features, and features that never have a value.
#![cfg(all(feature = "parquet", feature = "ipc"))]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use tfxio::convert::{Conversion, ConversionBuilder, Phase, Progress, Summary};
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;
use tfxio::{ErrorKind, Result};

/// {a: [1], b: [], n: unset}, {}, {a: [], b: ["x", ""]}
const RECORDS: [&[u8]; 3] = [
    b"\x0a\x1c\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01\x0a\x07\x0a\x01b\x12\x02\x0a\x00\x0a\x05\x0a\x01n\x12\x00",
    b"",
    b"\x0a\x17\x0a\x07\x0a\x01a\x12\x02\x1a\x00\x0a\x0c\x0a\x01b\x12\x07\x0a\x05\x0a\x01x\x0a\x00",
];

fn write(path: &Path) -> String {
    let mut writer = FileWriter::create(path).unwrap();
    RECORDS.iter().for_each(|record| writer.write(record).unwrap());
    writer.finish().unwrap();
    text(path)
}

fn text(path: &Path) -> String {
    path.to_str().unwrap().to_owned()
}

fn read(path: &Path) -> RecordBatch {
    let mut batches = tfxio::open(path).unwrap().read(ScanRequest::new()).unwrap();
    let batch = batches.next().unwrap().unwrap();
    assert!(batches.next().is_none());
    batch
}

fn convert(input: impl AsRef<Path>, output: impl AsRef<Path>) -> Result<Summary> {
    builder(input, output).build()?.run(|_| {})
}

fn builder(input: impl AsRef<Path>, output: impl AsRef<Path>) -> ConversionBuilder {
    Conversion::builder([text(input.as_ref())], output.as_ref())
}

/// Converts, and returns what was said meanwhile.
fn watched(builder: ConversionBuilder) -> (Summary, Vec<Progress>) {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let said = Arc::clone(&seen);
    let summary = builder.build().unwrap().run(move |progress| said.lock().unwrap().push(progress)).unwrap();
    let seen = seen.lock().unwrap().clone();
    (summary, seen)
}

#[test]
fn absent_and_empty_stay_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| -> PathBuf { folder.path().join(name) };
    let input = write(&at("in.tfrecord"));
    let original = read(&at("in.tfrecord"));
    assert_eq!(original.num_rows(), 3);
    let types = original.schema().fields().iter().map(|f| f.data_type().to_string()).collect::<Vec<_>>();
    assert_eq!(types, ["LargeList(Int64)", "LargeList(LargeBinary)", "Null"]);
    for between in ["b.parquet", "b.arrow"] {
        Conversion::builder([input.as_str()], at(between)).build().unwrap().run(|_| {}).unwrap();
        let summary = convert(at(between), at("back.tfrecord")).unwrap();
        assert_eq!(summary.records, 3);
        assert_eq!(read(&at("back.tfrecord")), original, "{between}");
    }
}

#[test]
fn progress_counts_records_and_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let input = write(&folder.path().join("in.tfrecord"));
    for threads in [1, 2] {
        let builder = builder(&input, folder.path().join("out.arrow"))
            .request(ScanRequest::new().batch_rows(2).threads(threads));
        let bytes = std::fs::metadata(&input).unwrap().len();
        let (summary, seen) = watched(builder);
        assert_eq!((summary.records, summary.bytes_in), (3, bytes));
        assert_eq!(summary.bytes_out, std::fs::metadata(folder.path().join("out.arrow")).unwrap().len());
        assert!(summary.skipped.is_none());
        let mut phases = seen.iter().map(|progress| (progress.phase, progress.records)).collect::<Vec<_>>();
        let opened = phases.partition_point(|(phase, _)| *phase == Phase::Schema);
        // What was read is told as well, before the same records are written.
        phases.dedup();
        let opened_at = phases.partition_point(|(phase, _)| *phase == Phase::Schema);
        assert_eq!(phases[opened_at..], [0, 2, 3].map(|records| (Phase::Records, records)));
        assert_eq!(seen[opened - 1].bytes_read, bytes);
        assert_eq!(seen.last().unwrap().bytes_read, bytes);
    }
}

#[test]
fn columns_of_other_types_are_refused_when_they_become_examples() {
    use arrow_array::{ArrayRef, Decimal128Array};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plain.arrow");
    let column: ArrayRef = Arc::new(Decimal128Array::from(vec![1, 2]));
    let batch = RecordBatch::try_from_iter([("id", column)]).unwrap();
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let error = convert(&path, folder.path().join("out.tfrecord")).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    assert_eq!(error.position().column.as_deref(), Some("id"));
    assert!(!folder.path().join("out.tfrecord").exists());
    // Between columnar formats any type goes.
    let conversion =
        builder(&path, folder.path().join("out.parquet")).set("output_compression", "snappy").unwrap();
    assert_eq!(conversion.build().unwrap().run(|_| {}).unwrap().records, 2);
}

#[test]
fn files_of_other_columns_are_not_mixed() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| text(&folder.path().join(name));
    let input = write(&folder.path().join("in.tfrecord"));
    Conversion::builder([input.as_str()], at("all.parquet")).build().unwrap().run(|_| {}).unwrap();
    let some = builder(&input, at("some.parquet")).request(ScanRequest::new().columns(["a"]));
    some.build().unwrap().run(|_| {}).unwrap();
    let both = Conversion::builder([at("all.parquet"), at("some.parquet")], at("out.arrow")).build();
    let error = both.and_then(|both| both.run(|_| {})).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    let text = error.to_string();
    assert!(text.starts_with(&format!("{}, column \"", at("some.parquet"))), "{text}");
    let end = format!(
        "the file has no column of this name, and {} has one; set the option union_by_name to read it as null, or leave the \
         column out",
        at("all.parquet")
    );
    assert!(text.ends_with(&end), "{text}");
    assert!(!folder.path().join("out.arrow").exists());
    let missing = Conversion::builder([at("all.parquet"), at("in.parquet")], at("out.arrow")).build();
    assert_eq!(missing.unwrap_err().kind(), ErrorKind::NotFound);
}

#[test]
fn integers_bools_and_halves_become_what_tf_example_holds() {
    use arrow_array::types::{
        ArrowPrimitiveType, Float16Type, Float32Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type,
        UInt16Type, UInt32Type,
    };
    use arrow_array::{
        Array as _, ArrayRef, BooleanArray, FixedSizeListArray, LargeListArray, ListArray, PrimitiveArray,
    };
    use arrow_buffer::{NullBuffer, OffsetBuffer};
    use arrow_schema::Field;
    use half::f16;

    /// [first, second], null, [] in large lists.
    fn lists(values: ArrayRef) -> ArrayRef {
        let item = Arc::new(Field::new("item", values.data_type().clone(), false));
        let nulls = Some(NullBuffer::from(vec![true, false, true]));
        Arc::new(LargeListArray::new(item, OffsetBuffer::from_lengths([2, 0, 0]), values, nulls))
    }
    fn column<T: ArrowPrimitiveType>(values: [T::Native; 2]) -> ArrayRef {
        lists(Arc::new(PrimitiveArray::<T>::from_iter_values(values)))
    }
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.arrow"), folder.path().join("a.tfrecord"));
    let small = ListArray::from_iter_primitive::<Int32Type, _, _>([Some(vec![Some(7)]), None, Some(vec![])]);
    let pairs = FixedSizeListArray::new(
        Arc::new(Field::new("item", arrow_schema::DataType::UInt8, false)),
        2,
        Arc::new(PrimitiveArray::<UInt8Type>::from_iter_values(1..=6)),
        None,
    );
    let batch = RecordBatch::try_from_iter([
        ("bool", lists(Arc::new(BooleanArray::from(vec![true, false])))),
        ("f16", column::<Float16Type>([f16::from_f32(-0.5), f16::MAX])),
        ("i16", column::<Int16Type>([i16::MIN, i16::MAX])),
        ("i32", column::<Int32Type>([i32::MIN, i32::MAX])),
        ("i64", column::<Int64Type>([i64::MIN, i64::MAX])),
        ("i8", column::<Int8Type>([i8::MIN, i8::MAX])),
        ("pairs", Arc::new(pairs) as ArrayRef),
        ("small", Arc::new(small) as ArrayRef),
        ("u16", column::<UInt16Type>([0, u16::MAX])),
        ("u32", column::<UInt32Type>([0, u32::MAX])),
        ("u8", column::<UInt8Type>([0, u8::MAX])),
    ])
    .unwrap();
    let write = |batch: &RecordBatch| {
        let file = std::fs::File::create(&input).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(batch).unwrap();
        writer.finish().unwrap();
    };
    write(&batch);
    convert(&input, &output).unwrap();
    let back = read(&output);
    let lists_of = |name: &str| back[name].as_any().downcast_ref::<LargeListArray>().unwrap().clone();
    let ints = |name: &str| {
        let values = Arc::clone(lists_of(name).values());
        values.as_any().downcast_ref::<PrimitiveArray<Int64Type>>().unwrap().values().to_vec()
    };
    for (name, values) in [
        ("bool", vec![1, 0]),
        ("i16", vec![-32_768, 32_767]),
        ("i32", vec![-2_147_483_648, 2_147_483_647]),
        ("i64", vec![i64::MIN, i64::MAX]),
        ("i8", vec![-128, 127]),
        ("pairs", vec![1, 2, 3, 4, 5, 6]),
        ("small", vec![7]),
        ("u16", vec![0, 65_535]),
        ("u32", vec![0, 4_294_967_295]),
        ("u8", vec![0, 255]),
    ] {
        assert_eq!(ints(name), values, "{name}");
        if name != "pairs" {
            let lists = lists_of(name);
            assert_eq!(
                (lists.null_count(), lists.is_null(1), lists.value_offsets()[3] - lists.value_offsets()[2]),
                (1, true, 0),
                "{name}"
            );
        }
    }
    let halves = Arc::clone(lists_of("f16").values());
    let halves = halves.as_any().downcast_ref::<PrimitiveArray<Float32Type>>().unwrap();
    assert_eq!(halves.values(), &[-0.5, 65504.0]);
}

#[test]
fn what_tf_example_does_not_hold_is_a_loss_or_an_error_of_the_column() {
    use arrow_array::types::{ArrowPrimitiveType, Float64Type, UInt64Type};
    use arrow_array::{ArrayRef, ListArray};

    fn column<T: ArrowPrimitiveType>(value: T::Native) -> ArrayRef {
        Arc::new(ListArray::from_iter_primitive::<T, _, _>([Some(vec![Some(value)])]))
    }
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("a.arrow"), folder.path().join("a.tfrecord"));
    let convert = |values: ArrayRef, is_lossless: bool| {
        let batch = RecordBatch::try_from_iter([("x", values)]).unwrap();
        let file = std::fs::File::create(&input).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        builder(&input, &output).lossless(is_lossless).build()?.run(|_| {})
    };
    let losses = convert(column::<Float64Type>(0.5), false).unwrap().losses;
    assert_eq!(losses[0].column, "x");
    assert_eq!(losses[0].what, "64-bit floats are rounded to 32 bits");
    assert!(convert(column::<UInt64Type>(u64::MAX >> 1), true).unwrap().losses.is_empty());
    std::fs::remove_file(&output).unwrap();
    for (values, is_lossless, kind, text) in [
        (
            column::<Float64Type>(0.5),
            true,
            ErrorKind::Unsupported,
            "something would be lost: column \"x\": 64-bit floats are rounded to 32 bits; leave the columns out, cast them, \
             or allow the losses",
        ),
        (
            column::<Float64Type>(1e300),
            false,
            ErrorKind::SchemaMismatch,
            "IN, record 0, column \"x\": 1e300 is not a float of 32 bits; leave the column out, or cast it to another type",
        ),
        (
            column::<UInt64Type>(1 << 63),
            false,
            ErrorKind::SchemaMismatch,
            "IN, record 0, column \"x\": 9223372036854775808 is larger than a signed integer of 64 bits can be, \
             9223372036854775807; leave the column out, or cast it to another type",
        ),
    ] {
        let error = convert(values, is_lossless).unwrap_err();
        assert_eq!(error.kind(), kind);
        assert_eq!(error.to_string(), text.replace("IN", input.to_str().unwrap()));
        assert!(!output.exists());
    }
}

#[test]
fn many_columns_are_converted_in_small_batches() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    // {c0: [1], c1: [1], …}, and records without features
    let mut features = Vec::new();
    for column in 0..10_000 {
        let name = format!("c{column:05}");
        features.extend_from_slice(b"\x0a\x0f\x0a\x06");
        features.extend_from_slice(name.as_bytes());
        features.extend_from_slice(b"\x12\x05\x1a\x03\x0a\x01\x01");
    }
    let mut wide = vec![0x0a];
    let mut length = features.len();
    while length >= 0x80 {
        wide.push(length as u8 | 0x80);
        length >>= 7;
    }
    wide.push(length as u8);
    wide.extend(features);
    let mut writer = FileWriter::create(at("in.tfrecord")).unwrap();
    writer.write(&wide).unwrap();
    (1..1000).for_each(|_| writer.write(b"").unwrap());
    writer.finish().unwrap();

    let (summary, seen) = watched(builder(at("in.tfrecord"), at("o.parquet")));
    assert_eq!(summary.records, 1000);
    let batches = seen.iter().filter(|progress| progress.phase == Phase::Records);
    let mut records = batches.map(|progress| progress.records).collect::<Vec<_>>();
    records.dedup();
    assert_eq!(records, [0, 838, 1000]);
    // No column has a dictionary, each of which begins with tens of kilobytes.
    let file = std::fs::File::open(at("o.parquet")).unwrap();
    let reader = parquet::file::serialized_reader::SerializedFileReader::new(file).unwrap();
    let metadata = parquet::file::reader::FileReader::metadata(&reader);
    let columns = metadata.row_group(0).columns();
    assert_eq!(columns.len(), 10_000);
    assert!(columns.iter().all(|column| column.dictionary_page_offset().is_none()));
}

#[test]
fn intervals_of_months_in_parquet() {
    use arrow_array::types::IntervalMonthDayNano;
    use arrow_array::{ArrayRef, IntervalMonthDayNanoArray, ListArray, StructArray};
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::{DataType, Field, IntervalUnit};

    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (folder.path().join("in.arrow"), folder.path().join("o.parquet"));
    let write = |nanos: i64| {
        let span = IntervalMonthDayNano::new(1, -2, nanos);
        let spans: ArrayRef = Arc::new(IntervalMonthDayNanoArray::from(vec![Some(span), None, Some(span)]));
        let field = Arc::new(Field::new("of", DataType::Interval(IntervalUnit::MonthDayNano), true));
        let inner: ArrayRef = Arc::new(StructArray::from(vec![(Arc::clone(&field), Arc::clone(&spans))]));
        let lists = ListArray::new(field, OffsetBuffer::from_lengths([2, 0, 1]), Arc::clone(&spans), None);
        let batch = RecordBatch::try_from_iter([
            ("span", spans),
            ("inner", inner),
            ("lists", Arc::new(lists) as ArrayRef),
        ])
        .unwrap();
        let file = std::fs::File::create(&input).unwrap();
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
        writer.write(&batch).unwrap();
        writer.finish().unwrap();
        batch
    };
    let batch = write(3_000_000);
    assert_eq!(convert(&input, &output).unwrap().records, 3);
    let dataset = OpenOptions::new().open(output.to_str().unwrap()).unwrap();
    assert_eq!(dataset.schema().fields(), batch.schema().fields());
    let read = dataset.read(ScanRequest::new()).unwrap().next_batch().unwrap().unwrap();
    assert_eq!(read.columns().columns(), batch.columns());
    // Others see the type of the format.
    let file = std::fs::File::open(&output).unwrap();
    let reader = parquet::file::serialized_reader::SerializedFileReader::new(file).unwrap();
    let schema = parquet::file::reader::FileReader::metadata(&reader).file_metadata().schema_descr_ptr();
    assert_eq!(schema.num_columns(), 3);
    assert!(
        (0..3).all(|leaf| schema.column(leaf).converted_type() == parquet::basic::ConvertedType::INTERVAL)
    );
    std::fs::remove_file(&output).unwrap();

    for nanos in [3, -1_000_000, (1 << 32) * 1_000_000] {
        write(nanos);
        let error = convert(&input, &output).unwrap_err().to_string();
        let expected =
            format!("an interval has {nanos} nanoseconds, and Parquet has milliseconds from 0 to 4294967295");
        assert!(error.contains("column \"span\": ") && error.contains(&expected), "{error}");
        assert!(!output.exists());
    }
}

#[test]
fn types_that_parquet_does_not_have() {
    use arrow_array::{ArrayRef, Int64Array, StructArray};

    let folder = tempfile::tempdir().unwrap();
    let ids: ArrayRef = Arc::new(Int64Array::from(vec![7]));
    let nothing: ArrayRef = Arc::new(StructArray::new_empty_fields(1, None));
    let batch = RecordBatch::try_from_iter([("id", ids), ("nothing", nothing)]).unwrap();
    let input = folder.path().join("in.arrow");
    let file = std::fs::File::create(&input).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let output = folder.path().join("o.parquet");
    let error = convert(&input, &output).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Unsupported);
    let text = error.to_string();
    assert!(
        text.starts_with("column \"nothing\": the format parquet does not take a column of the type Struct("),
        "{text}"
    );
    assert!(!output.exists());
    let only = builder(&input, &output).request(ScanRequest::new().columns(["id"]));
    only.build().unwrap().run(|_| {}).unwrap();
}

#[test]
fn options_are_of_one_of_the_formats() {
    let folder = tempfile::tempdir().unwrap();
    let input = write(&folder.path().join("in.tfrecord"));
    let refused = |builder: ConversionBuilder, says: &str| {
        let error = builder.build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(error.to_string().contains(says), "{error}");
    };
    let to = |name: &str| builder(&input, folder.path().join(name));
    assert_eq!(
        to("o.parquet").set("output_compresion", "zstd").unwrap_err().to_string(),
        "there is no option \"output_compresion\"; did you mean \"output_compression\"?"
    );
    refused(
        to("o.parquet").set("codec", "null").unwrap(),
        "neither tfrecord nor parquet has an option \"codec\"",
    );
    refused(to("o.tfrecord").set("codec", "null").unwrap(), "the format tfrecord has no option \"codec\"");
    refused(
        to("o.parquet").set("infer_records", "many").unwrap(),
        "the option \"infer_records\" is a whole number",
    );
    refused(to("o.txt"), "the name of the output does not say its format; end it with one of .tfrecord, ");
    refused(to("o.txt").output_format("parket"), "did you mean \"parquet\"?");
    let written = to("o.txt").output_format("parquet").prefer("codec", "null").build().unwrap();
    assert_eq!((written.input_format().name(), written.output_format().name()), ("tfrecord", "parquet"));
    assert_eq!(written.run(|_| {}).unwrap().records, 3);
}
