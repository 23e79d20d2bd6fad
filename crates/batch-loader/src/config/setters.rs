//! Configurations in code: constructors and setters.

use std::ops::RangeInclusive;
use std::sync::Arc;

use tfxio_core::Predicate;

use super::{
    DefaultValue, LoaderConfig, LoaderType, MaxTokens, Pack, Padding, Shuffle, Stride, TensorDefault,
    TensorPadding, Truncation, Validate,
};

/// File names that are shuffled in a buffer of their own, by default.
pub(super) const FILENAMES: usize = 1000;
/// Files that are open at once and take turns, by default.
pub(super) const MIX_FILES: usize = 4;

impl Stride {
    /// Returns a distance of `steps` steps.
    #[must_use]
    pub fn steps(steps: usize) -> Self {
        Self::Range { min: steps, max: steps }
    }
}

impl LoaderConfig {
    /// Returns a configuration whose examples are single records, in batches of `batch_size`. Everything else as in the
    /// default.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, Shuffle};
    ///
    /// let config = LoaderConfig::independent(32).shuffle_globally(7).epochs(3).pad("friends[*].age", 16);
    /// assert_eq!((config.target_batch_size, config.epochs, config.shuffle), (32, Some(3), Shuffle::Global));
    /// ```
    #[must_use]
    pub fn independent(batch_size: usize) -> Self {
        Self { target_batch_size: batch_size, ..Self::default() }
    }

    /// Returns a configuration whose examples are windows of these lengths, in steps, cut from the sequence that the records
    /// of a file are together, one after the other; in batches of `batch_size`.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, Stride};
    ///
    /// let overlapping = LoaderConfig::windows(32, 64..=64, Stride::steps(16));
    /// let of_up_to_64_steps = LoaderConfig::windows(32, 1..=64, Stride::Window);
    /// # let _ = (overlapping, of_up_to_64_steps);
    /// ```
    #[must_use]
    pub fn windows(batch_size: usize, lengths: RangeInclusive<usize>, stride: Stride) -> Self {
        let (min_window, max_window) = lengths.into_inner();
        let loader = LoaderType::ContinuousSequence { min_window, max_window, stride };
        Self { loader, ..Self::independent(batch_size) }
    }

    /// Returns a configuration whose examples are windows of these lengths, in whole records, each of which is a part of a
    /// sequence; in batches of `batch_size`.
    ///
    /// ```
    /// use batch_loader::config::LoaderConfig;
    ///
    /// let pairs = LoaderConfig::record_windows(32, 2..=2);
    /// # let _ = pairs;
    /// ```
    #[must_use]
    pub fn record_windows(batch_size: usize, lengths: RangeInclusive<usize>) -> Self {
        let (min_window, max_window) = lengths.into_inner();
        Self {
            loader: LoaderType::DiscreteSequence { min_window, max_window },
            ..Self::independent(batch_size)
        }
    }

    /// Shuffles by a buffer of this number of examples, from this seed: each example is drawn from the buffer, which
    /// the next one fills.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, Shuffle};
    ///
    /// let config = LoaderConfig::independent(32).shuffle_buffer(10_000, 7);
    /// assert!(matches!(config.shuffle, Shuffle::Buffer { elements: 10_000, .. }));
    /// ```
    #[must_use]
    pub fn shuffle_buffer(mut self, elements: usize, seed: u64) -> Self {
        self.shuffle = Shuffle::Buffer { elements, filenames: FILENAMES, mix_files: MIX_FILES };
        self.seed = Some(seed);
        self
    }

    /// Shuffles blocks of records, of which a window of `bytes` in memory is mixed, from this seed. Each block is read
    /// and decompressed once an epoch.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, Shuffle};
    ///
    /// let config = LoaderConfig::independent(32).shuffle_blocks(256 << 20, 7);
    /// assert_eq!(config.shuffle, Shuffle::Blocks { bytes: 256 << 20, streams: None });
    /// ```
    #[must_use]
    pub fn shuffle_blocks(mut self, bytes: u64, seed: u64) -> Self {
        (self.shuffle, self.seed) = (Shuffle::Blocks { bytes, streams: None }, Some(seed));
        self
    }

    /// Returns the names of all tensors that the configuration makes, in its order; the two that tell packed examples
    /// apart come last.
    #[must_use]
    pub fn tensor_names(&self) -> Vec<Arc<str>> {
        let read = self.primary_features.iter().map(|feature| &feature.to_name);
        let made = self.secondary_features.iter().map(|feature| &feature.to_name);
        let ids = self.pack.iter().flat_map(|pack| [&pack.segment_ids, &pack.positions]);
        read.chain(made).chain(ids).cloned().collect()
    }

    /// Draws one permutation of the whole data set each epoch, from this seed.
    #[must_use]
    pub fn shuffle_globally(mut self, seed: u64) -> Self {
        (self.shuffle, self.seed) = (Shuffle::Global, Some(seed));
        self
    }

    /// Reads only the records that satisfy a predicate over features.
    ///
    /// ```
    /// use batch_loader::config::LoaderConfig;
    ///
    /// let config = LoaderConfig::independent(32).filter("label >= 5 and not image is null".parse()?);
    /// # let _ = config;
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    #[must_use]
    pub fn filter(mut self, predicate: Predicate) -> Self {
        self.filter = Some(predicate);
        self
    }

    /// Holds each record against a schema.
    #[must_use]
    pub fn validate(mut self, validate: Validate) -> Self {
        self.validate = Some(validate);
        self
    }

    /// Sets how often the data set is read.
    #[must_use]
    pub fn epochs(mut self, epochs: u64) -> Self {
        self.epochs = Some(epochs);
        self
    }

    /// Sets the value of a tensor in records that lack its feature: one for all cells, or a list.
    #[must_use]
    pub fn fill(mut self, tensor: impl Into<Arc<str>>, value: impl Into<DefaultValue>) -> Self {
        self.defaults.push(TensorDefault::new(tensor, value));
        self
    }

    /// Keeps at most the first `length` steps of a tensor.
    #[must_use]
    pub fn truncate(mut self, tensor: impl Into<Arc<str>>, length: usize) -> Self {
        self.truncate.push(Truncation::new(tensor, length));
        self
    }

    /// Makes batches by a budget of tokens, padding counted, in place of a number of examples. Pads all tensors unless
    /// padding is configured.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, MaxTokens, TooLong};
    ///
    /// let config = LoaderConfig::independent(1).max_tokens(MaxTokens::new(4096).too_long(TooLong::Drop));
    /// # let _ = config;
    /// ```
    #[must_use]
    pub fn max_tokens(mut self, budget: MaxTokens) -> Self {
        if self.padding == Padding::Off {
            self.padding = Padding::All;
        }
        self.max_tokens = Some(budget);
        self
    }

    /// Packs the sequences of several examples into rows of one length, as many a batch as it would have examples.
    ///
    /// ```
    /// use batch_loader::config::{LoaderConfig, Pack};
    ///
    /// let rows_of_2048_tokens = LoaderConfig::independent(16).pack(Pack::new(2048));
    /// # let _ = rows_of_2048_tokens;
    /// ```
    #[must_use]
    pub fn pack(mut self, pack: Pack) -> Self {
        self.pack = Some(pack);
        self
    }

    /// Pads the first dimension of a tensor, the batch not counted, to `size`, with 0 or the empty string; and all tensors
    /// that are not named to the largest of the batch.
    #[must_use]
    pub fn pad(mut self, tensor: impl Into<Arc<str>>, size: usize) -> Self {
        let padding = TensorPadding { tensor: tensor.into(), shape: Some(vec![Some(size)]), value: None };
        match &mut self.padding {
            Padding::List(list) => list.push(padding),
            other => *other = Padding::List(vec![padding]),
        }
        self
    }
}
