//! How TFRecord files are read, whatever their records hold.

use std::sync::Arc;

use tfrecord_io::frame::Verify;
use tfrecord_io::{Compression, Reader, ReaderBuilder};
use tfxio_base::{Cancel, Spawn, Threading};
use tfxio_core::{Limits, OnError, Skip};

use super::Salvage;
use super::pipes::Pipes;

/// How TFRecord files are read, whatever their records hold.
///
/// ```
/// use tfxio_formats::RecordOptions;
/// use tfxio_formats::tfrecord_io::Compression;
/// let options = RecordOptions::default().with_compression(Compression::Gzip).with_threads(2);
/// # let _ = options;
/// ```
#[derive(Clone, Debug)]
pub struct RecordOptions {
    pub(crate) compression: Option<Compression>,
    pub(crate) verify: Verify,
    pub(crate) limits: Limits,
    pub(crate) buffer_bytes: usize,
    pub(crate) threading: Threading,
    pub(crate) salvage: Option<Salvage>,
    pub(crate) index: bool,
    pub(super) pipes: Pipes,
    pub(super) keeps_pipes: bool,
    #[cfg(feature = "object-store")]
    pub(crate) stores: crate::store::Stores,
}

impl Default for RecordOptions {
    fn default() -> Self {
        Self {
            compression: None,
            verify: Verify::All,
            limits: Limits::default(),
            buffer_bytes: ReaderBuilder::DEFAULT_BUFFER_BYTES,
            threading: Threading::new(),
            salvage: None,
            index: true,
            pipes: Pipes::default(),
            keeps_pipes: false,
            #[cfg(feature = "object-store")]
            stores: crate::store::Stores::default(),
        }
    }
}

impl RecordOptions {
    /// States the compression of every file; one that has another is an error. Default: found out for each file.
    #[must_use]
    pub fn with_compression(mut self, compression: Compression) -> Self {
        self.compression = Some(compression);
        self
    }

    /// Chooses the checksums to compare. Default: both, of length and of payload.
    #[must_use]
    pub fn with_verify(mut self, verify: Verify) -> Self {
        self.verify = verify;
        self
    }

    /// Sets the limits of records, decompression and decoding. Default: [`Limits::default`].
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The most bytes that are read from a file at a time. Default: 256 KiB.
    #[must_use]
    pub fn with_buffer_bytes(mut self, bytes: usize) -> Self {
        self.buffer_bytes = bytes;
        self
    }

    /// Decompresses and decodes with this number of threads in all; 0 is taken as 1. Batches and their order are the same
    /// for any number. The thread that asks for a batch is one of them: with 1, the default, no other is started.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> Self {
        self.threading.threads = threads.max(1);
        self
    }

    /// Sets what runs the other threads' work. Default: a thread for each task.
    #[must_use]
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.threading.spawn = spawn;
        self
    }

    /// Sets the token that ends readers, waits included. Default: never.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.threading.cancel = cancel;
        self
    }

    /// Reads over damage instead of ending with an error. Files are then read whole: they are not cut into splits.
    /// Default: damage is an error.
    #[must_use]
    pub fn with_salvage(mut self, salvage: Salvage) -> Self {
        self.salvage = Some(salvage);
        self
    }

    /// Whether the index beside a file is looked at: one that contradicts its file is an error, and one that fits it makes
    /// exact splits. Default: true.
    #[must_use]
    pub fn with_index(mut self, on: bool) -> Self {
        self.index = on;
        self
    }

    /// Whether what is read from a pipe (or a terminal, or a device) is kept, so that it can be read again with clones of
    /// these options: up to 64 MiB in memory, more in a temporary file. The next reader without this gets what was kept,
    /// and is the last. Default: false: a pipe can be read once, and reading it again is an error.
    #[must_use]
    pub fn with_kept_pipes(mut self, on: bool) -> Self {
        self.keeps_pipes = on;
        self
    }

    /// Chooses what is done with damaged records: the first one is an error, or they are skipped within a budget and
    /// reported. Records whose bytes are whole and cannot be decoded are skipped as well. Files are then read whole, but for
    /// those of Avro: they are not cut into splits. Default: damage is an error.
    ///
    /// Of a budget's [`share`](tfxio_core::SkipBudget::share) of a TFRecord file, bytes count that cannot be read, and not
    /// records that cannot be decoded.
    ///
    /// ```
    /// use tfxio_formats::{OnError, RawRecordTfxIo, ReadOptions, RecordOptions, Skip, SkipBudget};
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/damaged/bit-in-length.tfrecord");
    ///
    /// let skip = Skip::new(SkipBudget { ranges: 10, ..SkipBudget::default() });
    /// let options = RecordOptions::default().with_on_error(OnError::Skip(skip.clone()));
    /// let dataset = RawRecordTfxIo::new([file])?.with_record_options(options);
    /// let rows = dataset.read_all(&ReadOptions::default())?.map(|batch| batch.map(|batch| batch.num_rows()));
    /// assert_eq!(rows.sum::<Result<usize, _>>()?, 5);
    /// assert_eq!((skip.report().ranges, skip.report().bytes), (1, 127));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_on_error(mut self, on_error: OnError) -> Self {
        self.salvage = match on_error {
            OnError::Skip(skip) => Some(Salvage::skipping(skip)),
            _ => None,
        };
        self
    }

    /// The budget and the report of damage that is skipped.
    pub(crate) fn skip(&self) -> Option<&Skip> {
        self.salvage.as_ref()?.skip.as_ref()
    }

    /// Sets the stores that URLs lead to. Default: those that are known by their URLs, where the feature `cloud` is on,
    /// and none otherwise.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn with_stores(mut self, stores: crate::store::Stores) -> Self {
        self.stores = stores;
        self
    }

    pub(crate) fn reader<R>(&self, source: R) -> ReaderBuilder<R> {
        Reader::builder(source)
            .compression(self.compression)
            .verify(self.verify)
            .limits(self.limits)
            .buffer_bytes(self.buffer_bytes)
    }
}
