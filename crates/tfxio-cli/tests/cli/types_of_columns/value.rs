//! Values of columns, whatever their type, and whether one is another again.

use arrow_array::cast::AsArray as _;
use arrow_array::types::*;
use arrow_array::{Array, ArrowPrimitiveType};
use arrow_buffer::i256;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::text;

/// A value of a column.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Bool(bool),
    Whole(i128),
    /// The bits of floats.
    Half(u16),
    Single(u32),
    Double(u64),
    Text(String),
    Bytes(Vec<u8>),
    /// Digits, and how many of them are in the fraction.
    Decimal(i256, i32),
    /// A number of a unit, which is so many nanoseconds.
    Time(Of, i128, i128),
    /// Months, days and nanoseconds.
    Interval(i128, i128, i128),
    List(Vec<Value>),
    Fields(Vec<(String, Value)>),
    Map(Vec<(Value, Value)>),
    Union(String, Box<Value>),
}

/// Origin that a time counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    /// 1970-01-01 in UTC.
    Moment,
    /// 1970-01-01 of no stated zone.
    Local,
    /// Midnight.
    Day,
    /// Nothing: a duration.
    Span,
}

/// Whether a value is another again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    Same,
    /// It is, but for the bits of a NaN.
    Nan,
    /// It is the nearest float.
    Near,
    Other,
}

fn per_tick(unit: TimeUnit) -> i128 {
    match unit {
        TimeUnit::Second => 1_000_000_000,
        TimeUnit::Millisecond => 1_000_000,
        TimeUnit::Microsecond => 1_000,
        TimeUnit::Nanosecond => 1,
    }
}

/// Returns the value of a row.
pub(super) fn of(column: &dyn Array, row: usize) -> Value {
    fn native<T: ArrowPrimitiveType>(column: &dyn Array, row: usize) -> T::Native {
        column.as_primitive::<T>().value(row)
    }
    let items = |items: &dyn Array| Value::List((0..items.len()).map(|item| of(items, item)).collect());
    if column.is_null(row) {
        return Value::Null;
    }
    match column.data_type() {
        DataType::Null => Value::Null,
        DataType::Boolean => Value::Bool(column.as_boolean().value(row)),
        DataType::Int8 => Value::Whole(native::<Int8Type>(column, row).into()),
        DataType::Int16 => Value::Whole(native::<Int16Type>(column, row).into()),
        DataType::Int32 => Value::Whole(native::<Int32Type>(column, row).into()),
        DataType::Int64 => Value::Whole(native::<Int64Type>(column, row).into()),
        DataType::UInt8 => Value::Whole(native::<UInt8Type>(column, row).into()),
        DataType::UInt16 => Value::Whole(native::<UInt16Type>(column, row).into()),
        DataType::UInt32 => Value::Whole(native::<UInt32Type>(column, row).into()),
        DataType::UInt64 => Value::Whole(native::<UInt64Type>(column, row).into()),
        DataType::Float16 => Value::Half(native::<Float16Type>(column, row).to_bits()),
        DataType::Float32 => Value::Single(native::<Float32Type>(column, row).to_bits()),
        DataType::Float64 => Value::Double(native::<Float64Type>(column, row).to_bits()),
        DataType::Utf8 => Value::Text(column.as_string::<i32>().value(row).to_owned()),
        DataType::LargeUtf8 => Value::Text(column.as_string::<i64>().value(row).to_owned()),
        DataType::Utf8View => Value::Text(column.as_string_view().value(row).to_owned()),
        DataType::Binary => Value::Bytes(column.as_binary::<i32>().value(row).to_vec()),
        DataType::LargeBinary => Value::Bytes(column.as_binary::<i64>().value(row).to_vec()),
        DataType::BinaryView => Value::Bytes(column.as_binary_view().value(row).to_vec()),
        DataType::FixedSizeBinary(_) => Value::Bytes(column.as_fixed_size_binary().value(row).to_vec()),
        DataType::Decimal32(_, scale) => {
            Value::Decimal(i256::from_i128(native::<Decimal32Type>(column, row).into()), (*scale).into())
        }
        DataType::Decimal64(_, scale) => {
            Value::Decimal(i256::from_i128(native::<Decimal64Type>(column, row).into()), (*scale).into())
        }
        DataType::Decimal128(_, scale) => {
            Value::Decimal(i256::from_i128(native::<Decimal128Type>(column, row)), (*scale).into())
        }
        DataType::Decimal256(_, scale) => {
            Value::Decimal(native::<Decimal256Type>(column, row), (*scale).into())
        }
        DataType::Interval(IntervalUnit::YearMonth) => {
            Value::Interval(native::<IntervalYearMonthType>(column, row).into(), 0, 0)
        }
        DataType::Interval(IntervalUnit::DayTime) => {
            let value = native::<IntervalDayTimeType>(column, row);
            Value::Interval(0, value.days.into(), i128::from(value.milliseconds) * 1_000_000)
        }
        DataType::Interval(IntervalUnit::MonthDayNano) => {
            let value = native::<IntervalMonthDayNanoType>(column, row);
            Value::Interval(value.months.into(), value.days.into(), value.nanoseconds.into())
        }
        DataType::List(_) => items(&column.as_list::<i32>().value(row)),
        DataType::LargeList(_) => items(&column.as_list::<i64>().value(row)),
        DataType::FixedSizeList(..) => items(&column.as_fixed_size_list().value(row)),
        DataType::ListView(_) => items(&column.as_list_view::<i32>().value(row)),
        DataType::LargeListView(_) => items(&column.as_list_view::<i64>().value(row)),
        DataType::Struct(fields) => {
            let columns = fields.iter().zip(column.as_struct().columns());
            Value::Fields(columns.map(|(field, column)| (field.name().clone(), of(column, row))).collect())
        }
        DataType::Map(..) => {
            let entries = column.as_map().value(row);
            let entry = |at| (of(entries.column(0), at), of(entries.column(1), at));
            Value::Map((0..entries.len()).map(entry).collect())
        }
        DataType::Union(fields, _) => {
            let union = column.as_union();
            let id = union.type_id(row);
            let name = fields.iter().find(|(other, _)| *other == id).unwrap().1.name().clone();
            match of(union.child(id), union.value_offset(row)) {
                Value::Null => Value::Null,
                value => Value::Union(name, Box::new(value)),
            }
        }
        DataType::Dictionary(..) => {
            let dictionary = column.as_any_dictionary();
            of(dictionary.values(), dictionary.normalized_keys()[row])
        }
        DataType::RunEndEncoded(ends, _) => {
            let (values, at) = match ends.data_type() {
                DataType::Int16 => (
                    column.as_run::<Int16Type>().values(),
                    column.as_run::<Int16Type>().get_physical_index(row),
                ),
                DataType::Int32 => (
                    column.as_run::<Int32Type>().values(),
                    column.as_run::<Int32Type>().get_physical_index(row),
                ),
                _ => (
                    column.as_run::<Int64Type>().values(),
                    column.as_run::<Int64Type>().get_physical_index(row),
                ),
            };
            of(values, at)
        }
        temporal => time(column, temporal, row),
    }
}

fn time(column: &dyn Array, temporal: &DataType, row: usize) -> Value {
    let (of, per_tick) = match temporal {
        DataType::Date32 => (Of::Local, 86_400_000_000_000),
        DataType::Date64 => (Of::Local, per_tick(TimeUnit::Millisecond)),
        DataType::Time32(unit) | DataType::Time64(unit) => (Of::Day, per_tick(*unit)),
        DataType::Timestamp(unit, None) => (Of::Local, per_tick(*unit)),
        DataType::Timestamp(unit, _) => (Of::Moment, per_tick(*unit)),
        DataType::Duration(unit) => (Of::Span, per_tick(*unit)),
        other => panic!("{other}"),
    };
    let data = column.to_data();
    let bytes = data.buffers()[0].as_slice();
    let (width, at) = (temporal.primitive_width().unwrap(), data.offset() + row);
    let bytes = &bytes[width * at..width * (at + 1)];
    let ticks = match width {
        4 => i32::from_le_bytes(bytes.try_into().unwrap()).into(),
        _ => i64::from_le_bytes(bytes.try_into().unwrap()).into(),
    };
    Value::Time(of, ticks, per_tick)
}

impl Value {
    /// Returns a float as one of 64 bits, and the bits that it has.
    fn float(&self) -> Option<(f64, u32)> {
        Some(match self {
            Self::Half(bits) => (half::f16::from_bits(*bits).to_f64(), 16),
            Self::Single(bits) => (f32::from_bits(*bits).into(), 32),
            Self::Double(bits) => (f64::from_bits(*bits), 64),
            _ => return None,
        })
    }

    /// Returns whether this value, as it came back, is one that was there before.
    pub(super) fn is(&self, before: &Self) -> Match {
        let said = |is_same: bool| if is_same { Match::Same } else { Match::Other };
        match (before, self) {
            (Self::Null, Self::Null) => Match::Same,
            (Self::Bool(was), Self::Bool(is)) => said(was == is),
            (Self::Bool(was), Self::Whole(is)) => said(i128::from(*was) == *is),
            (Self::Whole(was), Self::Whole(is)) => said(was == is),
            (Self::Half(was), Self::Half(is)) if was == is => Match::Same,
            (Self::Single(was), Self::Single(is)) if was == is => Match::Same,
            (Self::Double(was), Self::Double(is)) if was == is => Match::Same,
            (Self::Text(was), Self::Text(is)) => said(was == is),
            (Self::Bytes(was), Self::Bytes(is)) => said(was == is),
            (Self::Bytes(was), Self::Text(is)) | (Self::Text(is), Self::Bytes(was)) => {
                said(was == is.as_bytes() || text::uuid(is).as_ref() == Some(was))
            }
            (Self::Decimal(was, scale), Self::Decimal(is, other)) => {
                said(trimmed(*was, *scale) == trimmed(*is, *other))
            }
            (Self::Time(was, ticks, unit), Self::Time(is, others, other)) => {
                said(was == is && ticks * unit == others * other)
            }
            (Self::Time(_, ticks, _), Self::Whole(is)) => said(ticks == is),
            (Self::Interval(months, days, nanos), Self::Interval(other, others, rest)) => {
                said((months, days, nanos) == (other, others, rest))
            }
            (Self::List(was), Self::List(is)) if was.len() == is.len() => all(was.iter().zip(is)),
            (Self::Fields(was), Self::Fields(is)) if was.len() == is.len() => {
                let names = was.iter().zip(is).all(|((was, _), (is, _))| was == is);
                said(names).max(all(was.iter().zip(is).map(|((_, was), (_, is))| (was, is))))
            }
            (Self::Map(was), Self::Map(is)) if was.len() == is.len() => {
                let pairs = was.iter().zip(is);
                all(pairs.flat_map(|((key, value), (same, is))| [(key, same), (value, is)]))
            }
            // Entries as records.
            (Self::Map(was), Self::List(is)) if was.len() == is.len() => {
                let entries = was.iter().zip(is).map(|((key, value), is)| match is {
                    Self::Fields(fields) if fields.len() == 2 => {
                        fields[0].1.is(key).max(fields[1].1.is(value))
                    }
                    _ => Match::Other,
                });
                entries.max().unwrap_or(Match::Same)
            }
            (Self::Union(was, value), Self::Union(is, now)) => said(was == is).max(now.is(value)),
            // The nearest float, or the integer that it is.
            (Self::Decimal(digits, scale), Self::Double(_) | Self::Whole(_)) => {
                let nearest = format!("{digits}e{}", -scale).parse::<f64>().unwrap();
                let is = match self {
                    Self::Whole(is) => *is as f64,
                    _ => self.float().unwrap().0,
                };
                if nearest == is { Match::Near } else { Match::Other }
            }
            (Self::Double(was), Self::Single(is)) => {
                let (was, is) = (f64::from_bits(*was), f32::from_bits(*is));
                match (was as f32).to_bits() == is.to_bits() {
                    _ if was.is_nan() && is.is_nan() => Match::Nan,
                    true if f64::from(is) == was => Match::Same,
                    true => Match::Near,
                    false => Match::Other,
                }
            }
            (_, Self::Text(is)) => text::value(is, before).map_or(Match::Other, |is| is.is(before)),
            // A list of one value, where a format has only such.
            (was, Self::List(is)) if is.len() == 1 && !matches!(was, Self::List(_)) => is[0].is(was),
            (Self::List(was), is) if was.len() == 1 && !matches!(is, Self::List(_)) => is.is(&was[0]),
            (Self::Whole(was), is) => {
                said(is.float().is_some_and(|(is, _)| is as i128 == *was && is.fract() == 0.0))
            }
            _ => match (before.float(), self.float()) {
                (Some((was, _)), Some((is, _))) if was.is_nan() && is.is_nan() => Match::Nan,
                (Some((was, bits)), Some((is, others))) if bits <= others => {
                    // A text has as many digits as lead back to a float of this width.
                    let narrow = match bits {
                        16 => half::f16::from_f64(is).to_f64(),
                        32 => f64::from(is as f32),
                        _ => is,
                    };
                    said(narrow.to_bits() == was.to_bits())
                }
                _ => Match::Other,
            },
        }
    }
}

fn all<'a>(pairs: impl Iterator<Item = (&'a Value, &'a Value)>) -> Match {
    pairs.map(|(was, is)| is.is(was)).max().unwrap_or(Match::Same)
}

/// Returns a decimal without zeros at the end of its fraction.
fn trimmed(mut digits: i256, mut scale: i32) -> (i256, i32) {
    let ten = i256::from_i128(10);
    while digits != i256::ZERO && digits.wrapping_rem(ten) == i256::ZERO {
        (digits, scale) = (digits.wrapping_div(ten), scale - 1);
    }
    (digits, if digits == i256::ZERO { 0 } else { scale })
}
