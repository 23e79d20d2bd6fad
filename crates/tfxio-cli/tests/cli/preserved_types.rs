//! Types and names that a format lacks, and that conversions keep or refuse.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Date32Type, Int8Type, Time32MillisecondType, TimestampMillisecondType};
use arrow_array::{
    Array as _, ArrayRef, Date64Array, Int64Array, ListArray, RecordBatch, StructArray, Time32SecondArray,
    TimestampMicrosecondArray, TimestampSecondArray, builder,
};
use arrow_schema::{DataType, Field, Fields, Schema, TimeUnit};
use tfxio::prelude::*;

use crate::run::{json_lines, path, tfxio};

/// An Arrow file of columns.
fn file(folder: &tempfile::TempDir, columns: Vec<(&str, ArrayRef)>) -> String {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    let batch = RecordBatch::try_new(schema, columns).unwrap();
    let file = path(folder, "in.arrow");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(&file).unwrap(), &batch.schema())
            .unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    file
}

/// The only batch of a file.
fn read(file: &str) -> RecordBatch {
    let dataset = OpenOptions::new().prefer("layout", "plain").open(file).unwrap();
    let mut batches = dataset.read(ScanRequest::new()).unwrap();
    batches.next().unwrap().unwrap()
}

#[test]
fn parquet_has_times_in_units_that_others_read() {
    let folder = tempfile::tempdir().unwrap();
    let lists = ListArray::new(
        Arc::new(Field::new_list_field(DataType::Timestamp(TimeUnit::Second, None), true)),
        arrow_buffer::OffsetBuffer::from_lengths([1, 1]),
        Arc::new(TimestampSecondArray::from(vec![3, -4])),
        None,
    );
    let columns: Vec<(&str, ArrayRef)> = vec![
        ("t", Arc::new(TimestampSecondArray::from(vec![Some(-1), None]).with_timezone("Europe/Berlin"))),
        ("l", Arc::new(lists)),
        ("d", Arc::new(Date64Array::from(vec![86_400_000, -86_400_000]))),
        ("c", Arc::new(Time32SecondArray::from(vec![1, 86_399]))),
    ];
    let (from, to) = (file(&folder, columns), path(&folder, "out.parquet"));
    tfxio(["convert", &from, &to, "--lossless"]).ok();
    let batch = read(&to);
    let zone = Some("Europe/Berlin".into());
    assert_eq!(*batch.column(0).data_type(), DataType::Timestamp(TimeUnit::Millisecond, zone));
    let times = batch.column(0).as_primitive::<TimestampMillisecondType>();
    assert_eq!((times.value(0), times.is_null(1)), (-1000, true));
    let items = batch.column(1).as_list::<i32>().values().clone();
    assert_eq!(items.as_primitive::<TimestampMillisecondType>().values(), &[3000, -4000]);
    assert_eq!(batch.column(2).as_primitive::<Date32Type>().values(), &[1, -1]);
    assert_eq!(batch.column(3).as_primitive::<Time32MillisecondType>().values(), &[1000, 86_399_000]);

    let wrong: [(ArrayRef, &str); 3] = [
        (
            Arc::new(TimestampSecondArray::from(vec![0, i64::MAX])),
            "record 1, column \"x\": 9223372036854775807 seconds are not a whole number of milliseconds",
        ),
        (
            Arc::new(Date64Array::from(vec![0, 1])),
            "record 1, column \"x\": 1 millisecond since 1970-01-01 is not a whole number of days",
        ),
        (
            Arc::new(Time32SecondArray::from(vec![0, i32::MAX])),
            "record 1, column \"x\": 2147483647 seconds are not a time of day in milliseconds of 32 bits",
        ),
    ];
    for (column, expected) in wrong {
        let from = file(&folder, vec![("x", column)]);
        let error = tfxio(["convert", &from, &to]).fails(1);
        assert!(error.contains(expected) && error.contains("--cast x:TYPE"), "{error}");
    }
}

#[test]
fn columns_that_parquet_cannot_hold() {
    let folder = tempfile::tempdir().unwrap();
    let to = path(&folder, "out.parquet");
    let mut union = builder::UnionBuilder::new_sparse();
    union.append::<Int8Type>("a", 1).unwrap();
    let nothing = StructArray::new_empty_fields(1, None);
    let within: ArrayRef = Arc::new(StructArray::new(
        Fields::from(vec![Field::new("in", nothing.data_type().clone(), true)]),
        vec![Arc::new(nothing.clone())],
        None,
    ));
    for (column, kind) in [
        (Arc::new(union.build().unwrap()) as ArrayRef, "Union"),
        (Arc::new(nothing), "Struct()"),
        (within, "Struct()"),
    ] {
        let n: ArrayRef = Arc::new(Int64Array::from(vec![1]));
        let from = file(&folder, vec![("n", n), ("x", column)]);
        let error = tfxio(["convert", &from, &to]).fails(2);
        assert!(error.contains("the format parquet does not take a column of the type"), "{error}");
        assert!(error.contains(kind) && error.contains("--exclude x"), "{error}");
        tfxio(["convert", &from, &to, "--exclude", "x"]).ok();
    }
}

#[test]
fn two_columns_of_a_name() {
    let folder = tempfile::tempdir().unwrap();
    let column = |value: i64| Arc::new(Int64Array::from(vec![value])) as ArrayRef;
    let from = file(&folder, vec![("a", column(1)), ("b", column(2)), ("a", column(3))]);
    assert_eq!(tfxio(["head", &from]).ok(), "a  b  a\n─  ─  ─\n1  2  3\n");
    let error = tfxio(["head", &from, "--columns", "a"]).fails(2);
    assert!(error.contains("several columns are called \"a\""), "{error}");
    for output in ["out.parquet", "out.avro", "out.tfrecord", "out.csv", "out.jsonl"] {
        let error = tfxio(["convert", &from, &path(&folder, output)]).fails(2);
        assert!(error.contains("column \"a\": two columns have this name"), "{output}: {error}");
        assert!(
            error.ends_with("rename one in the input; on the command line, --exclude a leaves it out"),
            "{error}"
        );
        tfxio(["convert", &from, &path(&folder, output), "--exclude", "a"]).ok();
    }
}

#[test]
fn names_of_time_zones() {
    let folder = tempfile::tempdir().unwrap();
    let times =
        |zone: &str| Arc::new(TimestampMicrosecondArray::from(vec![0]).with_timezone(zone)) as ArrayRef;
    let data_type = DataType::Timestamp(TimeUnit::Microsecond, Some("Europe/Berlin".into()));
    for name in ["out.avro", "out.parquet"] {
        let to = path(&folder, name);
        tfxio(["convert", &file(&folder, vec![("t", times("Europe/Berlin"))]), &to, "--lossless"]).ok();
        assert_eq!(*read(&to).column(0).data_type(), data_type, "{name}");
    }
    let cases: [&[&str]; 3] = [&["out.csv"], &["out.jsonl"], &["text.parquet", "--cast", "t:string"]];
    for args in cases {
        let convert = |zone: &str, more: &[&str]| {
            let from = file(&folder, vec![("t", times(zone))]);
            let to = path(&folder, args[0]);
            tfxio([&["convert", &from, &to][..], &args[1..], more].concat())
        };
        let run = convert("Europe/Berlin", &[]);
        assert!(run.code == 0 && run.err.contains("time zone") && run.err.contains("\"t\""), "{}", run.err);
        let error = convert("Europe/Berlin", &["--lossless"]).fails(2);
        assert!(error.contains("time zone"), "{error}");
        convert("UTC", &["--lossless"]).ok();
    }
}

#[test]
fn lists_that_never_have_a_value() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (path(&folder, "in.jsonl"), path(&folder, "out.tfrecord"));
    std::fs::write(&from, "{\"n\": 1, \"l\": []}\n{\"n\": 2, \"l\": null}\n").unwrap();
    tfxio(["convert", &from, &to]).ok();
    let rows = json_lines(&tfxio(["head", &to, "--format", "json"]).ok());
    assert_eq!(rows[0]["l"], serde_json::json!([]));
    assert_eq!(rows[1]["l"], serde_json::json!(null));
}

#[test]
fn what_is_asked_for_in_two_ways_or_not_at_all() {
    let folder = tempfile::tempdir().unwrap();
    let (digits, to) = ("fixtures/digits/digits@3.tfrecord", path(&folder, "out.parquet"));
    let error = tfxio(["convert", digits, &to, "--cast", "label:string", "--cast", "label:float32"]).fails(2);
    assert!(error.contains("the column \"label\" is cast twice, to string and to float32"), "{error}");
    let error = tfxio(["convert", digits, &to, "--exclude", "*"]).fails(2);
    assert!(error.contains("every column is left out"), "{error}");
    let error = tfxio(["show", &format!("{digits}@1797")]).fails(2);
    assert!(error.contains("there is no record 1797: the files have 1797"), "{error}");
    tfxio(["convert", digits, &path(&folder, "out@2.parquet")]).ok();
    tfxio(["convert", digits, &path(&folder, "out@2.parquet"), "--resume"]).ok();
}

#[test]
fn a_null_in_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let lists = ListArray::from_iter_primitive::<arrow_array::types::Int64Type, _, _>([
        Some(vec![Some(1)]),
        Some(vec![None]),
    ]);
    let from = file(&folder, vec![("a", Arc::new(lists))]);
    let error = tfxio(["convert", &from, &path(&folder, "out.tfrecord")]).fails(1);
    assert!(error.contains("in.arrow, record 1, column \"a\": value 0 is null"), "{error}");
    assert!(error.contains("--exclude a leaves it out"), "{error}");
}

#[test]
fn a_map_with_a_key_twice() {
    let folder = tempfile::tempdir().unwrap();
    let mut map = builder::MapBuilder::new(None, builder::StringBuilder::new(), builder::Int64Builder::new());
    for keys in [["a", "b"], ["a", "a"]] {
        for (value, key) in (0..).zip(keys) {
            map.keys().append_value(key);
            map.values().append_value(value);
        }
        map.append(true).unwrap();
    }
    let from = file(&folder, vec![("m", Arc::new(map.finish()))]);
    let run = tfxio(["convert", &from, &path(&folder, "out.jsonl")]);
    let expected = "record 1, column \"m\": the map has the key \"a\" twice";
    assert!(run.code == 1 && run.err.contains(expected), "{}", run.err);
}

#[test]
fn numbers_that_would_be_written_otherwise() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to, csv) = (path(&folder, "in.csv"), path(&folder, "out.parquet"), path(&folder, "out.csv"));
    // What is no number to others is text, and comes back as it is.
    std::fs::write(&from, "user,pair\nA,1_2\nB,12\nC,100_1\n").unwrap();
    tfxio(["convert", &from, &to, "--lossless"]).ok();
    assert_eq!(read(&to).column(1).as_string::<i64>().value(0), "1_2");
    tfxio(["convert", &from, &csv, "--lossless", "--text-columns", "pair"]).ok();
    assert_eq!(std::fs::read(&csv).unwrap(), std::fs::read(&from).unwrap());
    // So it is where it comes after the rows that say the types.
    std::fs::write(&from, "n\n1\n2\n1_2\n").unwrap();
    let error = tfxio(["convert", &from, &to, "--infer-records", "2"]).fails(1);
    assert!(error.contains("column \"n\"") && error.contains("record 2"), "{error}");

    for (cells, is_kept) in [
        (["+4915", "12"], false),
        (["1.10", "1.5"], false),
        (["12e4", "3.0"], false),
        ([" 5", "6"], false),
        (["-0", "1"], false),
        (["1.5", "2"], true),
        (["-7", "0"], true),
        (["1e-7", "0.25"], true),
    ] {
        std::fs::write(&from, format!("n\n{}\n{}\n", cells[0], cells[1])).unwrap();
        let run = tfxio(["convert", &from, &to]);
        assert_eq!(
            (run.code, run.err.contains("numbers that would be written otherwise")),
            (0, !is_kept),
            "{cells:?}: {}",
            run.err
        );
        let run = tfxio(["convert", &from, &to, "--lossless"]);
        assert_eq!(run.code, if is_kept { 0 } else { 2 }, "{cells:?}: {}", run.err);
        if !is_kept {
            assert!(run.err.contains("--text-columns"), "{}", run.err);
            tfxio(["convert", &from, &to, "--lossless", "--text-columns", "n"]).ok();
        }
    }
}

#[test]
fn zeros_before_numbers_in_text() {
    let folder = tempfile::tempdir().unwrap();
    let (from, to) = (path(&folder, "in.csv"), path(&folder, "out.parquet"));
    std::fs::write(&from, "zip,n,ratio\n02134,1,0.5\n10001,0,-0.25\n").unwrap();
    let run = tfxio(["convert", &from, &to]);
    let what = "zeros before the digits of numbers are not kept, unless --text-columns names the column";
    assert_eq!((run.code, run.err), (0, format!("note: {what} (column \"zip\"; --lossless refuses that)\n")));
    let error = tfxio(["convert", &from, &to, "--lossless"]).fails(2);
    assert!(error.contains(&format!("column \"zip\": {what}")), "{error}");
    tfxio(["convert", &from, &to, "--lossless", "--text-columns", "zip"]).ok();
    assert_eq!(read(&to).column(0).as_string::<i64>().value(0), "02134");
    let error = tfxio(["convert", &from, &to, "--text-columns", "zap"]).fails(2);
    assert!(
        error.contains("there is no column \"zap\", which is to be a text; did you mean \"zip\"?"),
        "{error}"
    );
}
