//! Schema descriptions of formats, beyond the columns.

use arrow_schema::DataType;
use tfxio_base::{Error, Result};

use crate::{ColumnPath, Fact, FactValue, Files, FormatOptions, Total};

/// Describes the columns that files become.
pub trait Describe: Send + Sync {
    /// Describes the columns of files, even of files that cannot be opened as they are.
    ///
    /// # Errors
    /// When a file cannot be read or the options do not fit.
    fn describe(&self, files: &Files, options: &FormatOptions) -> Result<SchemaReport>;

    /// Lists the key expressions that name values of the files, with at most `depth` names in each. Default: the format has
    /// no key expressions.
    ///
    /// # Errors
    /// As [`describe`](Self::describe).
    fn keys(
        &self,
        files: &Files,
        options: &FormatOptions,
        depth: Option<usize>,
    ) -> Result<Option<SchemaReport>> {
        let _ = (files, options, depth);
        Ok(None)
    }
}

/// Report on the schema of files.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SchemaReport {
    /// The columns, in order.
    pub columns: Vec<ColumnReport>,
    /// Number of records that were looked at, where the schema is not in the files.
    pub records: Option<u64>,
    /// Short title of a record.
    pub title: Option<String>,
    /// Text of the schema in the first file.
    pub text: Option<String>,
    /// Errors of columns.
    pub errors: Vec<Error>,
    /// Help for columns without an Arrow type.
    pub help: Option<String>,
    /// Further notes.
    pub notes: Vec<String>,
}

impl SchemaReport {
    /// Returns a report of columns.
    #[must_use]
    pub fn new(columns: Vec<ColumnReport>) -> Self {
        Self { columns, ..Self::default() }
    }
}

/// A column, and what is known of it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ColumnReport {
    /// Name of the column, or steps to a field of it.
    pub path: ColumnPath,
    /// Facts, in the order in which they are shown.
    pub facts: Vec<Fact>,
    /// Arrow type, where there is one.
    pub data_type: Option<DataType>,
    /// Reason why it is missing, in one word.
    pub reason: Option<&'static str>,
}

impl ColumnReport {
    /// Returns a report without facts.
    #[must_use]
    pub fn new(path: impl Into<ColumnPath>, data_type: Option<DataType>) -> Self {
        Self { path: path.into(), facts: Vec::new(), data_type, reason: None }
    }

    /// Sets the reason why the column has no Arrow type.
    #[must_use]
    pub fn reason(mut self, reason: &'static str) -> Self {
        self.reason = Some(reason);
        self
    }

    /// Appends a fact.
    #[must_use]
    pub fn fact(mut self, key: &'static str, value: impl Into<FactValue>) -> Self {
        self.facts.push(Fact { key, value: value.into(), total: Total::None });
        self
    }
}
