//! Batches as a format takes them, without a file.

use arrow_schema::{Field, SchemaRef};
use tfxio_core::Loss;
use tfxio_core::{Batch, FileFormat, FormatOptions, Result};
use tfxio_scan::cast::{CastOptions, CastPlan, Target};

use tfxio_formats::opening::specs;

/// Plan that casts the columns of batches to the nearest types that a file format takes, as a [`Conversion`](super::Conversion) does.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Float64Array, RecordBatch};
/// use tfxio_convert::Fitted;
/// use tfxio_formats::tfxio_core::FormatOptions;
///
/// let column: ArrayRef = Arc::new(Float64Array::from(vec![0.5, 0.25]));
/// let batch = RecordBatch::try_from_iter([("score", column)])?;
/// let formats = tfxio_formats::formats();
/// let fitted = Fitted::new(&batch.schema(), &**formats.file_format("tfrecord")?, FormatOptions::default(), false)?;
/// assert_eq!(fitted.losses()[0].what, "64-bit floats are rounded to 32 bits");
/// let batch = fitted.apply(batch.into())?;
/// assert_eq!(batch.columns().schema().field(0).data_type().to_string(), "LargeList(Float32)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Fitted(CastPlan);

impl Fitted {
    /// Plans the casts of the columns of a schema for a format with some options. `lossless` specifies whether it is an error if something
    /// is lost.
    ///
    /// # Errors
    /// When the format has no such option, a column becomes nothing that it takes, or something is lost that must not be.
    pub fn new(
        schema: &SchemaRef,
        format: &dyn FileFormat,
        options: FormatOptions,
        lossless: bool,
    ) -> Result<Self> {
        let formats = tfxio_formats::formats();
        let mut options = options.checked(format.name(), &specs(format, &formats))?;
        options.formats = formats;
        let takes = |column: &Field| format.takes(column, &options);
        let losses = |column: &Field| format.losses(column, &options);
        let target = Target { name: format.name(), takes: &takes, losses: &losses };
        let cast = CastOptions { is_lossless: lossless, ..CastOptions::default() };
        CastPlan::new(schema, &cast, &target).map(Self)
    }

    /// Returns the columns that batches become.
    #[must_use]
    pub fn schema(&self) -> &SchemaRef {
        self.0.schema()
    }

    /// Returns what is lost.
    #[must_use]
    pub fn losses(&self) -> &[Loss] {
        self.0.losses()
    }

    /// Changes a batch of the schema.
    ///
    /// # Errors
    /// `SchemaMismatch`, with column and record, for a value that does not fit.
    pub fn apply(&self, batch: Batch) -> Result<Batch> {
        self.0.apply(batch)
    }
}
