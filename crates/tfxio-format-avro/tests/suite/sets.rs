//! Avro files that are read together and differ in their schemas.

use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array, RecordBatch};
use tfxio_core::{Dataset, ErrorKind, Predicate, RecordRun, ScanRequest};
use tfxio_formats::avro_path::AvroSchema;
use tfxio_formats::avro_path::container::ContainerWriter;
use tfxio_formats::avro_path::datum::write;
use tfxio_formats::{DatasetExt as _, OpenOptions, SpecExt as _};

fn schema(fields: &str) -> String {
    format!(r#"{{"type": "record", "name": "row", "fields": [{fields}]}}"#)
}

/// Appends the bytes of a record.
type Datum = dyn Fn(&mut Vec<u8>);

/// Writes a file of records, each of these bytes.
fn file(folder: &Path, name: &str, fields: &str, records: &[&Datum]) -> String {
    let schema = AvroSchema::parse(&schema(fields)).unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
    for record in records {
        writer
            .write_with(|out| {
                record(out);
                Ok(())
            })
            .unwrap();
    }
    let path = folder.join(name);
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn plain() -> OpenOptions {
    OpenOptions::new().set("layout", "plain").unwrap()
}

fn read(dataset: &dyn Dataset, request: ScanRequest) -> Vec<RecordBatch> {
    let partitions = dataset.partitions(u64::MAX).unwrap();
    let mut batches = Vec::new();
    for partition in &partitions {
        let mut scan = dataset.scan(partition, &request).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            batches.push(batch.columns().clone());
        }
    }
    batches
}

fn numbers(batches: &[RecordBatch], column: &str) -> Vec<Option<i64>> {
    let column = |batch: &RecordBatch| {
        let column = batch.column_by_name(column).unwrap().clone();
        column.as_primitive::<Int64Type>().iter().collect::<Vec<_>>()
    };
    batches.iter().flat_map(column).collect()
}

const INT: &str = r#"{"name": "n", "type": "int"}"#;
const LONG: &str = r#"{"name": "n", "type": "long"}"#;
const MAYBE: &str = r#"{"name": "n", "type": ["null", "long"]}"#;
const TEXT: &str = r#"{"name": "text", "type": "string"}"#;
const MORE: &str = r#"{"name": "more", "type": "long", "default": 5}"#;

fn n(out: &mut Vec<u8>) {
    write::long(out, 7);
}

fn none(out: &mut Vec<u8>) {
    write::long(out, 0);
}

#[test]
fn wider_types_of_later_files_are_those_of_the_set() {
    let folder = tempfile::tempdir().unwrap();
    let int = file(folder.path(), "int.avro", INT, &[&n, &n]);
    let large = |out: &mut Vec<u8>| write::long(out, i64::MAX);
    let long = file(folder.path(), "long.avro", LONG, &[&large]);
    let maybe = file(folder.path(), "maybe.avro", MAYBE, &[&none]);
    let expected = [Some(7), Some(7), Some(i64::MAX), None];
    for files in [[&int, &long, &maybe], [&int, &maybe, &long], [&long, &int, &maybe], [&maybe, &int, &long]]
    {
        let set = plain().open(files.map(String::as_str)).unwrap();
        let mut found = numbers(&read(&*set, ScanRequest::new()), "n");
        found.sort_unstable_by_key(|n| n.unwrap_or(i64::MAX).saturating_sub(i64::from(n.is_some())));
        assert_eq!(found, expected, "{files:?}");
        let again = set.spec().unwrap().open().unwrap();
        assert_eq!(again.schema(), set.schema());
        assert_eq!(
            numbers(&read(&*again, ScanRequest::new()), "n"),
            numbers(&read(&*set, ScanRequest::new()), "n")
        );
        let threads = set.read(ScanRequest::new().threads(3)).unwrap();
        assert_eq!(threads.map(|batch| batch.unwrap().num_rows()).sum::<usize>(), 4);
        let filter = ScanRequest::new().filter("n > 7".parse::<Predicate>().unwrap());
        let rows = set.read(filter).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
        assert_eq!(rows, 1, "{files:?}");
        let mut taken = set.take(&[RecordRun::new(int.as_str(), 1, 1)], &ScanRequest::new()).unwrap();
        assert_eq!(numbers(&[taken.next_batch().unwrap().unwrap().into_columns()], "n"), [Some(7)]);
    }
}

#[test]
fn fields_of_later_files_are_not_left_out() {
    let folder = tempfile::tempdir().unwrap();
    let one = file(folder.path(), "one.avro", LONG, &[&n]);
    let both = |out: &mut Vec<u8>| {
        write::string(out, "word");
        write::long(out, 9);
    };
    let both = file(folder.path(), "both.avro", &format!("{TEXT}, {LONG}"), &[&both]);
    let set = plain().open([one.as_str(), &both]).unwrap();
    assert_eq!(numbers(&read(&*set, ScanRequest::new().columns(["n"])), "n"), [Some(7), Some(9)]);
    let error = set.read(ScanRequest::new()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(
        error.to_string(),
        format!(
            "{both}, column \"text\": the file has the column, and {one} has none of this name; set the option union_by_name to read \
             it as null, or leave the column out"
        )
    );
    let union = plain().set("union_by_name", true).unwrap().open([one.as_str(), &both]).unwrap();
    let batches = read(&*union, ScanRequest::new());
    assert_eq!(numbers(&batches, "n"), [Some(7), Some(9)]);
    let texts = batches.iter().map(|batch| batch.column_by_name("text").unwrap().null_count());
    assert_eq!(texts.collect::<Vec<_>>(), [1, 0]);
    // The rules of Avro are asked for with a schema, and leave out what it does not have.
    let given = plain().set("reader_schema", schema(LONG)).unwrap().open([one.as_str(), &both]).unwrap();
    assert_eq!(numbers(&read(&*given, ScanRequest::new()), "n"), [Some(7), Some(9)]);
    assert_eq!(given.schema().fields().len(), 1);
}

#[test]
fn defaults_and_aliases_of_the_first_schema_are_followed() {
    let folder = tempfile::tempdir().unwrap();
    let more = |out: &mut Vec<u8>| {
        write::long(out, 1);
        write::long(out, 2);
    };
    let more = file(folder.path(), "more.avro", &format!("{LONG}, {MORE}"), &[&more]);
    let less = file(folder.path(), "less.avro", LONG, &[&n]);
    let set = plain().open([more.as_str(), &less]).unwrap();
    assert_eq!(numbers(&read(&*set, ScanRequest::new()), "more"), [Some(2), Some(5)]);
    let renamed = r#"{"name": "number", "type": "long", "aliases": ["n"]}"#;
    let renamed = file(folder.path(), "renamed.avro", renamed, &[&n]);
    let set = plain().open([renamed.as_str(), &less]).unwrap();
    assert_eq!(numbers(&read(&*set, ScanRequest::new()), "number"), [Some(7), Some(7)]);
}
