//! Files that are made for the tests.

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::file::properties::WriterProperties;
use tfxio_core::{Batch, Dataset, FileFormat, Files, FormatOptions};
use tfxio_formats::{IpcFormat, ParquetFormat};

/// The formats, and the endings of their files.
pub const FORMATS: [(&dyn FileFormat, &str); 2] = [(&ParquetFormat, "parquet"), (&IpcFormat, "arrow")];

/// Rows `n` and `text`, whose groups have these sizes.
pub fn groups(first: i64, sizes: &[i64]) -> Vec<RecordBatch> {
    let mut start = first;
    let group = |size: &i64| {
        let numbers = start..start + size;
        start += size;
        let n: ArrayRef = Arc::new(Int64Array::from_iter_values(numbers.clone()));
        let text: ArrayRef = Arc::new(StringArray::from_iter_values(numbers.map(|n| format!("row {n}"))));
        RecordBatch::try_from_iter([("n", n), ("text", text)]).unwrap()
    };
    sizes.iter().map(group).collect()
}

/// Writes batches, a group each.
pub fn write(path: &Path, batches: &[RecordBatch]) {
    let file = std::fs::File::create(path).unwrap();
    let schema = batches[0].schema();
    if path.extension().is_some_and(|ending| ending == "arrow") {
        let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &schema).unwrap();
        batches.iter().for_each(|batch| writer.write(batch).unwrap());
        writer.finish().unwrap();
        return;
    }
    let properties =
        WriterProperties::builder().set_data_page_row_count_limit(7).set_write_batch_size(7).build();
    let mut writer = parquet::arrow::ArrowWriter::try_new(file, schema, Some(properties)).unwrap();
    for batch in batches {
        writer.write(batch).unwrap();
        writer.flush().unwrap();
    }
    writer.close().unwrap();
}

/// Files with groups of these sizes, open.
pub struct TestFiles {
    pub dataset: Arc<dyn Dataset>,
    pub rows: i64,
    _folder: tempfile::TempDir,
}

impl TestFiles {
    pub fn new(format: &dyn FileFormat, ending: &str, files: &[Vec<i64>]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut rows = 0;
        let mut names = Vec::new();
        for (index, sizes) in files.iter().enumerate() {
            let path = folder.path().join(format!("{index}.{ending}"));
            write(&path, &groups(rows, sizes));
            names.push(path.to_str().unwrap().to_owned());
            rows += sizes.iter().sum::<i64>();
        }
        let files = Files::local(names).unwrap();
        let dataset = format.open(files, &FormatOptions::default()).unwrap();
        Self { dataset, rows, _folder: folder }
    }
}

/// The numbers of a batch.
pub fn numbers(batch: &Batch) -> Vec<i64> {
    batch.columns()["n"].as_primitive::<Int64Type>().values().to_vec()
}
