//! Columns, borders of batches, and what is known without reading.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, ListBuilder, StringBuilder, StructBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Fields};
use tfxio_core::{ColumnPath, ErrorKind, OnError, ScanRequest, Skip};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::test_files::{FORMATS, TestFiles, numbers, write};

#[test]
fn batches_have_the_rows_asked_for() {
    for (format, ending) in FORMATS {
        let made = TestFiles::new(format, ending, &[vec![5, 0, 30, 2], vec![7]]);
        let sizes = |request: ScanRequest| {
            let mut scan =
                made.dataset.scan(&made.dataset.partitions(u64::MAX).unwrap()[0], &request).unwrap();
            let mut sizes = Vec::new();
            while let Some(batch) = scan.next_batch().unwrap() {
                assert_eq!(batch.schema(), *scan.schema());
                sizes.push((batch.columns().num_columns(), batch.num_rows()));
            }
            sizes
        };
        assert_eq!(sizes(ScanRequest::new().batch_rows(8)), [(2, 8), (2, 8), (2, 8), (2, 8), (2, 5)]);
        assert_eq!(sizes(ScanRequest::new().batch_rows(20).limit(25)), [(2, 20), (2, 5)]);
        assert_eq!(sizes(ScanRequest::new().columns([""; 0]).batch_rows(20)), [(0, 20), (0, 17)]);
        assert_eq!(made.dataset.count().unwrap(), 44);
        let mut all = made
            .dataset
            .read(ScanRequest::new().filter("n >= 36".parse().unwrap()).columns(["text"]))
            .unwrap();
        let rows = std::iter::from_fn(|| all.next()).map(|batch| batch.unwrap().num_rows()).sum::<usize>();
        assert_eq!(rows, 8);
    }
}

#[test]
fn only_the_columns_asked_for_in_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let fields =
        Fields::from(vec![Field::new("a", DataType::Int64, true), Field::new("b", DataType::Utf8, true)]);
    let mut steps = ListBuilder::new(StructBuilder::from_fields(fields, 4));
    let mut ids = Int64Builder::new();
    for row in 0..4 {
        ids.append_value(row);
        for value in (0..row).filter(|_| row != 2) {
            let step = steps.values();
            step.field_builder::<Int64Builder>(0)
                .unwrap()
                .append_option((value != 1).then_some(10 * row + value));
            step.field_builder::<StringBuilder>(1).unwrap().append_option((value != 1).then_some("b"));
            step.append(value != 1);
        }
        steps.append(row != 2);
    }
    let columns: [(&str, ArrayRef); 2] =
        [("id", Arc::new(ids.finish())), ("steps", Arc::new(steps.finish()))];
    let batch =
        RecordBatch::try_from_iter_with_nullable(columns.map(|(name, column)| (name, column, true))).unwrap();
    for (_, ending) in FORMATS {
        let path = folder.path().join(format!("a.{ending}"));
        write(&path, &[batch.slice(0, 1), batch.slice(1, 3)]);
        let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
        assert_eq!(dataset.schema().fields(), batch.schema().fields());
        let read = |columns: Vec<ColumnPath>| -> RecordBatch {
            dataset.read(ScanRequest::new().columns(columns)).unwrap().next().unwrap().unwrap()
        };
        assert_eq!(read(vec!["steps".into(), "id".into()]), batch.project(&[1, 0]).unwrap());
        let both = read(vec![ColumnPath::new(["steps", "b"]), "id".into(), ColumnPath::new(["steps", "a"])]);
        assert_eq!(both, batch.project(&[1, 0]).unwrap());
        let only = read(vec![ColumnPath::new(["steps", "a"])]);
        let (lists, whole) = (only.column(0).as_list::<i32>(), batch.column(1).as_list::<i32>());
        assert_eq!((lists.offsets(), lists.nulls()), (whole.offsets(), whole.nulls()));
        let structs = lists.values().as_struct();
        assert_eq!((structs.num_columns(), structs.nulls()), (1, whole.values().as_struct().nulls()));
        assert_eq!(
            structs.column(0).as_primitive::<Int64Type>(),
            whole.values().as_struct().column(0).as_primitive()
        );
        for (columns, says) in [
            (vec![ColumnPath::from("step")], "there is no column \"step\"; did you mean \"steps\"?"),
            (vec![ColumnPath::new(["steps", "c"])], "has no field \"c\"; the fields are \"a\", \"b\""),
            (vec![ColumnPath::new(["id", "c"])], "the column \"id\" has no fields"),
            (vec![ColumnPath::new([""; 0])], "a column of the request has no name"),
        ] {
            let error = dataset.read(ScanRequest::new().columns(columns)).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::InvalidArgument);
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}

#[test]
fn damage_is_not_skipped() {
    for (format, ending) in FORMATS {
        let made = TestFiles::new(format, ending, &[vec![3]]);
        let request = ScanRequest::new().on_error(OnError::Skip(Skip::default()));
        let error = made.dataset.read(request).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Unsupported);
    }
}

#[test]
fn files_of_other_columns_are_refused_when_they_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let column: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1]));
    for (_, ending) in FORMATS {
        let path = |name: &str| folder.path().join(format!("{name}.{ending}")).to_str().unwrap().to_owned();
        for name in ["a", "b"] {
            write(path(name).as_ref(), &[RecordBatch::try_from_iter([(name, Arc::clone(&column))]).unwrap()]);
        }
        let dataset = OpenOptions::new().open([path("a"), path("b")]).unwrap();
        let error = dataset.read(ScanRequest::new()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::SchemaMismatch);
        let (a, b) = (path("a"), path("b"));
        let text = format!(
            "{b}, column \"a\": the file has no column of this name, and {a} has one; set the option union_by_name to read it as \
             null, or leave the column out"
        );
        assert_eq!(error.to_string(), text);
    }
}

#[test]
fn a_description_opens_the_same_data_elsewhere() {
    use tfxio_formats::SpecExt as _;

    let folder = tempfile::tempdir().unwrap();
    for (_, ending) in FORMATS {
        let path = folder.path().join(format!("a.{ending}"));
        let column: ArrayRef = Arc::new(arrow_array::Int64Array::from(vec![1, 2]));
        write(&path, &[RecordBatch::try_from_iter([("n", column)]).unwrap()]);
        let dataset = tfxio_formats::open(path.to_str().unwrap()).unwrap();
        let spec = serde_json::to_string(&dataset.spec().unwrap()).unwrap();
        let spec: tfxio_core::DatasetSpec = serde_json::from_str(&spec).unwrap();
        assert_eq!(spec.format, ending);
        let again = spec.open().unwrap();
        let partition = again.partitions(1).unwrap().remove(0);
        let mut scan = again.scan(&partition, &ScanRequest::new()).unwrap();
        assert_eq!(numbers(&scan.next_batch().unwrap().unwrap()), [1, 2]);
    }
}
