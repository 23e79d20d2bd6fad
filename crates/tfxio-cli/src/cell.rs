//! Values of Arrow columns in cells of tables.

use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;

use crate::value::{self, bytes, items};

/// Returns the value of a row in about `width` characters. One value of a list stands bare, several are a list that is cut,
/// with the number of its values; a list within a list is always one.
pub(crate) fn text(column: &ArrayRef, row: usize, width: usize) -> String {
    shown(column, row, width, true)
}

/// Returns the whole value of a row.
pub(crate) fn whole(column: &ArrayRef, row: usize) -> String {
    // Of which halves and sums can be taken.
    text(column, row, usize::MAX / 4)
}

fn shown(column: &ArrayRef, row: usize, width: usize, bare: bool) -> String {
    if row >= column.len() || column.is_null(row) {
        return "null".to_owned();
    }
    if let Some(items) = items(column, row) {
        return list(&items, width, bare);
    }
    match column.data_type() {
        DataType::FixedSizeBinary(16) | DataType::Null => {}
        _ => {
            if let Some(bytes) = bytes(column, row) {
                return short_bytes(bytes, width);
            }
        }
    }
    let mut json = String::new();
    value::json(&mut json, column, row);
    // Text is shown as bytes are; a struct as JSON.
    match json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) if !text.contains('\\') => short_bytes(text.as_bytes(), width),
        _ => cut(&json, width, json.chars().count(), "characters"),
    }
}

fn list(items: &ArrayRef, width: usize, bare: bool) -> String {
    let is_nested = items.data_type().is_list() || *items.data_type() == DataType::Null;
    if items.len() == 1 && bare && !is_nested {
        return shown(items, 0, width, false);
    }
    let unit = if is_nested { "steps" } else { "values" };
    let mut out = String::from("[");
    let mut used = 1;
    for index in 0..items.len() {
        let text = shown(items, index, if is_nested { width } else { width / 2 }, false);
        let separator = if index > 0 { ", " } else { "" };
        let length = text.chars().count() + separator.len();
        let rest =
            if index + 1 < items.len() { format!(", … {} {unit}]", items.len()) } else { "]".to_owned() };
        if used + length + rest.chars().count() > width && index > 0 {
            return format!("{out}, … {} {unit}]", items.len());
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
            cut(&format!("{shown:?}"), most, bytes.len(), "bytes")
        }
        Ok(text) => cut(text, most, bytes.len(), "bytes"),
        Err(_) => {
            let hex = bytes.iter().take(most / 2).map(|byte| format!("{byte:02x}")).collect::<String>();
            let most = if bytes.len() > most / 2 { most / 2 } else { most + 2 };
            cut(&format!("0x{hex}"), most, bytes.len(), "bytes")
        }
    }
}

/// Cuts a text that is too long, and says the whole length.
fn cut(text: &str, most: usize, length: usize, unit: &str) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let note = format!("… {length} {unit}");
    let keep = most.saturating_sub(note.chars().count()).max(4);
    text.chars().take(keep).collect::<String>() + &note
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Float32Builder, Int64Builder, LargeBinaryBuilder, LargeListBuilder};
    use arrow_array::{ArrayRef, StringArray, StructArray};

    use super::text;

    fn ints(rows: &[Option<&[i64]>]) -> ArrayRef {
        let mut lists = LargeListBuilder::new(Int64Builder::new());
        for row in rows {
            row.unwrap_or_default().iter().for_each(|value| lists.values().append_value(*value));
            lists.append(row.is_some());
        }
        Arc::new(lists.finish())
    }

    fn steps(steps: &[Option<&[i64]>]) -> ArrayRef {
        let mut lists = LargeListBuilder::new(LargeListBuilder::new(Int64Builder::new()));
        for step in steps {
            step.unwrap_or_default().iter().for_each(|value| lists.values().values().append_value(*value));
            lists.values().append(step.is_some());
        }
        lists.append(true);
        Arc::new(lists.finish())
    }

    #[test]
    fn long_lists_are_cut() {
        let mut floats = LargeListBuilder::new(Float32Builder::new());
        (0..64).for_each(|value| floats.values().append_value(value as f32));
        floats.append(true);
        let floats: ArrayRef = Arc::new(floats.finish());
        assert_eq!(text(&floats, 0, 40), "[0.0, 1.0, 2.0, 3.0, 4.0, … 64 values]");
        let rows = ints(&[Some(&[1, 2, 3]), Some(&[7]), Some(&[]), None]);
        let shown = (0..4).map(|row| text(&rows, row, 40)).collect::<Vec<_>>();
        assert_eq!(shown, ["[1, 2, 3]", "7", "[]", "null"]);
        let steps = steps(&[Some(&[1, 2]), Some(&[3]), None, Some(&[])]);
        assert_eq!(text(&steps, 0, 40), "[[1, 2], [3], null, []]");
        assert_eq!(text(&steps, 0, 22), "[[1, 2], … 4 steps]");
    }

    #[test]
    fn bytes_are_text_where_they_are() {
        let text = |bytes: &[u8]| {
            let mut values = LargeBinaryBuilder::new();
            values.append_value(bytes);
            let values: ArrayRef = Arc::new(values.finish());
            text(&values, 0, 24)
        };
        assert_eq!(text(b"digit-0000"), "digit-0000");
        assert_eq!(text(b""), "\"\"");
        assert_eq!(text(b"a\nb"), "\"a\\nb\"");
        assert_eq!(text(b"\xff\xd8"), "0xffd8");
        assert_eq!(text(&[b'x'; 100]), "xxxxxxxxxxxxx… 100 bytes");
        assert_eq!(text(&[0xff; 100]), "0xff… 100 bytes");
    }

    #[test]
    fn a_struct_is_json() {
        let name: ArrayRef = Arc::new(StringArray::from(vec!["Ada Lovelace"]));
        let fields: ArrayRef = Arc::new(StructArray::try_from(vec![("name", name)]).unwrap());
        assert_eq!(text(&fields, 0, 44), "{\"name\": \"Ada Lovelace\"}");
        assert_eq!(text(&fields, 0, 20), "{\"nam… 24 characters");
    }
}
