//! Batches as CSV files.

use std::collections::HashSet;
use std::io::Write as _;
use std::sync::Arc;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float16Type, Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, RecordBatch, downcast_dictionary_array, downcast_integer_array};
use arrow_schema::{DataType, Field, SchemaRef};
use tfxio_core::{Count, Error, ErrorKind, FormatOptions, Loss, OptionValue, Position, Result, Sink};
use tfxio_scan::decimals;
use tfxio_store::output::{no_columns, same_columns};
use tfxio_store::row_sink::{EncodeRows, EncodedRows};

use super::infer::Seen;
use super::read_back::ReadBackTypes;
use super::settings::{self, ESCAPE_FORMULAS, character, is_tsv};
use super::uuids;
use crate::json::value::{is_uuid, list};
use crate::json::{temporal, times_of_day};
use crate::lines;

const JSON_LINES: &str = "convert without this column, or write JSON lines (.jsonl), which can hold it";

/// Makes cells of rows.
#[derive(Clone)]
struct Cells {
    schema: SchemaRef,
    dialect: Dialect,
    /// Name of the output.
    name: Arc<str>,
    read_back: ReadBackTypes,
}

/// Delimiters of cells, and of the values of one, and escapes.
#[derive(Clone, Copy, Debug)]
struct Dialect {
    delimiter: u8,
    secondary: Option<u8>,
    /// Escape before a quote or itself in quotes, instead of a second quote.
    escape: Option<u8>,
    /// Whether texts that spreadsheets would run are marked as texts.
    escapes_formulas: bool,
}

/// Returns a sink that writes a file, or the shards of a pattern.
pub(super) fn sink(output: &str, schema: &SchemaRef, options: &FormatOptions) -> Result<Box<dyn Sink>> {
    let delimiter = character(options, "delimiter")?.unwrap_or(if is_tsv(output) { b'\t' } else { b',' });
    let secondary = character(options, "secondary_delimiter")?;
    if secondary == Some(delimiter) {
        let what = "the options \"delimiter\" and \"secondary_delimiter\" are the same character";
        return Err(Error::new(ErrorKind::InvalidArgument, what).help("choose another for one of them"));
    }
    if options.text("quoting") == Some("none") {
        let what = "CSV is written with quotes where cells need them";
        return Err(Error::new(ErrorKind::Unsupported, what).help("leave out the option quoting"));
    }
    let escape = settings::escape(options, delimiter)?;
    let escapes_formulas = options.values().get(ESCAPE_FORMULAS) == Some(&OptionValue::Bool(true));
    let dialect = Dialect { delimiter, secondary, escape, escapes_formulas };
    if schema.fields().is_empty() {
        return Err(no_columns(output));
    }
    let mut names = HashSet::new();
    for field in schema.fields() {
        let name = field.name();
        let refused = |what: &str| {
            let error =
                Error::new(ErrorKind::Unsupported, what).help("rename the column before it is written");
            Err(error.at(Position::new().column(name.as_str())))
        };
        if name.is_empty() {
            return refused("a column without a name cannot be written to a header");
        }
        if !names.insert(name) {
            return refused("two columns have this name");
        }
        if !is_written(field.data_type(), true) {
            let what = format!("a cell cannot hold a value of type {}", field.data_type());
            let error = Error::new(ErrorKind::Unsupported, what).help(JSON_LINES);
            return Err(error.at(Position::new().column(field.name().as_str())));
        }
    }
    let mut head = Vec::new();
    if options.values().get("header") != Some(&OptionValue::Bool(false)) {
        for (index, field) in schema.fields().iter().enumerate() {
            if index > 0 {
                head.push(delimiter);
            }
            let start = head.len();
            head.extend_from_slice(field.name().as_bytes());
            dialect.mark(&mut head, start);
            dialect.quote(&mut head, start);
        }
        head.push(b'\n');
    }
    let read_back = ReadBackTypes::new(schema);
    let encoder = Cells { schema: Arc::clone(schema), dialect, name: output.into(), read_back };
    lines::sink(output, options, head, encoder)
}

impl EncodeRows for Cells {
    fn encode(&mut self, batch: &RecordBatch, rows: &mut EncodedRows) -> Result<()> {
        same_columns(&self.schema, &batch.schema()).map_err(|error| error.in_file(&*self.name))?;
        times_of_day::refuse_others(batch)?;
        let mut columns = batch.columns().to_vec();
        for (column, field) in columns.iter_mut().zip(self.schema.fields()) {
            if let Some(texts) = uuids::as_text(field, column)? {
                *column = texts;
            }
        }
        let encoded =
            (0..batch.num_rows()).try_for_each(|row| rows.push(|out| self.append(&columns, row, out)));
        self.read_back.share();
        encoded
    }

    fn losses(&self) -> Vec<Loss> {
        let named =
            |(index, what): (usize, &str)| Some(Loss::new(self.schema.fields().get(index)?.name(), what));
        self.read_back.losses().filter_map(named).collect()
    }
}

impl Cells {
    /// Appends a row.
    fn append(&mut self, columns: &[ArrayRef], row: usize, out: &mut Vec<u8>) -> Result<()> {
        for (index, (column, field)) in columns.iter().zip(self.schema.fields()).enumerate() {
            if index > 0 {
                out.push(self.dialect.delimiter);
            }
            self.dialect
                .cell(out, column, row, self.read_back.column(index))
                .map_err(|error| error.at(Position::new().column(field.name().as_str()).row(row as u64)))?;
        }
        out.push(b'\n');
        Ok(())
    }
}

/// Returns the loss of values of a field in cells, which have no type.
pub(super) fn loss(values: &Field) -> Option<&'static str> {
    match values.data_type() {
        DataType::FixedSizeBinary(16) if is_uuid(values) => {
            Some("UUIDs become texts, and are read back as texts")
        }
        of => of.is_decimal().then_some("decimals are read back as 64-bit floats, unless a schema is given"),
    }
}

/// Returns whether values of a type can be cells.
pub(super) fn is_written(data_type: &DataType, lists: bool) -> bool {
    let item = |item: &Field| lists && is_written(item.data_type(), false);
    match data_type {
        DataType::Null | DataType::Boolean => true,
        DataType::Dictionary(_, value) => is_written(value, false),
        DataType::List(values) | DataType::LargeList(values) | DataType::FixedSizeList(values, _) => {
            item(values)
        }
        other => {
            let is_number = other.is_integer() || other.is_floating() || other.is_decimal();
            is_number || other.is_temporal() || is_text(other)
        }
    }
}

/// Returns whether values of a type are texts, and no numbers or times.
fn is_text(data_type: &DataType) -> bool {
    match data_type {
        DataType::Utf8
        | DataType::LargeUtf8
        | DataType::Utf8View
        | DataType::Binary
        | DataType::LargeBinary
        | DataType::BinaryView
        | DataType::FixedSizeBinary(_) => true,
        DataType::Dictionary(_, value) => is_text(value),
        _ => false,
    }
}

impl Dialect {
    /// Appends the cell of a row. Texts are shown to `seen`.
    fn cell(
        self,
        out: &mut Vec<u8>,
        column: &ArrayRef,
        row: usize,
        mut seen: Option<&mut Seen>,
    ) -> Result<()> {
        if is_null(column, row) {
            return Ok(());
        }
        let Some((values, items)) = list(column, row) else { return self.value(out, column, row, seen) };
        let help = "set the option secondary_delimiter, or write JSON lines (.jsonl), which hold lists";
        if values.is_nullable() && items.clone().any(|item| is_null(values, item)) {
            let what = "the list has a null, which a cell cannot hold beside other values";
            return Err(Error::new(ErrorKind::Unsupported, what).help(JSON_LINES));
        }
        match (items.len(), self.secondary) {
            (0, _) => {
                let what = "the list is empty, which a cell cannot tell from one that is missing";
                Err(Error::new(ErrorKind::Unsupported, what).help(JSON_LINES))
            }
            (1, None) => self.value(out, values, items.start, seen),
            (count, None) => {
                let what = format!("the row has {}, and a cell holds one", Count::of(count, "value"));
                Err(Error::new(ErrorKind::Unsupported, what).help(help))
            }
            (_, Some(secondary)) => {
                let cell = out.len();
                for (at, item) in items.enumerate() {
                    if at > 0 {
                        out.push(secondary);
                    }
                    let start = out.len();
                    text(out, values, item)?;
                    let value = out.get(start..).unwrap_or_default();
                    if let Some(seen) = &mut seen {
                        seen.push_text(value);
                    }
                    if value.contains(&secondary) {
                        let what =
                            format!("a value holds the secondary delimiter {:?}", char::from(secondary));
                        return Err(Error::new(ErrorKind::Unsupported, what).help("choose another delimiter"));
                    }
                }
                if is_text(values.data_type()) {
                    self.mark(out, cell);
                }
                self.quote(out, cell);
                Ok(())
            }
        }
    }

    /// Puts a `'` before the cell that starts at an offset, where spreadsheets would take it for a formula.
    fn mark(self, out: &mut Vec<u8>, start: usize) {
        let first = out.get(start).copied();
        if self.escapes_formulas && matches!(first, Some(b'=' | b'+' | b'-' | b'@' | b'\t' | b'\r')) {
            out.insert(start, b'\'');
        }
    }

    /// Appends a value that is not null.
    fn value(self, out: &mut Vec<u8>, column: &ArrayRef, row: usize, seen: Option<&mut Seen>) -> Result<()> {
        let start = out.len();
        text(out, column, row)?;
        // The delimiter may be what integers are written with.
        let has_quotes = self.delimiter == b'-' || self.delimiter.is_ascii_digit();
        if column.data_type().is_integer() && !has_quotes {
            return Ok(());
        }
        if let Some(seen) = seen {
            seen.push_text(out.get(start..).unwrap_or_default());
        }
        if is_text(column.data_type()) {
            self.mark(out, start);
        }
        self.quote(out, start);
        Ok(())
    }
}

/// Returns whether a row has no value: also where the value in the dictionary is null.
fn is_null(column: &dyn Array, row: usize) -> bool {
    if column.is_null(row) || *column.data_type() == DataType::Null {
        return true;
    }
    downcast_dictionary_array!(
        column => column.key(row).is_none_or(|key| is_null(column.values(), key)),
        _ => false
    )
}

/// Appends a value as text, without quotes.
fn text(out: &mut Vec<u8>, column: &dyn Array, row: usize) -> Result<()> {
    if matches!(column.data_type(), DataType::Dictionary(..)) {
        return downcast_dictionary_array!(
            column => column.key(row).map_or(Ok(()), |key| text(out, column.values(), key)),
            _ => Ok(())
        );
    }
    // A Vec takes everything.
    let mut number = |number: std::fmt::Arguments<'_>| drop(out.write_fmt(number));
    downcast_integer_array!(
        column => number(format_args!("{}", column.value(row))),
        DataType::Boolean => number(format_args!("{}", column.as_boolean().value(row))),
        DataType::Float16 => number(format_args!("{:?}", column.as_primitive::<Float16Type>().value(row).to_f32())),
        DataType::Float32 => number(format_args!("{:?}", column.as_primitive::<Float32Type>().value(row))),
        DataType::Float64 => number(format_args!("{:?}", column.as_primitive::<Float64Type>().value(row))),
        _ => return bytes(out, column, row)
    );
    Ok(())
}

fn bytes(out: &mut Vec<u8>, column: &dyn Array, row: usize) -> Result<()> {
    let value = match column.data_type() {
        DataType::Utf8 => column.as_string::<i32>().value(row).as_bytes(),
        DataType::LargeUtf8 => column.as_string::<i64>().value(row).as_bytes(),
        DataType::Utf8View => column.as_string_view().value(row).as_bytes(),
        DataType::Binary => column.as_binary::<i32>().value(row),
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        _ => {
            let text = decimals::text(column, row).or_else(|| temporal::text(column, row));
            out.extend_from_slice(text.unwrap_or_default().as_bytes());
            return Ok(());
        }
    };
    if std::str::from_utf8(value).is_err() {
        let what = "the bytes are not UTF-8, and CSV is text";
        return Err(Error::new(ErrorKind::Unsupported, what).help(JSON_LINES));
    }
    out.extend_from_slice(value);
    Ok(())
}

impl Dialect {
    /// Puts quotes around the cell that starts at an offset, where it would not be read as it is without them.
    fn quote(self, out: &mut Vec<u8>, start: usize) {
        let cell = out.get(start..).unwrap_or_default();
        let is_special = |byte: &u8| {
            *byte == self.delimiter || matches!(byte, b'"' | b'\n' | b'\r') || Some(*byte) == self.escape
        };
        let is_blank = cell.iter().all(|byte| matches!(byte, b' ' | b'\t'));
        // A byte order mark would be taken for that of the file.
        if !is_blank && !cell.iter().any(is_special) && !cell.starts_with("\u{feff}".as_bytes()) {
            return;
        }
        let cell = out.split_off(start);
        out.push(b'"');
        for byte in cell {
            if byte == b'"' || Some(byte) == self.escape {
                out.push(self.escape.unwrap_or(b'"'));
            }
            out.push(byte);
        }
        out.push(b'"');
    }
}
