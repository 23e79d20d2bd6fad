//! Arrow types of logical types.

use std::sync::Arc;

use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use crate::schema::{AvroSchema, Logical, Type, TypeId};

/// The zone of timestamps that have one.
const UTC: &str = "+00:00";

/// Returns the Arrow type of values with a logical type, and the bytes of one; `None` where it has the type below it.
/// With `zones`, timestamps have the zone that the schema keeps for them.
pub(crate) fn logical_type(schema: &AvroSchema, id: TypeId, zones: bool) -> Option<(DataType, usize)> {
    let zone = schema.time_zone(id).filter(|_| zones);
    let instant = |unit| {
        let zone = zone.map_or_else(|| Arc::from(UTC), Arc::clone);
        Some((DataType::Timestamp(unit, Some(zone)), 8))
    };
    let local = |unit| Some((DataType::Timestamp(unit, None), 8));
    match (schema.get(id), schema.logical(id)?) {
        (Type::Bytes | Type::Fixed(_), Logical::Decimal { precision, scale }) if precision <= 76 => {
            // Both are at most 76.
            let (precision, scale) = (precision as u8, scale as i8);
            Some(if precision <= 38 {
                (DataType::Decimal128(precision, scale), 16)
            } else {
                (DataType::Decimal256(precision, scale), 32)
            })
        }
        (Type::String | Type::Fixed(_), Logical::Uuid) => Some((DataType::FixedSizeBinary(16), 16)),
        (Type::Fixed(_), Logical::Duration) => Some((DataType::Interval(IntervalUnit::MonthDayNano), 16)),
        (Type::Int, Logical::Date) => Some((DataType::Date32, 4)),
        (Type::Int, Logical::TimeMillis) => Some((DataType::Time32(TimeUnit::Millisecond), 4)),
        (Type::Long, Logical::TimeMicros) => Some((DataType::Time64(TimeUnit::Microsecond), 8)),
        (Type::Long, Logical::TimestampMillis) => instant(TimeUnit::Millisecond),
        (Type::Long, Logical::TimestampMicros) => instant(TimeUnit::Microsecond),
        (Type::Long, Logical::TimestampNanos) => instant(TimeUnit::Nanosecond),
        (Type::Long, Logical::LocalTimestampMillis) => local(TimeUnit::Millisecond),
        (Type::Long, Logical::LocalTimestampMicros) => local(TimeUnit::Microsecond),
        (Type::Long, Logical::LocalTimestampNanos) => local(TimeUnit::Nanosecond),
        _ => None,
    }
}
