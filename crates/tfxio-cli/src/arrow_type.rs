//! The names of Arrow types.

use arrow_schema::DataType;

/// The name of a type as Arrow's other libraries write it, of those that records have.
pub(crate) fn name(data_type: &DataType) -> String {
    match data_type {
        DataType::LargeList(item) => format!("large_list<{}>", name(item.data_type())),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| format!("{}: {}", field.name(), name(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        DataType::Boolean => "bool".to_owned(),
        DataType::Int32 => "int32".to_owned(),
        DataType::Float64 => "float64".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::Float32 => "float32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::Null => "null".to_owned(),
        other => other.to_string(),
    }
}
