//! Features of a schema of Arrow columns.

use arrow_schema::{DataType, Field, Schema};
use tfxio_core::{Error, ErrorKind, Position, Result};

use super::{ExampleSchema, FeatureField, FeatureKind};
use crate::SequenceExampleSchema;

/// The features that records of such rows have, as [`ExampleEncoder`](crate::ExampleEncoder) makes them: integers, booleans and floats of at
/// most the bits of a feature, text and binary, and lists of these. A scalar is a list of one value, a `FixedSizeList` has its length,
/// and a column that is never null is required.
///
/// Decoded columns are lists of `Int64`, `Float32` and bytes whatever the types here, since a feature has no others; they are lists of fixed
/// length, whose length is checked, where the decoder is asked for them
/// ([`fixed_size_lists`](crate::ExampleDecoderBuilder::fixed_size_lists)).
///
/// ```
/// use arrow_schema::{DataType, Field, Schema};
/// use example_codec::{ExampleSchema, FeatureField, FeatureKind};
///
/// let columns = vec![Field::new("label", DataType::Int32, false), Field::new("name", DataType::Utf8, true)];
/// let schema = ExampleSchema::try_from(&Schema::new(columns))?;
/// let label = FeatureField::new("label", FeatureKind::Int64).fixed_len(1).required();
/// let name = FeatureField::new("name", FeatureKind::Bytes).fixed_len(1);
/// assert_eq!(schema.features(), [label, name]);
/// # Ok::<(), example_codec::Error>(())
/// ```
impl TryFrom<&Schema> for ExampleSchema {
    type Error = Error;

    /// # Errors
    /// `SchemaMismatch` for a column of another type; [`Kind::InvalidSchema`](crate::Kind) when two columns have one name.
    fn try_from(schema: &Schema) -> Result<Self> {
        Self::new(schema.fields().iter().map(|field| feature_of(field)).collect::<Result<Vec<_>>>()?)
    }
}

/// Returns the feature that a column is encoded as.
fn feature_of(field: &Field) -> Result<FeatureField> {
    let (values, len) = match field.data_type() {
        DataType::List(values) | DataType::LargeList(values) => (values.data_type(), None),
        DataType::FixedSizeList(values, len) => (values.data_type(), u32::try_from(*len).ok()),
        scalar => (scalar, Some(1)),
    };
    let kind = match values {
        DataType::Null => return Ok(FeatureField::null(field.name().as_str())),
        DataType::Int8 | DataType::Int16 | DataType::Int32 | DataType::Int64 | DataType::Boolean => {
            FeatureKind::Int64
        }
        DataType::UInt8 | DataType::UInt16 | DataType::UInt32 => FeatureKind::Int64,
        DataType::Float16 | DataType::Float32 => FeatureKind::Float,
        DataType::Binary | DataType::LargeBinary | DataType::BinaryView => FeatureKind::Bytes,
        DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => FeatureKind::Bytes,
        _ => {
            let what = format!("the column has Arrow type {}, which no feature has", field.data_type());
            return Err(Error::new(ErrorKind::SchemaMismatch, what)
                .help("cast it to integers, 32-bit floats, text or binary, or to lists of them")
                .at(Position::new().column(field.name().as_str())));
        }
    };
    let spec = FeatureField::new(field.name().as_str(), kind);
    Ok(FeatureField { fixed_len: len, required: !field.is_nullable(), ..spec })
}

impl ExampleSchema {
    /// Returns the features whose values columns hold, as a decoder makes them: lists of `Int64`, `Float32`, `Binary` or `LargeBinary`, and
    /// `Null` for a feature that never has a value. A `FixedSizeList` has a fixed number of values, a column that is never null is required.
    /// [`TryFrom`](#impl-TryFrom%3C%26Schema%3E-for-ExampleSchema) takes columns of more types.
    ///
    /// # Errors
    /// `SchemaMismatch` for a column of another type; [`Kind::InvalidSchema`](crate::Kind) when two columns have one name.
    pub fn of_columns(schema: &Schema) -> Result<Self> {
        Self::of_fields(schema.fields().iter().map(|field| &**field))
    }

    fn of_fields<'a>(fields: impl IntoIterator<Item = &'a Field>) -> Result<Self> {
        let specs = fields.into_iter().map(|field| feature(field, field.data_type()));
        Self::new(specs.collect::<Result<Vec<_>>>()?)
    }
}

impl SequenceExampleSchema {
    /// Returns the features whose values columns hold, as a decoder makes them: the fields of the struct of the name `sequence`, in TFX
    /// `##SEQUENCE##`, are lists of steps; all other columns are features of the context, as of
    /// [`ExampleSchema::of_columns`].
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
    let spec = FeatureField::new(field.name().as_str(), kind);
    Ok(FeatureField { fixed_len: len, required: !field.is_nullable(), ..spec })
}

fn wrong(field: &Field) -> Error {
    let what = format!("the column has Arrow type {}, which no feature has", field.data_type());
    Error::new(ErrorKind::SchemaMismatch, what)
        .help("features are lists of Int64, Float32, Binary or LargeBinary")
        .at(Position::new().column(field.name().as_str()))
}
