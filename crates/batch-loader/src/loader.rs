//! The loader: batches, one after the other.

mod build;
mod builder;
mod check;
mod length;
mod map;
mod mixture;
mod over;
mod parser;
mod plan;
mod seed;
mod settings;
mod sizes;
mod units;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use tensor_repr::TensorSpec;
pub use tfxio_core::MapError;
use tfxio_core::{Cancel, Dataset, SkipReport};

pub use self::builder::LoaderBuilder;
pub use self::length::Length;
use crate::batch::Batch;
use crate::config::{LoaderConfig, Located};
use crate::engine::{BatchEngine, Delivered};
pub use crate::planner::Exhausted;
use crate::progress::Progress;
use crate::state::LoaderState;
use crate::stats::{Counters, Stats, count};
use crate::validate::Checks;
use crate::{Anomaly, Error, Kind, LoadPlan, Result};

/// Loads a data set in batches, by a configuration.
///
/// Files are read and batches made ahead, on further threads ([`LoaderBuilder::threads`]) and on the one that calls
/// [`next_batch`](Self::next_batch) where it would wait.
/// The same seed gives the same batches, whatever the number of threads. Dropping the loader ends what works for it: nothing
/// goes on beyond the chunk of a file that is being read or parsed.
pub struct BatchLoader {
    engine: BatchEngine,
    counters: Arc<Counters>,
    specs: Vec<(Arc<str>, TensorSpec)>,
    plan: LoadPlan,
    /// Schemas that records are compared with.
    checks: Option<Arc<Checks>>,
    /// The names of the files.
    files: Arc<[Arc<str>]>,
    progress: Progress,
    /// The positions after the last epoch of a global shuffle, of all data sets that are read to it; 0 without one.
    global_ends: Vec<u64>,
    ended: bool,
    /// Ends the reads of the data set.
    cancel: Cancel,
    /// When the consumer was given what it asked for last.
    left: Option<Instant>,
}

impl Drop for BatchLoader {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

impl fmt::Debug for BatchLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchLoader")
            .field("seed", &self.progress.seed)
            .field("batches", &self.progress.batches)
            .finish_non_exhaustive()
    }
}

/// Loading, for every `Arc<dyn Dataset>`.
///
/// ```no_run
/// use std::sync::Arc;
/// use batch_loader::LoaderExt;
/// use batch_loader::config::LoaderConfig;
/// # fn load(dataset: Arc<dyn tfxio_core::Dataset>) -> Result<(), batch_loader::Error> {
///
/// let config = LoaderConfig::independent(32).shuffle_globally(7).epochs(3);
/// for batch in dataset.loader(config).inputs(["image"]).build()? {
///     println!("{} rows", batch?.len());
/// }
/// # Ok(())
/// # }
/// ```
pub trait LoaderExt {
    /// Begins to build a loader over the data set, as [`BatchLoader::over`].
    fn loader(&self, config: impl Into<Located<LoaderConfig>>) -> LoaderBuilder;
}

impl LoaderExt for Arc<dyn Dataset> {
    fn loader(&self, config: impl Into<Located<LoaderConfig>>) -> LoaderBuilder {
        BatchLoader::over(Self::clone(self), config)
    }
}

impl BatchLoader {
    /// Begins to build a loader.
    pub fn builder(config: impl Into<Located<LoaderConfig>>) -> LoaderBuilder {
        LoaderBuilder::new(config.into(), None)
    }

    /// Begins to build a loader over any data set, whose schema replaces a manifest. Inputs and targets are columns, or
    /// the tensors that the configuration makes of them; without either, all columns that can be tensors are inputs.
    ///
    /// A global shuffle, and going on from a state, need a data set that finds records by their numbers. Its format
    /// decides what that costs ([`Dataset::take`], [`Scan::seek`](tfxio_core::Scan::seek)).
    pub fn over(dataset: Arc<dyn Dataset>, config: impl Into<Located<LoaderConfig>>) -> LoaderBuilder {
        Self::mixed([(dataset, 1.0)], config)
    }

    /// Begins to build a loader of several data sets, whose examples are mixed: each is of a data set that is drawn by weight. The
    /// configuration is that of each, and tensors have the same dtype and shape in all.
    ///
    /// The order of each data set is its own, as its own loader would have; hosts draw the same data sets, and each has its part
    /// of them. What is done when one ends is up to [`LoaderBuilder::exhausted`]. There is one state for all.
    ///
    /// ```no_run
    /// use std::sync::Arc;
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    /// # fn load(news: Arc<dyn tfxio_core::Dataset>, books: Arc<dyn tfxio_core::Dataset>) -> Result<(), batch_loader::Error> {
    ///
    /// let config = LoaderConfig::independent(32).shuffle_globally(7);
    /// let mut loader = BatchLoader::mixed([(news, 3.0), (books, 1.0)], config).inputs(["tokens"]).build()?;
    /// while let Some(batch) = loader.next_batch()? {
    ///     println!("{} rows, the first of {:?}", batch.len(), batch.origins().next());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn mixed(
        datasets: impl IntoIterator<Item = (Arc<dyn Dataset>, f64)>,
        config: impl Into<Located<LoaderConfig>>,
    ) -> LoaderBuilder {
        LoaderBuilder::new(config.into(), Some(datasets.into_iter().collect()))
    }

    /// Returns a handle that ends the loader from another thread, a wait of [`next_batch`](Self::next_batch) included.
    #[must_use]
    pub fn stop_handle(&self) -> StopHandle {
        StopHandle { cancel: self.cancel.clone() }
    }

    /// Returns the next batch, or `None` after the last. A loader that has failed stays at its end.
    ///
    /// # Errors
    /// Whatever is wrong with the data, naming file and record: batches of what comes before it are given first.
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        if self.ended {
            return Ok(None);
        }
        let next = self.wait();
        if self.cancel.is_cancelled() {
            self.ended = true;
            return Err(Error::new(Kind::Stopped, "the loader was stopped"));
        }
        match next {
            Some(Ok(Delivered { batch, examples, step, anomalies })) => {
                let epoch = step.epoch;
                self.progress.apply(step);
                if let Some(checks) = self.checks.as_ref().filter(|_| !anomalies.is_empty()) {
                    checks.add(anomalies, &self.files, &mut self.progress.anomalies);
                }
                count(&self.counters.batches, 1);
                count(&self.counters.examples, examples);
                self.counters.epoch.store(epoch, Relaxed);
                Ok(Some(batch))
            }
            None => {
                self.ended = true;
                // The last examples may have been other hosts', or dropped.
                self.progress.end_at(&self.global_ends);
                Ok(None)
            }
            Some(Err(error)) => {
                self.ended = true;
                Err(error)
            }
        }
    }

    /// Takes what the engine gives next, and counts who waited.
    fn wait(&mut self) -> Option<Result<Delivered>> {
        let start = Instant::now();
        if let Some(left) = self.left
            && self.engine.is_ready()
        {
            count(&self.counters.consumer_nanos, nanos(start.duration_since(left)));
        }
        let inflating = self.counters.inflating.clone();
        let next = inflating.during(|| self.engine.next());
        let now = Instant::now();
        count(&self.counters.input_nanos, nanos(now.duration_since(start)));
        self.left = Some(now);
        next
    }

    /// Returns the names, dtypes and shapes of the tensors of every batch, as far as they are known before there is data.
    /// A tensor that is an input and a target comes once.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["image"]).targets(["label"]);
    /// let loader = builder.base_dir(folder).build()?;
    /// let specs = loader.specs().iter().map(|(name, spec)| format!("{name}: {spec}"));
    /// assert!(specs.eq(["image: dense float32 [?, 8, 8]", "label: dense int64 [?]"]));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        &self.specs
    }

    /// Returns the state of the loader, after the batch that came last. See [`LoaderState`].
    #[must_use]
    pub fn state(&self) -> LoaderState {
        LoaderState(self.progress.clone())
    }

    /// Returns what the loader does, as it was decided when it was built: the order of examples, and what reads them.
    #[must_use]
    pub fn plan(&self) -> &LoadPlan {
        &self.plan
    }

    /// Returns the seed: the one that was given, or the one that was drawn. A loader with the same one gives the same batches.
    /// Hosts that were given none (`shard.count` above 1) all have the same one.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.progress.seed
    }

    /// Returns what was skipped because it was damaged (`on_error: "skip"`): files, ranges and reasons.
    #[must_use]
    pub fn skip_report(&self) -> SkipReport {
        self.counters.skip.report()
    }

    /// Returns the schema violations in the batches so far (`validate` with `on_leave: "warn"`): an entry for each
    /// feature and kind, in the order in which they came. The list goes on where a [state](LoaderState) was restored,
    /// and does not depend on the number of threads. If the schema's expectation has changed since the state was saved,
    /// the old entry stays beside the new one.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::{LoaderConfig, OnLeave, Validate};
    /// use tensor_repr::TfmdSchema;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
    /// let image = r#"feature { name: "image" type: FLOAT }"#;
    /// let label = r#"feature { name: "label" type: INT int_domain { min: 0 max: 8 } }"#;
    /// let schema = TfmdSchema::from_text(&format!("{image} {label}"))?;
    /// let mut config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
    /// config.validate = Some(Validate::new(&schema).on_leave(OnLeave::Warn));
    /// let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).base_dir(folder);
    /// let builder = builder.inputs(["image"]).targets(["label"]);
    /// let mut loader = builder.build()?;
    /// while let Some(_) = loader.next_batch()? {}
    /// let [nines] = loader.anomalies() else { panic!("only 9 is not in the domain") };
    /// assert_eq!((&*nines.feature, &*nines.expected, &*nines.found), ("label", "values in 0 to 8", "9"));
    /// # Ok::<(), batch_loader::Error>(())
    /// ```
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.progress.anomalies
    }

    /// Returns what the loader has counted so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        self.counters.snapshot()
    }

    /// Returns a handle that tells the counts while another thread takes the batches.
    #[must_use]
    pub fn stats_handle(&self) -> StatsHandle {
        StatsHandle(Arc::clone(&self.counters))
    }
}

impl Iterator for BatchLoader {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}

/// Ends a loader from another thread, or from a thread that handles signals. Cheap to clone.
#[derive(Clone, Debug)]
pub struct StopHandle {
    cancel: Cancel,
}

impl StopHandle {
    /// Ends the loader: its threads, and every wait. The next call of [`BatchLoader::next_batch`] answers with
    /// [`Kind::Stopped`](crate::Kind::Stopped), and so does the one that waits. The state stays that of the last
    /// batch.
    pub fn stop(&self) {
        self.cancel.cancel();
    }
}

/// Handle to a loader's counts for any thread. Cheap to clone and to ask.
#[derive(Clone, Debug)]
pub struct StatsHandle(Arc<Counters>);

impl StatsHandle {
    /// Returns the counts so far.
    #[must_use]
    pub fn get(&self) -> Stats {
        self.0.snapshot()
    }
}

fn nanos(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}
