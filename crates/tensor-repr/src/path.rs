//! Column paths from and to the paths of TensorFlow Metadata.

use tfxio_core::ColumnPath;

use crate::proto::metadata::v0 as tfmd;

impl From<&tfmd::Path> for ColumnPath {
    fn from(path: &tfmd::Path) -> Self {
        Self::new(path.step.iter().map(String::as_str))
    }
}

impl From<&ColumnPath> for tfmd::Path {
    fn from(path: &ColumnPath) -> Self {
        Self { step: path.steps().iter().map(|step| step.to_string()).collect() }
    }
}
