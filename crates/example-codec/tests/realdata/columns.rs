//! The summary of a column that the manifest gives.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use serde_json::{Value, json};

pub(super) fn summary(array: &ArrayRef) -> Value {
    let rows = array.len();
    let Some(list) = array.as_list_opt::<i64>() else {
        assert_eq!(array.data_type(), &DataType::Null);
        return json!({
            "type": "null", "rows": rows, "nulls": rows, "leaf_count": rows,
            "level_lengths_crc32": [], "leaf_crc32": null,
        });
    };
    let mut lengths = crc32fast::Hasher::new();
    for row in 0..rows {
        let length = if list.is_null(row) { -1 } else { i64::from(list.value_length(row) as i32) };
        lengths.update(&length.to_le_bytes());
    }
    let (start, end) = (list.value_offsets()[0] as usize, list.value_offsets()[rows] as usize);
    let items = list.values().slice(start, end - start);
    let mut leaves = crc32fast::Hasher::new();
    let name = match items.data_type() {
        DataType::Int64 => {
            items.as_primitive::<Int64Type>().values().iter().for_each(|v| leaves.update(&v.to_le_bytes()));
            "int64"
        }
        DataType::Float32 => {
            items.as_primitive::<Float32Type>().values().iter().for_each(|v| leaves.update(&v.to_le_bytes()));
            "float"
        }
        DataType::LargeBinary => {
            for value in items.as_binary::<i64>().iter().flatten() {
                leaves.update(&u32::try_from(value.len()).unwrap().to_le_bytes());
                leaves.update(value);
            }
            "large_binary"
        }
        other => panic!("a list of {other}"),
    };
    json!({
        "type": format!("large_list<item: {name}>"), "rows": rows, "nulls": list.null_count(),
        "leaf_count": items.len(), "level_lengths_crc32": [lengths.finalize()], "leaf_crc32": leaves.finalize(),
    })
}
