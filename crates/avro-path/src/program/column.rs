//! The column of a key: values in lists, one for each `[*]` or filter.

use std::sync::Arc;

use arrow_schema::{DataType, Field};

use super::KeyOptions;
use crate::key::leaf::Leaf;
use crate::plan::shape::{Kind, Shape, Validity};
use crate::plan::{Counts, logical_type};
use crate::schema::{AvroSchema, Logical, Type, TypeId};

/// Values of a column: what their types have in common.
pub(crate) struct ColumnValues {
    leaf: Leaf,
    /// Whether all of them are text: strings, symbols or keys of maps.
    is_text: bool,
    /// Arrow type of the logical type that all of them have, the bytes of a value, and whether it is a UUID.
    logical: Option<(DataType, usize, bool)>,
}

impl ColumnValues {
    /// Returns the keys of maps.
    pub(crate) fn keys(options: KeyOptions) -> Self {
        Self { leaf: Leaf::Binary, is_text: options.utf8, logical: None }
    }

    /// Returns values of a value type, which have these types of a schema.
    pub(crate) fn of(schema: &AvroSchema, leaf: Leaf, types: &[TypeId], options: KeyOptions) -> Self {
        let is_text = |&id: &TypeId| matches!(schema.get(id), Type::String | Type::Enum(_));
        let logical = |&id: &TypeId| {
            let is_uuid = schema.logical(id) == Some(Logical::Uuid);
            logical_type(schema, id, true).map(|(data_type, width)| (data_type, width, is_uuid))
        };
        let first = types.first().filter(|_| options.logical_types).and_then(logical);
        Self {
            leaf,
            is_text: options.utf8 && !types.is_empty() && types.iter().all(is_text),
            logical: first.filter(|first| types.iter().all(|id| logical(id).as_ref() == Some(first))),
        }
    }

    /// Returns the Arrow type of the column, whose values are in `rank` lists.
    pub(crate) fn data_type(&self, rank: usize, is_large: bool) -> DataType {
        let value = match (&self.logical, self.is_text, is_large) {
            (Some((data_type, ..)), ..) => data_type.clone(),
            (None, true, false) => DataType::Utf8,
            (None, true, true) => DataType::LargeUtf8,
            (None, false, _) => stored(self.leaf, is_large),
        };
        (0..rank).fold(value, |below, _| list(Field::new_list_field(below, true), is_large))
    }
}

/// Returns the Arrow type of values without a logical type.
fn stored(leaf: Leaf, is_large: bool) -> DataType {
    match (leaf, is_large) {
        (Leaf::Null, _) => DataType::Null,
        (Leaf::Boolean, _) => DataType::Boolean,
        (Leaf::Int, _) => DataType::Int32,
        (Leaf::Long, _) => DataType::Int64,
        (Leaf::Float, _) => DataType::Float32,
        (Leaf::Double, _) => DataType::Float64,
        (Leaf::Binary, false) => DataType::Binary,
        (Leaf::Binary, true) => DataType::LargeBinary,
    }
}

fn list(item: Field, is_large: bool) -> DataType {
    let item = Arc::new(item);
    if is_large { DataType::LargeList(item) } else { DataType::List(item) }
}

/// Returns the shape of a column of values in `rank` lists, with buffers of its own.
pub(super) fn shape(values: &ColumnValues, rank: usize, is_large: bool, counts: &mut Counts) -> Shape {
    let fixed = |counts: &mut Counts, width, is_uuid| Kind::Fixed {
        values: next(&mut counts.values),
        width,
        is_uuid,
    };
    let kind = match (&values.logical, values.leaf) {
        (&Some((_, width, is_uuid)), _) => fixed(counts, width, is_uuid),
        (None, Leaf::Null) => Kind::Null,
        (None, Leaf::Boolean) => Kind::Boolean(next(&mut counts.bits)),
        (None, Leaf::Int | Leaf::Float) => fixed(counts, 4, false),
        (None, Leaf::Long | Leaf::Double) => fixed(counts, 8, false),
        (None, Leaf::Binary) if values.is_text => Kind::Strings(next(&mut counts.binaries)),
        (None, Leaf::Binary) => Kind::Binary(next(&mut counts.binaries)),
    };
    let validity = match values.leaf {
        Leaf::Null => Validity::Always,
        _ => Validity::Nulls(next(&mut counts.nulls)),
    };
    let value = Shape { validity, kind, data_type: values.data_type(0, is_large) };
    (0..rank).fold(value, |item, _| Shape {
        validity: Validity::Nulls(next(&mut counts.nulls)),
        data_type: list(item.arrow_field(Field::LIST_FIELD_DEFAULT_NAME, true), is_large),
        kind: Kind::List { ends: next(&mut counts.ends), item: Box::new(item) },
    })
}

fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}
