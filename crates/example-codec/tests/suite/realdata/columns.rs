//! The summary of a column that the manifest gives.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Value, json};

/// Returns a type as the manifest names it.
pub(super) fn type_name(of: &DataType) -> String {
    match of {
        DataType::LargeList(item) => format!("large_list<item: {}>", type_name(item.data_type())),
        DataType::Struct(fields) => {
            let fields =
                fields.iter().map(|field| format!("{}: {}", field.name(), type_name(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        DataType::Int64 => "int64".to_owned(),
        DataType::Float32 => "float".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::Null => "null".to_owned(),
        other => panic!("a column of {other}"),
    }
}

pub(super) fn summary(array: &ArrayRef) -> Value {
    if let Some(columns) = array.as_struct_opt() {
        let names = columns.column_names().into_iter().map(str::to_owned);
        let children = names.zip(columns.columns().iter().map(summary));
        return json!({"type": "struct", "children": children.collect::<serde_json::Map<_, _>>()});
    }
    let rows = array.len();
    if array.as_list_opt::<i64>().is_none() {
        assert_eq!(array.data_type(), &DataType::Null);
        return json!({
            "type": "null", "rows": rows, "nulls": rows, "leaf_count": rows,
            "level_lengths_crc32": [], "leaf_crc32": null,
        });
    }
    let nulls = array.null_count();
    let mut items = array.clone();
    let mut levels = Vec::new();
    while let Some(list) = items.as_list_opt::<i64>() {
        let mut lengths = crc32fast::Hasher::new();
        for row in 0..list.len() {
            let length = if list.is_null(row) { -1 } else { i64::from(list.value_length(row) as i32) };
            lengths.update(&length.to_le_bytes());
        }
        levels.push(lengths.finalize());
        let (start, end) = (list.value_offsets()[0] as usize, list.value_offsets()[list.len()] as usize);
        items = list.values().slice(start, end - start);
    }
    let mut leaves = crc32fast::Hasher::new();
    match items.data_type() {
        DataType::Int64 => {
            items.as_primitive::<Int64Type>().values().iter().for_each(|v| leaves.update(&v.to_le_bytes()));
        }
        DataType::Float32 => {
            items.as_primitive::<Float32Type>().values().iter().for_each(|v| leaves.update(&v.to_le_bytes()));
        }
        DataType::LargeBinary => {
            for value in items.as_binary::<i64>().iter().flatten() {
                leaves.update(&u32::try_from(value.len()).unwrap().to_le_bytes());
                leaves.update(value);
            }
        }
        other => panic!("a list of {other}"),
    }
    json!({
        "type": type_name(array.data_type()),
        "rows": rows, "nulls": nulls, "leaf_count": items.len(), "level_lengths_crc32": levels,
        "leaf_crc32": leaves.finalize(),
    })
}
