//! Opening a data set by its description.

use std::sync::Arc;

use tfxio_core::{Dataset, DatasetSpec, Formats, Result};

use super::OpenOptions;

/// Opens the data set of a description, in this or another process, without looking at its data.
pub trait SpecExt {
    /// Opens it with the [formats](super::formats) of this build.
    ///
    /// # Errors
    /// When the format is not registered or the options do not fit it.
    fn open(&self) -> Result<Arc<dyn Dataset>>;

    /// Opens it with other formats.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    fn open_with(&self, formats: &Formats) -> Result<Arc<dyn Dataset>>;
}

impl SpecExt for DatasetSpec {
    fn open(&self) -> Result<Arc<dyn Dataset>> {
        OpenOptions::new().open_spec(self)
    }

    fn open_with(&self, formats: &Formats) -> Result<Arc<dyn Dataset>> {
        OpenOptions::new().formats(formats).open_spec(self)
    }
}
