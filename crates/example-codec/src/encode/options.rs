//! What an encoder is asked for.

use tfxio_core::Limits;

use super::RaggedFeature;

/// Options of an [`ExampleEncoder`](super::ExampleEncoder).
///
/// ```
/// use example_codec::EncoderOptions;
/// let options = EncoderOptions::default().with_ignored_columns(["raw"]).with_text(true);
/// # let _ = options;
/// ```
#[derive(Clone, Debug, Default)]
pub struct EncoderOptions {
    pub(super) ignored: Vec<String>,
    pub(super) text: bool,
    pub(super) ragged: Vec<RaggedFeature>,
    pub(super) limits: Limits,
    pub(super) room: (usize, usize),
}

impl EncoderOptions {
    /// Leaves these columns out, such as the raw-record and source columns that a decoder appended.
    /// Default: none.
    #[must_use]
    pub fn with_ignored_columns<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<String>,
    {
        self.ignored = names.into_iter().map(Into::into).collect();
        self
    }

    /// Takes lists of strings (`Utf8`, `LargeUtf8`, `Utf8View`) as byte strings. They come back as
    /// bytes, because tf.Example does not tell the two apart. Default: false, such a column is an
    /// error, as it is in TFX.
    #[must_use]
    pub fn with_text(mut self, on: bool) -> Self {
        self.text = on;
        self
    }

    /// Encodes these columns of nested lists as several features each. Default: none, such a column is an
    /// error.
    #[must_use]
    pub fn with_ragged_features(mut self, features: impl IntoIterator<Item = RaggedFeature>) -> Self {
        self.ragged = features.into_iter().collect();
        self
    }

    /// Sets the limits, of which `record_bytes` and `batch_bytes` count here. Default:
    /// [`Limits::default`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Leaves so many bytes free before and after each record, for a frame around it: 12 and 4 for
    /// TFRecord, which can then be completed in place. What they hold is not specified. Default: none.
    #[must_use]
    pub fn with_room(mut self, before: usize, after: usize) -> Self {
        self.room = (before, after);
        self
    }
}
