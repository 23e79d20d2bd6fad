//! Columns of lists of lists in TFRecord files: written as a schema represents them, and read back as the same tensors.

use std::sync::Arc;

use arrow_array::builder::{Int64Builder, LargeListBuilder, ListBuilder};
use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use tfxio::prelude::*;
use tfxio::tensor_repr::{RowSplits, Tensor};
use tfxio::{Error, FormatOptions};

/// Returns a schema whose tensor has these partitions.
fn schema(tensor: &str, partitions: &str) -> String {
    let ragged = format!("ragged_tensor {{ feature_path {{ step: \"x\" }} {partitions} }}");
    format!(
        "feature {{ name: \"x\" type: INT }} feature {{ name: \"n\" type: INT }} feature {{ name: \"m\" type: INT }}
         tensor_representation_group {{ value {{ tensor_representation {{ key: {tensor:?} value {{ {ragged} }} }} }} }}"
    )
}

/// Returns `[[1, 2], [3, 4]]`, null, `[]`, `[[], [5, 6]]` as a column.
fn lists(name: &str) -> RecordBatch {
    let mut lists = LargeListBuilder::new(ListBuilder::new(Int64Builder::new()));
    for row in [Some(&[[Some(1), Some(2)], [Some(3), Some(4)]][..]), None, Some(&[])] {
        let Some(row) = row else {
            lists.append(false);
            continue;
        };
        row.iter().for_each(|inner| lists.values().append_value(*inner));
        lists.append(true);
    }
    lists.values().append_value([]);
    lists.values().append_value([Some(5), Some(6)]);
    lists.append(true);
    RecordBatch::try_from_iter([(name, Arc::new(lists.finish()) as ArrayRef)]).unwrap()
}

fn write(batch: &RecordBatch, path: &str, schema: Option<&str>) -> Result<(), Error> {
    let mut options = FormatOptions::default();
    if let Some(schema) = schema {
        options = options.option("schema", schema);
    }
    let mut sink = tfxio::formats().file_format("tfrecord")?.sink(path, &batch.schema(), &options)?;
    sink.write(&batch.clone().into())?;
    sink.finish().map(|_| ())
}

#[test]
fn lists_of_lists_are_written_as_their_tensor_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let lengths = "partition { row_length: \"n\" }";
    let path = folder.path().join("a.tfrecord");
    let path = path.to_str().unwrap();
    // A column has the name of the tensor, as batches of tensors have it, or that of the values.
    for (tensor, column) in [("x", "x"), ("t", "t"), ("t", "x")] {
        let schema = schema(tensor, lengths);
        write(&lists(column), path, Some(&schema)).unwrap();
        let dataset = OpenOptions::new().set("schema", schema.as_str()).unwrap().open(path).unwrap();
        let tensors = dataset.tensors(dataset.representations().unwrap()).unwrap();
        let batch = tensors.read(ScanRequest::new()).unwrap().next().unwrap().unwrap();
        let Some((_, Tensor::Ragged(ragged))) = batch.iter().find(|(name, _)| &**name == tensor) else {
            panic!("no ragged tensor")
        };
        let splits = ragged.row_splits().iter().map(|splits| match splits {
            RowSplits::Int64(splits) => splits.to_vec(),
            RowSplits::Int32(_) => panic!("32 bits"),
        });
        assert_eq!(
            splits.collect::<Vec<_>>(),
            [vec![0, 2, 2, 2, 4], vec![0, 2, 4, 4, 6]],
            "{tensor} {column}"
        );
    }
    // Two in one another, of which one is uniform: it is no level of the column.
    let uniform = schema("x", "partition { row_length: \"n\" } partition { uniform_row_length: 2 }");
    write(&lists("x"), path, Some(&uniform)).unwrap();
    let rows = OpenOptions::new().open(path).unwrap();
    let batch = rows.read(ScanRequest::new().columns(["n"])).unwrap().next_batch().unwrap().unwrap();
    let lengths = batch.columns().column(0).clone();
    let lengths = lengths.as_any().downcast_ref::<arrow_array::LargeListArray>().unwrap();
    let lengths = lengths.values().as_any().downcast_ref::<Int64Array>().unwrap();
    assert_eq!(lengths.values(), &[1, 1, 0, 1]);
}

#[test]
fn what_a_schema_does_not_divide_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let refused = |batch: &RecordBatch, schema: Option<&str>| {
        write(batch, path.to_str().unwrap(), schema).unwrap_err().to_string()
    };
    let lengths = schema("x", "partition { row_length: \"n\" }");
    let x = lists("x");
    assert!(refused(&x, None).contains("column \"x\""));
    // The schema has no tensor of it.
    assert!(refused(&lists("y"), Some(&lengths)).contains("column \"y\""));
    let deeper = schema("x", "partition { row_length: \"n\" } partition { row_length: \"m\" }");
    assert_eq!(
        refused(&x, Some(&deeper)),
        "column \"x\": the column is of type LargeList(List(Int64)), 2 lists in one another; its partitions need 3: one for \
         the rows and one for each partition of row lengths; give it one for each level of lists below the rows"
    );
    let odd = schema("x", "partition { row_length: \"n\" } partition { uniform_row_length: 3 }");
    let error = refused(&x, Some(&odd));
    assert!(
        error.contains("list 0 of level 1 has 2 items, which cannot be divided into rows of 3"),
        "{error}"
    );
    let beside = RecordBatch::try_from_iter([
        ("x", Arc::clone(x.column(0))),
        ("n", Arc::new(Int64Array::from(vec![2, 0, 0, 2])) as ArrayRef),
    ]);
    assert_eq!(
        refused(&beside.unwrap(), Some(&lengths)),
        "column \"x\": it makes the feature \"n\", and a column has that name, too; leave that column out, or name the \
         feature otherwise"
    );
    assert!(!path.exists());
}
