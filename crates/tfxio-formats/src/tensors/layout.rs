//! The columns from which tensors are made with the least copying.

use std::collections::HashMap;
use std::sync::Arc;

use tensor_repr::{Fill, Representation, RowSplitsDType};
use tfxio_format_tfrecord::example_codec::OffsetWidth;

/// Returns the columns that are best `FixedSizeList`s, and their lengths: columns of which only dense tensors are made, all with the same
/// number of values, and none with a default for a part of them. Such a column has no offsets to write and to look through, and a row of
/// another length is refused with its file and record.
pub(crate) fn lengths<'a>(
    representations: impl IntoIterator<Item = &'a Representation>,
) -> HashMap<Arc<str>, u32> {
    let mut lengths: HashMap<Arc<str>, Option<u32>> = HashMap::new();
    for representation in representations {
        let length = length(representation);
        for path in representation.source_columns() {
            let [name] = path.steps() else { continue };
            let known = lengths.entry(Arc::clone(name)).or_insert(length);
            if *known != length {
                *known = None;
            }
        }
    }
    lengths.into_iter().filter_map(|(name, length)| Some((name, length?))).collect()
}

fn length(representation: &Representation) -> Option<u32> {
    let dense = match representation {
        Representation::Dense(dense) => dense,
        // A conversion is of each value, whatever list it is in.
        Representation::Converted(converted) => return length(&converted.of),
        _ => return None,
    };
    if dense.padding.is_some() || (dense.default.is_some() && dense.fill == Fill::Shortfall) {
        return None;
    }
    let cells = dense.shape.iter().try_fold(1usize, |cells, size| cells.checked_mul((*size)?))?;
    // The length of a `FixedSizeList` is an `i32`.
    u32::try_from(cells).ok().filter(|cells| *cells > 0 && i32::try_from(*cells).is_ok())
}

/// The width of offsets that row splits can share: 32 bits if all ragged tensors want them, otherwise 64.
pub(crate) fn offsets<'a>(representations: impl IntoIterator<Item = &'a Representation>) -> OffsetWidth {
    let mut width = None;
    for representation in representations {
        match row_splits(representation) {
            Some(RowSplitsDType::Int32) => width = Some(OffsetWidth::Bits32),
            Some(RowSplitsDType::Int64) => return OffsetWidth::Bits64,
            None => {}
        }
    }
    width.unwrap_or_default()
}

/// The integer type of the row splits of a tensor that has some.
fn row_splits(representation: &Representation) -> Option<RowSplitsDType> {
    match representation {
        Representation::Ragged(ragged) => Some(ragged.row_splits),
        Representation::Sequence(sequence) => Some(sequence.row_splits),
        Representation::VarLenRagged(_) | Representation::Structured(_) => Some(RowSplitsDType::Int64),
        Representation::Converted(converted) => row_splits(&converted.of),
        _ => None,
    }
}
