//! Logical types of values.

use std::sync::Arc;

use serde_json::{Map, Value};

use super::Type;

/// Logical type of values. The bytes are those of the type below.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Logical {
    /// On bytes and fixed: the unscaled value in two's complement, big-endian.
    Decimal {
        /// Digits; at least 1.
        precision: u32,
        /// Digits after the decimal point; at most the precision.
        scale: u32,
    },
    /// On string: the usual text; on fixed(16): the bytes of RFC 4122.
    Uuid,
    /// On int: days since 1970-01-01.
    Date,
    /// On int: milliseconds after midnight.
    TimeMillis,
    /// On long: microseconds after midnight.
    TimeMicros,
    /// On long: milliseconds since 1970-01-01T00:00Z.
    TimestampMillis,
    /// On long: microseconds since 1970-01-01T00:00Z.
    TimestampMicros,
    /// On long: nanoseconds since 1970-01-01T00:00Z.
    TimestampNanos,
    /// On long: milliseconds since 1970-01-01T00:00 of no stated zone.
    LocalTimestampMillis,
    /// On long: microseconds since 1970-01-01T00:00 of no stated zone.
    LocalTimestampMicros,
    /// On long: nanoseconds since 1970-01-01T00:00 of no stated zone.
    LocalTimestampNanos,
    /// On fixed(12): months, days and milliseconds, three unsigned little-endian numbers of 32 bits.
    Duration,
}

impl Logical {
    /// Returns the logical type of an annotation, if Avro defines it for this type and it is valid.
    pub(super) fn of(ty: &Type, json: &Map<String, Value>) -> Option<Self> {
        let name = json.get("logicalType")?.as_str()?;
        match (name, ty) {
            ("decimal", Type::Bytes) => decimal(json, None),
            ("decimal", Type::Fixed(fixed)) => decimal(json, Some(fixed.size())),
            ("uuid", Type::String) => Some(Self::Uuid),
            ("uuid", Type::Fixed(fixed)) if fixed.size() == 16 => Some(Self::Uuid),
            ("date", Type::Int) => Some(Self::Date),
            ("time-millis", Type::Int) => Some(Self::TimeMillis),
            ("time-micros", Type::Long) => Some(Self::TimeMicros),
            ("timestamp-millis", Type::Long) => Some(Self::TimestampMillis),
            ("timestamp-micros", Type::Long) => Some(Self::TimestampMicros),
            ("timestamp-nanos", Type::Long) => Some(Self::TimestampNanos),
            ("local-timestamp-millis", Type::Long) => Some(Self::LocalTimestampMillis),
            ("local-timestamp-micros", Type::Long) => Some(Self::LocalTimestampMicros),
            ("local-timestamp-nanos", Type::Long) => Some(Self::LocalTimestampNanos),
            ("duration", Type::Fixed(fixed)) if fixed.size() == 12 => Some(Self::Duration),
            _ => None,
        }
    }
}

impl Logical {
    /// Returns the name of a time zone beside a timestamp, if it can be one.
    pub(super) fn zone(self, json: &Map<String, Value>) -> Option<Arc<str>> {
        const LONGEST: usize = 64;
        let is_name = |zone: &&str| {
            let is_of_name = |byte: u8| byte.is_ascii_alphanumeric() || b"+-_/:".contains(&byte);
            !zone.is_empty() && zone.len() <= LONGEST && zone.bytes().all(is_of_name)
        };
        let is_timestamp =
            matches!(self, Self::TimestampMillis | Self::TimestampMicros | Self::TimestampNanos);
        let zone = json.get("arrow.timezone").filter(|_| is_timestamp)?.as_str();
        zone.filter(is_name).map(Arc::from)
    }
}

fn decimal(json: &Map<String, Value>, size: Option<usize>) -> Option<Logical> {
    let number = |key: &str| json.get(key).map(|value| value.as_u64().and_then(|n| u32::try_from(n).ok()));
    let precision = number("precision")??;
    let scale = number("scale").unwrap_or(Some(0))?;
    // log10(2^(8n - 1) - 1), rounded down: the digits that fit into n bytes.
    let fits = size.is_none_or(|size| f64::from(precision) <= (8.0 * size as f64 - 1.0) * f64::log10(2.0));
    (precision > 0 && scale <= precision && fits).then_some(Logical::Decimal { precision, scale })
}
