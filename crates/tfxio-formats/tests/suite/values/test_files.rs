//! Files that the tests of values make.

use std::path::Path;
use std::sync::Arc;

use tfxio_formats::example_codec::Example;
use tfxio_formats::tfxio_core::{Dataset, Result, ScanRequest};
use tfxio_formats::{DatasetExt as _, OpenOptions};

use crate::seam::test_files::{FileLayout, write_records};

/// Writes a file of tf.Examples, and returns its path.
pub fn examples(folder: &Path, name: &str, records: impl IntoIterator<Item = Example>) -> String {
    let path = folder.join(name);
    write_records(&path, FileLayout::Plain, records.into_iter().map(|record| record.to_vec()));
    path.to_str().unwrap().to_owned()
}

/// Returns options that make scalars and text of what they can.
pub fn both() -> OpenOptions {
    OpenOptions::new().scalars(true).text(true)
}

/// Returns the types of the columns, by name.
pub fn types(dataset: &Arc<dyn Dataset>) -> Vec<String> {
    let fields = dataset.schema().fields().iter();
    fields.map(|field| format!("{}: {}", field.name(), field.data_type())).collect()
}

/// Returns all rows as JSON would have them, a text each.
pub fn rows(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> Result<Vec<String>> {
    use arrow_array::Array;
    use arrow_array::cast::AsArray as _;

    fn shown(column: &dyn Array, row: usize) -> String {
        use arrow_schema::DataType as T;
        if column.is_null(row) {
            return "null".to_owned();
        }
        let all = |values: Arc<dyn Array>| {
            format!("[{}]", (0..values.len()).map(|at| shown(&*values, at)).collect::<Vec<_>>().join(","))
        };
        match column.data_type() {
            T::Int64 => column.as_primitive::<arrow_array::types::Int64Type>().value(row).to_string(),
            T::Int32 => column.as_primitive::<arrow_array::types::Int32Type>().value(row).to_string(),
            T::Float32 => column.as_primitive::<arrow_array::types::Float32Type>().value(row).to_string(),
            T::Utf8 => format!("{:?}", column.as_string::<i32>().value(row)),
            T::LargeUtf8 => format!("{:?}", column.as_string::<i64>().value(row)),
            T::Binary => format!("b{:?}", column.as_binary::<i32>().value(row)),
            T::LargeBinary => format!("b{:?}", column.as_binary::<i64>().value(row)),
            T::List(_) => all(column.as_list::<i32>().value(row)),
            T::LargeList(_) => all(column.as_list::<i64>().value(row)),
            T::FixedSizeList(..) => all(column.as_fixed_size_list().value(row)),
            T::Struct(_) => {
                let values = column.as_struct().columns().iter().map(|values| shown(&**values, row));
                format!("{{{}}}", values.collect::<Vec<_>>().join(","))
            }
            other => panic!("no text of {other}"),
        }
    }
    let mut rows = Vec::new();
    for batch in dataset.read(request)? {
        let batch = batch?;
        for row in 0..batch.num_rows() {
            let values = batch.columns().iter().map(|column| shown(&**column, row));
            rows.push(values.collect::<Vec<_>>().join(" "));
        }
    }
    Ok(rows)
}
