//! Bytes at any depth of a column, and the same as text.

use std::sync::Arc;

use arrow_schema::{DataType, Field, FieldRef, Fields};
use tfxio_core::ColumnPath;

use super::column_change::{ColumnChange, plain_field};
use super::leaf::Leaf;
use super::text;

/// Appends the paths of all bytes in a column: through lists and structs. Maps, dictionaries, runs and list views are left as they are.
pub fn text_leaves(field: &Field, path: &ColumnPath, out: &mut Vec<ColumnPath>) {
    leaves(field.data_type(), path, out);
}

fn leaves(data_type: &DataType, path: &ColumnPath, out: &mut Vec<ColumnPath>) {
    match data_type {
        DataType::List(item) | DataType::LargeList(item) | DataType::FixedSizeList(item, _) => {
            leaves(item.data_type(), path, out);
        }
        DataType::Struct(fields) => {
            fields
                .iter()
                .for_each(|field| leaves(field.data_type(), &path.child(field.name().as_str()), out));
        }
        values if text::is_bytes(values) => out.push(path.clone()),
        _ => {}
    }
}

/// Returns what becomes of a column, and its type, where the bytes at some paths become text; `None` where none of them do.
pub fn texts_within(
    data_type: &DataType,
    path: &ColumnPath,
    is_text: &dyn Fn(&ColumnPath) -> bool,
) -> Option<(ColumnChange, DataType)> {
    let of_items = |item: &FieldRef| {
        let (change, to) = texts_within(item.data_type(), path, is_text)?;
        let item: FieldRef = Arc::new(plain_field(item, to));
        Some((ColumnChange::Items(Box::new(change), Arc::clone(&item)), item))
    };
    match data_type {
        DataType::List(item) => of_items(item).map(|(change, item)| (change, DataType::List(item))),
        DataType::LargeList(item) => of_items(item).map(|(change, item)| (change, DataType::LargeList(item))),
        DataType::FixedSizeList(item, size) => {
            of_items(item).map(|(change, item)| (change, DataType::FixedSizeList(item, *size)))
        }
        DataType::Struct(fields) => {
            let changed = fields.iter().map(|field| {
                let within = path.child(field.name().as_str());
                match texts_within(field.data_type(), &within, is_text) {
                    Some((change, to)) => (change, Arc::new(plain_field(field, to))),
                    None => (ColumnChange::Keep, Arc::clone(field)),
                }
            });
            let (changes, fields): (Vec<_>, Vec<_>) = changed.unzip();
            if changes.iter().all(|change| *change == ColumnChange::Keep) {
                return None;
            }
            let fields = Fields::from(fields);
            Some((ColumnChange::Fields(changes, fields.clone()), DataType::Struct(fields)))
        }
        values if text::is_bytes(values) && is_text(path) => {
            Some((ColumnChange::Values(Leaf::Text), text::becomes(values)?))
        }
        _ => None,
    }
}
