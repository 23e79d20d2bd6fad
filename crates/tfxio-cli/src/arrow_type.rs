//! The names of Arrow types.

use arrow_schema::{DataType, TimeUnit};

/// The name of a type as Arrow's other libraries write it, of those that records have.
pub(crate) fn name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) => format!("list<{}>", name(item.data_type())),
        DataType::LargeList(item) => format!("large_list<{}>", name(item.data_type())),
        DataType::Struct(fields) => {
            let fields = fields.iter().map(|field| format!("{}: {}", field.name(), name(field.data_type())));
            format!("struct<{}>", fields.collect::<Vec<_>>().join(", "))
        }
        DataType::Map(entries, _) => match entries.data_type() {
            DataType::Struct(fields) => {
                let fields = fields.iter().map(|field| name(field.data_type()));
                format!("map<{}>", fields.collect::<Vec<_>>().join(", "))
            }
            other => format!("map<{}>", name(other)),
        },
        DataType::Dictionary(keys, values) => format!("dictionary<{}, {}>", name(keys), name(values)),
        DataType::Boolean => "bool".to_owned(),
        DataType::Int32 => "int32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::Float32 => "float32".to_owned(),
        DataType::Float64 => "float64".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::FixedSizeBinary(bytes) => format!("fixed_size_binary[{bytes}]"),
        DataType::Utf8 => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Date32 => "date32".to_owned(),
        DataType::Time32(unit) => format!("time32[{}]", short(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", short(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", short(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, tz={zone}]", short(*unit)),
        DataType::Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        DataType::Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        DataType::Null => "null".to_owned(),
        other => other.to_string(),
    }
}

fn short(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Second => "s",
        TimeUnit::Millisecond => "ms",
        TimeUnit::Microsecond => "us",
        TimeUnit::Nanosecond => "ns",
    }
}
