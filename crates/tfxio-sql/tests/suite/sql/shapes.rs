//! Features as values and as text, and what does not fit later.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeBinaryBuilder, LargeListBuilder};
use arrow_array::{ArrayRef, RecordBatch};
use tfxio_core::{Dataset, FormatOptions};
use tfxio_sql::TableOptions;

use crate::sql::session::{digits, failure, rows, session, with_table};

/// Records with the features `n`, of these numbers of values, and `s`, of these bytes; nothing where a feature is absent.
fn records(folder: &tempfile::TempDir, rows: &[(Option<usize>, Option<&[u8]>)]) -> Arc<dyn Dataset> {
    let mut numbers = LargeListBuilder::new(Int64Builder::new());
    let mut bytes = LargeListBuilder::new(LargeBinaryBuilder::new());
    for (row, (count, text)) in rows.iter().enumerate() {
        numbers.append_option(count.map(|count| vec![Some(row as i64); count]));
        bytes.append_option(text.map(|text| [Some(text)]));
    }
    let columns: [(&str, ArrayRef); 2] = [("n", Arc::new(numbers.finish())), ("s", Arc::new(bytes.finish()))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let file = folder.path().join("records.tfrecord");
    let formats = tfxio_formats::formats();
    let format = formats.file_format("tfrecord").unwrap();
    let mut sink = format.sink(file.to_str().unwrap(), &batch.schema(), &FormatOptions::default()).unwrap();
    sink.write(&batch.into()).unwrap();
    sink.finish().unwrap();
    tfxio_formats::open(&file).unwrap()
}

#[tokio::test]
async fn one_value_a_row_is_a_value_and_utf8_is_text() {
    let context = session(2, TableOptions::new());
    let statement = format!(
        "select arrow_typeof(label), arrow_typeof(id), arrow_typeof(image) from '{}' limit 1",
        digits()
    );
    assert_eq!(rows(&context, &statement).await, "Int64 LargeUtf8 LargeList(Float32)");
    let lists = session(2, TableOptions::new().scalars(false).text(false));
    assert_eq!(rows(&lists, &statement).await, "LargeList(Int64) LargeList(LargeBinary) LargeList(Float32)");
    let bytes = session(2, TableOptions::new().text(false));
    assert_eq!(rows(&bytes, &statement).await, "Int64 LargeBinary LargeList(Float32)");
}

#[tokio::test]
async fn an_absent_feature_is_null() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = records(&folder, &[(Some(1), Some(b"a")), (None, None), (Some(1), Some("ü".as_bytes()))]);
    let context = with_table(dataset, &TableOptions::new());
    assert_eq!(rows(&context, "select coalesce(n, -1), coalesce(s, '-') from t").await, "0 a; -1 -; 2 ü");
    assert_eq!(rows(&context, "select count(*) from t where n is null").await, "1");
    assert_eq!(rows(&context, "select count(*) from t where s is not null and s > 'b'").await, "1");
}

#[tokio::test]
async fn an_empty_feature_makes_a_list() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = records(&folder, &[(Some(1), Some(b"a")), (Some(0), Some(b"\xff"))]);
    let context = with_table(dataset, &TableOptions::new());
    let types = "select arrow_typeof(n), arrow_typeof(s) from t limit 1";
    assert_eq!(rows(&context, types).await, "LargeList(Int64) LargeBinary");
}

#[tokio::test]
async fn a_later_exception_is_an_error_with_its_record() {
    let folder = tempfile::tempdir().unwrap();
    let dataset = records(&folder, &[(Some(1), Some(b"a")), (Some(1), Some(b"b")), (Some(2), Some(b"\xff"))]);
    let options = TableOptions::new().sample_rows(2);
    let context = with_table(Arc::clone(&dataset), &options);
    let found = failure(&context, "select n from t").await;
    assert!(
        found.ends_with("record 2, column \"n\": there are 2 values here, and one in each row before; make columns of lists: the option scalars is false then, on the command line --lists"),
        "{found}"
    );
    let found = failure(&context, "select s from t").await;
    assert!(found.contains("record 2, column \"s\": the bytes are not UTF-8"), "{found}");
    // What is not asked for is not looked at.
    assert_eq!(rows(&context, "select count(*) from t").await, "3");
    // All rows are looked at.
    let context = with_table(dataset, &TableOptions::new());
    assert_eq!(rows(&context, "select sum(cardinality(n)) from t").await, "4");
}
