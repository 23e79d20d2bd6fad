//! The types of columns.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef};
use tfxio_core::{Error, ErrorKind, Position};

use super::settings::Settings;

/// Kind of the cells of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// No cell has a value.
    Unknown,
    Bool,
    Int,
    Float,
    Text,
    /// Text that need not be UTF-8.
    #[cfg_attr(
        not(feature = "tensors"),
        allow(dead_code, reason = "a schema of TensorFlow Metadata says it")
    )]
    Bytes,
}

/// Returns the field of a column.
pub(super) fn field(name: &str, kind: Kind, settings: &Settings) -> FieldRef {
    let value = match (kind, settings.is_plain) {
        (Kind::Unknown, _) => return Arc::new(Field::new(name, DataType::Null, true)),
        (Kind::Int, _) => DataType::Int64,
        (Kind::Float, false) => DataType::Float32,
        (Kind::Float, true) => DataType::Float64,
        (Kind::Bool, true) => DataType::Boolean,
        (Kind::Text, true) => DataType::LargeUtf8,
        (Kind::Bytes, true) | (Kind::Bool | Kind::Text | Kind::Bytes, false) => DataType::LargeBinary,
    };
    let is_list = !settings.is_plain || settings.multivalent.iter().any(|column| column == name);
    let data_type =
        if is_list { DataType::LargeList(Arc::new(Field::new_list_field(value, true))) } else { value };
    Arc::new(Field::new(name, data_type, true))
}

/// Returns the kinds that a schema of TensorFlow Metadata gives columns.
///
/// # Errors
/// `SchemaMismatch` where it lacks a column or gives it no type that a cell can have.
#[cfg(feature = "tensors")]
pub(super) fn of_metadata(
    names: &[String],
    schema: &tensor_repr::TfmdSchema,
) -> tfxio_core::Result<Vec<Kind>> {
    use tensor_repr::FeatureType;

    let of = |name: &String| {
        let feature = schema.features().find(|feature| feature.name() == name);
        match feature.map(|feature| feature.feature_type()) {
            Some(Some(FeatureType::Int)) => Ok(Kind::Int),
            Some(Some(FeatureType::Float)) => Ok(Kind::Float),
            Some(Some(FeatureType::Bytes)) => Ok(Kind::Bytes),
            Some(None) => Ok(Kind::Unknown),
            Some(Some(_)) => {
                let what = "the schema says that the column has structs, which no cell can hold";
                Err(mismatch(name, what).help("give it another type"))
            }
            None => {
                let names = schema.features().map(|feature| feature.name()).collect::<Vec<_>>();
                let hint = tfxio_core::suggest::hint(name, names.iter().copied(), "features of the schema");
                Err(mismatch(name, "the schema has no feature for this column").help(hint))
            }
        }
    };
    names.iter().map(of).collect()
}

#[cfg(feature = "tensors")]
fn mismatch(column: &str, what: &str) -> Error {
    Error::new(ErrorKind::SchemaMismatch, what).at(Position::new().column(column))
}

/// Returns the error of a column of a type that cells are not read as.
#[cold]
pub(super) fn not_read(field: &Field) -> Error {
    let what = format!("cells are not read as {}", field.data_type());
    Error::new(ErrorKind::Unsupported, what)
        .help("read the column as text, integers or floats and cast it afterwards")
        .at(Position::new().column(field.name().as_str()))
}
