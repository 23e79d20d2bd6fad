//! Names, dtypes and shapes of tensors of one record, as far as they are known before data is read.

use std::sync::Arc;

use tfxio_core::DType;

/// Dimensions of a tensor of one record, without the batch. The first can be unknown (`None`): it is then the number of steps of a
/// sequence, and differs from record to record. So can the second: the number of values of a step, which differs from step to step.
pub(crate) type Shape = Vec<Option<usize>>;

/// Returns whether the steps of tensors of a shape are lists of any number of values.
pub(crate) fn is_of_lists(shape: &[Option<usize>]) -> bool {
    shape.iter().skip(1).any(Option::is_none)
}

/// A tensor of the pipeline: its name (the `to_name`), dtype and shape at one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorInfo {
    pub(crate) name: Arc<str>,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
}

/// `[?, 3]`: a dimension that differs from record to record is a question mark.
pub(crate) fn shape_text(shape: &[Option<usize>]) -> String {
    let sizes = shape.iter().map(|size| size.map_or_else(|| "?".to_owned(), |size| size.to_string()));
    format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
}
