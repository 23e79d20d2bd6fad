//! The leaf columns of a file: which Arrow column each is, and the order in which its statistics compare values.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use arrow_schema::{DataType, Field, Schema, TimeUnit};
use parquet::basic::{ColumnOrder, LogicalType, SortOrder, TimeUnit as StoredUnit, Type};
use parquet::file::metadata::FileMetaData;
use parquet::schema::types::ColumnDescriptor;
use tfxio_core::{ColumnPath, Projection};

use tfxio_scan::filter::possible::Value;

/// A leaf column.
#[derive(Debug)]
pub(super) struct Leaf {
    /// Path in the Arrow schema; nothing where it is not known to which column the leaf belongs.
    pub(super) path: Option<ColumnPath>,
    /// Whether its values are in lists.
    pub(super) in_lists: bool,
    /// Order of its values; nothing where Arrow has other values than the file, or the format states no order.
    pub(super) order: Option<Order>,
    /// Whether the file declares that its bounds are in the order of the type.
    pub(super) is_defined: bool,
}

/// Order of values.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Order {
    Boolean,
    Signed(RangeInclusive<i128>),
    Unsigned(RangeInclusive<i128>),
    Single,
    Double,
    /// By bytes; whether they are text.
    Bytes(bool),
}

impl Order {
    /// Returns a value from its plain encoding, if it is one that a column may have and bounds can be.
    pub(super) fn value(&self, raw: &[u8]) -> Option<Value> {
        let integer = |value: i128, range: &RangeInclusive<i128>| {
            range.contains(&value).then_some(Value::Integer(value))
        };
        match self {
            Self::Boolean => Some(Value::Boolean(*raw.first()? != 0)),
            Self::Signed(range) => match raw.len() {
                4 => integer(i32::from_le_bytes(raw.try_into().ok()?).into(), range),
                _ => integer(i64::from_le_bytes(raw.try_into().ok()?).into(), range),
            },
            Self::Unsigned(range) => match raw.len() {
                4 => integer(u32::from_le_bytes(raw.try_into().ok()?).into(), range),
                _ => integer(u64::from_le_bytes(raw.try_into().ok()?).into(), range),
            },
            Self::Single => {
                let value = f32::from_le_bytes(raw.try_into().ok()?);
                (!value.is_nan()).then_some(Value::Single(value))
            }
            Self::Double => {
                let value = f64::from_le_bytes(raw.try_into().ok()?);
                (!value.is_nan()).then_some(Value::Double(value))
            }
            Self::Bytes(_) => Some(Value::Bytes(raw.to_vec())),
        }
    }

    /// Whether the writers of files from before orders were stated kept bounds in this order: as signed values.
    pub(super) fn is_oldest(&self) -> bool {
        matches!(self, Self::Signed(_) | Self::Single | Self::Double)
    }
}

/// Returns the leaf columns of a file that is read as these columns.
pub(super) fn leaves(schema: &Schema, file: &FileMetaData) -> Vec<Leaf> {
    let stored = file.schema_descr();
    let mut leaves = Vec::with_capacity(stored.num_columns());
    for (root, field) in schema.fields().iter().enumerate() {
        let mut found = Vec::new();
        append(field, &ColumnPath::new([field.name().as_str()]), false, &mut found);
        let first = leaves.len();
        let of_root =
            (first..stored.num_columns()).take_while(|leaf| stored.get_column_root_idx(*leaf) == root);
        let count = of_root.count();
        let is_same = count == found.len();
        let found = found.into_iter().map(Some).chain(std::iter::repeat_with(|| None)).take(count);
        leaves.extend(found.enumerate().map(|(at, found)| {
            let column = stored.column(first + at);
            let is_defined = matches!(file.column_order(first + at), ColumnOrder::TYPE_DEFINED_ORDER(_));
            match found.filter(|_| is_same) {
                Some((path, in_lists, data_type)) => {
                    let order = data_type.and_then(|data_type| order(&column, &data_type));
                    Leaf { path: Some(path), in_lists, order, is_defined }
                }
                None => Leaf { path: None, in_lists: true, order: None, is_defined },
            }
        }));
    }
    leaves
}

/// Returns the leaf columns that a projection reads, in order.
pub(super) fn projected(schema: &Schema, projection: &Projection, file: &FileMetaData) -> Vec<usize> {
    let stored = file.schema_descr();
    let mut narrowed: HashMap<&str, Vec<&Field>> = HashMap::new();
    for field in projection.schema().fields() {
        narrowed.entry(field.name()).or_default().push(field);
    }
    let (mut out, mut first) = (Vec::new(), 0);
    for (root, whole) in schema.fields().iter().enumerate() {
        let of_root =
            (first..stored.num_columns()).take_while(|leaf| stored.get_column_root_idx(*leaf) == root);
        let leaves = first..first + of_root.count();
        first = leaves.end;
        if projection.read().binary_search(&root).is_err() {
            continue;
        }
        let mut picked = vec![false; leaves.len()];
        for field in narrowed.get(whole.name().as_str()).into_iter().flatten() {
            let mut of_field = Vec::new();
            pick(whole, Some(field), &mut of_field);
            // Where it is not known which leaf is which, all are read.
            let is_same = of_field.len() == leaves.len();
            picked.iter_mut().zip(of_field).for_each(|(picked, other)| *picked |= other);
            picked.iter_mut().for_each(|picked| *picked |= !is_same);
        }
        // A struct of which nothing is read would leave out the column.
        let all = !picked.contains(&true);
        out.extend(leaves.zip(picked).filter(|(_, picked)| all || *picked).map(|(leaf, _)| leaf));
    }
    out
}

/// Appends for each leaf of a field whether a narrowed field has it.
fn pick(whole: &Field, kept: Option<&Field>, out: &mut Vec<bool>) {
    match (whole.data_type(), kept.map(Field::data_type)) {
        (DataType::Struct(fields), kept) => {
            let kept = match kept {
                Some(DataType::Struct(kept)) => {
                    kept.iter().rev().map(|field| (field.name(), &**field)).collect()
                }
                _ => HashMap::new(),
            };
            for field in fields {
                pick(field, kept.get(field.name()).copied(), out);
            }
        }
        (
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _),
            Some(DataType::List(kept) | DataType::LargeList(kept) | DataType::FixedSizeList(kept, _)),
        ) => pick(item, Some(kept), out),
        (_, kept) => {
            let mut leaves = Vec::new();
            append(whole, &ColumnPath::default(), false, &mut leaves);
            out.extend(leaves.iter().map(|_| kept.is_some()));
        }
    }
}

/// A leaf of an Arrow column: its path, whether it is in lists, and its type where filters reach it.
type Found = (ColumnPath, bool, Option<DataType>);

fn append(field: &Field, path: &ColumnPath, in_lists: bool, out: &mut Vec<Found>) {
    match field.data_type() {
        DataType::Struct(fields) => {
            for field in fields {
                append(field, &path.child(field.name().as_str()), in_lists, out);
            }
        }
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            append(item, path, true, out);
        }
        DataType::ListView(item) | DataType::LargeListView(item) | DataType::Map(item, _) => {
            let mut inner = Vec::new();
            append(item, path, true, &mut inner);
            // No filter reads what is in them.
            out.extend(inner.into_iter().map(|_| (path.clone(), true, None)));
        }
        DataType::Dictionary(_, value) => out.push((path.clone(), in_lists, Some((**value).clone()))),
        other => out.push((path.clone(), in_lists, Some(other.clone()))),
    }
}

/// Returns the order of the values of a column that is read as an Arrow type.
fn order(column: &ColumnDescriptor, data_type: &DataType) -> Option<Order> {
    use DataType as T;
    let (stored, logical) = (column.physical_type(), column.logical_type_ref());
    let sort = ColumnOrder::sort_order_for_type(logical, column.converted_type(), stored);
    let is_signed = sort == SortOrder::SIGNED && matches!(stored, Type::INT32 | Type::INT64);
    let is_unsigned = sort == SortOrder::UNSIGNED && matches!(stored, Type::INT32 | Type::INT64);
    let is_bytes =
        sort == SortOrder::UNSIGNED && matches!(stored, Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
    let signed = |bits: u32| Order::Signed(-(1i128 << (bits - 1))..=(1i128 << (bits - 1)) - 1);
    let unsigned = |bits: u32| Order::Unsigned(0..=(1i128 << bits) - 1);
    // Decimals and times that Arrow has in another unit are not compared.
    let is_plain = matches!(logical, None | Some(LogicalType::Integer(_)));
    Some(match data_type {
        T::Boolean if stored == Type::BOOLEAN => Order::Boolean,
        T::Int8 if is_signed && is_plain => signed(8),
        T::Int16 if is_signed && is_plain => signed(16),
        T::Int32 if is_signed && is_plain => signed(32),
        T::Int64 if is_signed && is_plain => signed(64),
        T::UInt8 if is_unsigned => unsigned(8),
        T::UInt16 if is_unsigned => unsigned(16),
        T::UInt32 if is_unsigned => unsigned(32),
        T::UInt64 if is_unsigned => unsigned(64),
        T::Date32 if stored == Type::INT32 && matches!(logical, Some(LogicalType::Date)) => signed(32),
        T::Timestamp(unit, _) => match logical {
            Some(LogicalType::Timestamp(stored)) if is_unit(*unit, &stored.unit) => signed(64),
            _ => return None,
        },
        T::Float32 if stored == Type::FLOAT => Order::Single,
        T::Float64 if stored == Type::DOUBLE => Order::Double,
        T::Utf8 | T::LargeUtf8 | T::Utf8View if is_bytes => Order::Bytes(true),
        T::Binary | T::LargeBinary | T::BinaryView | T::FixedSizeBinary(_) if is_bytes => Order::Bytes(false),
        _ => return None,
    })
}

fn is_unit(unit: TimeUnit, stored: &StoredUnit) -> bool {
    matches!(
        (unit, stored),
        (TimeUnit::Millisecond, StoredUnit::MILLIS)
            | (TimeUnit::Microsecond, StoredUnit::MICROS)
            | (TimeUnit::Nanosecond, StoredUnit::NANOS)
    )
}
