//! Values of Arrow columns in cells of tables.

use arrow_array::{Array, ArrayRef, cast::AsArray as _};
use arrow_schema::{DataType, Field};
use tfxio::tfxio_core::media::Media;

use crate::table::counted;
use crate::{json, width};
use tfxio::json::value::{self, bytes, item, items};

/// Returns the value of a row in about `most` columns of a terminal. Text is quoted. A list of one value is shown as
/// the value; several values are a truncated list with their number; a list within a list is always shown as a list.
pub(crate) fn text(field: &Field, column: &ArrayRef, row: usize, most: usize) -> String {
    shown(field, column, row, most, true)
}

/// Returns the whole value of a row; of bytes that begin like an image or a known file, what they are.
pub(crate) fn whole(field: &Field, column: &ArrayRef, row: usize) -> String {
    // Of which halves and sums can be taken.
    text(field, column, row, usize::MAX / 8)
}

fn shown(field: &Field, column: &ArrayRef, row: usize, most: usize, bare: bool) -> String {
    if row >= column.len() || column.is_null(row) {
        return "null".to_owned();
    }
    if let Some((values, row)) = value::inner(column, row) {
        return shown(field, &values, row, most, bare);
    }
    if let Some(items) = items(column, row) {
        return list(item(column.data_type()).map_or(field, |item| &**item), &items, most, bare);
    }
    let text = match column.data_type() {
        DataType::Utf8 => Some(column.as_string::<i32>().value(row)),
        DataType::LargeUtf8 => Some(column.as_string::<i64>().value(row)),
        DataType::Utf8View => Some(column.as_string_view().value(row)),
        _ => None,
    };
    if let Some(text) = text {
        return quoted(text, most);
    }
    if !value::is_uuid(field)
        && let Some(bytes) = bytes(column, row)
    {
        return short_bytes(bytes, most);
    }
    let mut json = String::new();
    value::json_of(&mut json, field, column, row);
    // Dates, decimals and the like are no text.
    match json.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
        Some(text) => text.to_owned(),
        None => cut(&json, most),
    }
}

fn list(field: &Field, items: &ArrayRef, most: usize, bare: bool) -> String {
    let is_nested = items.data_type().is_list() || *items.data_type() == DataType::Null;
    if items.len() == 1 && bare && !is_nested {
        return shown(field, items, 0, most, false);
    }
    let unit = if is_nested { "steps" } else { "values" };
    let mut out = String::from("[");
    let mut used = 1;
    for index in 0..items.len() {
        let text = shown(field, items, index, if is_nested { most } else { most / 2 }, false);
        let separator = if index > 0 { ", " } else { "" };
        let length = width::of(&text) + separator.len();
        let rest =
            if index + 1 < items.len() { format!(", … {} {unit}]", items.len()) } else { "]".to_owned() };
        if used + length + width::of(&rest) > most && index > 0 {
            return format!("{out}, … {} {unit}]", items.len());
        }
        used += length;
        out = out + separator + &text;
    }
    out + "]"
}

/// Text in quotes; otherwise what it begins with, and its length.
fn quoted(text: &str, most: usize) -> String {
    let most = most.max(12);
    let string = |text: &str| {
        let mut out = String::new();
        json::string(&mut out, text);
        out
    };
    // Not all of a text of gigabytes.
    let mut beginning = width::start(text, most);
    if beginning.len() == text.len() {
        let whole = string(text);
        if width::of(&whole) <= most {
            return whole;
        }
    }
    let note = format!("… {}", counted(text.len() as u64, "byte"));
    let room = most.saturating_sub(width::of(&note)).max(6);
    beginning = width::start(beginning, room.saturating_sub(2));
    // What is escaped becomes longer.
    while width::of(&string(beginning)) > room && !beginning.is_empty() {
        beginning =
            beginning.get(..beginning.char_indices().next_back().map_or(0, |(at, _)| at)).unwrap_or("");
    }
    string(beginning) + &note
}

/// Text in quotes, the name of what the bytes begin like, or hexadecimal digits.
fn short_bytes(bytes: &[u8], most: usize) -> String {
    let text = std::str::from_utf8(bytes).ok();
    // No text holds a zero.
    let media = Media::of(bytes).filter(|_| text.is_none_or(|text| text.contains('\0')));
    match (text, media) {
        (_, Some(media)) => format!("<{media}, {}>", counted(bytes.len() as u64, "byte")),
        (Some(text), None) => quoted(text, most),
        (None, None) => {
            let most = most.max(12);
            let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
            if bytes.len() <= most / 2 {
                return format!("0x{}", hex(bytes));
            }
            let note = format!("… {}", counted(bytes.len() as u64, "byte"));
            let digits = (most / 2).saturating_sub(width::of(&note) + 2).max(2);
            let beginning = bytes.get(..digits.div_ceil(2)).unwrap_or(bytes);
            format!("0x{}{note}", hex(beginning).get(..digits).unwrap_or_default())
        }
    }
}

/// Truncates a text that is too long, and appends its whole length.
fn cut(text: &str, most: usize) -> String {
    if width::start(text, most).len() == text.len() {
        return text.to_owned();
    }
    let note = format!("… {}", counted(text.chars().count() as u64, "character"));
    width::start(text, most.saturating_sub(width::of(&note)).max(4)).to_owned() + &note
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::builder::{Float32Builder, Int64Builder, LargeBinaryBuilder, LargeListBuilder};
    use arrow_array::{ArrayRef, StringArray, StructArray};
    use arrow_schema::Field;

    fn text(column: &ArrayRef, row: usize, most: usize) -> String {
        super::text(&Field::new("", column.data_type().clone(), true), column, row, most)
    }

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
        assert_eq!(text(b"digit-0000"), "\"digit-0000\"");
        assert_eq!(text(b"36"), "\"36\"");
        assert_eq!(text(b""), "\"\"");
        assert_eq!(text(b"a\nb"), "\"a\\nb\"");
        assert_eq!(text("日本".repeat(9).as_bytes()), "\"日本日本日本\"… 54 bytes");
        assert_eq!(text(&[b'\n'; 100]), "\"\\n\\n\\n\\n\\n\"… 100 bytes");
        assert_eq!(text(b"\xff\xd8"), "0xffd8");
        assert_eq!(text(b"GIF89a\x10\0\x08\0\0"), "<GIF 16x8, 11 bytes>");
        assert_eq!(text(b"%PDF-1.7"), "\"%PDF-1.7\"");
        assert_eq!(text(&[b'x'; 100]), "\"xxxxxxxxxxx\"… 100 bytes");
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
