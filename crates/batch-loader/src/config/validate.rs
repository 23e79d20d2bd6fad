//! Records compared with a schema.

use std::path::PathBuf;

use serde::Serialize;
use tensor_repr::TfmdSchema;

/// Validation of records while they are loaded, and the treatment of a record that violates the schema.
///
/// Each record is checked by itself: whether it has the features that all records must have, of their types, with the
/// right number of values and values of their domains, as [`RecordValidation`](tensor_repr::RecordValidation) does it.
/// Features that are not read are not checked.
///
/// ```
/// use batch_loader::config::{LoaderConfig, OnLeave, Validate};
///
/// let schema = Validate::file("schema.pbtxt").on_leave(OnLeave::Warn);
/// let config = LoaderConfig::independent(32).validate(schema);
/// # let _ = config;
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Validate {
    /// The schema.
    #[serde(flatten)]
    pub schema: SchemaSource,
    /// Treatment of a record that violates the schema. Default: loading ends with an error.
    pub on_leave: OnLeave,
    /// The environment that the records are of, such as `SERVING`: features that the schema does not expect there may be missing.
    /// Default: all features are expected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
}

/// Source of a schema.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub enum SchemaSource {
    /// A file or URL of a schema of TensorFlow Metadata, as text or binary.
    #[serde(rename = "schema_file")]
    File(PathBuf),
    /// The schema itself, as text.
    #[serde(rename = "schema")]
    Text(String),
}

/// Treatment of a record that violates a schema. It is never left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum OnLeave {
    /// Loading ends with an error.
    #[default]
    Stop,
    /// It is counted, and the first of each kind is logged: [`BatchLoader::anomalies`](crate::BatchLoader::anomalies).
    Warn,
}

impl Validate {
    /// Holds records against this schema.
    #[must_use]
    pub fn new(schema: &TfmdSchema) -> Self {
        Self::text(schema.to_text())
    }

    /// Holds records against the schema that a text is.
    #[must_use]
    pub fn text(schema: impl Into<String>) -> Self {
        Self::of(SchemaSource::Text(schema.into()))
    }

    /// Compares records with the schema in a file, whose path starts at the same folder as the paths in the
    /// configuration.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::of(SchemaSource::File(path.into()))
    }

    pub(crate) fn of(schema: SchemaSource) -> Self {
        Self { schema, on_leave: OnLeave::default(), environment: None }
    }

    /// Sets what happens when a record leaves the schema.
    #[must_use]
    pub fn on_leave(mut self, on_leave: OnLeave) -> Self {
        self.on_leave = on_leave;
        self
    }

    /// Sets the environment that the records are of.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<Option<String>>) -> Self {
        self.environment = environment.into();
        self
    }
}
