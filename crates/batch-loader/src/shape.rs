//! What is known of a tensor of one record before data is read.

use std::sync::Arc;

use tfxio_core::DType;

/// Dimensions of a tensor of one record, without the batch. Only the first can be unknown (`None`): it is then
/// the number of steps of a sequence, and differs from record to record.
pub(crate) type Shape = Vec<Option<usize>>;

/// A tensor of the pipeline: its name (the `to_name`), dtype and shape at one stage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct TensorInfo {
    pub(crate) name: Arc<str>,
    pub(crate) dtype: DType,
    pub(crate) shape: Shape,
}
