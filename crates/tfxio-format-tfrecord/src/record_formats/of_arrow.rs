//! Features of a schema of columns that was fixed before.

use arrow_schema::{DataType, Field};
use example_codec::{ExampleSchema, FeatureKind, FeatureSpec};
use tfxio_core::{Error, ErrorKind, Position, Result};

/// Returns the features that columns were made of.
///
/// # Errors
/// `SchemaMismatch` for a column of another type than features have.
pub(crate) fn features<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<ExampleSchema> {
    let specs = fields.into_iter().map(|field| feature(field, field.data_type()));
    ExampleSchema::new(specs.collect::<Result<Vec<_>>>()?)
}

/// Returns the features that the fields of the column of sequence features were made of: lists of steps, which are lists.
///
/// # Errors
/// `SchemaMismatch` for a column of another type.
pub(crate) fn sequence_features(column: &Field) -> Result<ExampleSchema> {
    let DataType::Struct(fields) = column.data_type() else { return Err(wrong(column)) };
    let specs = fields.iter().map(|field| match field.data_type() {
        DataType::Null => Ok(FeatureSpec::null(field.name().as_str())),
        DataType::List(steps) | DataType::LargeList(steps) => feature(field, steps.data_type()),
        _ => Err(wrong(field)),
    });
    ExampleSchema::new(specs.collect::<Result<Vec<_>>>()?)
}

/// Returns the feature of a column whose rows, or whose steps, have this type.
fn feature(field: &Field, of: &DataType) -> Result<FeatureSpec> {
    let (values, len) = match of {
        DataType::Null => return Ok(FeatureSpec::null(field.name().as_str())),
        DataType::List(values) | DataType::LargeList(values) => (values, None),
        DataType::FixedSizeList(values, len) => (values, u32::try_from(*len).ok()),
        _ => return Err(wrong(field)),
    };
    let kind = match values.data_type() {
        // A sequence feature that never had a value.
        DataType::Null => return Ok(FeatureSpec::null(field.name().as_str())),
        DataType::Int64 => FeatureKind::Int64,
        DataType::Float32 => FeatureKind::Float,
        DataType::Binary | DataType::LargeBinary => FeatureKind::Bytes,
        _ => return Err(wrong(field)),
    };
    let mut spec = FeatureSpec::new(field.name().as_str(), kind);
    spec.fixed_len = len;
    Ok(spec)
}

fn wrong(field: &Field) -> Error {
    let what = format!("the column has Arrow type {}, which no feature has", field.data_type());
    Error::new(ErrorKind::SchemaMismatch, what)
        .help("open the files again without the description")
        .at(Position::new().column(field.name().as_str()))
}
