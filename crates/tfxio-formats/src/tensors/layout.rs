//! The columns from which tensors are made with the least copying.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use example_codec::{FeatureKind, OffsetWidth};
use tensor_repr::{ColumnPath, Fill, Representation, RowSplitsDType};
use tfxio_core::{DType, Error, ErrorKind};

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

/// Returns the kind of each column, if all representations have a dtype.
pub(crate) fn kinds(
    representations: &BTreeMap<String, Representation>,
) -> Result<Option<BTreeMap<ColumnPath, FeatureKind>>, Error> {
    let mut kinds = BTreeMap::new();
    for (tensor, representation) in representations {
        // Conversions begin with another dtype than the tensor has.
        let dtype = match representation {
            Representation::Converted(_) => None,
            representation => representation.dtype(),
        };
        let Some(dtype) = dtype else { return Ok(None) };
        let kind = match dtype {
            DType::Int64 => FeatureKind::Int64,
            DType::Float32 => FeatureKind::Float,
            DType::String => FeatureKind::Bytes,
            other => {
                let message = format!(
                    "tensor {tensor:?}: no feature has values of {other}; they are int64, float32 or string"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        };
        for path in representation.source_columns() {
            // Beside the values there are only indices and lengths.
            let is_value = representation.value_column() == Some(&path);
            let kind = if is_value { kind } else { FeatureKind::Int64 };
            if let Some(other) = kinds.insert(path.clone(), kind)
                && other != kind
            {
                let message = format!(
                    "tensor {tensor:?} needs the feature \"{path}\" as {kind}, another tensor as {other}"
                );
                return Err(Error::new(ErrorKind::InvalidArgument, message));
            }
        }
    }
    Ok(Some(kinds))
}
