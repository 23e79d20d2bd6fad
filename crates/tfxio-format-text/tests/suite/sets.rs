//! CSV files that are read together and differ in their headers.

use std::path::Path;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use arrow_schema::{DataType, Field, Schema};
use tfxio_formats::tfxio_core::{Dataset, DatasetSpec, ErrorKind, Predicate, RecordRun, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions, SpecExt as _};

fn file(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

fn plain() -> OpenOptions {
    OpenOptions::new().set("layout", "plain").unwrap()
}

fn read(dataset: &dyn Dataset, request: &ScanRequest, target: u64) -> Vec<RecordBatch> {
    let mut batches = Vec::new();
    for partition in &dataset.partitions(target).unwrap() {
        let mut scan = dataset.scan(partition, request).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            batches.push(batch.columns().clone());
        }
    }
    batches
}

fn ids(batches: &[RecordBatch]) -> Vec<i64> {
    let ids = |batch: &RecordBatch| {
        batch.column_by_name("id").unwrap().as_primitive::<Int64Type>().values().to_vec()
    };
    batches.iter().flat_map(ids).collect()
}

#[test]
fn cells_are_those_of_the_columns_that_each_header_names() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a.csv", "id,text\n1,x\n2,y\n");
    let b = file(folder.path(), "b.csv", "text,id\nz,3\n\"a\nb\",4\n");
    let c = file(folder.path(), "c.csv", "id,text\n5,w\n");
    let set = plain().open([a.as_str(), &b, &c]).unwrap();
    for target in [1, u64::MAX] {
        let batches = read(&*set, &ScanRequest::new().threads(2), target);
        assert_eq!(ids(&batches), [1, 2, 3, 4, 5]);
        let texts = batches.iter().flat_map(|batch| {
            let texts = batch.column_by_name("text").unwrap().as_string::<i64>();
            (0..texts.len()).map(|row| texts.value(row).to_owned()).collect::<Vec<_>>()
        });
        assert_eq!(texts.collect::<Vec<_>>(), ["x", "y", "z", "a\nb", "w"]);
    }
    let again = set.spec().unwrap().open().unwrap();
    assert_eq!(ids(&read(&*again, &ScanRequest::new(), u64::MAX)), [1, 2, 3, 4, 5]);
    let mut taken = set.take(&[RecordRun::new(b.as_str(), 1, 1)], &ScanRequest::new()).unwrap();
    assert_eq!(ids(&[taken.next_batch().unwrap().unwrap().into_columns()]), [4]);
    let filter = ScanRequest::new().filter("text = 'z' or id = 5".parse::<Predicate>().unwrap());
    let rows = set.read(filter).unwrap().map(|batch| batch.unwrap().num_rows()).sum::<usize>();
    assert_eq!(rows, 2);
}

#[test]
fn types_are_merged_and_missing_columns_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a.csv", "id,x\n1,1\n");
    let b = file(folder.path(), "b.csv", "x,id\n2.5,2\n");
    let set = plain().open([a.as_str(), &b]).unwrap();
    let batches = read(&*set, &ScanRequest::new(), u64::MAX);
    let x = |batch: &RecordBatch| {
        batch.column_by_name("x").unwrap().as_primitive::<Float64Type>().values().to_vec()
    };
    assert_eq!(batches.iter().flat_map(x).collect::<Vec<_>>(), [1.0, 2.5]);
    let c = file(folder.path(), "c.csv", "id,y\n3,word\n");
    let set = plain().open([a.as_str(), &c]).unwrap();
    assert_eq!(ids(&read(&*set, &ScanRequest::new().columns(["id"]), u64::MAX)), [1, 3]);
    let error = set.read(ScanRequest::new()).map(drop).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
    assert_eq!(
        error.to_string(),
        format!(
            "{c}, column \"x\": the file has no column of this name, and {a} has one; set the option union_by_name to read it as \
             null, or leave the column out"
        )
    );
    let union = plain().set("union_by_name", true).unwrap().open([a.as_str(), &c]).unwrap();
    let batches = read(&*union, &ScanRequest::new(), u64::MAX);
    let nulls = |name: &str| {
        batches.iter().map(|batch| batch.column_by_name(name).unwrap().null_count()).collect::<Vec<_>>()
    };
    assert_eq!((nulls("id"), nulls("x"), nulls("y")), (vec![0, 0], vec![0, 1], vec![1, 0]));
    let d = file(folder.path(), "d.csv", "x,id\nword,4\n");
    let set = plain().open([a.as_str(), &d]).unwrap();
    let error = set.read(ScanRequest::new()).map(drop).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "{d}, column \"x\": the column is LargeUtf8 in this file, and Int64 in {a}; read the column as text with the option \
             text_columns, or leave the column out"
        )
    );
    let texts = plain().set("text_columns", vec!["x".to_owned()]).unwrap().open([a.as_str(), &d]).unwrap();
    assert_eq!(ids(&read(&*texts, &ScanRequest::new(), u64::MAX)), [1, 4]);
}

#[test]
fn a_schema_may_name_fewer_columns_than_a_file_has() {
    let folder = tempfile::tempdir().unwrap();
    let a = file(folder.path(), "a.csv", "x,id,text\n0.5,1,x\n1.5,2,y\n");
    let schema = Schema::new(vec![
        Field::new("text", DataType::LargeUtf8, true),
        Field::new("id", DataType::Int64, true),
    ]);
    let spec = DatasetSpec::new("csv", vec![a.as_str().into()], schema.into());
    let mut options = spec.options.clone();
    options.insert("layout".to_owned(), "plain".into());
    let set = OpenOptions::new().open_spec(&spec.options(options)).unwrap();
    let batches = read(&*set, &ScanRequest::new(), u64::MAX);
    assert_eq!(ids(&batches), [1, 2]);
    assert_eq!(batches[0].schema().field(0).name(), "text");
    assert_eq!(batches[0].column(0).as_string::<i64>().value(1), "y");
}
