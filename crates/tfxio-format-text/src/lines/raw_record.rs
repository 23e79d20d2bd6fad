//! Column of raw records, and the number of records from which types are inferred.

use std::sync::Arc;

use arrow_array::{ArrayRef, LargeListArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, FieldRef, Schema, SchemaRef};
use tfxio_core::{Error, ErrorKind, OptionSpec, OptionType, Result};

use super::values::Values;

/// Options of reading that all formats of text have.
pub(crate) const OPTIONS: [OptionSpec; 2] = [
    OptionSpec::new(
        "infer_records",
        OptionType::Count,
        "Number of records that a schema is inferred from. Default: all where the files are local and together have at most \
         256 MiB, else 10,000.",
    ),
    OptionSpec::new(
        RAW_RECORD_COLUMN,
        OptionType::Text,
        "Name of a further column with the record itself, which is not written. Default: none.",
    ),
];

pub(crate) const RAW_RECORD_COLUMN: &str = "raw_record_column";

/// Returns the schema of columns, and of the one with the record itself, which is the last.
pub(crate) fn with_raw_record(mut fields: Vec<FieldRef>, raw: Option<&str>) -> Result<SchemaRef> {
    if let Some(raw) = raw {
        if fields.iter().any(|field| field.name() == raw) {
            let what = format!("the column of the records is called {raw:?}, as another column is");
            return Err(Error::new(ErrorKind::InvalidArgument, what).help("choose another name"));
        }
        let item = Arc::new(Field::new_list_field(DataType::LargeBinary, true));
        fields.push(Arc::new(Field::new(raw, DataType::LargeList(item), true)));
    }
    Ok(Arc::new(Schema::new(fields)))
}

/// The column of the records themselves: lists of one byte string each.
pub(crate) struct RawColumn {
    values: Values,
    item: Arc<Field>,
}

impl RawColumn {
    /// # Errors
    /// `Unsupported` if the field is not one of lists of bytes.
    pub(crate) fn new(field: &Field) -> Result<Self> {
        if let DataType::LargeList(item) = field.data_type()
            && let Some(values) = Values::new(item.data_type()).filter(Values::is_bytes)
        {
            return Ok(Self { values, item: Arc::clone(item) });
        }
        let what = format!("the column {:?} has the records, and is not one of lists of bytes", field.name());
        Err(Error::new(ErrorKind::Unsupported, what).help("open the data set again"))
    }

    pub(crate) fn push(&mut self, record: &[u8]) {
        // Bytes fit.
        let _ = self.values.push_bytes(record, false);
    }

    pub(crate) fn finish(&mut self) -> Result<ArrayRef> {
        let rows = self.values.len();
        let values = self.values.finish(self.item.data_type(), None)?;
        let offsets = OffsetBuffer::from_repeated_length(1, rows);
        Ok(Arc::new(LargeListArray::try_new(Arc::clone(&self.item), offsets, values, None)?))
    }
}
