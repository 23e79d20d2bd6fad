//! Files of other writers, by the manifests that came with them.

use std::path::{Path, PathBuf};

use avro_path::container::{Codec, ContainerReader};
use avro_path::datum::single_object;
use avro_path::{AvroSchema, Limits};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::containers::test_data::read_json;

/// Set `TFXIO_GOLDEN_DIR` to the folder that has `avro-files`.
#[test]
fn files_of_the_manifest() {
    let Some(folder) = folder("TFXIO_GOLDEN_DIR").map(|folder| folder.join("avro-files")) else { return };
    let manifest = std::fs::read_to_string(folder.join("manifest.json")).unwrap();
    let entries: Vec<Value> = serde_json::from_str(&manifest).unwrap();
    let mut read = 0;
    for entry in &entries {
        let name = entry["file"].as_str().unwrap();
        let codec = entry["codec"].as_str().unwrap_or("null").parse::<Codec>();
        if codec.is_ok_and(|codec| !codec.is_supported()) {
            continue;
        }
        check(&folder.join(name), entry);
        read += 1;
    }
    assert!(read > 30, "{read} files");
}

fn check(path: &Path, entry: &Value) {
    let name = path.display();
    let file = std::fs::read(path).unwrap();
    let (records, error) = read_json(&file, Limits::default());
    let expected = &entry["expected"];
    if let Some(expected) = expected["records"].as_array() {
        assert!(error.is_none(), "{name}: {error:?}");
        let records = parsed(&records);
        assert_eq!(records.len(), expected.len(), "{name}");
        for (found, expected) in records.iter().zip(expected) {
            assert!(alike(found, &as_ours(expected, &Bytes::Base64)), "{name}:\n{found}\n{expected}");
        }
        return;
    }
    let error = error.unwrap_or_else(|| panic!("{name}: no error, but {}", entry["corrupt"]));
    assert!(error.position().file.is_some(), "{name}: {error}");
    let before = expected["records_before_error"].as_array().map_or_else(
        || usize::try_from(expected["records_before_error"].as_u64().unwrap()).unwrap(),
        Vec::len,
    );
    let found = records.len();
    // What the manifest's notes allow beside what it expects.
    let also = match entry["file"].as_str().unwrap() {
        "bad-truncated-in-sync.avro" => 6,
        "bad-count-too-high.avro" | "bad-deflate-trailing.avro" => 2,
        _ => before,
    };
    assert!(found == before || found == also, "{name}: {found} records before {error}");
}

/// Set `TFXIO_REALDATA_DIR` to the folder with `MANIFEST.jsonl`.
#[test]
fn files_of_other_writers() {
    let Some(folder) = folder("TFXIO_REALDATA_DIR") else { return };
    let manifest = std::fs::read_to_string(folder.join("MANIFEST.jsonl")).unwrap();
    let mut read = 0;
    for line in manifest.lines() {
        let entry: Value = serde_json::from_str(line).unwrap();
        let path = folder.join(entry["file"].as_str().unwrap());
        match entry["format"].as_str() {
            Some("Avro object container") => real_file(&folder, &path, &entry),
            Some("Avro single-object encoding") => real_message(&path, &entry),
            Some("Avro schema JSON") => {
                AvroSchema::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
            }
            _ => continue,
        }
        read += 1;
    }
    assert!(read > 0, "the manifest names no Avro file");
}

fn real_file(folder: &Path, path: &Path, entry: &Value) {
    let name = path.display();
    let expected = &entry["expected"];
    let file = std::fs::read(path).unwrap();
    let codec = entry["compression"].as_str().unwrap().parse::<Codec>();
    if codec.as_ref().is_ok_and(|codec| !codec.is_supported()) {
        return;
    }
    let (records, error) = read_json(&file, Limits::default());
    if expected["must_fail"] == true {
        assert!(error.is_some(), "{name}");
        return;
    }
    assert!(error.is_none(), "{name}: {error:?}");
    let mut reader = ContainerReader::open(path).unwrap();
    assert_eq!(reader.header().codec(), codec.unwrap(), "{name}");
    let (mut count, mut bytes, mut counts) = (0, 0, Vec::new());
    while let Some(block) = reader.next_block().unwrap() {
        count += block.count();
        bytes += block.bytes().len();
        counts.push(block.count());
    }
    assert_eq!(expected["records"], count, "{name}");
    assert_eq!(expected["total_bytes"], bytes, "{name}");
    if let Some(blocks) = expected["block_counts"].as_array() {
        assert_eq!(*blocks, counts, "{name}");
    }
    if let Some(rows) = expected["rows_file"].as_str() {
        let rows = std::fs::read_to_string(folder.join(rows)).unwrap();
        let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
        let records = parsed(&records);
        assert_eq!(records.len(), rows.len(), "{name}");
        for (found, row) in records.iter().zip(&rows) {
            assert!(alike(found, &as_ours(row, &Bytes::Hex)), "{name}:\n{found}\n{row}");
        }
    }
}

fn real_message(path: &Path, entry: &Value) {
    let message = std::fs::read(path).unwrap();
    let schema = path.with_file_name(entry["file"].as_str().unwrap().replace(".bin", ".avsc"));
    let schema = AvroSchema::parse(&std::fs::read_to_string(schema).unwrap()).unwrap();
    let (fingerprint, datum) = single_object::split(&message).unwrap();
    assert_eq!(fingerprint, schema.fingerprint());
    let mut reader = avro_path::datum::DatumReader::new(datum);
    let mut json = Vec::new();
    avro_path::datum::write_json(&schema, &mut reader, &Limits::default(), &mut json).unwrap();
    assert!(reader.is_empty());
    let found: Value = serde_json::from_slice(&json).unwrap();
    assert_eq!(found, entry["expected"]["value"]);
}

fn folder(variable: &str) -> Option<PathBuf> {
    let folder = std::env::var_os(variable).filter(|folder| !folder.is_empty());
    if folder.is_none() {
        println!("left out: {variable} is not set");
    }
    folder.map(PathBuf::from)
}

fn parsed(records: &[String]) -> Vec<Value> {
    records.iter().map(|record| serde_json::from_str(record).unwrap()).collect()
}

/// Encoding of bytes in a manifest.
enum Bytes {
    Base64,
    Hex,
}

/// Returns a value of a manifest in the form that we write.
fn as_ours(value: &Value, form: &Bytes) -> Value {
    match value {
        Value::Array(items) => items.iter().map(|item| as_ours(item, form)).collect(),
        Value::Object(map) => {
            if let Some(text) = map.get("$float") {
                return text.clone();
            }
            match (map.get("$bytes").and_then(Value::as_str), form) {
                (Some(text), Bytes::Base64) => json!({ "base64": text }),
                (Some(text), Bytes::Hex) => {
                    let byte = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
                    let bytes: Vec<u8> = (0..text.len()).step_by(2).map(byte).collect();
                    json!({ "base64": STANDARD.encode(bytes) })
                }
                (None, _) => map.iter().map(|(key, value)| (key.clone(), as_ours(value, form))).collect(),
            }
        }
        other => other.clone(),
    }
}

/// Returns whether values are equal, where the manifest has no logical type, of which we write the base type, and
/// floats of 32 bits as doubles.
fn alike(found: &Value, expected: &Value) -> bool {
    const LOGICAL: [&str; 5] = ["$decimal", "$datetime", "$date", "$time", "$uuid"];
    match (found, expected) {
        (_, Value::Object(map)) if map.keys().any(|key| LOGICAL.contains(&key.as_str())) => true,
        (Value::Object(found), Value::Object(expected)) => {
            found.len() == expected.len()
                && found
                    .iter()
                    .all(|(key, value)| expected.get(key).is_some_and(|expected| alike(value, expected)))
        }
        (Value::Array(found), Value::Array(expected)) => {
            found.len() == expected.len()
                && found.iter().zip(expected).all(|(found, expected)| alike(found, expected))
        }
        (Value::Number(found), Value::Number(expected)) => {
            found == expected
                || found.as_f64().unwrap() as f32 == expected.as_f64().unwrap() as f32
                    && (found.is_f64() || expected.is_f64())
        }
        (found, expected) => found == expected,
    }
}
