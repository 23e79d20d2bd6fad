//! Column paths from and to the paths of TensorFlow Metadata.

use tfxio_core::ColumnPath;

use crate::proto::metadata::v0 as tfmd;

/// Returns the column of a path.
pub(crate) fn column(path: &tfmd::Path) -> ColumnPath {
    ColumnPath::new(path.step.iter().map(String::as_str))
}

/// Returns the path of a column.
pub(crate) fn path(column: &ColumnPath) -> tfmd::Path {
    tfmd::Path { step: column.steps().iter().map(|step| step.to_string()).collect() }
}
