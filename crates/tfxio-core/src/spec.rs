//! Descriptions from which another process opens a data set.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use serde::{Deserialize, Serialize};

use crate::OptionValue;

/// A description of a data set, from which another process opens it without looking at the data again: names, locations,
/// options and the schema. Names of credentials, never secrets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DatasetSpec {
    /// Name of the format of the files, as it was registered.
    pub format: String,
    /// Paths or URLs of the files, in order, without patterns.
    pub files: Vec<Arc<str>>,
    /// Options of the format, by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, OptionValue>,
    /// Schema that was fixed when the data set was opened, before what options such as `scalars` and `text` make of its columns.
    pub schema: SchemaRef,
}

impl DatasetSpec {
    /// Returns a description.
    #[must_use]
    pub fn new(format: impl Into<String>, files: Vec<Arc<str>>, schema: SchemaRef) -> Self {
        Self { format: format.into(), files, options: BTreeMap::new(), schema }
    }

    /// Sets the options.
    #[must_use]
    pub fn options(mut self, options: BTreeMap<String, OptionValue>) -> Self {
        self.options = options;
        self
    }
}
