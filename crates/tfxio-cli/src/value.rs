//! Values of columns of key expressions.

use std::fmt::Write as _;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array as _, ArrayRef};
use arrow_schema::DataType;

use crate::json;

/// Appends the value of a row as JSON.
pub(crate) fn json(out: &mut String, column: &ArrayRef, row: usize) {
    if row >= column.len() || column.is_null(row) {
        return out.push_str("null");
    }
    match column.data_type() {
        DataType::Boolean => out.push_str(if column.as_boolean().value(row) { "true" } else { "false" }),
        DataType::Int32 => number(out, column.as_primitive::<Int32Type>().value(row)),
        DataType::Int64 => number(out, column.as_primitive::<Int64Type>().value(row)),
        DataType::Float32 => json::float(out, column.as_primitive::<Float32Type>().value(row)),
        DataType::Float64 => json::double(out, column.as_primitive::<Float64Type>().value(row)),
        DataType::LargeBinary => json::bytes(out, column.as_binary::<i64>().value(row)),
        DataType::LargeList(_) => {
            let items = column.as_list::<i64>().value(row);
            out.push('[');
            for item in 0..items.len() {
                out.push_str(if item > 0 { ", " } else { "" });
                json(out, &items, item);
            }
            out.push(']');
        }
        // Null, and nothing else.
        _ => out.push_str("null"),
    }
}

fn number(out: &mut String, value: impl std::fmt::Display) {
    let _ = write!(out, "{value}");
}

/// JSON in at most `width` characters; what is cut away is said by its length.
pub(crate) fn cut(json: &str, width: usize) -> String {
    let length = json.chars().count();
    if length <= width {
        return json.to_owned();
    }
    let note = format!("… {length} characters");
    let keep = width.saturating_sub(note.chars().count()).max(4);
    json.chars().take(keep).collect::<String>() + &note
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_values_are_cut() {
        assert_eq!(cut("[1, 2]", 6), "[1, 2]");
        assert_eq!(cut(&format!("[{}]", "1, ".repeat(100)), 24), "[1, 1, 1… 302 characters");
    }
}
