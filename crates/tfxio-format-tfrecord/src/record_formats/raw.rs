//! Records as they are.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Error, ErrorKind, FormatOptions, OptionSpec, OptionType, Origin, RecordDecoder, RecordEncoder,
    RecordFormat, RecordPlan, RecordPlanner, Result, ScanRequest,
};

use super::raw_encoder::RawEncoder;
use crate::raw::{self, RawRecordDecoder};

/// Records that are not decoded: one column, `LargeList<LargeBinary>`, with one byte string a row.
#[derive(Clone, Copy, Debug, Default)]
pub struct RawFormat;

/// Name of the column if no other is given.
pub(super) const COLUMN: &str = "raw_record";

impl RecordFormat for RawFormat {
    fn name(&self) -> &str {
        "raw"
    }

    fn options(&self) -> Vec<OptionSpec> {
        vec![OptionSpec::new("column", OptionType::Text, "Name of the column. Default: raw_record.")]
    }

    fn planner(&self, options: &FormatOptions) -> Result<Box<dyn RecordPlanner>> {
        Ok(Box::new(RawPlan {
            schema: raw::schema(options.text("column").unwrap_or(COLUMN)),
            #[cfg(feature = "tensors")]
            has_features: options.text(tfxio_core::shared_options::FEATURES).is_some(),
        }))
    }

    /// Whether the columns are bytes: texts become records where that is asked for only.
    fn encodes(&self, schema: &SchemaRef, options: &FormatOptions) -> bool {
        RawEncoder::new(schema, options).is_ok_and(|encoder| encoder.is_bytes)
    }

    fn encoder(&self, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn RecordEncoder>> {
        Ok(Box::new(RawEncoder::new(schema, options)?))
    }
}

#[derive(Debug)]
struct RawPlan {
    schema: SchemaRef,
    /// Whether feature specs were given.
    #[cfg(feature = "tensors")]
    has_features: bool,
}

impl RecordPlanner for RawPlan {
    fn needs_records(&self) -> bool {
        false
    }

    fn push(&mut self, _: &[u8], _: Origin<'_>) -> Result<()> {
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Arc<dyn RecordPlan>> {
        Ok(Arc::new(*self))
    }
}

impl RecordPlan for RawPlan {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns one tensor of the name of the column, unless feature specs define others: the bytes of each record.
    #[cfg(feature = "tensors")]
    fn options(&self) -> std::collections::BTreeMap<String, tfxio_core::OptionValue> {
        use tensor_repr::{Representation, json};

        if self.has_features {
            return std::collections::BTreeMap::new();
        }
        let dense = |name: &str| (name.to_owned(), Representation::dense([]).column(name));
        let tensors = self.schema.fields().iter().map(|field| dense(field.name())).collect();
        let text = json::representations_to_json(&tensors);
        [(tfxio_core::shared_options::REPRESENTATIONS.to_owned(), text.into())].into()
    }

    fn decoder(&self, request: &ScanRequest) -> Result<Box<dyn RecordDecoder + Send>> {
        let name = self.schema.fields().first().map_or(COLUMN, |field| field.name());
        let columns = request.columns.as_deref().unwrap_or_default();
        if let Some(unknown) =
            columns.iter().find(|column| !matches!(column.path.steps(), [step] if **step == *name))
        {
            let what = format!(
                "there is no column \"{}\"; the only column of raw records is {name:?}",
                unknown.path
            );
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        if columns.len() > 1 {
            let what = format!("the request must name the column {name:?} once");
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        Ok(Box::new(RawRecordDecoder::new(name).limits(request.limits)))
    }
}
