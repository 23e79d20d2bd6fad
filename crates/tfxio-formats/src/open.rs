//! Opening data sets of any format.

mod default_formats;
mod directories;
pub(crate) mod find;
mod missing;
mod opened;
pub(crate) mod opening;
mod options;
mod patterns;
mod source_column;
mod spec;
#[cfg(feature = "tensors")]
pub(crate) mod tensor_options;

use std::sync::Arc;

use tfxio_core::{Dataset, Result};

pub use self::default_formats::formats;
pub use self::missing::MISSING_SHARDS;
pub use self::options::{Found, OpenOptions};
pub use self::patterns::Patterns;
pub use self::spec::SpecExt;

/// Opens files as a data set, with the format inferred from their first bytes and names. `patterns` is one name or pattern, or several: of
/// files, of a directory, or `-` for standard input.
///
/// ```
/// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// use tfxio_formats::tfxio_core::ScanRequest;
///
/// let dataset = tfxio_formats::open(pattern)?;
/// assert_eq!(dataset.schema().fields().len(), 3);
/// let mut rows = 0;
/// for partition in dataset.partitions(64 << 20)? {
///     let mut scan = dataset.scan(&partition, &ScanRequest::new().columns(["label"]))?;
///     while let Some(batch) = scan.next_batch()? {
///         rows += batch.num_rows();
///     }
/// }
/// assert_eq!(rows, 1797);
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
///
/// # Errors
/// When a file cannot be read, its format is not known, or its schema cannot be inferred.
pub fn open(patterns: impl Patterns) -> Result<Arc<dyn Dataset>> {
    OpenOptions::new().open(patterns)
}
