//! Columns that a file describes twice and differently: by its own schema, and by the Arrow schema that its writer has left.
//!
//! The reader of the crate `parquet` takes the numbers of such a column as they are stored, and the scale of decimals and the unit of
//! timestamps from the Arrow schema: 1.50 becomes 15.0, and nanoseconds become as many microseconds.

use arrow_schema::{DataType, TimeUnit};
use parquet::arrow::arrow_reader::ArrowReaderMetadata;
use parquet::basic::{ConvertedType, LogicalType, TimeUnit as StoredUnit, Type};
use parquet::schema::types::ColumnDescriptor;
use tfxio_core::{Error, ErrorKind, Position};

use super::converted;

/// Advice: only the writer knows which of the two is right.
const HELP: &str = "leave out the column, or write the file again without an Arrow schema";

/// Refuses leaf columns whose two descriptions are of different values.
pub(super) fn refuse(metadata: &ArrowReaderMetadata, leaves: &[usize]) -> Result<(), Error> {
    let (stored, types) = (metadata.parquet_schema(), converted::leaves(metadata.schema()));
    if types.len() != stored.num_columns() {
        return Ok(());
    }
    for leaf in leaves {
        let Some((data_type, _)) = types.get(*leaf) else { continue };
        let column = stored.column(*leaf);
        let Some(said) = other(&column, data_type) else { continue };
        let what = format!(
            "the Parquet file cannot be read: its schema says {said}, and the Arrow schema that its writer has left {data_type}"
        );
        let error = Error::new(ErrorKind::SchemaMismatch, what).help(HELP);
        return Err(error.at(Position::new().column(column.path().string())));
    }
    Ok(())
}

/// Returns the type of a column in the file's own schema, if its values are not the values of the Arrow type.
fn other(column: &ColumnDescriptor, data_type: &DataType) -> Option<String> {
    match *data_type {
        DataType::Decimal32(_, found)
        | DataType::Decimal64(_, found)
        | DataType::Decimal128(_, found)
        | DataType::Decimal256(_, found) => {
            let (precision, scale) = match column.logical_type_ref() {
                Some(LogicalType::Decimal(decimal)) => (decimal.precision, decimal.scale),
                _ => (column.type_precision(), column.type_scale()),
            };
            (scale != i32::from(found)).then(|| format!("DECIMAL({precision}, {scale})"))
        }
        DataType::Timestamp(found, _) if column.physical_type() != Type::INT96 => {
            let unit = match (column.logical_type_ref(), column.converted_type()) {
                (Some(LogicalType::Timestamp(timestamp)), _) => timestamp.unit,
                (None, ConvertedType::TIMESTAMP_MILLIS) => StoredUnit::MILLIS,
                (None, ConvertedType::TIMESTAMP_MICROS) => StoredUnit::MICROS,
                _ => return None,
            };
            let (unit, name) = match unit {
                StoredUnit::MILLIS => (TimeUnit::Millisecond, "MILLIS"),
                StoredUnit::MICROS => (TimeUnit::Microsecond, "MICROS"),
                StoredUnit::NANOS => (TimeUnit::Nanosecond, "NANOS"),
            };
            (unit != found).then(|| format!("TIMESTAMP({name})"))
        }
        _ => None,
    }
}
