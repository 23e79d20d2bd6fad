//! Description of columns by the records of files.

use std::sync::Arc;

use tfxio_core::{ColumnReport, Describe, Files, FormatOptions, Result, SchemaReport};

use super::data::Data;
use super::format::TfRecordFormat;
use super::plan;
use super::settings::Settings;

impl Describe for TfRecordFormat {
    /// Looks at as many records as a schema is inferred from.
    fn describe(&self, files: &Files, options: &FormatOptions) -> Result<SchemaReport> {
        let data = Arc::new(Data::new(files.clone(), Settings::new(options)?));
        let (plan, _) = plan::plan(&data, options)?;
        let column = |field: &Arc<arrow_schema::Field>| {
            ColumnReport::new(field.name().as_str(), Some(field.data_type().clone()))
        };
        let columns = || SchemaReport::new(plan.schema().fields().iter().map(column).collect());
        Ok(plan.describe().unwrap_or_else(columns))
    }
}
