//! `tfxio convert` of ordinary tables, as pandas, polars and Spark write them, and back.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::types::{Float64Type, Int32Type};
use arrow_array::*;
use arrow_schema::{DataType, Schema};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::json;

use crate::run::{json_lines, names, path, tfxio};

/// A table of two rows, the second with nulls.
fn table(path: &str) {
    let column = |name: &str, column: ArrayRef| (name.to_owned(), column, true);
    let words: DictionaryArray<Int32Type> = [Some("red"), None].into_iter().collect();
    let stamps =
        TimestampMicrosecondArray::from(vec![Some(1_700_000_000_000_000), None]).with_timezone("UTC");
    let scores =
        ListArray::from_iter_primitive::<Float64Type, _, _>([Some(vec![Some(0.5), Some(1.5)]), None]);
    let columns = [
        column("id", Arc::new(Int64Array::from(vec![1, 2]))),
        column("age", Arc::new(UInt8Array::from(vec![Some(36), None]))),
        column("weight", Arc::new(Float64Array::from(vec![Some(61.5), None]))),
        column("ok", Arc::new(BooleanArray::from(vec![Some(true), None]))),
        column("name", Arc::new(StringArray::from(vec![Some("Ada"), None]))),
        column("color", Arc::new(words)),
        column("at", Arc::new(stamps)),
        column("scores", Arc::new(scores)),
    ];
    write(path, RecordBatch::try_from_iter_with_nullable(columns).unwrap());
}

fn write(path: &str, batch: RecordBatch) {
    let mut writer = ArrowWriter::try_new(File::create(path).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
}

fn schema(path: &str) -> Schema {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    Schema::clone(builder.schema())
}

fn bytes(path: &str) -> Vec<u8> {
    std::fs::read(Path::new(path)).unwrap()
}

#[test]
fn a_table_becomes_records() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (path(&folder, "t.parquet"), path(&folder, "t.tfrecord"));
    table(&input);
    let run = tfxio(["convert", &input, &output]);
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    assert_eq!(
        run.err,
        "note: 64-bit floats are rounded to 32 bits (columns \"weight\", \"scores\"; --lossless refuses that)\n\
         note: timestamps become the number of microseconds since 1970-01-01 00:00 UTC, without their time zone (column \"at\"; \
         --lossless refuses that)\n"
    );
    let rows = json_lines(&tfxio(["head", "--format", "json", &output]).ok());
    assert_eq!(
        rows[0],
        json!({"id": [1], "age": [36], "weight": [61.5], "ok": [1], "name": ["Ada"], "color": ["red"],
            "at": [1_700_000_000_000_000_i64], "scores": [0.5, 1.5]})
    );
    assert!(
        rows[1].as_object().unwrap().iter().all(|(name, value)| name == "id" || value.is_null()),
        "{}",
        rows[1]
    );
    let error = tfxio(["convert", "--strict", &input, &path(&folder, "no.tfrecord")]).fails(2);
    assert_eq!(
        error,
        "error: something would be lost: column \"weight\": 64-bit floats are rounded to 32 bits; column \"at\": timestamps \
         become the number of microseconds since 1970-01-01 00:00 UTC, without their time zone; column \"scores\": 64-bit \
         floats are rounded to 32 bits; leave the columns out, cast them, or allow the losses; on the command line, \
         --exclude A,B, --cast A:TYPE, or no --lossless"
    );
    tfxio([
        "convert",
        "--lossless",
        &input,
        &output,
        "--cast",
        "weight:float32,scores:float32",
        "--cast",
        "at:us",
    ])
    .ok();
    assert_eq!(names(&folder), ["t.parquet", "t.tfrecord"]);
}

#[test]
fn columns_are_left_out_and_cast() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (path(&folder, "t.parquet"), path(&folder, "t.tfrecord"));
    let decimals = Decimal128Array::from(vec![150, 200]).with_precision_and_scale(10, 2).unwrap();
    let columns = [("n", Arc::new(Int64Array::from(vec![1, 2])) as ArrayRef), ("price", Arc::new(decimals))];
    write(&input, RecordBatch::try_from_iter(columns).unwrap());
    assert_eq!(
        tfxio(["convert", &input, &output]).fails(2),
        "error: column \"price\": the format tfrecord does not take a column of the type Decimal128(10, 2); leave the column \
         out, or cast it to one of int64, float32, float64, string; on the command line, --exclude price or --cast price:TYPE"
    );
    tfxio(["convert", &input, &output, "--exclude", "pr*"]).ok();
    assert_eq!(tfxio(["head", "--format", "json", &output]).ok(), "{\"n\": [1]}\n{\"n\": [2]}\n");
    tfxio(["convert", &input, &output, "--cast", "price:string"]).ok();
    let rows = json_lines(&tfxio(["head", "--format", "json", &output]).ok());
    assert_eq!(rows[1], json!({"n": [2], "price": ["2.00"]}));
    let error = tfxio(["convert", &input, &output, "--cast", "price:int64"]).fails(1);
    assert_eq!(
        error,
        format!(
            "error: {input}, record 0, column \"price\": 1.50 is not an integer of 64 bits; leave the column out, or cast it to \
             another type; on the command line, --exclude price or --cast price:TYPE"
        )
    );
    for (args, said) in [
        (["--exclude", "prise"], "there is no column \"prise\" to leave out; did you mean \"price\"?"),
        (["--cast", "m:int64"], "there is no column \"m\" to cast; the columns are \"n\", \"price\""),
        (["--cast", "price"], "give a column and a type, such as price:float32"),
        (["--cast", "price:int46"], "there is no cast to \"int46\"; did you mean \"int64\"?"),
    ] {
        let run = tfxio(["convert", &input, &output].iter().copied().chain(args));
        assert_eq!(run.code, 2);
        assert!(run.err.contains(said), "{}", run.err);
    }
}

#[test]
fn there_and_back_with_scalars_and_texts() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits@3.tfrecord";
    let at = |name: &str| path(&folder, name);
    // In one file, as the way back gives it.
    tfxio(["convert", digits, &at("digits.tfrecord")]).ok();
    tfxio(["convert", "--scalars", "--text", &at("digits.tfrecord"), &at("digits.parquet")]).ok();
    let schema = schema(&at("digits.parquet"));
    let kind = |name: &str| {
        let field = schema.field_with_name(name).unwrap();
        (field.data_type().clone(), field.is_nullable())
    };
    assert_eq!(kind("label"), (DataType::Int64, false));
    assert_eq!(kind("id"), (DataType::LargeUtf8, false));
    assert!(kind("image").0.is_list());
    tfxio(["convert", &at("digits.parquet"), &at("back.tfrecord")]).ok();
    let rows = |file: &str| tfxio(["head", "-n", "2000", "--format", "json", file]).ok();
    assert_eq!(rows(&at("back.tfrecord")), rows(&at("digits.tfrecord")));
    // A table whose values fit comes back as it was.
    let columns = [
        ("n", Arc::new(Int64Array::from(vec![Some(1), None, Some(3)])) as ArrayRef),
        ("f", Arc::new(Float32Array::from(vec![0.5, 1.5, 2.5]))),
        ("t", Arc::new(LargeStringArray::from(vec![Some("a"), Some("é"), None]))),
        ("b", Arc::new(LargeBinaryArray::from(vec![&b"\xff"[..], b"", b"x"]))),
        ("none", Arc::new(NullArray::new(3))),
    ];
    write(&at("a.parquet"), RecordBatch::try_from_iter(columns).unwrap());
    tfxio(["convert", "--lossless", &at("a.parquet"), &at("a.tfrecord")]).ok();
    tfxio(["convert", "--scalars", "--text", &at("a.tfrecord"), &at("b.parquet")]).ok();
    assert_eq!(json_lines(&rows(&at("b.parquet"))), json_lines(&rows(&at("a.parquet"))));
    tfxio(["convert", &at("b.parquet"), &at("b.tfrecord")]).ok();
    assert_eq!(bytes(&at("b.tfrecord")).len(), bytes(&at("a.tfrecord")).len());
    assert_eq!(rows(&at("b.tfrecord")), rows(&at("a.tfrecord")));
}

#[test]
fn an_empty_list_is_not_an_absent_value() {
    let folder = tempfile::tempdir().unwrap();
    let (input, output) = (path(&folder, "a.tfrecord"), path(&folder, "a.parquet"));
    let mut writer = tfxio::tfrecord_io::FileWriter::create(&input).unwrap();
    // {a: [1], b: [1]}, {a: []}
    writer.write(b"\x0a\x18\x0a\x0a\x0a\x01a\x12\x05\x1a\x03\x0a\x01\x01\x0a\x0a\x0a\x01b\x12\x05\x1a\x03\x0a\x01\x01").unwrap();
    writer.write(b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02\x1a\x00").unwrap();
    writer.finish().unwrap();
    tfxio(["convert", "--scalars", &input, &output]).ok();
    let schema = schema(&output);
    assert!(schema.field_with_name("a").unwrap().data_type().is_list());
    assert_eq!(*schema.field_with_name("b").unwrap().data_type(), DataType::Int64);
    assert!(schema.field_with_name("b").unwrap().is_nullable());
}

#[test]
fn rows_are_chosen() {
    let folder = tempfile::tempdir().unwrap();
    let output = path(&folder, "o.tfrecord");
    let digits = "fixtures/digits/digits@3.tfrecord";
    let convert = |args: &[&str]| {
        tfxio(["convert", digits, &output].iter().chain(args)).ok();
        json_lines(&tfxio(["head", "-n", "2000", "--format", "json", &output]).ok())
    };
    let sevens = convert(&["--where", "label = 7", "-n", "100"]);
    assert!(sevens.len() == 100 && sevens.iter().all(|row| row["label"] == json!([7])));
    assert_eq!(convert(&["--limit", "5"]).len(), 5);
    assert_eq!(convert(&["-n", "0", "--columns", "id"]).len(), 0);
    let some = convert(&["--sample", "100", "--seed", "3"]);
    assert_eq!(some.len(), 100);
    assert_eq!(some, convert(&["--sample", "100", "--seed", "3", "--threads", "1"]));
    assert_ne!(some, convert(&["--sample", "100", "--seed", "4"]));
    // The same rows as `sample` shows.
    let shown = tfxio(["sample", digits, "-n", "100", "--seed", "3", "--format", "json"]).ok();
    assert_eq!(some, json_lines(&shown));
    let first = convert(&["-n", "500", "--sample", "50", "--seed", "3"]);
    assert_eq!(first.len(), 50);
    // A row is in a sample whatever others a filter leaves.
    let of_sevens = |rows: Vec<serde_json::Value>| {
        rows.into_iter().filter(|row| row["label"] == json!([7])).collect::<Vec<_>>()
    };
    let sevens = of_sevens(some);
    let wanted = sevens.len().to_string();
    assert_eq!(convert(&["--where", "label = 7", "--sample", &wanted, "--seed", "3"]), sevens);
    let tenth = convert(&["--sample", "0.1"]);
    assert!((130..230).contains(&tenth.len()), "{}", tenth.len());
    assert_eq!(convert(&["--sample", "0.1", "--where", "label = 7"]), of_sevens(tenth));
    for (args, said) in [
        (["--where", "lable = 7"], "did you mean \"label\"?"),
        (["--where", "label ="], "label ="),
        (["--sample", "1.5"], "give a fraction with a point, such as 0.1, or a number of rows"),
    ] {
        let run = tfxio(["convert", digits, &output].iter().copied().chain(args));
        assert_eq!(run.code, 2, "{}", run.err);
        assert!(run.err.contains(said), "{}", run.err);
    }
}

#[test]
fn shards_by_number_and_no_clobber() {
    let folder = tempfile::tempdir().unwrap();
    let digits = "fixtures/digits/digits@3.tfrecord";
    let output = path(&folder, "d.tfrecord.gz");
    tfxio(["convert", digits, &output, "--shards", "2"]).ok();
    assert_eq!(names(&folder), ["d-00000-of-00002.tfrecord.gz", "d-00001-of-00002.tfrecord.gz"]);
    let first = path(&folder, "d-00000-of-00002.tfrecord.gz");
    let there = "the file is there already, and must not be replaced; write to another name";
    for args in [&[output.as_str(), "--shards", "2"][..], &[&path(&folder, "d@*.tfrecord.gz")], &[&first]] {
        let error = tfxio(["convert", "--no-clobber", digits].iter().chain(args)).fails(3);
        assert!(error.contains(there), "{error}");
    }
    tfxio(["convert", "--no-clobber", digits, &output]).ok();
    let error = tfxio(["convert", digits, &path(&folder, "d@3.tfrecord"), "--shards", "2"]).fails(2);
    assert!(error.ends_with("another number is given beside it; give one of the two"), "{error}");
}
