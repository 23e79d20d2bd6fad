//! Columns as people expect them: a feature that always has one value is a scalar, and bytes that are UTF-8 are text.

mod choose;
mod dataset;
mod names;
mod options;
mod sample;
mod scan;
mod shapes;

use std::sync::Arc;

use tfxio_core::{Dataset, Result};

use self::dataset::Valued;
pub(crate) use self::options::{OPTIONS, SCALARS, TEXT};
pub use self::options::{ValueColumns, ValueOptions};
use self::shapes::Shapes;

/// Returns a data set whose columns are scalars and text as the options say; the same one where none of them is.
pub(crate) fn valued(dataset: &Arc<dyn Dataset>, options: &ValueOptions) -> Result<Arc<dyn Dataset>> {
    if options.is_nothing() {
        return Ok(Arc::clone(dataset));
    }
    let chosen = choose::choose(dataset, options)?;
    let shapes = Shapes::new(dataset.schema(), chosen);
    Ok(Arc::new(Valued::new(Arc::clone(dataset), shapes)))
}
