//! Options of encoders.

use tfxio_core::Limits;

use super::RaggedColumn;

/// Options of an [`ExampleEncoder`](super::ExampleEncoder).
///
/// ```
/// use example_codec::EncoderOptions;
/// let options = EncoderOptions::default().ignored_columns(["raw"]).text(true);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct EncoderOptions {
    /// Columns that are not encoded, such as the raw-record and source columns that a decoder appended.
    /// Default: none.
    pub ignored_columns: Vec<String>,
    /// Whether columns of scalars are encoded, as lists of one value a row, and integers, booleans and floats of fewer bits than a feature
    /// has, which are widened. They come back as lists of `Int64` and `Float32`. `Float64`, `UInt64`, dates, times and dictionaries are errors
    /// in any case: cast them before. Default: true; without it a column of scalars is an error, as it is in TFX.
    pub scalars: bool,
    /// Whether strings (`Utf8`, `LargeUtf8`, `Utf8View`) are encoded as byte strings. They come back as
    /// bytes, because tf.Example does not tell the two apart. Default: false, such a column is an error, as it is in
    /// TFX.
    pub text: bool,
    /// Columns of nested lists that become several features each. Default: none, such a column is an error.
    pub ragged_features: Vec<RaggedColumn>,
    /// Limits, of which `record_bytes` and `batch_bytes` count here.
    pub limits: Limits,
    /// Bytes left free before and after each record, for a frame around it: 12 and 4 for TFRecord, whose frames can
    /// then be completed without a copy. Their contents are not specified. Default: none.
    pub room: (usize, usize),
}

impl Default for EncoderOptions {
    fn default() -> Self {
        Self {
            ignored_columns: Vec::new(),
            scalars: true,
            text: false,
            ragged_features: Vec::new(),
            limits: Limits::default(),
            room: (0, 0),
        }
    }
}

impl EncoderOptions {
    /// Sets the columns that are not encoded.
    #[must_use]
    pub fn ignored_columns<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.ignored_columns = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets whether columns of scalars and of narrower numbers are encoded.
    #[must_use]
    pub fn scalars(mut self, scalars: bool) -> Self {
        self.scalars = scalars;
        self
    }

    /// Sets whether strings are encoded.
    #[must_use]
    pub fn text(mut self, text: bool) -> Self {
        self.text = text;
        self
    }

    /// Sets the columns of nested lists that become several features each.
    #[must_use]
    pub fn ragged_features(mut self, features: impl IntoIterator<Item = RaggedColumn>) -> Self {
        self.ragged_features = features.into_iter().collect();
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets the bytes left free before and after each record.
    #[must_use]
    pub fn room(mut self, before: usize, after: usize) -> Self {
        self.room = (before, after);
        self
    }
}
