//! The column of a key: values in lists, one for each `[*]` or filter.

use std::sync::Arc;

use arrow_schema::{DataType, Field};

use crate::key::leaf::Leaf;
use crate::plan::Counts;
use crate::plan::shape::{Kind, Shape, Validity};

/// Returns the Arrow type of a column of values in `rank` lists.
pub(crate) fn data_type(leaf: Leaf, rank: usize, is_large: bool) -> DataType {
    let leaf = match (leaf, is_large) {
        (Leaf::Null, _) => DataType::Null,
        (Leaf::Boolean, _) => DataType::Boolean,
        (Leaf::Int, _) => DataType::Int32,
        (Leaf::Long, _) => DataType::Int64,
        (Leaf::Float, _) => DataType::Float32,
        (Leaf::Double, _) => DataType::Float64,
        (Leaf::Binary, false) => DataType::Binary,
        (Leaf::Binary, true) => DataType::LargeBinary,
    };
    (0..rank).fold(leaf, |below, _| list(below, is_large))
}

fn list(item: DataType, is_large: bool) -> DataType {
    let item = Arc::new(Field::new_list_field(item, true));
    if is_large { DataType::LargeList(item) } else { DataType::List(item) }
}

/// Returns the shape of a column of values in `rank` lists, with buffers of its own.
pub(super) fn shape(leaf: Leaf, rank: usize, is_large: bool, counts: &mut Counts) -> Shape {
    let kind = match leaf {
        Leaf::Null => Kind::Null,
        Leaf::Boolean => Kind::Boolean(next(&mut counts.bits)),
        Leaf::Int | Leaf::Float => Kind::Fixed { values: next(&mut counts.values), width: 4, is_uuid: false },
        Leaf::Long | Leaf::Double => {
            Kind::Fixed { values: next(&mut counts.values), width: 8, is_uuid: false }
        }
        Leaf::Binary => Kind::Binary(next(&mut counts.binaries)),
    };
    let validity = match leaf {
        Leaf::Null => Validity::Always,
        _ => Validity::Nulls(next(&mut counts.nulls)),
    };
    let value = Shape { validity, kind, data_type: data_type(leaf, 0, is_large) };
    (0..rank).fold(value, |item, _| Shape {
        validity: Validity::Nulls(next(&mut counts.nulls)),
        data_type: list(item.data_type.clone(), is_large),
        kind: Kind::List { ends: next(&mut counts.ends), item: Box::new(item) },
    })
}

fn next(count: &mut usize) -> usize {
    *count += 1;
    *count - 1
}
