//! The names of Arrow types.

use arrow_schema::{DataType, IntervalUnit, TimeUnit, UnionMode};

/// The name of a type as Arrow's other libraries write it.
pub(crate) fn name(data_type: &DataType) -> String {
    match data_type {
        DataType::List(item) => format!("list<{}>", name(item.data_type())),
        DataType::LargeList(item) => format!("large_list<{}>", name(item.data_type())),
        DataType::ListView(item) => format!("list_view<{}>", name(item.data_type())),
        DataType::LargeListView(item) => format!("large_list_view<{}>", name(item.data_type())),
        DataType::FixedSizeList(item, items) => {
            format!("fixed_size_list<{}>[{items}]", name(item.data_type()))
        }
        DataType::RunEndEncoded(ends, values) => {
            format!("run_end_encoded<{}, {}>", name(ends.data_type()), name(values.data_type()))
        }
        DataType::Union(fields, mode) => {
            let mode = if *mode == UnionMode::Sparse { "sparse" } else { "dense" };
            let fields =
                fields.iter().map(|(_, field)| format!("{}: {}", field.name(), name(field.data_type())));
            format!("{mode}_union<{}>", fields.collect::<Vec<_>>().join(", "))
        }
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
        DataType::Int8 => "int8".to_owned(),
        DataType::Int16 => "int16".to_owned(),
        DataType::Int32 => "int32".to_owned(),
        DataType::Int64 => "int64".to_owned(),
        DataType::UInt8 => "uint8".to_owned(),
        DataType::UInt16 => "uint16".to_owned(),
        DataType::UInt32 => "uint32".to_owned(),
        DataType::UInt64 => "uint64".to_owned(),
        DataType::Float16 => "float16".to_owned(),
        DataType::Float32 => "float32".to_owned(),
        DataType::Float64 => "float64".to_owned(),
        DataType::Binary => "binary".to_owned(),
        DataType::LargeBinary => "large_binary".to_owned(),
        DataType::BinaryView => "binary_view".to_owned(),
        DataType::FixedSizeBinary(bytes) => format!("fixed_size_binary[{bytes}]"),
        DataType::Utf8 => "string".to_owned(),
        DataType::LargeUtf8 => "large_string".to_owned(),
        DataType::Utf8View => "string_view".to_owned(),
        DataType::Date32 => "date32".to_owned(),
        DataType::Date64 => "date64".to_owned(),
        DataType::Duration(unit) => format!("duration[{}]", short(*unit)),
        DataType::Interval(IntervalUnit::YearMonth) => "interval[months]".to_owned(),
        DataType::Interval(IntervalUnit::DayTime) => "interval[days, ms]".to_owned(),
        DataType::Interval(IntervalUnit::MonthDayNano) => "interval[months, days, ns]".to_owned(),
        DataType::Decimal32(precision, scale) => format!("decimal32({precision}, {scale})"),
        DataType::Decimal64(precision, scale) => format!("decimal64({precision}, {scale})"),
        DataType::Time32(unit) => format!("time32[{}]", short(*unit)),
        DataType::Time64(unit) => format!("time64[{}]", short(*unit)),
        DataType::Timestamp(unit, None) => format!("timestamp[{}]", short(*unit)),
        DataType::Timestamp(unit, Some(zone)) => format!("timestamp[{}, tz={zone}]", short(*unit)),
        DataType::Decimal128(precision, scale) => format!("decimal128({precision}, {scale})"),
        DataType::Decimal256(precision, scale) => format!("decimal256({precision}, {scale})"),
        DataType::Null => "null".to_owned(),
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
