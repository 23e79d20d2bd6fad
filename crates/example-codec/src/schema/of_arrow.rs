//! Features of a schema of Arrow columns.

use arrow_schema::{DataType, Field, Schema};
use tfxio_core::{Error, ErrorKind, Position, Result};

use super::{ExampleSchema, FeatureField, FeatureKind};
use crate::SequenceExampleSchema;

/// The features whose values columns hold, as a decoder makes them: lists of `Int64`, `Float32`, `Binary` or `LargeBinary`, and `Null` for
/// a feature that never has a value. A `FixedSizeList` has a fixed number of values.
///
/// ```
/// use std::sync::Arc;
/// use arrow_schema::{DataType, Field, Schema};
/// use example_codec::{ExampleSchema, FeatureKind};
///
/// let values = Arc::new(Field::new_list_field(DataType::Int64, true));
/// let columns = Schema::new(vec![Field::new("label", DataType::LargeList(values), true)]);
/// let schema = ExampleSchema::try_from(&columns)?;
/// assert_eq!(schema.features()[0].kind, Some(FeatureKind::Int64));
/// # Ok::<(), example_codec::Error>(())
/// ```
impl TryFrom<&Schema> for ExampleSchema {
    type Error = Error;

    /// # Errors
    /// `SchemaMismatch` for a column of another type; [`Kind::InvalidSchema`](crate::Kind) when two columns have one name.
    fn try_from(schema: &Schema) -> Result<Self> {
        Self::of_fields(schema.fields().iter().map(|field| &**field))
    }
}

impl ExampleSchema {
    fn of_fields<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<Self> {
        let specs = fields.into_iter().map(|field| feature(field, field.data_type()));
        Self::new(specs.collect::<Result<Vec<_>>>()?)
    }
}

impl SequenceExampleSchema {
    /// Returns the features whose values columns hold, as a decoder makes them: the fields of the struct of the name `sequence`, in TFX
    /// `##SEQUENCE##`, are lists of steps; all other columns are features of the context, as in an [`ExampleSchema`].
    ///
    /// # Errors
    /// `SchemaMismatch` for a column of another type; [`Kind::InvalidSchema`](crate::Kind) when two columns have one name.
    pub fn of_columns(schema: &Schema, sequence: &str) -> Result<Self> {
        let (mut context, mut lists) = (Vec::new(), Vec::new());
        for field in schema.fields() {
            if field.name() == sequence {
                lists = steps(field)?;
            } else {
                context.push(&**field);
            }
        }
        Ok(Self::new(ExampleSchema::of_fields(context)?, ExampleSchema::new(lists)?))
    }
}

/// Returns the features that the fields of the column of sequence features were made of.
fn steps(column: &Field) -> Result<Vec<FeatureField>> {
    let DataType::Struct(fields) = column.data_type() else { return Err(wrong(column)) };
    let specs = fields.iter().map(|field| match field.data_type() {
        DataType::Null => Ok(FeatureField::null(field.name().as_str())),
        DataType::List(steps) | DataType::LargeList(steps) => feature(field, steps.data_type()),
        _ => Err(wrong(field)),
    });
    specs.collect()
}

/// Returns the feature of a column whose rows, or whose steps, have this type.
fn feature(field: &Field, of: &DataType) -> Result<FeatureField> {
    let (values, len) = match of {
        DataType::Null => return Ok(FeatureField::null(field.name().as_str())),
        DataType::List(values) | DataType::LargeList(values) => (values, None),
        DataType::FixedSizeList(values, len) => (values, u32::try_from(*len).ok()),
        _ => return Err(wrong(field)),
    };
    let kind = match values.data_type() {
        // A sequence feature that never had a value.
        DataType::Null => return Ok(FeatureField::null(field.name().as_str())),
        DataType::Int64 => FeatureKind::Int64,
        DataType::Float32 => FeatureKind::Float,
        DataType::Binary | DataType::LargeBinary => FeatureKind::Bytes,
        _ => return Err(wrong(field)),
    };
    let mut spec = FeatureField::new(field.name().as_str(), kind);
    spec.fixed_len = len;
    Ok(spec)
}

fn wrong(field: &Field) -> Error {
    let what = format!("the column has Arrow type {}, which no feature has", field.data_type());
    Error::new(ErrorKind::SchemaMismatch, what)
        .help("features are lists of Int64, Float32, Binary or LargeBinary")
        .at(Position::new().column(field.name().as_str()))
}
