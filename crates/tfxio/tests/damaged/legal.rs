//! Valid files with far more rows than bytes.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int8Type, Int32Type};
use arrow_array::{
    ArrayRef, DictionaryArray, Int8Array, Int32Array, NullArray, RecordBatch, RunArray, StringViewArray,
};

use crate::convert;

fn write(folder: &Path, column: ArrayRef) -> std::path::PathBuf {
    let batch = RecordBatch::try_from_iter([("c", column)]).unwrap();
    let path = folder.join("in.arrow");
    let file = std::fs::File::create(&path).unwrap();
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).unwrap();
    writer.write(&batch).unwrap();
    writer.finish().unwrap();
    path
}

#[test]
fn rows_without_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let rows = 20_000_000;
    let run =
        RunArray::<Int32Type>::try_new(&Int32Array::from(vec![rows]), &Int32Array::from(vec![7])).unwrap();
    let nulls = NullArray::new(rows as usize);
    for column in [Arc::new(run) as ArrayRef, Arc::new(nulls)] {
        let input = write(folder.path(), column);
        assert_eq!(convert(&input, &folder.path().join("o.arrow")).unwrap(), rows as u64);
    }
}

#[test]
fn a_type_that_the_writer_of_parquet_panics_over() {
    let folder = tempfile::tempdir().unwrap();
    let values = Arc::new(StringViewArray::from(vec!["a", "b"]));
    let column = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![0, 1, 0]), values);
    let input = write(folder.path(), Arc::new(column));
    let output = folder.path().join("o.parquet");
    // Its values are written, each where it stands.
    assert_eq!(convert(&input, &output).unwrap(), 3);
    let back = folder.path().join("o.arrow");
    assert_eq!(convert(&output, &back).unwrap(), 3);
    let mut batches =
        arrow_ipc::reader::FileReader::try_new(std::fs::File::open(back).unwrap(), None).unwrap();
    let found = batches.next().unwrap().unwrap();
    assert_eq!(found.column(0).as_string_view(), &StringViewArray::from(vec!["a", "b", "a"]));
}
