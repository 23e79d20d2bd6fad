//! `tfxio avro-path`.

use serde_json::json;
use tfxio::avro_path::container::Codec;

use super::{PEOPLE, change, find, numbers, one};
use crate::run::{json_lines, path, tfxio};

#[test]
fn a_table_has_a_column_a_key() {
    assert_eq!(
        tfxio(["avro-path", PEOPLE, "name.first", "friends[*].age", "car.engine.power"]).ok(),
        "\
name.first  friends[*].age  car.engine.power
──────────  ──────────────  ────────────────
\"Ada\"       [null, 40, 7]                1.5
\"Max\"       []                          null
"
    );
    let long = "friends[gender='unknown'].jobs[*].coworkers[*].name.first";
    let out = tfxio([
        "avro-path",
        PEOPLE,
        long,
        "@friends[*].address[*].street",
        "cars['nickname'].color",
        "contact:phone.number",
    ])
    .ok();
    assert!(out.contains("── record 1\n") && out.lines().count() == 10, "{out}");
    assert!(out.contains(&format!("{long}  [[[\"Cy\", \"Di\"], []], [[\"Flo\"]]]\n")), "{out}");
}

#[test]
fn json_has_an_object_a_record() {
    let out =
        tfxio(["avro-path", PEOPLE, "age", "contact:string", "cars[*].engine.id", "--format", "json"]).ok();
    assert_eq!(
        json_lines(&out),
        [
            json!({"age": 36, "contact:string": "ada@example.org", "cars[*].engine.id": [5, 6]}),
            json!({"age": null, "contact:string": null, "cars[*].engine.id": []}),
        ]
    );
    let out = tfxio(["avro-path", PEOPLE, "age", "-n", "1", "--format", "json"]).ok();
    assert_eq!(out, "{\"age\": 36}\n");
    assert_eq!(tfxio(["avro-path", PEOPLE, "age", "-n", "0"]).ok(), "");
}

#[test]
fn types_need_no_record() {
    let args = [
        "avro-path",
        PEOPLE,
        "--types",
        "age",
        "name.first",
        "friends[*].address[*].zip",
        "car.engine.power",
    ];
    assert_eq!(
        tfxio(args).ok(),
        "age: int32\nname.first: large_binary\nfriends[*].address[*].zip: large_list<large_list<int64>>\n\
         car.engine.power: float32\n"
    );
}

#[test]
fn an_error_points_at_the_character() {
    for (key, what, column) in [
        (
            "friends[*].adress.street",
            "no field \"adress\" in record com.test.person; did you mean \"address\"?",
            12,
        ),
        (
            "friends[age='7'].name.first",
            "an integer is compared with a string; what stands in quotes is a text",
            13,
        ),
        ("name.", "expected a name, found the end", 6),
    ] {
        let run = tfxio(["avro-path", PEOPLE, "age", key]);
        assert_eq!((run.code, run.out.as_str()), (2, ""));
        let mark = " ".repeat(column - 1);
        assert_eq!(run.err, format!("error: key \"{key}\", column {column}: {what}\n  {key}\n  {mark}^\n"));
    }
}

#[test]
fn several_files_are_shown_one_after_the_other() {
    let folder = tempfile::tempdir().unwrap();
    let first = numbers(&folder, "a-0.avro", 15, Codec::Deflate);
    numbers(&folder, "a-1.avro", 5, Codec::Bzip2);
    let pattern = first.replace("a-0", "a-*");
    let out = tfxio(["avro-path", &pattern, "n", "--format", "json", "-n", "17"]).ok();
    let numbers = json_lines(&out).into_iter().map(|row| row["n"].as_i64().unwrap()).collect::<Vec<_>>();
    assert_eq!(numbers, (0..15).chain(0..2).collect::<Vec<_>>());
    let rows = tfxio(["avro-path", &pattern, "n", "-n", "100"]).ok();
    // One table of both.
    assert!(rows.contains("14\n 0\n") || rows.contains("14\n0\n"), "{rows}");
    assert_eq!(rows.matches('n').count(), 1, "{rows}");
}

#[test]
fn rows_before_a_damage_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "a.avro", 30, Codec::Null);
    change(&file, |bytes| {
        let at = find(bytes, b"number 23");
        bytes[at] = 0xff;
    });
    let run = tfxio(["avro-path", &file, "text", "--format", "json", "-n", "100"]);
    assert_eq!((run.code, run.out.lines().count()), (1, 23));
    assert!(run.err.starts_with(&format!("error: {file}, byte ")), "{}", run.err);
    assert!(
        run.err.contains("record 23, byte of the record 1, at text: a string of 9 bytes is not UTF-8"),
        "{}",
        run.err
    );
    // Who does not ask for the text does not see it.
    assert_eq!(tfxio(["avro-path", &file, "n", "--format", "json", "-n", "100"]).ok().lines().count(), 30);
}

#[test]
fn a_file_of_another_schema_is_named() {
    let folder = tempfile::tempdir().unwrap();
    numbers(&folder, "sa1.avro", 2, Codec::Null);
    let schema = r#"{"type": "record", "name": "other", "fields": [{"name": "text", "type": "string"}]}"#;
    let second = one(&folder, "sa2.avro", schema, &[2, b'x']);
    let run = tfxio(["avro-path", &path(&folder, "sa?.avro"), "n", "--format", "json"]);
    assert_eq!((run.code, run.out.as_str()), (1, "{\"n\": 0}\n{\"n\": 1}\n"));
    assert!(
        run.err.starts_with(&format!(
            "error: {second}: the data of the file cannot be read with the schema of the data set: "
        )),
        "{}",
        run.err
    );
    assert!(
        run.err.contains("give a schema that fits all files. For this command: --reader-schema FILE"),
        "{}",
        run.err
    );
}

#[test]
fn a_key_that_is_too_long_is_a_wrong_key() {
    let folder = tempfile::tempdir().unwrap();
    let long = "x".repeat(17_000);
    let specs = path(&folder, "specs.json");
    let spec = json!({"a": {"kind": "FixedLen", "key": long, "shape": [], "dtype": "int32"}});
    std::fs::write(&specs, spec.to_string()).unwrap();
    let what = "error: a key expression has 17000 bytes, at most 16384 are allowed";
    assert_eq!(tfxio(["avro-path", PEOPLE, &long]).fails(2), what);
    let of_tensor = what.replace("error: ", "error: tensor \"a\": ");
    assert_eq!(tfxio(["tensors", PEOPLE, "--features", &specs]).fails(2), of_tensor);
    assert_eq!(tfxio(["convert", PEOPLE, &path(&folder, "a.arrow"), "--key", &long]).fails(2), what);
}

#[test]
fn a_key_that_is_given_twice_is_said_by_its_number() {
    let error = tfxio(["avro-path", PEOPLE, "age", "name.first", "age"]).fails(2);
    assert_eq!(error, "error: key 3 is \"age\", which was given before; leave it out");
}

#[test]
fn a_file_without_records_is_no_silence() {
    let folder = tempfile::tempdir().unwrap();
    let file = numbers(&folder, "empty.avro", 0, Codec::Null);
    assert_eq!(tfxio(["avro-path", &file, "n"]).ok(), "0 records\n");
    assert_eq!(tfxio(["avro-path", &file, "n", "--format", "json"]).ok(), "");
    assert_eq!(tfxio(["avro-path", &file, "n", "--types"]).ok(), "n: int64\n");
}

#[test]
fn a_union_of_null_alone_is_a_column() {
    let folder = tempfile::tempdir().unwrap();
    let schema = r#"{"type": "record", "name": "r", "fields": [
        {"name": "x", "type": ["null"]}, {"name": "a", "type": {"type": "array", "items": ["null"]}}]}"#;
    let file = one(&folder, "a.avro", schema, &[0, 4, 0, 0, 0]);
    let out = tfxio(["avro-path", &file, "x", "a[*]", "a[0]", "--format", "json"]).ok();
    assert_eq!(json_lines(&out), [json!({"x": null, "a[*]": [null, null], "a[0]": null})]);
    let types = tfxio(["avro-path", &file, "x", "a[*]", "--types"]).ok();
    assert_eq!(types, "x: null\na[*]: large_list<null>\n");
    let arrow = path(&folder, "a.arrow");
    tfxio(["convert", &file, &arrow, "--key", "x", "--key", "a[*]"]).ok();
    assert!(std::fs::metadata(&arrow).unwrap().len() > 0);
}

#[test]
fn elements_and_keys_of_maps() {
    let keys =
        ["cars[*]~", "cars[~='other'].color", "friends[.name.first='Bo'].age", "friends[car=null].gender"];
    let out = tfxio(["avro-path", PEOPLE, "-n", "1", "--format", "json"].iter().chain(&keys)).ok();
    assert_eq!(
        json_lines(&out),
        [json!({
            "cars[*]~": ["nickname", "other"],
            "cars[~='other'].color": ["green"],
            "friends[.name.first='Bo'].age": [40],
            "friends[car=null].gender": ["unknown", "m", "unknown"],
        })]
    );
}

/// Writes an Avro file with a decimal, a timestamp, a date, a UUID and an integer, and returns its name.
fn with_logical_types(folder: &tempfile::TempDir) -> String {
    use std::sync::Arc;

    use arrow_array::{
        ArrayRef, Date32Array, Decimal128Array, FixedSizeBinaryArray, Int64Array, ListArray, RecordBatch,
        TimestampMicrosecondArray,
    };
    use arrow_buffer::OffsetBuffer;
    use arrow_schema::{DataType, Field, Schema};

    let price = || Decimal128Array::from(vec![1999]).with_precision_and_scale(9, 2).unwrap();
    let item = Arc::new(Field::new("item", DataType::Decimal128(9, 2), true));
    let prices = ListArray::new(item, OffsetBuffer::from_lengths([1]), Arc::new(price()), None);
    let uuid = FixedSizeBinaryArray::try_from_iter([[7u8; 16]].into_iter()).unwrap();
    let columns: [(&str, ArrayRef); 6] = [
        ("price", Arc::new(price())),
        ("prices", Arc::new(prices)),
        ("at", Arc::new(TimestampMicrosecondArray::from(vec![5]))),
        ("day", Arc::new(Date32Array::from(vec![5]))),
        ("id", Arc::new(uuid)),
        ("count", Arc::new(Int64Array::from(vec![5]))),
    ];
    let uuid = [("ARROW:extension:name".to_owned(), "arrow.uuid".to_owned())];
    let fields = columns.iter().map(|(name, array)| {
        let field = Field::new(*name, array.data_type().clone(), true);
        if *name == "id" { field.with_metadata(uuid.clone().into()) } else { field }
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let arrays = columns.iter().map(|(_, array)| Arc::clone(array)).collect();
    let batch = RecordBatch::try_new(Arc::clone(&schema), arrays).unwrap();
    let arrow = path(folder, "a.arrow");
    let mut writer =
        arrow_ipc::writer::FileWriter::try_new(std::fs::File::create(&arrow).unwrap(), &schema).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    let avro = path(folder, "a.avro");
    tfxio(["convert", &arrow, &avro]).ok();
    avro
}

#[test]
fn types_that_key_expressions_lose_are_said_or_refused() {
    let folder = tempfile::tempdir().unwrap();
    let avro = with_logical_types(&folder);
    let decimals = "key expressions read decimals as the bytes of their unscaled numbers, without the scale";
    let times = "key expressions read dates and times as integers, in the unit that the file has";
    let kept = "whole records, without --keys, keep the type";
    for (keys, said) in [
        (&["price"][..], vec![format!("{decimals}; {kept} (column \"price\"")]),
        (&["prices[*]"], vec![format!("{decimals}; {kept} (column \"prices[*]\"")]),
        (
            &["price", "count", "prices[0]"],
            vec![format!("{decimals}; {kept} (columns \"price\", \"prices[0]\"")],
        ),
        (&["at"], vec![format!("{times}; {kept} (column \"at\"")]),
        (&["day", "at"], vec![format!("{times}; {kept} (columns \"day\", \"at\"")]),
        (&["id"], vec![format!("key expressions read UUIDs as bytes; {kept} (column \"id\"")]),
        (
            &["price", "day"],
            vec![format!("{decimals}; {kept} (column \"price\""), format!("{times}; {kept} (column \"day\"")],
        ),
        (&["count"], vec![]),
    ] {
        let flags = keys.iter().flat_map(|key| ["--keys", key]).collect::<Vec<_>>();
        let lines = |end: &str| said.iter().map(|said| format!("note: {said}{end})\n")).collect::<String>();
        for ending in ["parquet", "jsonl", "arrow", "avro"] {
            let output = path(&folder, &format!("o.{ending}"));
            let convert = ["convert", &avro, &output];
            let run = tfxio(convert.iter().chain(&flags));
            assert_eq!((run.code, run.err), (0, lines("; --lossless refuses that")), "{keys:?} {ending}");
            std::fs::remove_file(&output).unwrap();
            let run = tfxio(convert.iter().chain(&flags).chain(&["--lossless"]));
            assert_eq!(
                (run.code, std::fs::exists(&output).unwrap()),
                if said.is_empty() { (0, true) } else { (2, false) }
            );
            assert!(
                said.is_empty() || run.err.starts_with("error: something would be lost: column "),
                "{}",
                run.err
            );
            let _ = std::fs::remove_file(&output);
        }
        for command in ["head", "tail", "sample"] {
            let seed: &[&str] = if command == "sample" { &["--seed", "1"] } else { &[] };
            let run = tfxio([command, &avro].iter().chain(&flags).chain(seed));
            assert_eq!((run.code, run.err), (0, lines("")), "{command} {keys:?}");
        }
    }
    // Of columns that are not asked for nothing is lost, and whole records keep their types.
    let run = tfxio(["head", &avro, "--keys", "price", "--keys", "count", "--columns", "count"]);
    assert_eq!((run.code, run.err.as_str()), (0, ""));
    let output = path(&folder, "o.parquet");
    tfxio([
        "convert",
        &avro,
        &output,
        "--keys",
        "price",
        "--keys",
        "count",
        "--columns",
        "count",
        "--lossless",
    ])
    .ok();
    tfxio(["convert", &avro, &output, "--lossless"]).ok();
}
