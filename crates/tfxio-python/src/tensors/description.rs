//! Descriptions of tensors.

use arrow_schema::Schema;
use pyo3::prelude::*;
use tfxio::tensor_repr::{FeatureSpec, Representation};
use tfxio::tfxio_core::suggest;
use tfxio::{Error, ErrorKind, Position, Result};

/// The description of a tensor: JSON of a representation or of a feature spec, whose kind tells them apart, or a
/// `TensorRepresentation` of TensorFlow Metadata.
#[derive(FromPyObject)]
pub(crate) enum Description {
    Json(String),
    Proto(Vec<u8>),
}

impl Description {
    /// Returns the representation of the tensor `name`.
    pub(crate) fn representation(self, name: &str, schema: &Schema) -> Result<Representation> {
        match self {
            Self::Proto(bytes) => Representation::from_proto(&bytes),
            Self::Json(json) if is_feature_spec(&json) => {
                let spec = FeatureSpec::from_json(&json)?;
                let keys = spec.keys(name).keys;
                let field =
                    |key: &String| schema.field_with_name(key).map_err(|_| no_column(name, key, schema));
                let fields = keys.iter().map(field).collect::<Result<Vec<_>>>()?;
                spec.representation_of(name, &fields)
            }
            Self::Json(json) => Representation::from_json(&json),
        }
    }
}

fn no_column(tensor: &str, key: &str, schema: &Schema) -> Error {
    let names = schema.fields().iter().map(|field| field.name().as_str());
    let error = Error::new(ErrorKind::InvalidArgument, format!("there is no column {key:?}"));
    error.at(Position::new().tensor(tensor)).help(suggest::hint(key, names, "columns"))
}

/// Returns whether the kind begins with a capital letter, as in feature specs.
fn is_feature_spec(json: &str) -> bool {
    let value = serde_json::from_str::<serde_json::Value>(json).unwrap_or_default();
    value.get("kind").and_then(|kind| kind.as_str()).is_some_and(|kind| kind.starts_with(char::is_uppercase))
}
