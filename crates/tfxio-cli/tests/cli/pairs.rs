//! Round trips of tables through every pair of formats, compared with the guide.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, MapBuilder, StringBuilder, StringDictionaryBuilder};
use arrow_array::types::{Float64Type, Int32Type, Int64Type};
use arrow_array::*;
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field, Schema};
use serde_json::Value;
use tfxio::convert::{Conversion, Summary};

use crate::run::{json_lines, path, root, tfxio};

/// The formats that are converted, with the endings of their files.
const FORMATS: [&str; 6] = ["tfrecord", "avro", "parquet", "arrow", "csv", "jsonl"];
const PAGE: &str = "docs/convert.md";

/// Columns of the types that tables have, called after their types. Each has a value, a null and another value.
fn columns() -> Vec<(&'static str, ArrayRef)> {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.append_value([Some("a"), Some("b")]);
    lists.append_null();
    lists.append_value([None::<&str>; 0]);
    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int64Builder::new());
    maps.keys().append_value("k");
    maps.values().append_value(7);
    maps.append(true).unwrap();
    maps.append(false).unwrap();
    maps.append(true).unwrap();
    let mut words = StringDictionaryBuilder::<Int32Type>::new();
    words.append_value("x");
    words.append_null();
    words.append_value("y");
    let fields = vec![Field::new("n", DataType::Int64, true), Field::new("t", DataType::LargeUtf8, true)];
    let of_structs: Vec<ArrayRef> = vec![
        Arc::new(Int64Array::from(vec![1, 2, 3])),
        Arc::new(LargeStringArray::from(vec![Some("a"), None, None])),
    ];
    let structs =
        StructArray::new(fields.into(), of_structs, Some(NullBuffer::from(vec![true, false, true])));
    let numbers = || [Some(vec![Some(1), Some(2)]), None, Some(vec![])];
    let halves = [Some(vec![Some(0.1)]), None, Some(vec![])];
    vec![
        ("bool", Arc::new(BooleanArray::from(vec![Some(true), None, Some(false)]))),
        ("int32", Arc::new(Int32Array::from(vec![Some(i32::MIN), None, Some(7)]))),
        ("int64", Arc::new(Int64Array::from(vec![Some(i64::MIN), None, Some(i64::MAX)]))),
        ("uint64", Arc::new(UInt64Array::from(vec![Some(1), None, Some(1 << 62)]))),
        ("float32", Arc::new(Float32Array::from(vec![Some(0.5), None, Some(0.1)]))),
        ("float64", Arc::new(Float64Array::from(vec![Some(0.1), None, Some(1.0)]))),
        ("string", Arc::new(LargeStringArray::from(vec![Some("é"), None, Some("")]))),
        ("binary", Arc::new(LargeBinaryArray::from(vec![Some(&b"\xff"[..]), None, Some(b"")]))),
        ("dictionary", Arc::new(words.finish())),
        ("date32", Arc::new(Date32Array::from(vec![Some(-1), None, Some(20_000)]))),
        ("timestamp", Arc::new(TimestampMicrosecondArray::from(vec![Some(-1), None, Some(1)]))),
        (
            "timestamp of a zone",
            Arc::new(TimestampMicrosecondArray::from(vec![Some(-1), None, Some(1)]).with_timezone("+00:00")),
        ),
        ("time64", Arc::new(Time64MicrosecondArray::from(vec![Some(0), None, Some(1)]))),
        ("duration", Arc::new(DurationMicrosecondArray::from(vec![Some(0), None, Some(1)]))),
        (
            "decimal128",
            Arc::new(
                Decimal128Array::from(vec![Some(-5), None, Some(150)])
                    .with_precision_and_scale(10, 2)
                    .unwrap(),
            ),
        ),
        ("list of int64", Arc::new(LargeListArray::from_iter_primitive::<Int64Type, _, _>(numbers()))),
        ("list of float64", Arc::new(LargeListArray::from_iter_primitive::<Float64Type, _, _>(halves))),
        ("list of string", Arc::new(lists.finish())),
        ("struct", Arc::new(structs)),
        ("map", Arc::new(maps.finish())),
    ]
}

fn write(path: &str, columns: &[&(&'static str, ArrayRef)]) {
    let fields = columns.iter().map(|(name, column)| Field::new(*name, column.data_type().clone(), true));
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.iter().map(|(_, column)| Arc::clone(column)).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(File::create(path).unwrap(), &schema).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
}

/// Converts; what is read of records becomes plain columns where that loses nothing.
fn convert(from: &str, to: &str) -> tfxio::Result<Summary> {
    let is_records = from.ends_with(".tfrecord");
    Conversion::builder([from], to).scalars(is_records).text(is_records).build()?.run(|_| {})
}

/// The rows as JSON lines.
fn shown(file: &str) -> String {
    tfxio(["head", "-n", "100000", "--format", "json", file]).ok()
}

/// The rows of JSON lines, by column.
fn by_column(rows: &str) -> BTreeMap<String, Vec<Value>> {
    let mut columns = BTreeMap::<_, Vec<_>>::new();
    for row in json_lines(rows) {
        for (name, value) in row.as_object().unwrap() {
            columns.entry(name.clone()).or_default().push(number(value));
        }
    }
    columns
}

/// The value with bools as the numbers that they become where there are none.
fn number(value: &Value) -> Value {
    match value {
        Value::Bool(value) => Value::from(u8::from(*value)),
        Value::Array(values) => values.iter().map(number).collect(),
        other => other.clone(),
    }
}

fn types(file: &str) -> BTreeMap<String, DataType> {
    let options = tfxio::OpenOptions::new().prefer("layout", "plain");
    let dataset = options.open(file).unwrap();
    dataset.schema().fields().iter().map(|field| (field.name().clone(), field.data_type().clone())).collect()
}

/// Outcome of a round trip, by column.
#[derive(Default)]
struct Found {
    same: Vec<&'static str>,
    other_type: Vec<&'static str>,
    lost: Vec<&'static str>,
    refused: Vec<&'static str>,
}

fn there_and_back(folder: &tempfile::TempDir, from: &str, to: &str) -> Found {
    let at = |name: &str| path(folder, name);
    let columns = columns();
    let mut found = Found::default();
    let mut kept = Vec::new();
    for column in &columns {
        write(&at("one.arrow"), &[column]);
        let first = at(&format!("first.{from}"));
        if convert_plain(&at("one.arrow"), &first).is_err() {
            // The format has no such type, so that no file of it can be converted.
            continue;
        }
        match convert(&first, &at(&format!("there.{to}"))) {
            Ok(_) => kept.push(column),
            Err(error) => {
                assert!(error.position().column.is_some() && error.hint().is_some(), "{error}");
                found.refused.push(column.0);
            }
        }
    }
    write(&at("all.arrow"), &kept);
    let (first, there, back) =
        (at(&format!("all.{from}")), at(&format!("all_there.{to}")), at(&format!("all_back.{from}")));
    if from != "arrow" {
        convert_plain(&at("all.arrow"), &first).unwrap();
    }
    let mut losses = convert(&first, &there).unwrap().losses;
    losses.extend(convert(&there, &back).unwrap().losses);
    let (before, after) = (by_column(&shown(&first)), by_column(&shown(&back)));
    let (types_before, types_after) = (types(&first), types(&back));
    for (name, _) in kept.iter().copied() {
        let is_said = losses.iter().any(|loss| loss.column == *name);
        let is_same = before.get(*name) == after.get(*name);
        // Nothing is lost without a word.
        assert!(is_same || is_said, "{from} {to} {name}: {:?} {:?}", before.get(*name), after.get(*name));
        if is_said {
            found.lost.push(name);
        } else if types_before.get(*name) == types_after.get(*name) {
            found.same.push(name);
        } else {
            found.other_type.push(name);
        }
    }
    found
}

/// Converts as a file of the format is made, whatever is lost before.
fn convert_plain(from: &str, to: &str) -> tfxio::Result<Summary> {
    Conversion::builder([from], to).build()?.run(|_| {})
}

#[test]
fn the_guide_says_what_comes_back_of_every_pair() {
    let mut table = "| from | to | the same | the same values of another type | something is lost, which is said | an error |\n\
                     | --- | --- | --- | --- | --- | --- |\n"
        .to_owned();
    for from in FORMATS {
        for to in FORMATS {
            let folder = tempfile::tempdir().unwrap();
            let found = there_and_back(&folder, from, to);
            let list = |names: &[&str]| if names.is_empty() { "–".to_owned() } else { names.join(", ") };
            let all = found.other_type.is_empty() && found.lost.is_empty() && found.refused.is_empty();
            let same = if all { "all".to_owned() } else { list(&found.same) };
            let Found { other_type, lost, refused, .. } = found;
            let _ = writeln!(
                table,
                "| {from} | {to} | {same} | {} | {} | {} |",
                list(&other_type),
                list(&lost),
                list(&refused)
            );
        }
    }
    has_table("pairs", &table);
}

/// The guide has a table between its marks.
pub(crate) fn has_table(marks: &str, table: &str) {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let found = page.split_once(&format!("<!-- {marks} -->\n"));
    let found = found.and_then(|(_, rest)| rest.split_once(&format!("<!-- end of {marks} -->")));
    let found = found.map_or("", |(table, _)| table).trim();
    assert!(found == table.trim(), "{PAGE} should have between its marks:\n\n{table}");
}

/// Returns the outcome of a round trip of records that are not examples, with these flags there and back.
#[cfg(feature = "proto")]
fn records_there_and_back(file: &str, to: &str, there_flags: &[&str], back_flags: &[&str]) -> &'static str {
    let folder = tempfile::tempdir().unwrap();
    let (there, back) = (path(&folder, &format!("there.{to}")), path(&folder, "back.tfrecord"));
    let run = tfxio(["convert", file, &there].iter().chain(there_flags));
    if run.code != 0 {
        assert!(run.err.contains("column \"") && run.err.contains("--exclude"), "{}", run.err);
        return "an error";
    }
    // What is read of records is said to be such.
    let flags = if to == "tfrecord" { there_flags } else { back_flags };
    let run = tfxio(["convert", &there, &back].iter().chain(flags));
    assert_eq!(run.code, 0, "{to}: {}", run.err);
    if std::fs::read(root().join(file)).unwrap() == std::fs::read(&back).unwrap() {
        return "the same bytes";
    }
    let rows =
        |file: &str| tfxio(["head", file, "-n", "100", "--format", "json"].iter().chain(there_flags)).ok();
    assert_eq!(rows(&back), rows(file), "{file} {to}");
    "the same values"
}

#[cfg(feature = "proto")]
#[test]
fn the_guide_says_what_comes_back_of_records() {
    const RIDES: [&str; 4] = ["--descriptor", "fixtures/messages/rides.proto", "--message", "rides.Ride"];
    let (raw, proto) = (["--as", "raw"], [&["--as", "proto"], &RIDES[..]].concat());
    let mut table =
        "| to | raw records | raw records of UTF-8 | messages |\n| --- | --- | --- | --- |\n".to_owned();
    for to in FORMATS {
        let bytes = records_there_and_back("fixtures/tfrecord/mixed-sizes.tfrecord", to, &raw, &raw);
        let texts = records_there_and_back("fixtures/tfrecord/six-records.tfrecord", to, &raw, &raw);
        let messages = records_there_and_back("fixtures/messages/rides.tfrecord", to, &proto, &RIDES);
        let _ = writeln!(table, "| {to} | {bytes} | {texts} | {messages} |");
    }
    has_table("records", &table);
}

/// Files of other writers, when `TFXIO_REALDATA_DIR` names a folder of them: to each format and back.
#[test]
fn files_of_others_come_back_from_every_format() {
    let Some(folder) = std::env::var_os("TFXIO_REALDATA_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_REALDATA_DIR is not set");
        return;
    };
    let folder = Path::new(&folder).canonicalize().unwrap();
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let (mut pairs, mut refused) = (0, 0);
    for entry in json_lines(&manifest) {
        let from = match entry["format"].as_str() {
            Some("TFRecord") => "tfrecord",
            Some("Avro object container") => "avro",
            _ => continue,
        };
        let file = folder.join(entry["file"].as_str().unwrap()).to_str().unwrap().to_owned();
        let made = tempfile::tempdir().unwrap();
        // As this program writes it, so that names and order are the same.
        let (arrow, first) = (path(&made, "a.arrow"), path(&made, &format!("a.{from}")));
        if let Err(error) = convert_plain(&file, &arrow).and_then(|_| convert_plain(&arrow, &first)) {
            assert!(!error.to_string().is_empty());
            refused += FORMATS.len();
            continue;
        }
        let (before, types) = (shown(&first), types(&first));
        let before_by_column = by_column(&before);
        for to in FORMATS {
            let (there, back) = (path(&made, &format!("b.{to}")), path(&made, &format!("{to}.{from}")));
            let there_and_back = || {
                let mut losses = convert(&first, &there)?.losses;
                losses.extend(convert(&there, &back)?.losses);
                Ok::<_, tfxio::Error>(losses)
            };
            match there_and_back() {
                Ok(losses) => {
                    pairs += 1;
                    let after = shown(&back);
                    if after == before {
                        continue;
                    }
                    let after = by_column(&after);
                    for (name, values) in &before_by_column {
                        let within = format!("{name}.");
                        let is_of = |column: &str| column == name || column.starts_with(&within);
                        // Bytes of a fixed size are shown as a UUID where they may be one, and as bytes otherwise.
                        let is_fixed =
                            types.get(name).is_some_and(|kind| kind.to_string().contains("FixedSizeBinary"));
                        let is_said = is_fixed || losses.iter().any(|loss| is_of(&loss.column));
                        assert!(is_said || after.get(name) == Some(values), "{file} to {to}: {name}");
                    }
                }
                // Said, and nothing is left.
                Err(error) => {
                    assert!(!error.to_string().is_empty());
                    refused += 1;
                }
            }
        }
    }
    assert!(pairs > 60, "{pairs} pairs came back, {refused} were refused");
    println!("{pairs} pairs came back, {refused} were refused");
}
