//! From a configuration to a running loader.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;

use tfxio_core::Limits;

use super::BatchLoader;
use super::plan::{fits, order, plan};
use super::seed::of_all_hosts;
use super::settings::settings;
use super::worker::LoaderWorker;
use crate::batch::Batcher;
use crate::config::{LoaderConfig, Shard};
use crate::engine::{Engine, Setup, Worker};
use crate::files::Files;
use crate::manifest::Manifest;
use crate::parse::Parser;
use crate::pipeline::Pipeline;
use crate::planner::{Planner, global_end};
use crate::source::{BatchParts, KeptIndexes, LocalFiles, Opener, Parts, TfRecordParts};
use crate::state::LoaderState;
use crate::stats::Counters;
use crate::{Error, ErrorKind, Result};

/// Builds a [`BatchLoader`]: a configuration, the names of the model's tensors, and what the caller overrides.
#[must_use]
pub struct LoaderBuilder {
    config: LoaderConfig,
    inputs: Vec<Arc<str>>,
    targets: Vec<Arc<str>>,
    base: Option<PathBuf>,
    opener: Arc<dyn Opener>,
    source: Option<(Manifest, BatchParts)>,
    limits: Limits,
    state: Option<LoaderState>,
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
    manifest: Manifest,
    pipeline: Arc<Pipeline>,
    parts: Arc<dyn Parts>,
}

impl LoaderBuilder {
    pub(super) fn new(config: LoaderConfig) -> Self {
        Self {
            config,
            inputs: Vec::new(),
            targets: Vec::new(),
            base: None,
            opener: Arc::new(LocalFiles),
            source: None,
            limits: Limits::default(),
            state: None,
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
        self
    }

    /// How files are opened. Default: [`LocalFiles`].
    pub fn opener(mut self, opener: Arc<dyn Opener>) -> Self {
        self.opener = opener;
        self
    }

    /// Loads these parts, which the manifest describes, in place of the files that the configuration names.
    pub fn source(mut self, manifest: Manifest, parts: BatchParts) -> Self {
        self.source = Some((manifest, parts));
        self
    }

    /// Bounds on what is read. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Goes on where the loader stood of which the state was saved.
    pub fn state(mut self, state: LoaderState) -> Self {
        self.state = Some(state);
        self
    }

    /// Looks at everything that can be wrong before a record is read: the configuration, the manifest, the names and
    /// the list of files.
    ///
    /// # Errors
    /// As [`build`](Self::build).
    pub fn check(self) -> Result<()> {
        let checked = self.checked()?;
        let order = order(&checked.config, &checked.pipeline, None)?;
        drop(order);
        Ok(())
    }

    /// Where the configuration has indexes kept.
    fn kept(&self) -> Result<KeptIndexes> {
        let folder = self.config.index_dir.as_ref().map(|folder| match &self.base {
            Some(base) => base.join(folder),
            None => folder.clone(),
        });
        KeptIndexes::new(self.config.index, folder).map_err(|error| self.config.locate(error))
    }

    fn checked(&self) -> Result<Checked> {
        let config = self.config.clone();
        let (manifest, parts): (Manifest, Arc<dyn Parts>) = match &self.source {
            Some((manifest, _)) => (manifest.clone(), Arc::new(BatchParts::default())),
            None => {
                let files = Files::find(&config.dataset, self.base.as_deref())?;
                let manifest = Manifest::from_file(&files.manifest)?;
                let parts = TfRecordParts::new(
                    files.files,
                    manifest.compression,
                    config.on_corrupt,
                    config.num_read_buffer_bytes,
                    Arc::clone(&self.opener),
                    self.kept()?,
                );
                (manifest, Arc::new(parts))
            }
        };
        let pipeline = Pipeline::compile(&manifest, &config, &self.inputs, &self.targets);
        let pipeline = Arc::new(pipeline.map_err(|error| config.locate(error))?);
        if let Some(Shard { index, count }) = config.shard
            && index >= count
        {
            let what = format!("there is no shard {index} of {count}");
            return Err(Error::new(ErrorKind::InvalidValue, what)
                .with_hint("shards are numbered from 0 to one less than their count")
                .at_path("shard.index"));
        }
        if config.target_batch_size == 0 {
            return Err(Error::new(ErrorKind::InvalidValue, "batches of 0 examples hold nothing")
                .with_hint("give a size of at least 1")
                .at_path("target_batch_size"));
        }
        Ok(Checked { config, manifest, pipeline, parts })
    }

    /// Checks everything and starts to load.
    ///
    /// # Errors
    /// - Whatever is wrong with the configuration or the manifest, with its place in the JSON.
    /// - [`ErrorKind::NotFound`], [`ErrorKind::Io`]: a file of the configuration is missing or cannot be read.
    /// - [`ErrorKind::State`]: the state is of another data set or configuration.
    pub fn build(mut self) -> Result<BatchLoader> {
        let mut checked = self.checked()?;
        if let Some((_, parts)) = self.source.take() {
            checked.parts = Arc::new(parts);
        }
        let Checked { config, manifest, pipeline, parts } = checked;
        if parts.names().is_empty() {
            return Err(Error::new(ErrorKind::InvalidValue, "the source has no parts")
                .with_hint("give it at least one with `BatchParts::with_part`"));
        }
        let count = u32::try_from(parts.names().len()).map_err(|_| {
            Error::new(ErrorKind::LimitExceeded, "the data set has more than 4294967295 files")
        })?;
        let settings = settings(&config, &manifest, &self.inputs, &self.targets, &*parts)?;
        let drawn = || RandomState::new().build_hasher().finish() >> 11;
        let seed = match &self.state {
            Some(state) => {
                state.check(&settings, count)?;
                if let Some(seed) = config.seed.filter(|&seed| seed != state.seed) {
                    let what = format!("the state is of a loader with the seed {}, not {seed}", state.seed);
                    return Err(Error::new(ErrorKind::State, what)
                        .with_hint("leave the seed out, or restore a state of this one"));
                }
                state.seed
            }
            None => config.seed.or_else(|| of_all_hosts(&config, count)).unwrap_or_else(drawn),
        };
        fits(&config, &pipeline, self.limits.batch_bytes)?;
        let counters = Arc::new(Counters::default());
        let names: Arc<[Arc<str>]> = parts.names().into();
        let worker = |counters: &Arc<Counters>| -> Result<Box<dyn Worker>> {
            Ok(Box::new(LoaderWorker {
                parser: Parser::new(&pipeline, self.limits)?,
                pipeline: Arc::clone(&pipeline),
                limits: self.limits,
                names: Arc::clone(&names),
                on_corrupt: config.on_corrupt,
                counters: Arc::clone(counters),
            }))
        };
        // What it takes to find the lengths of records is not counted.
        let order = order(&config, &pipeline, Some((&*parts, &mut *worker(&Arc::default())?)))?;
        let plan = Arc::new(plan(&config, &pipeline, order, count, seed));
        let batcher = Batcher::new(Arc::clone(&pipeline), plan.unit, self.limits.batch_bytes);
        let specs = batcher.specs();
        let helper = worker(&counters)?;
        let parses = config.num_parallel_parses.max(1);
        let workers = (0..parses).map(|_| worker(&counters)).collect::<Result<Vec<_>>>()?;
        let files = Arc::clone(&names);
        let setup = Setup {
            parts,
            counters: Arc::clone(&counters),
            readers: config.num_parallel_reads,
            read_ahead: config.num_interleave_in_buffer_elements,
            parse_ahead: config.num_interleave_out_buffer_elements.max(workers.len()),
            workers,
            helper,
            assemble: Box::new(move |items| batcher.batch(items, &files)),
            prefetch: config.num_prefetch,
        };
        let committed = self.state.map(|state| state.committed);
        let global_end = global_end(&plan);
        let planner = Planner::new(plan, Arc::clone(&counters), committed.clone());
        tracing::info!(seed, files = count, restored = committed.is_some(), "loading");
        let engine = Engine::start(setup, move |shared| planner.run(shared))?;
        Ok(BatchLoader {
            engine,
            counters,
            seed,
            settings,
            specs,
            committed: committed.unwrap_or_default(),
            global_end,
            ended: false,
        })
    }
}
