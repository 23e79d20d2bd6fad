//! Statistics of partitions for the optimiser.

use arrow_schema::{DataType, SchemaRef};
use datafusion::common::stats::Precision;
use datafusion::common::{ColumnStatistics, Statistics};
use datafusion::scalar::ScalarValue;
use tfxio_core::{ColumnPath, Estimate, Literal, PartitionStatistics};

use crate::output::{ColumnSource, Output};

/// Returns the combined statistics of partitions. With a filter they are inexact.
pub(crate) fn statistics(
    parts: &[PartitionStatistics],
    outputs: &[Output],
    schema: &SchemaRef,
    is_filtered: bool,
) -> Statistics {
    let column = |output: &Output| column(parts, output);
    let known = Statistics {
        num_rows: sum(parts.iter().map(|part| part.rows)),
        // As stored, which is less than what it is in memory.
        total_byte_size: sum(parts.iter().map(|part| part.bytes)).to_inexact(),
        column_statistics: outputs.iter().map(column).collect(),
    };
    debug_assert_eq!(known.column_statistics.len(), schema.fields().len());
    if is_filtered { known.to_inexact() } else { known }
}

/// Returns the sum of counts.
fn sum(counts: impl IntoIterator<Item = Estimate<u64>>) -> Precision<usize> {
    let mut sum = Precision::Exact(0usize);
    for count in counts {
        let count = match count {
            Estimate::Exact(count) => usize::try_from(count).map_or(Precision::Absent, Precision::Exact),
            Estimate::Bound(count) => usize::try_from(count).map_or(Precision::Absent, Precision::Inexact),
            Estimate::Unknown => Precision::Absent,
        };
        sum = sum.add(&count);
    }
    sum
}

fn column(parts: &[PartitionStatistics], output: &Output) -> ColumnStatistics {
    let mut known = ColumnStatistics::new_unknown();
    let (Some(path), data_type) = (output.path(), output.field.data_type()) else { return known };
    // A list may hold nulls, which are not counted, and its bounds are those of all its values.
    let ColumnSource::Whole(column) = &output.source else { return known };
    if column.source.data_type().is_nested() && !column.is_single() {
        return known;
    }
    let all = parts.iter().map(|part| find(part, &path)).collect::<Option<Vec<_>>>();
    let Some(all) = all.filter(|all| !all.is_empty()) else { return known };
    if !column.is_single() {
        known.null_count = sum(all.iter().map(|part| part.nulls));
    }
    let bound =
        |of: &dyn Fn(&tfxio_core::ColumnStatistics) -> Estimate<Literal>,
         join: fn(&Precision<ScalarValue>, &Precision<ScalarValue>) -> Precision<ScalarValue>| {
            all.iter()
                .map(|part| value(of(part), data_type))
                .reduce(|a, b| join(&a, &b))
                .unwrap_or(Precision::Absent)
        };
    known.min_value = bound(&|part| part.min.clone(), Precision::min);
    known.max_value = bound(&|part| part.max.clone(), Precision::max);
    known
}

fn find<'a>(part: &'a PartitionStatistics, path: &ColumnPath) -> Option<&'a tfxio_core::ColumnStatistics> {
    part.columns.iter().find(|(known, _)| known == path).map(|(_, column)| column)
}

/// Returns a bound as a value of the column. Those of floats leave out NaN, which SQL has above all numbers.
fn value(bound: Estimate<Literal>, data_type: &DataType) -> Precision<ScalarValue> {
    let (literal, is_exact) = match bound {
        Estimate::Exact(literal) => (literal, true),
        Estimate::Bound(literal) => (literal, false),
        Estimate::Unknown => return Precision::Absent,
    };
    let found = match (literal, data_type) {
        (Literal::Boolean(value), DataType::Boolean) => Some(ScalarValue::Boolean(Some(value))),
        (Literal::Integer(value), DataType::Int8) => i8::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::Int16) => i16::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::Int32) => i32::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::Int64) => i64::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::UInt8) => u8::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::UInt16) => u16::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::UInt32) => u32::try_from(value).ok().map(ScalarValue::from),
        (Literal::Integer(value), DataType::UInt64) => u64::try_from(value).ok().map(ScalarValue::from),
        (Literal::Text(text), DataType::Utf8) => Some(ScalarValue::Utf8(Some(text.to_string()))),
        (Literal::Text(text), DataType::LargeUtf8) => Some(ScalarValue::LargeUtf8(Some(text.to_string()))),
        #[allow(clippy::cast_possible_truncation, reason = "the bound of 32-bit floats is one")]
        (Literal::Float(value), DataType::Float32) => {
            return Precision::Inexact(ScalarValue::Float32(Some(value as f32)));
        }
        (Literal::Float(value), DataType::Float64) => {
            return Precision::Inexact(ScalarValue::Float64(Some(value)));
        }
        _ => None,
    };
    match found {
        Some(value) if is_exact => Precision::Exact(value),
        Some(value) => Precision::Inexact(value),
        None => Precision::Absent,
    }
}
