//! Options for opening files.

mod open;

use std::collections::BTreeMap;
use std::sync::Arc;

use tfxio_core::{
    Cancel, Error, ErrorKind, Files, FormatOptions, Formats, Limits, OnError, OptionSpec, OptionValue,
    Result, ScanRequest, Spawn, Store, suggest,
};
use tfxio_store::counted_store::{CountedStore, Counter};
use tfxio_store::{FileStore, SpoolLimits};

pub use self::open::Found;
use super::directories::Notes;
use super::opening;
use crate::values::{SCALARS, TEXT, ValueColumns};

/// Options for opening files: their format and its options. The same for every format.
///
/// ```
/// use tfxio_formats::OpenOptions;
/// # let sessions = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/tensors/sessions.tfrecord");
///
/// let dataset = OpenOptions::new()
///     .format("sequence_example")
///     .set("sequence_column", "steps")?
///     .source_column("source")
///     .open(sessions)?;
/// let last = dataset.schema().fields().last().map(|field| field.name().as_str());
/// assert_eq!(last, Some("source"));
/// assert!(OpenOptions::new().set("sequence_colum", "steps").is_err());
/// # Ok::<(), tfxio_formats::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpenOptions {
    format: Option<String>,
    formats: Option<Formats>,
    options: FormatOptions,
    /// Options that are for formats that have them only.
    preferred: BTreeMap<String, OptionValue>,
    store: Option<StoreOption>,
    spool_limits: SpoolLimits,
    notes: Option<Notes>,
    /// Counts what is read.
    counter: Option<Arc<Counter>>,
}

#[derive(Clone, Debug)]
enum StoreOption {
    Store(Arc<dyn Store>),
    #[cfg(feature = "object-store")]
    Stores(Box<tfxio_store::objects::Stores>),
}

impl OpenOptions {
    /// Returns options that leave everything to the files.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// States the format of the files, or of their records. Default: inferred from first bytes and names.
    #[must_use]
    pub fn format(mut self, name: impl Into<String>) -> Self {
        self.format = Some(name.into());
        self
    }

    /// Sets the formats that are known. Default: [`formats`](super::formats).
    #[must_use]
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.formats = Some(formats.clone());
        self
    }

    /// Sets an option of a format.
    ///
    /// # Errors
    /// `InvalidArgument` where no format has the option, with the nearest name. Whether the format of the files has it is checked when they
    /// are opened.
    pub fn set(mut self, key: &str, value: impl Into<OptionValue>) -> Result<Self> {
        self.check_key(key)?;
        self.options = self.options.option(key, value);
        Ok(self)
    }

    /// Checks that a format has an option.
    ///
    /// # Errors
    /// As [`set`](Self::set).
    pub fn check_key(&self, key: &str) -> Result<()> {
        let specs = self.specs();
        if specs.iter().any(|spec| spec.key == key) {
            return Ok(());
        }
        let what = format!("there is no option {key:?}");
        let hint = suggest::hint(key, specs.iter().map(|spec| spec.key), "options");
        Err(Error::new(ErrorKind::InvalidArgument, what).help(hint))
    }

    /// Returns the options that [`set`](Self::set) knows: the options of every format, and of all formats. One that several formats have is
    /// listed several times.
    #[must_use]
    pub fn specs(&self) -> Vec<OptionSpec> {
        let formats = self.known();
        let mut specs = opening::options();
        specs.extend(formats.files().iter().flat_map(|format| format.options()));
        specs.extend(formats.records().iter().flat_map(|format| format.options()));
        specs
    }

    /// Sets an option where the format of the files has it and it is not set otherwise.
    #[must_use]
    pub fn prefer(mut self, key: impl Into<String>, value: impl Into<OptionValue>) -> Self {
        self.preferred.insert(key.into(), value.into());
        self
    }

    /// Reads these key expressions as columns, of formats that have them. Default: whole records.
    #[must_use]
    pub fn keys<K: Into<String>>(mut self, keys: impl IntoIterator<Item = K>) -> Self {
        let keys = keys.into_iter().map(Into::into).collect::<Vec<String>>();
        self.options = self.options.option("keys", keys);
        self
    }

    /// Sets feature specs by tensor name: the tensors, and their columns. Of formats with key expressions, the keys of the specs name the
    /// columns. Default: none.
    ///
    /// ```
    /// use tfxio_formats::tensor_repr::feature_specs_from_json;
    /// use tfxio_formats::tfxio_core::ScanRequest;
    /// use tfxio_formats::{OpenOptions, TensorsExt};
    /// # let pattern = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let specs = feature_specs_from_json(r#"{"image": {"kind": "FixedLen", "shape": [8, 8], "dtype": "float32"}}"#)?;
    /// let dataset = OpenOptions::new().features(specs).open(pattern)?;
    /// let tensors = dataset.tensors(dataset.representations()?)?;
    /// assert_eq!(tensors.specs()[0].1.to_string(), "dense float32 [?, 8, 8]");
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    #[cfg(feature = "tensors")]
    #[must_use]
    pub fn features<N: Into<String>>(
        mut self,
        specs: impl IntoIterator<Item = (N, tensor_repr::FeatureSpec)>,
    ) -> Self {
        let specs = specs.into_iter().map(|(name, spec)| (name.into(), spec)).collect();
        let text = tensor_repr::feature_specs_to_json(&specs);
        self.options = self.options.option(tfxio_core::shared_options::FEATURES, text);
        self
    }

    /// Appends a column with the file, the offset and the number of the record that each row was. Default: none.
    #[must_use]
    pub fn source_column(mut self, name: impl Into<String>) -> Self {
        self.options = self.options.option(opening::SOURCE_COLUMN, name.into());
        self
    }

    /// Makes columns of values of features that have one value in each record that has them, so that a label is a number and not a list of
    /// one; or of the columns that are named. Without names, the columns are determined when the files are opened: by the schema that is
    /// given, else from the number of records in the option `infer_records`. A record that does not have the feature is null; one that has
    /// several values or none is an error where it is read. Default: no columns.
    ///
    /// ```
    /// use tfxio_formats::OpenOptions;
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    ///
    /// let digits = OpenOptions::new().scalars(true).text(true).open(digits)?;
    /// assert_eq!(digits.schema().field_with_name("label")?.data_type().to_string(), "Int64");
    /// assert_eq!(digits.schema().field_with_name("id")?.data_type().to_string(), "LargeUtf8");
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    #[must_use]
    pub fn scalars(mut self, columns: impl Into<ValueColumns>) -> Self {
        self.options = self.options.option(SCALARS, columns.into());
        self
    }

    /// Makes columns of text of bytes that are UTF-8, in lists and structs, too; or of the columns that are named. Without names, the
    /// columns are determined as for [`scalars`](Self::scalars). A value that is not UTF-8 is an error where it is read. Default: no
    /// columns.
    #[must_use]
    pub fn text(mut self, columns: impl Into<ValueColumns>) -> Self {
        self.options = self.options.option(TEXT, columns.into());
        self
    }

    /// Sets how files are read while they are opened: limits, threads, what is done with damage, what ends it. Scans have
    /// requests of their own.
    #[must_use]
    pub fn request(mut self, request: ScanRequest) -> Self {
        self.options.request = request;
        self
    }

    /// Sets the bounds on what the data may claim while they are opened.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.options.request.limits = limits;
        self
    }

    /// Sets the number of threads that may work while the files are opened.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.options.request = self.options.request.threads(threads);
        self
    }

    /// Sets whether damaged records end opening or are passed over. Scans report them.
    #[must_use]
    pub fn on_error(mut self, on_error: OnError) -> Self {
        self.options.request.on_error = on_error;
        self
    }

    /// Sets the token that ends opening.
    #[must_use]
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.options.request.cancel = cancel;
        self
    }

    /// Sets where further threads come from while the files are opened.
    #[must_use]
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.options.request.spawn = Some(spawn);
        self
    }

    /// Bounds what is kept of standard input and other inputs that can be read once only. Default: [`SpoolLimits::default`].
    #[must_use]
    pub fn spool_limits(mut self, limits: SpoolLimits) -> Self {
        self.spool_limits = limits;
        self
    }

    /// Sets the store that holds the files. Default: paths, pipes, `-` for standard input, and URLs ([`FileStore`]).
    #[must_use]
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(StoreOption::Store(store));
        self
    }

    /// Sets the object stores that URLs lead to. Default: the stores that are known by their URLs, where the feature `cloud` is on, and
    /// none otherwise.
    #[cfg(feature = "object-store")]
    #[must_use]
    pub fn stores(mut self, stores: tfxio_store::objects::Stores) -> Self {
        self.store = Some(StoreOption::Stores(Box::new(stores)));
        self
    }

    /// Sets what is told what a user may not expect of the files that were found: files of a directory that are left out, names of
    /// directories that partition them, and the notes of a data set that is opened. Default: nothing.
    #[must_use]
    pub fn on_note(mut self, note: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.notes = Some(Notes(Arc::new(note)));
        self
    }

    /// Sets what is told after each read how many bytes were read of all files so far, while they are opened and by scans: for a progress
    /// bar. It is called on the thread that reads. Default: nothing. Conversions tell their own progress.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// use tfxio_formats::{DatasetExt, OpenOptions};
    ///
    /// let read = Arc::new(AtomicU64::new(0));
    /// let seen = Arc::clone(&read);
    /// let options = OpenOptions::new().on_read(move |bytes| _ = seen.fetch_max(bytes, Ordering::Relaxed));
    /// options.open(digits)?;
    /// assert!(read.load(Ordering::Relaxed) > 500_000);
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    #[must_use]
    pub fn on_read(self, watch: impl Fn(u64) + Send + Sync + 'static) -> Self {
        let counter = Arc::new(Counter::default());
        counter.restart(Some(Arc::new(watch)));
        self.counter(counter)
    }

    /// Counts what is read of the files.
    pub fn counter(mut self, counter: Arc<Counter>) -> Self {
        self.counter = Some(counter);
        self
    }

    /// Returns options that read from the store of files that were found.
    pub fn within(&self, files: &Files) -> Self {
        let store = Some(StoreOption::Store(Arc::clone(files.store())));
        // That store counts already.
        Self { store, counter: None, ..self.clone() }
    }

    /// Returns the request that data sets are opened with.
    pub fn requested(&self) -> &ScanRequest {
        &self.options.request
    }

    /// Returns the formats that are known.
    pub fn known(&self) -> Formats {
        self.formats.clone().unwrap_or_else(super::formats)
    }

    /// Returns the store that is read, and ours, if it reads that.
    fn new_store(&self) -> (Arc<dyn Store>, Option<Arc<FileStore>>) {
        let ours = match &self.store {
            Some(StoreOption::Store(store)) => return (self.counted(Arc::clone(store)), None),
            #[cfg(feature = "object-store")]
            Some(StoreOption::Stores(stores)) => FileStore::new((**stores).clone()),
            None => FileStore::default(),
        };
        let ours = ours.cancel(self.options.request.cancel.clone()).spool_limits(self.spool_limits);
        let ours = Arc::new(ours);
        (self.counted(Arc::clone(&ours) as Arc<dyn Store>), Some(ours))
    }

    fn counted(&self, store: Arc<dyn Store>) -> Arc<dyn Store> {
        match &self.counter {
            Some(counter) => Arc::new(CountedStore { store, counter: Arc::clone(counter) }),
            None => store,
        }
    }
}
