//! Loading in parts that any number of hosts divide among them.

mod state;

use std::fmt;
use std::sync::Arc;

use tensor_repr::TensorSpec;
use tfxio_core::SkipReport;

pub use self::state::ElasticState;
use crate::batch::Batch;
use crate::config::{Shard, Shuffle};
use crate::error::Locate as _;
use crate::loader::{BatchLoader, Length, LoaderBuilder, StatsHandle};
use crate::stats::Stats;
use crate::{Anomaly, Error, Kind, LoadPlan, Result};

/// Loads the parts of a data set that are this host's; their batches take turns.
///
/// A data set is cut into more parts than there are hosts, as shards are, and each host has equally many: 12 parts are
/// 12 of one host, 4 of each of 3. A batch is of one part. The batches of a part do not depend on the number of hosts,
/// with packing, buckets, budgets of tokens, windows, mixtures and every order of examples. So the batches that all
/// hosts take in a round, one of each part, stay the same when the number of hosts changes; only the share of each host
/// changes.
///
/// ```
/// use batch_loader::config::{LoaderConfig, Shard};
/// use batch_loader::{BatchLoader, ElasticState};
///
/// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
/// let host = |index, count, state: Option<&ElasticState>| {
///     let config = LoaderConfig::from_file(format!("{folder}/digits.json"))?;
///     let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).base_dir(folder);
///     builder.inputs(["image"]).targets(["label"]).shard(Shard { index, count }).build_elastic(6, state)
/// };
/// // Two hosts, of which each takes a batch of each of its parts.
/// let states = [0, 1].map(|index| {
///     let mut loader = host(index, 2, None)?;
///     for _ in 0..3 {
///         loader.next_batch()?.expect("a batch");
///     }
///     Ok::<_, batch_loader::Error>(loader.state())
/// });
/// // Three go on.
/// let state = ElasticState::merge(states.into_iter().collect::<Result<Vec<_>, _>>()?)?;
/// let mut rows = 0;
/// for index in 0..3 {
///     for batch in host(index, 3, Some(&state))? {
///         rows += batch?.len();
///     }
/// }
/// assert_eq!(rows, 1797 - 6 * 32);
/// # Ok::<(), batch_loader::Error>(())
/// ```
pub struct ElasticLoader {
    /// The loaders of the parts of this host, each with the number of its part.
    loaders: Vec<(u32, BatchLoader)>,
    parts: u32,
    host: Shard,
    /// The loader of which the next batch is asked.
    turn: usize,
    anomalies: Vec<Anomaly>,
}

impl fmt::Debug for ElasticLoader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ElasticLoader")
            .field("parts", &self.parts)
            .field("host", &self.host)
            .finish_non_exhaustive()
    }
}

impl LoaderBuilder {
    /// Checks everything and starts to load this host's share of `parts` parts, by its [shard](Self::shard); without
    /// one, it has all parts. A part has the examples of a host where there are as many hosts, batches of the size that
    /// is asked for, and an equal share of the bytes of a shuffle of blocks.
    ///
    /// # Errors
    /// As [`build`](Self::build); `InvalidValue` where the hosts do not divide the parts evenly, and [`Kind::State`] where the state has
    /// not all parts of this host.
    pub fn build_elastic(self, parts: u32, state: Option<&ElasticState>) -> Result<ElasticLoader> {
        let (host, own) = self.own_parts(parts)?;
        if let Some(state) = state {
            state.check(parts, &own)?;
        }
        let skip = self.skip.clone().unwrap_or_default();
        let mut loaders = Vec::with_capacity(own.len());
        for part in own {
            let builder = self.of_part(part, parts).skip_report(&skip);
            let of_part = state.and_then(|state| state.of_part(part)).cloned();
            loaders.push((part, builder.state(of_part).build()?));
        }
        let turn = state.map_or(0, |state| state.turn(host, &loaders));
        let mut loader = ElasticLoader { loaders, parts, host, turn, anomalies: Vec::new() };
        loader.gather_anomalies();
        Ok(loader)
    }

    /// Counts the examples and batches of the parts that are of this host, as [`length`](Self::length) does of a loader.
    ///
    /// # Errors
    /// As [`length`](Self::length) and [`build_elastic`](Self::build_elastic).
    pub fn length_of_parts(&self, parts: u32) -> Result<Length> {
        let (_, own) = self.own_parts(parts)?;
        let mut all = Length { epoch_examples: 0, epoch_batches: 0, batches: Some(0) };
        for part in own {
            let length = self.of_part(part, parts).length()?;
            all.epoch_examples = all.epoch_examples.saturating_add(length.epoch_examples);
            all.epoch_batches = all.epoch_batches.saturating_add(length.epoch_batches);
            all.batches = all.batches.zip(length.batches).map(|(all, of_part)| all.saturating_add(of_part));
        }
        Ok(all)
    }

    /// Returns the host, and the numbers of its parts.
    fn own_parts(&self, parts: u32) -> Result<(Shard, Vec<u32>)> {
        let host = self.config.shard.unwrap_or(Shard { index: 0, count: 1 });
        if host.count == 0 || host.index >= host.count {
            // What is wrong with it is said by the loader of a part.
            return Ok((host, vec![0]));
        }
        if parts == 0 || !parts.is_multiple_of(host.count) {
            let what = format!("{parts} parts are not the same number for each of {} hosts", host.count);
            let error = Error::new(Kind::InvalidValue, what).at_json("shard");
            return Err(
                error.help("cut the data set into a multiple of every number of hosts that there may be")
            );
        }
        Ok((host, (host.index..parts).step_by(host.count as usize).collect()))
    }

    /// Returns the builder of a part.
    fn of_part(&self, part: u32, parts: u32) -> Self {
        let mut builder = self.clone();
        if let Shuffle::Blocks { bytes, .. } | Shuffle::Auto { bytes, .. } = &mut builder.config.shuffle {
            *bytes = (*bytes / u64::from(parts.max(1))).max(1);
        }
        let host = builder.config.shard;
        let is_host = host.is_some_and(|host| host.count == 0 || host.index >= host.count);
        if is_host { builder } else { builder.shard(Shard { index: part, count: parts }) }
    }
}

impl ElasticLoader {
    /// Returns the next batch, or `None` after the last of all parts. Parts take turns; one that has come to its end is left out.
    ///
    /// # Errors
    /// As [`BatchLoader::next_batch`].
    pub fn next_batch(&mut self) -> Result<Option<Batch>> {
        for _ in 0..self.loaders.len() {
            let at = self.turn;
            self.turn = (at + 1) % self.loaders.len();
            let Some((_, loader)) = self.loaders.get_mut(at) else { break };
            let before = loader.anomalies().len();
            let batch = loader.next_batch()?;
            if !loader.anomalies().is_empty() || before > 0 {
                self.gather_anomalies();
            }
            if batch.is_some() {
                return Ok(batch);
            }
        }
        Ok(None)
    }

    /// Returns the names, dtypes and shapes of the tensors of every batch, as [`BatchLoader::specs`].
    #[must_use]
    pub fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        self.loaders.first().map_or(&[], |(_, loader)| loader.specs())
    }

    /// Returns the state of this host's parts, after the batch that came last.
    #[must_use]
    pub fn state(&self) -> ElasticState {
        let states = self.loaders.iter().map(|(part, loader)| (*part, loader.state())).collect();
        ElasticState::new(self.parts, self.host, self.turn, states)
    }

    /// Returns what the loader of a part does, as [`BatchLoader::plan`]: the parts differ in nothing but their examples.
    #[must_use]
    pub fn plan(&self) -> Option<&LoadPlan> {
        self.loaders.first().map(|(_, loader)| loader.plan())
    }

    /// Returns the seed, which all parts have.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.loaders.first().map_or(0, |(_, loader)| loader.seed())
    }

    /// Returns the schema violations so far, as [`BatchLoader::anomalies`], part by part.
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.anomalies
    }

    fn gather_anomalies(&mut self) {
        let all = self.loaders.iter().flat_map(|(_, loader)| loader.anomalies());
        self.anomalies = all.cloned().collect();
    }

    /// Returns what was skipped because it was damaged, in all parts.
    #[must_use]
    pub fn skip_report(&self) -> SkipReport {
        self.loaders.first().map(|(_, loader)| loader.skip_report()).unwrap_or_default()
    }

    /// Returns what the parts have counted so far.
    #[must_use]
    pub fn stats(&self) -> Stats {
        Stats::of_parts(self.loaders.iter().map(|(_, loader)| loader.stats()))
    }

    /// Returns handles that tell the counts of each part while another thread takes the batches. [`Stats::of_parts`] adds them.
    #[must_use]
    pub fn stats_handles(&self) -> Vec<StatsHandle> {
        self.loaders.iter().map(|(_, loader)| loader.stats_handle()).collect()
    }
}

impl Iterator for ElasticLoader {
    type Item = Result<Batch, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_batch().transpose()
    }
}
