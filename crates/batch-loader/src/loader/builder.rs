//! Builder of loaders.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use tfxio_core::{Cancel, Dataset, Formats, Limits, LocalStore, Skip, Spawn, Store, Threading};

use super::build::processors;
use super::map::Maps;
use crate::config::{LoaderConfig, Located, Shard, Validate};
use crate::planner::Exhausted;
use crate::state::LoaderState;
use crate::{Error, Result};

/// Builds a [`BatchLoader`](crate::BatchLoader): a configuration, the names of the model's tensors, and what the caller overrides.
#[derive(Clone)]
#[must_use]
pub struct LoaderBuilder {
    pub(crate) config: Located<LoaderConfig>,
    pub(super) inputs: Vec<Arc<str>>,
    pub(super) targets: Vec<Arc<str>>,
    pub(super) base: Option<PathBuf>,
    pub(super) formats: Formats,
    pub(super) store: Option<Arc<dyn Store>>,
    /// The data sets that the program gives, and their weights.
    pub(super) datasets: Option<Vec<(Arc<dyn Dataset>, f64)>>,
    pub(super) exhausted: Exhausted,
    pub(super) limits: Limits,
    pub(super) threads: Option<usize>,
    pub(super) spawn: Option<Arc<dyn Spawn>>,
    pub(super) cancel: Cancel,
    pub(super) state: Option<LoaderState>,
    /// Functions on batches.
    pub(super) maps: Maps,
    /// Whether the memory of batches serves for later ones.
    pub(super) reuses_memory: bool,
    /// Report of skipped ranges, where several loaders share one.
    pub(crate) skip: Option<Skip>,
    /// The keys of the configuration that the caller has overridden.
    pub(super) overridden: Vec<&'static str>,
}

impl fmt::Debug for LoaderBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoaderBuilder")
            .field("config", &self.config)
            .field("inputs", &self.inputs)
            .field("targets", &self.targets)
            .finish_non_exhaustive()
    }
}

impl LoaderBuilder {
    pub(super) fn new(config: Located<LoaderConfig>, datasets: Option<Vec<(Arc<dyn Dataset>, f64)>>) -> Self {
        Self {
            config,
            inputs: Vec::new(),
            targets: Vec::new(),
            base: None,
            formats: Formats::default(),
            store: None,
            datasets,
            exhausted: Exhausted::default(),
            limits: Limits::default(),
            threads: None,
            spawn: None,
            cancel: Cancel::default(),
            state: None,
            maps: Maps::default(),
            reuses_memory: true,
            skip: None,
            overridden: Vec::new(),
        }
    }

    /// The names of the model's inputs. Each must be a `to_name` of the configuration.
    pub fn inputs<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        self.inputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// The names of the model's targets. Each must be a `to_name` of the configuration; one may be an input too.
    pub fn targets<I>(mut self, names: I) -> Self
    where
        I: IntoIterator,
        I::Item: Into<Arc<str>>,
    {
        self.targets = names.into_iter().map(Into::into).collect();
        self
    }

    /// Another size of batches than the configuration's `target_batch_size`.
    pub fn batch_size(mut self, examples: usize) -> Self {
        self.config.target_batch_size = examples;
        self.overridden.push("target_batch_size");
        self
    }

    /// The folder from which relative paths of the configuration start. Default: the process's.
    pub fn base_dir(mut self, folder: impl Into<PathBuf>) -> Self {
        self.base = Some(folder.into());
        self
    }

    /// Another seed than the configuration's.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = Some(seed);
        self
    }

    /// Another shard than the configuration's.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.config.shard = Some(shard);
        self.overridden.push("shard");
        self
    }

    /// Sets the formats with which the files of a manifest are read: they are TFRecords of tf.Examples or
    /// tf.SequenceExamples. Default: none.
    pub fn formats(mut self, formats: &Formats) -> Self {
        self.formats = formats.clone();
        self
    }

    /// Sets the store that holds the files of a manifest. Default: the files of this machine.
    pub fn store(mut self, store: Arc<dyn Store>) -> Self {
        self.store = Some(store);
        self
    }

    /// Bounds on what is read. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Number of threads that work on the loader, the one that takes the batches included; at least 1. Batches are the
    /// same for any number. Default: `num_parallel_reads` of the configuration, plus `num_parallel_parses` and two
    /// more, where the latter sum is at most the number of processors.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Sets the source of further threads. The loader makes progress even if it never gets one. Default: plain threads
    /// of the operating system.
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.spawn = Some(spawn);
        self
    }

    /// Token that ends the loader, as its [`StopHandle`](crate::StopHandle) does.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Compares each record with another schema than that of the configuration, or with one at all.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::{LoaderConfig, Validate};
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).base_dir(folder);
    /// let builder = builder.inputs(["image"]).targets(["label"]);
    /// let schema = tensor_repr::TfmdSchema::from_text(r#"feature { name: "label" type: INT int_domain { min: 10 } }"#)?;
    /// let error = builder.validate(Validate::new(&schema)).build()?.next_batch().unwrap_err();
    /// assert!(error.to_string().contains("the schema asks for values from 10 on, the record has"));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    pub fn validate(mut self, validate: Validate) -> Self {
        self.config.validate = Some(validate);
        self.overridden.push("validate");
        self
    }

    /// Adds skipped ranges (`on_error: "skip"`) to a report that several loaders share, such as the loaders of one run
    /// after the other. A range that any of them has skipped is counted once. The budget is that of the configuration.
    pub fn skip_report(mut self, shared: &Skip) -> Self {
        self.skip = Some(shared.clone());
        self
    }

    /// Continues after the batch after which the state was saved. `None` starts at the beginning.
    pub fn state(mut self, state: impl Into<Option<LoaderState>>) -> Self {
        self.state = state.into();
        self
    }

    /// Sets what is done when a data set of a mixture is exhausted. Default: the others go on.
    pub fn exhausted(mut self, exhausted: Exhausted) -> Self {
        self.exhausted = exhausted;
        self
    }

    /// Sets whether the memory of a batch serves for a later one, once nobody holds it. Default: true, which spares the first touch of fresh
    /// memory. With false each tensor of numbers is a vector of its own, which `Values::try_into_vec` hands over without a copy.
    pub fn reuse_memory(mut self, reuse: bool) -> Self {
        self.reuses_memory = reuse;
        self
    }

    /// Looks at everything that can be wrong before a record is read: the configuration, the manifest, the names, the
    /// list of files, whether these exist, and a state.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn check(self) -> Result<()> {
        self.checked(&Cancel::default()).map(drop)
    }

    pub(super) fn any_store(&self) -> Arc<dyn Store> {
        self.store.clone().unwrap_or_else(|| Arc::new(LocalStore))
    }

    /// Returns the error with the position of its path, unless the value there was overridden.
    pub(super) fn locate(&self, error: Error) -> Error {
        let is_key =
            |key: &&str| error.position().json_path.as_deref().is_some_and(|path| path.starts_with(*key));
        if self.overridden.iter().any(is_key) { error } else { self.config.locate(error) }
    }

    /// The threads of a loader.
    pub(super) fn threading(&self, cancel: Cancel) -> Threading {
        let LoaderConfig { num_parallel_reads, num_parallel_parses, num_prefetch, .. } = *self.config;
        // One plans, and one takes the batches. Those that do not wait for files would take turns if they were more than the
        // processors.
        let busy = num_parallel_parses.saturating_add(2).min(processors());
        let threads = self.threads.unwrap_or(num_parallel_reads.saturating_add(busy)).max(1);
        // With less room than a batch for each other thread, these would wait for the consumer.
        let ahead = num_prefetch.saturating_add(1).max(threads - 1);
        let threading = Threading::new().threads(threads).ahead(ahead).cancel(cancel);
        match &self.spawn {
            Some(spawn) => threading.spawn(Arc::clone(spawn)),
            None => threading,
        }
    }
}
