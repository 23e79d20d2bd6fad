//! Columns that the reader of the crate `parquet` has made, validated before they are used.
//!
//! The reader makes arrays without a look at them. It compares text with UTF-8 only if the converted type of the column is text: not if
//! only the logical type is, as of JSON, or only the type in the Arrow schema that the writer has left. Of texts that follow each other
//! without lengths (`DELTA_LENGTH_BYTE_ARRAY`, `DELTA_BYTE_ARRAY`) it compares the whole and not the values.

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use parquet::basic::{ConvertedType, Type};
use parquet::schema::types::SchemaDescriptor;
use tfxio_core::foreign::{Foreign, Text};
use tfxio_core::{Error, Position};

/// Validates the columns of batches.
pub(super) struct ForeignColumns {
    /// Prior check of the text of each column, and its validator.
    columns: Vec<(Text, Foreign)>,
}

impl ForeignColumns {
    /// Returns a validator of batches of these columns, read of these leaf columns.
    pub(super) fn new(schema: &Schema, stored: &SchemaDescriptor, leaves: &[usize]) -> Self {
        let mut roots: Vec<(usize, Text)> = Vec::new();
        for leaf in leaves {
            let (root, column) = (stored.get_column_root_idx(*leaf), stored.column(*leaf));
            let is_bytes = matches!(column.physical_type(), Type::BYTE_ARRAY | Type::FIXED_LEN_BYTE_ARRAY);
            let is_unread = is_bytes && column.converted_type() != ConvertedType::UTF8;
            let text = if is_unread { Text::Unread } else { Text::ReadTogether };
            match roots.last_mut() {
                Some((last, of_last)) if *last == root => *of_last = if is_unread { text } else { *of_last },
                _ => roots.push((root, text)),
            }
        }
        // Whose columns are not these is not known.
        let texts = match roots.len() == schema.fields().len() {
            true => roots.into_iter().map(|(_, text)| text).collect(),
            false => vec![Text::Unread; schema.fields().len()],
        };
        Self { columns: texts.into_iter().map(|text| (text, Foreign::new())).collect() }
    }

    /// Validates a batch.
    pub(super) fn check(&mut self, batch: &RecordBatch) -> Result<(), Error> {
        for ((field, column), (text, foreign)) in
            batch.schema_ref().fields().iter().zip(batch.columns()).zip(&mut self.columns)
        {
            foreign.array(column, *text).map_err(|error| {
                let what = format!("the Parquet file cannot be read: {}", error.what());
                let position = Position::new().column(field.name().as_str());
                error.saying(what).at(position).help(HELP)
            })?;
        }
        Ok(())
    }
}

/// Advice for values that do not fit their type.
const HELP: &str = "leave out the column, or write the file again, with bytes (binary) as its type";
