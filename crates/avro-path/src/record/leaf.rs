//! Columns of scalar types.

use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use tfxio_core::Count;

use super::Layout;
use super::shape::{Builder, next};
use crate::buffers::Binary;
use crate::plan::shape::Kind;
use crate::schema::{Logical, Type, TypeId};
use crate::{Error, ErrorKind, Result};

/// The zone of timestamps that have one.
const UTC: &str = "+00:00";

impl Builder<'_> {
    /// Returns the buffers for values of a type, and their Arrow type.
    pub(super) fn leaf(&mut self, id: TypeId) -> Result<(Kind, DataType)> {
        let is_large = self.options.large_offsets;
        let logical = self.schema.logical(id).filter(|_| self.options.logical_types);
        let zone = self.schema.time_zone(id).filter(|_| self.options.arrow_names);
        let timestamp = |unit, utc: Option<&str>| {
            let zone = utc.map(|utc| zone.map_or_else(|| Arc::from(utc), Arc::clone));
            DataType::Timestamp(unit, zone)
        };
        let fixed_size = |size: usize| match i32::try_from(size) {
            Ok(size) => Ok(DataType::FixedSizeBinary(size)),
            Err(_) => {
                let what = format!("a fixed has {}, Arrow allows {}", Count::of(size, "byte"), i32::MAX);
                Err(Error::new(ErrorKind::LimitExceeded, what))
            }
        };
        let (data_type, width) = match (self.schema.get(id), logical) {
            (Type::Boolean, _) => return Ok((Kind::Boolean(next(&mut self.counts.bits)), DataType::Boolean)),
            (Type::Bytes | Type::Fixed(_), Some(Logical::Decimal { precision, scale }))
                if precision <= 76 =>
            {
                // Both are at most 76.
                let (precision, scale) = (precision as u8, scale as i8);
                if precision <= 38 {
                    (DataType::Decimal128(precision, scale), 16)
                } else {
                    (DataType::Decimal256(precision, scale), 32)
                }
            }
            (Type::String, Some(Logical::Uuid)) => (DataType::FixedSizeBinary(16), 16),
            (Type::Fixed(_), Some(Logical::Duration)) => (DataType::Interval(IntervalUnit::MonthDayNano), 16),
            (Type::Int, Some(Logical::Date)) => (DataType::Date32, 4),
            (Type::Int, Some(Logical::TimeMillis)) => (DataType::Time32(TimeUnit::Millisecond), 4),
            (Type::Int, _) => (DataType::Int32, 4),
            (Type::Long, logical) => {
                let data_type = match logical {
                    Some(Logical::TimeMicros) => DataType::Time64(TimeUnit::Microsecond),
                    Some(Logical::TimestampMillis) => timestamp(TimeUnit::Millisecond, Some(UTC)),
                    Some(Logical::TimestampMicros) => timestamp(TimeUnit::Microsecond, Some(UTC)),
                    Some(Logical::TimestampNanos) => timestamp(TimeUnit::Nanosecond, Some(UTC)),
                    Some(Logical::LocalTimestampMillis) => timestamp(TimeUnit::Millisecond, None),
                    Some(Logical::LocalTimestampMicros) => timestamp(TimeUnit::Microsecond, None),
                    Some(Logical::LocalTimestampNanos) => timestamp(TimeUnit::Nanosecond, None),
                    _ => DataType::Int64,
                };
                (data_type, 8)
            }
            (Type::Float, _) => (DataType::Float32, 4),
            (Type::Double, _) => (DataType::Float64, 8),
            (Type::Fixed(fixed), _) => (fixed_size(fixed.size())?, fixed.size()),
            (Type::Enum(symbols), _) if self.options.layout == Layout::Plain => {
                let kind = Kind::Symbols { values: self.values(), symbols: dictionary(symbols.symbols())? };
                let data_type = DataType::Dictionary(Box::new(DataType::Int32), Box::new(DataType::Utf8));
                return Ok((kind, data_type));
            }
            (Type::Bytes, _) => {
                let data_type = if is_large { DataType::LargeBinary } else { DataType::Binary };
                return Ok((Kind::Binary(next(&mut self.counts.binaries)), data_type));
            }
            _ => {
                let data_type = if is_large { DataType::LargeUtf8 } else { DataType::Utf8 };
                return Ok((self.strings(), data_type));
            }
        };
        let is_uuid = logical == Some(Logical::Uuid);
        Ok((Kind::Fixed { values: self.values(), width, is_uuid }, data_type))
    }
}

/// Returns the values of a dictionary.
fn dictionary(symbols: &[Arc<str>]) -> Result<ArrayRef> {
    let mut strings = Binary::<i32>::default();
    symbols.iter().for_each(|symbol| strings.push_text(symbol));
    let array = strings.finish_strings(None);
    array.map_err(|error| Error::new(ErrorKind::Other, "the symbols make no column").because(error))
}
