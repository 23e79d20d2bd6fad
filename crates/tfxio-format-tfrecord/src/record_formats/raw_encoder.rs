//! A column of bytes as records.

use arrow_array::cast::AsArray as _;
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, SchemaRef};
use tfxio_core::{Count, Error, ErrorKind, FormatOptions, Position, RecordEncoder, Result};

use super::raw::COLUMN;

/// Makes a record of each value of a column: bytes or texts, or lists of one, as raw records are read.
pub(super) struct RawEncoder {
    column: String,
    /// Whether the values are bytes.
    pub(super) is_bytes: bool,
}

impl RawEncoder {
    /// Finds the column: the one that the options name, or the only one.
    pub(super) fn new(schema: &SchemaRef, options: &FormatOptions) -> Result<Self> {
        let field = match (options.text("column"), schema.fields().as_ref()) {
            (None, [only]) => only,
            (name, fields) => {
                let name = name.unwrap_or(COLUMN);
                let found = fields.iter().find(|field| field.name() == name);
                found.ok_or_else(|| {
                    let what = format!("there is no column {name:?} with the records to write");
                    Error::new(ErrorKind::InvalidArgument, what)
                        .help("name the column by the option `column`")
                })?
            }
        };
        let of_list = match field.data_type() {
            DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, 1) => {
                item.data_type()
            }
            other => other,
        };
        let is_bytes = matches!(of_list, DataType::Binary | DataType::LargeBinary);
        if !is_bytes && !matches!(of_list, DataType::Utf8 | DataType::LargeUtf8) {
            let what = format!("the column has Arrow type {}; records are made of bytes", field.data_type());
            let position = Position::new().column(field.name().as_str());
            return Err(Error::new(ErrorKind::Unsupported, what).at(position));
        }
        Ok(Self { column: field.name().clone(), is_bytes })
    }

    fn wrong(&self, row: usize, what: &str) -> Error {
        let position = Position::new().column(self.column.as_str()).row(row as u64);
        Error::new(ErrorKind::SchemaMismatch, format!("the row has {what}, and a record is one byte string"))
            .at(position)
    }
}

impl RecordEncoder for RawEncoder {
    fn encode(&mut self, batch: &RecordBatch, take: &mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let column = batch.column_by_name(&self.column).ok_or_else(|| {
            let what = format!("the batch has no column {:?}", self.column);
            Error::new(ErrorKind::SchemaMismatch, what)
        })?;
        let (values, at) = values(column);
        for row in 0..column.len() {
            let at = match at(row) {
                (start, 1) => start,
                (_, count) => return Err(self.wrong(row, &Count::of(count, "value").to_string())),
            };
            if column.is_null(row) || values.is_null(at) {
                return Err(self.wrong(row, "no value"));
            }
            match values.data_type() {
                DataType::Binary => take(values.as_binary::<i32>().value(at))?,
                DataType::Utf8 => take(values.as_string::<i32>().value(at).as_bytes())?,
                DataType::LargeUtf8 => take(values.as_string::<i64>().value(at).as_bytes())?,
                _ => take(values.as_binary::<i64>().value(at))?,
            }
        }
        Ok(())
    }
}

/// Index of the first value of a row, and the number of its values.
type Range<'a> = Box<dyn Fn(usize) -> (usize, usize) + 'a>;

/// Returns the values of a column, and the range of values of each row.
fn values(column: &ArrayRef) -> (&ArrayRef, Range<'_>) {
    match column.data_type() {
        DataType::List(_) => {
            let lists = column.as_list::<i32>();
            let of = |row| (lists.value_offsets()[row] as usize, lists.value_length(row) as usize);
            (lists.values(), Box::new(of))
        }
        DataType::LargeList(_) => {
            let lists = column.as_list::<i64>();
            let of = |row| (lists.value_offsets()[row] as usize, lists.value_length(row) as usize);
            (lists.values(), Box::new(of))
        }
        DataType::FixedSizeList(..) => {
            let lists = column.as_fixed_size_list();
            (lists.values(), Box::new(|row| (lists.value_offset(row) as usize, 1)))
        }
        _ => (column, Box::new(|row| (row, 1))),
    }
}
