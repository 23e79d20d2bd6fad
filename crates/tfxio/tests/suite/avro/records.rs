//! Whole records as columns.

use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int32Type, Int64Type};
use arrow_array::{Array as _, RecordBatch};
use tfxio::ErrorKind;
use tfxio::avro_path::AvroSchema;
use tfxio::avro_path::container::{Codec, ContainerWriter};
use tfxio::prelude::*;

use crate::avro::test_files::{all, file, people, read, rows};

fn types(dataset: &Arc<dyn Dataset>) -> Vec<String> {
    let fields = dataset.schema().fields().iter();
    fields.map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
}

fn plain() -> OpenOptions {
    OpenOptions::new().set("layout", "plain").unwrap()
}

#[test]
fn every_field_is_a_list_unless_plain_columns_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let name = file(&folder, "a.avro", &rows(Codec::Deflate, 0..10, 60));
    let dataset = tfxio::open(&name).unwrap();
    assert!(types(&dataset).iter().all(|field| field.contains(": LargeList(")), "{:?}", types(&dataset));
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    assert_eq!(batch.column(0).as_list::<i64>().value(7).as_primitive::<Int64Type>().values(), &[7]);

    let dataset = plain().set("offsets", "32").unwrap().open(&name).unwrap();
    assert!(types(&dataset)[..2] == ["n: Int64", "text: Utf8"], "{:?}", types(&dataset));
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    assert_eq!(batch.column(0).as_primitive::<Int64Type>().values(), &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    assert!(batch.column(1).is_null(3));
    assert_eq!(batch.column(1).as_string::<i32>().value(4), "row 4");
    assert_eq!(batch.column(2).as_list::<i32>().value_length(9), 3);
}

#[test]
fn a_projection_has_its_own_order_and_passes_over_the_rest() {
    let folder = tempfile::tempdir().unwrap();
    let mut bytes = rows(Codec::Null, 0..10, 60);
    let at = bytes.windows(5).position(|window| window == b"row 4").unwrap();
    bytes[at] = 0xff;
    let name = file(&folder, "a.avro", &bytes);
    let dataset = plain().open(&name).unwrap();
    for threads in [1, 2] {
        let request = ScanRequest::new().threads(threads);
        let [batch] = read(&dataset, request.clone().columns(["below", "n"])).try_into().unwrap();
        let names = batch.schema().fields().iter().map(|field| field.name().clone()).collect::<Vec<_>>();
        assert_eq!(names, ["below", "n"]);
        assert_eq!(batch.column(1).as_primitive::<Int64Type>().value(9), 9);
        // The damaged text is not looked at unless it is asked for.
        let (_, error) = all(&mut dataset.read(request.clone()).unwrap());
        assert!(error.unwrap().to_string().contains("is not UTF-8"));
        let error = dataset.read(request.columns(["nme"])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no column \"nme\"; the columns are \"n\", \"text\", \"below\""
        );
    }
}

#[test]
fn a_projection_takes_whole_names() {
    let folder = tempfile::tempdir().unwrap();
    let schema = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [
            {"name": "n", "type": "int"}, {"name": "n.m", "type": "int"}, {"name": "o", "type": "int"}]}"#,
    )
    .unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &schema).build().unwrap();
    writer.write(&[2, 4, 6]).unwrap();
    let name = file(&folder, "a.avro", &writer.finish().unwrap());
    let dataset = plain().open(&name).unwrap();
    let [batch] = read(&dataset, ScanRequest::new().columns(["o", "n.m"])).try_into().unwrap();
    let schema = batch.schema();
    let names = schema.fields().iter().map(|field| &**field.name()).collect::<Vec<_>>();
    assert_eq!(names, ["o", "n.m"]);
    assert_eq!(batch.column(1).as_primitive::<Int32Type>().values(), &[2]);
}

#[test]
fn files_of_several_schemas_make_the_same_batches_on_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let other = AvroSchema::parse(
        r#"{"type": "record", "name": "row", "fields": [{"name": "text", "type": "string"}, {"name": "n", "type": "int"}]}"#,
    )
    .unwrap();
    let mut writer = ContainerWriter::builder(Vec::new(), &other).build().unwrap();
    for n in 0..30u8 {
        writer.write(&[2, b'a' + n % 26, 2 * n]).unwrap();
    }
    let files = [
        file(&folder, "a.avro", &rows(Codec::Null, 0..25, 60)),
        file(&folder, "b.avro", &writer.finish().unwrap()),
        file(&folder, "c.avro", &rows(Codec::Null, 25..40, 60)),
    ];
    let schema = r#"{"type": "record", "name": "row", "fields": [{"name": "n", "type": "long"}, {"name": "text", "type": ["null", "string"]}]}"#;
    let dataset = plain().set("reader_schema", schema).unwrap().open(&files[..]).unwrap();
    let mut expected = None;
    for threads in [1, 3] {
        let batches = read(&dataset, ScanRequest::new().threads(threads).batch_rows(16));
        let sizes = batches.iter().map(RecordBatch::num_rows).collect::<Vec<_>>();
        assert_eq!(sizes, [16, 16, 16, 16, 6]);
        let numbers =
            batches.iter().flat_map(|batch| batch.column(0).as_primitive::<Int64Type>().values().to_vec());
        assert_eq!(numbers.collect::<Vec<_>>(), (0..25).chain(0..30).chain(25..40).collect::<Vec<_>>());
        assert_eq!(*expected.get_or_insert_with(|| batches.clone()), batches);
    }
}

#[test]
fn records_that_contain_themselves() {
    let error = tfxio::open(people()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert!(error.to_string().contains("com.test.person"), "{error}");
    let dataset = plain().set("max_depth", 2).unwrap().open(people()).unwrap();
    let [batch] = read(&dataset, ScanRequest::new()).try_into().unwrap();
    let friends = batch.column_by_name("friends").unwrap().as_list::<i64>().value(0);
    assert_eq!(friends.len(), 3);
    assert!(friends.as_struct().column_by_name("friends").is_none(), "they would stand there a third time");
}
