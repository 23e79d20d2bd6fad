//! Kinds of the features that tensors need.

use std::collections::BTreeMap;

use example_codec::FeatureKind;
use tensor_repr::{ColumnPath, Representation};
use tfxio_core::{DType, Error, ErrorKind};

/// Returns the kind of each column, if all representations have a dtype.
pub(super) fn kinds(
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
