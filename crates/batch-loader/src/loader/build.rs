//! From a configuration to a running loader.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::available_parallelism;

use tfxio_core::{Cancel, Dataset, Formats, Limits, LocalStore, ScanRequest, Skip, Spawn, Store, Threading};

use super::BatchLoader;
use super::length::{Length, countable, length};
use super::over::over;
use super::plan::{fits, needs_units, order, plan};
use super::seed::of_all_hosts;
use super::settings::settings;
use super::units::units;
use crate::batch::Batcher;
use crate::config::{LoaderConfig, Located, OnError, Shard};
use crate::engine::{self, Assemble, Feeds, Parse};
use crate::error::Locate as _;
use crate::files::{Files, is_url};
use crate::manifest::{Compression, Manifest};
use crate::parse::{Importer, Source, chunk_of};
use crate::pipeline::Pipeline;
use crate::planner::{Order, Planner, global_end};
use crate::source::{self, DatasetParts, Described, IndexFor, Parts};
use crate::state::{LoaderState, Settings, VERSION};
use crate::stats::{Counters, count as count_records};
use crate::{Error, Kind, Result};

/// Builds a [`BatchLoader`]: a configuration, the names of the model's tensors, and what the caller overrides.
#[must_use]
pub struct LoaderBuilder {
    config: Located<LoaderConfig>,
    inputs: Vec<Arc<str>>,
    targets: Vec<Arc<str>>,
    base: Option<PathBuf>,
    formats: Formats,
    store: Option<Arc<dyn Store>>,
    dataset: Option<Arc<dyn Dataset>>,
    limits: Limits,
    threads: Option<usize>,
    spawn: Option<Arc<dyn Spawn>>,
    cancel: Cancel,
    state: Option<LoaderState>,
    /// The keys of the configuration that the caller has overridden.
    overridden: Vec<&'static str>,
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

/// What was found out without reading a record.
struct Checked {
    config: LoaderConfig,
    pipeline: Arc<Pipeline>,
    parts: Arc<dyn Parts>,
    /// The number of parts.
    count: u32,
    settings: Settings,
    counters: Arc<Counters>,
}

impl LoaderBuilder {
    pub(super) fn new(config: Located<LoaderConfig>, dataset: Option<Arc<dyn Dataset>>) -> Self {
        Self {
            config,
            inputs: Vec::new(),
            targets: Vec::new(),
            base: None,
            formats: Formats::default(),
            store: None,
            dataset,
            limits: Limits::default(),
            threads: None,
            spawn: None,
            cancel: Cancel::default(),
            state: None,
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

    /// Number of threads that work on the loader, the one that takes the batches included; at least 1. Batches are the same
    /// for any number. Default: `num_parallel_reads` and `num_parallel_parses` of the configuration, and two.
    pub fn threads(mut self, threads: usize) -> Self {
        self.threads = Some(threads);
        self
    }

    /// Where further threads come from. The loader makes progress where none comes. Default: plain threads of the operating
    /// system.
    pub fn spawn(mut self, spawn: Arc<dyn Spawn>) -> Self {
        self.spawn = Some(spawn);
        self
    }

    /// Token that ends the loader, as its [`StopHandle`](crate::StopHandle) does.
    pub fn cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Continues after the batch after which the state was saved. `None` starts at the beginning.
    pub fn state(mut self, state: impl Into<Option<LoaderState>>) -> Self {
        self.state = state.into();
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

    /// The data set that a manifest describes, and where its files were found.
    fn described(&self, request: &ScanRequest) -> Result<(Manifest, DatasetParts, Files)> {
        let config = &self.config;
        let store = self.store.as_deref();
        let named = config.dataset.as_ref().ok_or_else(|| {
            Error::new(Kind::MissingArgument, "the configuration names no data set")
                .help("set `dataset`, or give one to `BatchLoader::over`")
        })?;
        let mut found =
            Files::find(named, self.base.as_deref(), store).map_err(|error| self.locate(error))?;
        let manifest = found.manifest(store)?;
        if let (None, Some(at)) = (store, found.files.iter().position(|file| is_url(file))) {
            let error = Error::new(Kind::InvalidValue, "this is a URL, and the loader was given no store")
                .help("give paths on this machine, or a store that knows such URLs: `LoaderBuilder::store`")
                .in_file(Arc::clone(found.files.get(at).unwrap_or(&found.manifest)));
            return Err(found.locate(at, error));
        }
        let index_dir = config.index_dir.as_ref().map(|folder| match &self.base {
            Some(base) => base.join(folder),
            None => folder.clone(),
        });
        let described = Described {
            manifest: &manifest,
            files: std::mem::take(&mut found.files),
            read: config.primary_features.iter().map(|feature| &feature.from_name).collect(),
            keep: config.index,
            index_dir,
        };
        let parts = source::open(described, &self.formats, self.any_store(), request.clone())?;
        Ok((manifest, parts, found))
    }

    fn any_store(&self) -> Arc<dyn Store> {
        self.store.clone().unwrap_or_else(|| Arc::new(LocalStore))
    }

    /// Returns the error with the position of its path, unless the value there was overridden.
    fn locate(&self, error: Error) -> Error {
        let is_key =
            |key: &&str| error.position().json_path.as_deref().is_some_and(|path| path.starts_with(*key));
        if self.overridden.iter().any(is_key) { error } else { self.config.locate(error) }
    }

    /// The threads of a loader.
    fn threading(&self, cancel: Cancel) -> Threading {
        let LoaderConfig { num_parallel_reads, num_parallel_parses, num_prefetch, .. } = *self.config;
        // One plans, and one takes the batches.
        let of_config = num_parallel_reads.saturating_add(num_parallel_parses).saturating_add(2);
        let threads = self.threads.unwrap_or(of_config).max(1);
        // With less room than a batch for each other thread, these would wait for the consumer.
        let ahead = num_prefetch.saturating_add(1).max(threads - 1);
        let threading = Threading::new().threads(threads).ahead(ahead).cancel(cancel);
        match &self.spawn {
            Some(spawn) => threading.spawn(Arc::clone(spawn)),
            None => threading,
        }
    }

    /// Everything that a build refuses without reading a record.
    fn checked(&self, cancel: &Cancel) -> Result<Checked> {
        let mut config = self.config.clone().into_inner();
        let (mut inputs, mut targets) = (self.inputs.clone(), self.targets.clone());
        for warning in self.config.warnings() {
            tracing::warn!("{warning}");
        }
        if let Some(Shard { index, count }) = config.shard
            && index >= count
        {
            let what = format!("there is no shard {index} of {count}");
            let error = Error::new(Kind::InvalidValue, what)
                .help("shards are numbered from 0 to one less than their count");
            return Err(self.locate(error.at_json("shard.index")));
        }
        if config.target_batch_size == 0 {
            let error = Error::new(Kind::InvalidValue, "batches of 0 examples hold nothing")
                .help("give a size of at least 1");
            return Err(self.locate(error.at_json("target_batch_size")));
        }
        let budget = match config.on_error {
            OnError::Fail => None,
            OnError::Skip(budget) => Some(budget),
        };
        let skip = Skip::new(budget.unwrap_or_default());
        let on_error = budget.map_or(tfxio_core::OnError::Fail, |_| tfxio_core::OnError::Skip(skip.clone()));
        let request = ScanRequest::new().cancel(cancel.clone()).limits(self.limits).on_error(on_error);
        let mut files = None;
        let (manifest, parts) = match (&self.dataset, &config.dataset) {
            (Some(dataset), None) => over(dataset, &mut config, [&mut inputs, &mut targets], request)?,
            (Some(_), Some(_)) => {
                let what = "the program gives a data set, and the configuration names another";
                let error = Error::new(Kind::InvalidValue, what).help("remove one of them");
                return Err(self.locate(error.at_json("dataset")));
            }
            (None, _) => {
                let (manifest, parts, found) = self.described(&request)?;
                files = Some(found);
                (manifest, parts)
            }
        };
        let config = &config;
        let pipeline = Pipeline::compile(&manifest, config, &inputs, &targets);
        let pipeline = Arc::new(pipeline.map_err(|error| self.locate(error))?);
        if parts.names().is_empty() {
            return Err(Error::new(Kind::InvalidValue, "the data set has no files"));
        }
        let count = u32::try_from(parts.names().len())
            .map_err(|_| Error::new(Kind::LimitExceeded, "the data set has more than 4294967295 files"))?;
        fits(config, &pipeline, self.limits.batch_bytes).map_err(|error| self.locate(error))?;
        order(config, None).map_err(|error| self.locate(error))?;
        let purpose = needs_units(config).map_err(|error| self.locate(error))?;
        if let (Some(IndexFor::AnyOrder), Some(_), true) =
            (purpose, &files, manifest.compression != Compression::None)
        {
            // Whether compressed files can be entered shows in the first.
            parts.index(0, IndexFor::AnyOrder).map_err(|error| self.locate(error))?;
        }
        let sizes = (0..parts.names().len()).zip(parts.names()).map(|(part, name)| {
            // Asking a store for every size would take longer than loading the first batches.
            match &files {
                _ if is_url(name) => Ok(None),
                Some(files) => {
                    source::size(&*self.any_store(), name).map_err(|error| files.locate(part, error))
                }
                None => parts.size(part),
            }
        });
        let sizes = sizes.collect::<Result<Vec<_>>>()?;
        let settings = |version: u32| {
            let names = [&inputs[..], &targets];
            settings(config, &manifest, names, parts.names(), &sizes, version)
        };
        if let Some(state) = &self.state {
            state.check(&settings(state.version), count, config.epochs)?;
            if let Some(seed) = config.seed.filter(|&seed| seed != state.seed) {
                let what = format!("the state is of a loader with the seed {}, not {seed}", state.seed);
                return Err(
                    Error::new(Kind::State, what).help("leave the seed out, or restore a state of this one")
                );
            }
        }
        Ok(Checked {
            settings: settings(VERSION),
            config: config.clone(),
            pipeline,
            parts: Arc::new(parts),
            count,
            counters: Arc::new(Counters { skip, ..Counters::default() }),
        })
    }

    /// Counts the examples and batches that this host will get from the start on, a state aside, without loading them.
    ///
    /// It takes what an index takes: a small read for each record's header, or the index that is kept for a file.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/loader");
    /// let mut config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// config.epochs = Some(2);
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]).base_dir(folder);
    /// let batches = builder.length()?.batches;
    /// assert_eq!(batches, Some(builder.build()?.count() as u64));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    ///
    /// # Errors
    /// - As [`build`](Self::build), as far as the configuration and the headers of the files go.
    /// - [`Kind::InvalidValue`] where the number shows only when everything was read: with buckets by length, with
    ///   damaged records left out, of compressed files without an index, of windows of steps whose number only the records
    ///   tell; and where it follows from a seed that is not known yet.
    pub fn length(&self) -> Result<Length> {
        countable(&self.config).map_err(|error| self.locate(error))?;
        let cancel = self.cancel.child();
        let Checked { config, pipeline, parts, count, .. } = self.checked(&cancel)?;
        let purpose = needs_units(&config)?.unwrap_or(IndexFor::Count);
        let units = units(&config, &pipeline, &parts, purpose, &self.threading(cancel), None);
        let Some(units) = units.map_err(|error| self.locate(error))? else {
            let what = "how many windows there are shows only when all records were read: they may have any number of steps";
            return Err(Error::new(Kind::InvalidValue, what).help("load and count them"));
        };
        let seed = self.state.as_ref().map(|state| state.seed).or(config.seed);
        let seed = seed.or_else(|| of_all_hosts(&config, count));
        let order = order(&config, Some(units.clone()))?;
        let plan = plan(&config, &pipeline, order, Some(&units), count, seed.unwrap_or(0));
        if seed.is_none() && plan.epochs_differ() {
            let what =
                "how many windows there are follows from the seed, which is drawn when the loader is built";
            return Err(Error::new(Kind::InvalidValue, what).help("give a `seed`"));
        }
        plan.check_even().map_err(|error| self.locate(error))?;
        let even = config.even.filter(|_| plan.shard.is_some());
        Ok(length(&plan, &units.all(), even))
    }

    /// Checks everything and starts to load.
    ///
    /// # Errors
    /// - Whatever is wrong with the configuration or the manifest, with its position in the JSON.
    /// - [`Kind::NotFound`], [`Kind::Io`]: a file of the configuration is missing or cannot be read.
    /// - [`Kind::State`]: the state is of another data set or configuration.
    pub fn build(self) -> Result<BatchLoader> {
        let cancel = self.cancel.child();
        let threading = self.threading(cancel.clone());
        let Checked { config, pipeline, parts, count, settings, counters } = self.checked(&cancel)?;
        let drawn = || RandomState::new().build_hasher().finish() >> 11;
        let seed = match &self.state {
            Some(state) => state.seed,
            None => config.seed.or_else(|| of_all_hosts(&config, count)).unwrap_or_else(drawn),
        };
        let names: Arc<[Arc<str>]> = parts.names().into();
        let limits = self.limits;
        let parse = |counters: Arc<Counters>| -> Parse {
            let (pipeline, names) = (Arc::clone(&pipeline), Arc::clone(&names));
            // What one has checked of a schema serves all files.
            let importers = Mutex::new(Vec::new());
            Arc::new(move |part, raw| {
                let importer = lock(&importers).pop();
                let mut importer = importer.unwrap_or_else(|| Importer::new(limits));
                let name = names.get(part as usize).cloned().unwrap_or_default();
                count_records(&counters.records_parsed, raw.batch.num_rows() as u64);
                let source = Source { file: part, name: &name, records: raw.records, bytes: raw.bytes };
                let parsed = chunk_of(&mut importer, &pipeline, &raw.batch, source, &limits);
                lock(&importers).push(importer);
                (parsed.chunk, parsed.error)
            })
        };
        // What it takes to find the lengths of records is not counted.
        let units = match needs_units(&config)? {
            Some(purpose) => {
                let parse = parse(Arc::default());
                let units = units(&config, &pipeline, &parts, purpose, &threading, Some(&parse));
                units.map_err(|error| self.locate(error))?
            }
            None => None,
        };
        let order = order(&config, units.clone())?;
        if let (Some(state), Order::Global(order)) = (&self.state, &order) {
            state.check_position(order.len(), config.epochs)?;
        }
        let plan = Arc::new(plan(&config, &pipeline, order, units.as_ref(), count, seed));
        plan.check_even().map_err(|error| self.locate(error))?;
        let batcher = Batcher::new(Arc::clone(&pipeline), plan.unit, self.limits.batch_bytes);
        let specs = batcher.specs();
        let files = Arc::clone(&names);
        let assemble: Assemble = Arc::new(move |items| Ok(batcher.batch(items, &files)?.of_files(&files)));
        // The files that are read at once share the threads, half of which scan: the others parse, plan and make batches.
        let share = threading.threads.div_ceil(plan.open_at_once());
        let feeds = |nested: Threading| Feeds {
            parts,
            counters: Arc::clone(&counters),
            parse: parse(Arc::clone(&counters)),
            threading: nested
                .threads(share.max(2).min(threading.threads))
                .ahead(share.div_ceil(2).max(2))
                .slow_start(),
            scan_threads: share.div_ceil(2).min(processors()),
        };
        let committed = self.state.map(|state| state.committed);
        let global_end = global_end(&plan);
        let planner = Planner::new(plan, Arc::clone(&counters), committed.clone());
        tracing::info!(seed, files = count, restored = committed.is_some(), "loading");
        let engine = engine::start(planner, &threading, assemble, feeds)?;
        Ok(BatchLoader {
            engine,
            counters,
            seed,
            settings,
            specs,
            committed: committed.unwrap_or_default(),
            global_end,
            ended: false,
            cancel,
            left: None,
        })
    }
}

/// Returns how many threads can run at once: more that scan would only have more memory.
fn processors() -> usize {
    available_parallelism().map_or(usize::MAX, NonZeroUsize::get)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
