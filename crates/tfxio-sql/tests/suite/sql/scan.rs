//! Scan requests of statements: columns, fields within structs, limits, counts.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray, StructArray};
use arrow_schema::{DataType, Field};
use tfxio_core::{Dataset, FileFormat as _, FormatOptions};
use tfxio_formats::IpcFormat;
use tfxio_sql::TableOptions;

use crate::sql::counting::Counting;
use crate::sql::session::{digits, fixtures, plan, rows, session, with_table};

/// A file of a column of numbers and one of structs.
fn structs(folder: &tempfile::TempDir) -> Arc<dyn Dataset> {
    let numbers: ArrayRef = Arc::new(Int64Array::from_iter_values(0..100));
    let names: ArrayRef = Arc::new(StringArray::from_iter_values((0..100).map(|n| format!("name {n}"))));
    let field = |name: &str, data_type| Arc::new(Field::new(name, data_type, true));
    let structs = StructArray::from(vec![
        (field("id", DataType::Int64), Arc::clone(&numbers)),
        (field("name", DataType::Utf8), names),
    ]);
    let batch = RecordBatch::try_from_iter([("n", numbers), ("s", Arc::new(structs) as ArrayRef)]).unwrap();
    let file = folder.path().join("structs.arrow");
    let mut sink =
        IpcFormat.sink(file.to_str().unwrap(), &batch.schema(), &FormatOptions::default()).unwrap();
    sink.write(&batch.into()).unwrap();
    sink.finish().unwrap();
    tfxio_formats::open(&file).unwrap()
}

#[tokio::test]
async fn only_the_columns_of_a_statement_are_read() {
    let counting = Counting::new(tfxio_formats::open(digits()).unwrap());
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    assert_eq!(rows(&context, "select sum(label) from t").await, "8070");
    assert_eq!(counting.columns(), ["label"]);
    assert_eq!(rows(&context, "select id from t where label = 7 order by id limit 1").await, "digit-0007");
    assert_eq!(counting.columns(), ["id", "label"]);
}

#[tokio::test]
async fn fields_of_structs_are_read_by_themselves() {
    let folder = tempfile::tempdir().unwrap();
    let counting = Counting::new(structs(&folder));
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    assert_eq!(rows(&context, "select sum(s.id) from t").await, "4950");
    assert_eq!(counting.columns(), ["s.id"]);
    assert_eq!(rows(&context, "select s['name'], n from t where n = 3").await, "name 3 3");
    assert_eq!(counting.columns(), ["s.name", "n"]);
    assert_eq!(counting.filter().as_deref(), Some("n = 3"));
    assert_eq!(rows(&context, "select s['name'] from t where s['id'] = 42").await, "name 42");
    assert_eq!(counting.columns(), ["s.id", "s.name"]);
    // The whole and a part.
    assert_eq!(rows(&context, "select s, s['id'] from t where n = 5").await, "{id: 5, name: name 5} 5");
}

#[tokio::test]
async fn counts_are_answered_without_decoding() {
    let counting = Counting::new(tfxio_formats::open(digits()).unwrap());
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    counting.reset();
    assert_eq!(rows(&context, "select count(*) from t").await, "1797");
    // The files have no indexes: their frames are counted.
    assert!(counting.scans() > 0 && counting.columns().is_empty());

    let folder = tempfile::tempdir().unwrap();
    let counting = Counting::new(structs(&folder));
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    counting.reset();
    assert_eq!(rows(&context, "select count(*) from t").await, "100");
    assert_eq!(counting.scans(), 0, "the footer says it");
}

#[tokio::test]
async fn a_limit_ends_reading() {
    let counting = Counting::new(tfxio_formats::open(digits()).unwrap());
    let context = with_table(Arc::clone(&counting) as _, &TableOptions::new());
    counting.reset();
    assert_eq!(rows(&context, "select label from t limit 3").await, "0; 1; 2");
    assert!(counting.rows() <= 6, "{}", counting.rows());
    assert!(plan(&context, "select label from t limit 3").await.contains("limit=3"));
    assert_eq!(rows(&context, "select count(*) from (select label from t limit 700)").await, "700");
}

#[tokio::test]
async fn partitions_are_those_of_the_session() {
    for (partitions, expected) in [(1, 1), (2, 2), (3, 3), (8, 3)] {
        let context = session(partitions, TableOptions::new());
        let statement = format!("select label from '{}'", digits());
        let expected = format!("partitions={expected}");
        assert!(plan(&context, &statement).await.contains(&expected), "{partitions}");
        let statement = format!("select sum(label), count(*) from '{}'", digits());
        assert_eq!(rows(&context, &statement).await, "8070 1797");
    }
}

#[tokio::test]
async fn virtual_columns_say_which_record_a_row_was() {
    let context = session(2, TableOptions::new().virtual_columns(true));
    let statement = format!("select label, _record, _offset, split_part(_file, '/', -1) from '{}'", digits());
    let third = format!("{statement} where _record = 2 and _file like '%00001-of%'");
    assert_eq!(rows(&context, &third).await, "1 2 664 digits-00001-of-00003.tfrecord");
    let hidden = session(2, TableOptions::new());
    let columns = format!("select * from '{}' limit 1", digits());
    assert_eq!(crate::sql::session::batches(&hidden, &columns).await[0].num_columns(), 3);
}

#[tokio::test]
async fn metrics_say_what_was_read() {
    let context = session(1, TableOptions::new());
    let statement = format!("explain analyze select sum(label) from '{}'", digits());
    let text = rows(&context, &statement).await;
    for expected in ["rows_decoded=1.80 K", "records_read=1.80 K", "bytes_read="] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

#[tokio::test]
async fn nothing_is_lost_of_a_file_without_rows() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.tfrecord");
    std::fs::write(&empty, b"").unwrap();
    let context = session(2, TableOptions::new());
    let statement = format!("select count(*) from read_tfxio('{}', 'format=raw')", empty.display());
    assert_eq!(rows(&context, &statement).await, "0");
    assert!(fixtures().exists());
}
