//! One feature of one row.

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Int64Type};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_schema::DataType;

use crate::json;

/// The values that a row has in a column. Columns are as the decoders make them: `Null`, or `LargeList` of `Int64`,
/// `Float32` or `LargeBinary`, or a list of such lists.
pub(crate) enum Cell {
    /// The feature is absent.
    Absent,
    Ints(Vec<i64>),
    Floats(Vec<f32>),
    Bytes(Vec<Vec<u8>>),
    /// The steps of a sequence feature.
    Steps(Vec<Cell>),
}

/// The columns of a batch, each field of a struct as one that is named after both.
pub(crate) fn leaves(batch: &RecordBatch) -> Vec<(String, ArrayRef)> {
    let mut leaves = Vec::with_capacity(batch.num_columns());
    for (field, column) in batch.schema().fields().iter().zip(batch.columns()) {
        match column.as_struct_opt() {
            Some(fields) => {
                let names = fields.column_names().into_iter().map(|name| format!("{}.{name}", field.name()));
                leaves.extend(names.zip(fields.columns().iter().cloned()));
            }
            None => leaves.push((field.name().clone(), column.clone())),
        }
    }
    leaves
}

impl Cell {
    pub(crate) fn of(column: &ArrayRef, row: usize) -> Self {
        let Some(lists) = column.as_list_opt::<i64>() else { return Self::Absent };
        if row >= lists.len() || lists.is_null(row) {
            return Self::Absent;
        }
        let values = lists.value(row);
        match values.data_type() {
            DataType::Int64 => Self::Ints(values.as_primitive::<Int64Type>().values().to_vec()),
            DataType::Float32 => Self::Floats(values.as_primitive::<Float32Type>().values().to_vec()),
            DataType::LargeBinary => {
                let values = values.as_binary::<i64>();
                Self::Bytes((0..values.len()).map(|index| values.value(index).to_vec()).collect())
            }
            DataType::LargeList(_) => {
                Self::Steps((0..values.len()).map(|step| Self::of(&values, step)).collect())
            }
            // No step has a value.
            DataType::Null => Self::Steps((0..values.len()).map(|_| Self::Absent).collect()),
            _ => Self::Absent,
        }
    }

    /// As JSON: a list, or null.
    pub(crate) fn json(&self, out: &mut String) {
        match self {
            Self::Absent => out.push_str("null"),
            Self::Ints(values) => list(out, values, |out, value| out.push_str(&value.to_string())),
            Self::Floats(values) => list(out, values, |out, value| json::float(out, *value)),
            Self::Bytes(values) => list(out, values, |out, value| json::bytes(out, value)),
            Self::Steps(steps) => list(out, steps, |out, step| step.json(out)),
        }
    }

    /// For people, in about `width` characters: one value bare, several as a list that is cut with the number of its
    /// values. A step is always a list.
    pub(crate) fn text(&self, width: usize) -> String {
        self.shown(width, true)
    }

    fn shown(&self, width: usize, bare: bool) -> String {
        match self {
            Self::Absent => "null".to_owned(),
            Self::Ints(values) => short_list(values, "values", width, bare, |value, _| value.to_string()),
            Self::Floats(values) => {
                short_list(values, "values", width, bare, |value, _| format!("{value:?}"))
            }
            Self::Bytes(values) => {
                short_list(values, "values", width, bare, |value, width| short_bytes(value, width))
            }
            Self::Steps(steps) => {
                short_list(steps, "steps", width, false, |step, width| step.shown(width, false))
            }
        }
    }
}

fn list<T>(out: &mut String, values: &[T], write: impl Fn(&mut String, &T)) {
    out.push('[');
    for (index, value) in values.iter().enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        write(out, value);
    }
    out.push(']');
}

fn short_list<T>(
    values: &[T],
    unit: &str,
    width: usize,
    bare: bool,
    write: impl Fn(&T, usize) -> String,
) -> String {
    if let ([value], true) = (values, bare) {
        return write(value, width);
    }
    let mut out = String::from("[");
    let mut used = 1;
    for (index, value) in values.iter().enumerate() {
        let text = write(value, width / 2);
        let separator = if index > 0 { ", " } else { "" };
        let length = text.chars().count() + separator.len();
        let rest =
            if index + 1 < values.len() { format!(", … {} {unit}]", values.len()) } else { "]".to_owned() };
        if used + length + rest.chars().count() > width && index > 0 {
            return format!("{out}, … {} {unit}]", values.len());
        }
        used += length;
        out = out + separator + &text;
    }
    out + "]"
}

/// Text as it is where it is short and can be printed; otherwise what it begins with and its length.
fn short_bytes(bytes: &[u8], width: usize) -> String {
    let most = width.max(12);
    match std::str::from_utf8(bytes) {
        Ok(text) if text.chars().any(char::is_control) || text.trim() != text || text.is_empty() => {
            // More than is kept, and not all of a text of gigabytes.
            let shown = text
                .char_indices()
                .nth(most + 1)
                .map_or(text, |(end, _)| text.get(..end).unwrap_or_default());
            cut(&format!("{shown:?}"), most, bytes.len())
        }
        Ok(text) => cut(text, most, bytes.len()),
        Err(_) => {
            let hex = bytes.iter().take(most / 2).map(|byte| format!("{byte:02x}")).collect::<String>();
            cut(&format!("0x{hex}"), if bytes.len() > most / 2 { most / 2 } else { most + 2 }, bytes.len())
        }
    }
}

fn cut(text: &str, most: usize, bytes: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let note = format!("… {bytes} bytes");
    let keep = most.saturating_sub(note.chars().count()).max(4);
    text.chars().take(keep).collect::<String>() + &note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut() {
        let cell = Cell::Floats((0..64).map(|value| value as f32).collect());
        assert_eq!(cell.text(40), "[0.0, 1.0, 2.0, 3.0, 4.0, … 64 values]");
        assert_eq!(Cell::Ints(vec![1, 2, 3]).text(40), "[1, 2, 3]");
        assert_eq!(Cell::Ints(vec![7]).text(40), "7");
        assert_eq!(Cell::Ints(vec![]).text(40), "[]");
        assert_eq!(Cell::Absent.text(40), "null");
        let steps = || vec![Cell::Ints(vec![1, 2]), Cell::Ints(vec![3]), Cell::Absent, Cell::Ints(vec![])];
        assert_eq!(Cell::Steps(steps()).text(40), "[[1, 2], [3], null, []]");
        assert_eq!(Cell::Steps(steps()).text(22), "[[1, 2], … 4 steps]");
    }

    #[test]
    fn bytes_are_text_where_they_are() {
        let text = |bytes: &[u8]| Cell::Bytes(vec![bytes.to_vec()]).text(24);
        assert_eq!(text(b"digit-0000"), "digit-0000");
        assert_eq!(text(b""), "\"\"");
        assert_eq!(text(b"a\nb"), "\"a\\nb\"");
        assert_eq!(text(b"\xff\xd8"), "0xffd8");
        assert_eq!(text(&[b'x'; 100]), "xxxxxxxxxxxxx… 100 bytes");
        assert_eq!(text(&[0xff; 100]), "0xff… 100 bytes");
    }

    #[test]
    fn json_is_whole() {
        let mut out = String::new();
        Cell::Ints(vec![i64::MIN, 5]).json(&mut out);
        Cell::Absent.json(&mut out);
        Cell::Bytes(vec![b"a".to_vec(), vec![0xff]]).json(&mut out);
        assert_eq!(out, "[-9223372036854775808, 5]null[\"a\", {\"base64\": \"/w==\"}]");
    }
}
