//! From a configuration to a running loader.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::thread::available_parallelism;

use tfxio_core::Threading;

use super::BatchLoader;
use super::builder::LoaderBuilder;
use super::check::{Checked, Member};
use super::length::{Length, countable, examples, length};
use super::map::Maps;
use super::mixture;
use super::parser::Parser;
use super::plan::{needs_units, order, plan};
use super::seed::of_all_hosts;
use super::sizes::example_bytes;
use super::units::units;
use crate::batch::Batcher;
use crate::config::{LoaderConfig, Shuffle};
use crate::engine::{self, Assemble};
use crate::feed::Feeds;
use crate::planner::{ExamplePlan, Exhausted, Order, Planner, Shares, end_of_all};
use crate::source::{IndexFor, Parts};
use crate::state::LoaderState;
use crate::stats::count as count_records;
use crate::validate::Checks;
use crate::{Error, Kind, LoadPlan, Result};

impl LoaderBuilder {
    /// Counts the examples and batches that this host will get from the start on, a state aside, without loading them.
    ///
    /// It takes what an index takes: a small read for each record's header, or the index that is kept for a file.
    ///
    /// ```
    /// use batch_loader::BatchLoader;
    /// use batch_loader::config::LoaderConfig;
    ///
    /// # let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/loader");
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
        let Checked { config, members, parts, .. } = self.checked(&cancel)?;
        if members.len() > 1 && self.exhausted == Exhausted::Stop {
            let what = "how many batches there are depends on which data set of the mixture ends first";
            return Err(Error::new(Kind::InvalidValue, what).help("load and count them"));
        }
        let purpose = needs_units(&config)?.unwrap_or(IndexFor::Count);
        let known = self.state.as_ref().map(LoaderState::seed).or(config.seed);
        let known = known.or_else(|| of_all_hosts(&config, parts.names().len()));
        let seeds = mixture::seeds(known.unwrap_or(0), members.len());
        let threading = self.threading(cancel);
        let mut counted = Vec::with_capacity(members.len());
        for (member, seed) in members.iter().zip(seeds) {
            let Member { pipeline, files, .. } = member;
            let units = units(&config, member, &parts, purpose, &threading, None);
            let Some(units) = units.map_err(|error| self.locate(error))? else {
                let what = "how many windows there are shows only when all records were read: they may have any number of steps";
                return Err(Error::new(Kind::InvalidValue, what).help("load and count them"));
            };
            // The number of examples does not depend on their size.
            let order = order(&config, Some(units.clone()), 0)?;
            let plan = plan(&config, pipeline, order, Some(&units), files, seed);
            if known.is_none() && plan.epochs_differ() {
                let what = "how many windows there are follows from the seed, which is drawn when the loader is built";
                return Err(Error::new(Kind::InvalidValue, what).help("give a `seed`"));
            }
            plan.check_even().map_err(|error| self.locate(error))?;
            let even = config.even.filter(|_| plan.shard.is_some());
            counted.push(examples(&plan, &units.all(), even));
        }
        Ok(length(&config, &counted))
    }

    /// Checks everything and starts to load.
    ///
    /// # Errors
    /// - Whatever is wrong with the configuration or the manifest, with its position in the JSON.
    /// - [`Kind::NotFound`], [`Kind::Io`]: a file of the configuration is missing or cannot be read.
    /// - [`Kind::InvalidValue`]: a mixture has no data sets, a weight is not positive, or tensors differ.
    /// - [`Kind::State`]: the state is of another data set, mixture or configuration.
    pub fn build(self) -> Result<BatchLoader> {
        let cancel = self.cancel.child();
        let threading = self.threading(cancel.clone());
        let Checked { config, mut members, parts, weights, settings, counters } = self.checked(&cancel)?;
        let drawn = || RandomState::new().build_hasher().finish() >> 11;
        let files: Arc<[Arc<str>]> = parts.names().into();
        let seed = match &self.state {
            Some(state) => state.seed(),
            None => config.seed.or_else(|| of_all_hosts(&config, files.len())).unwrap_or_else(drawn),
        };
        let checks = checks(&config, &mut members, self.state.as_ref());
        let parser = Parser::new(&members, &parts, checks.as_ref(), self.limits);
        let seeds = mixture::seeds(seed, members.len());
        let plans = self.plans(&config, &members, seeds, &parts, &parser, &threading)?;
        // In other orders filtered records are counted when they are read for examples.
        for plan in plans.iter().filter(|plan| plan.order.examples().is_some()) {
            count_records(&counters.records_filtered, plan.filtered);
        }
        let told = LoadPlan {
            orders: plans.iter().map(|plan| plan.told()).collect(),
            files: files.len(),
            batch_size: config.target_batch_size,
            threads: threading.threads,
            prefetch: config.num_prefetch,
        };
        for warning in told.warnings() {
            tracing::warn!("{warning}");
        }
        let (Some(plan), Some(first)) = (plans.first(), members.first()) else {
            return Err(mixture::no_data_set());
        };
        let (pipeline, limit) = (Arc::clone(&first.pipeline), self.limits.batch_bytes);
        let batcher = Batcher::new(pipeline, plan.unit, limit, self.reuses_memory);
        let specs = batcher.specs();
        let assemble = assembly(batcher, self.maps, &files, &members);
        // The files that are read at once share the threads, half of which scan: the others parse, plan and make batches.
        // More that scan than can run at once would only have more memory.
        let share = threading.threads.div_ceil(plans.iter().map(|plan| plan.open_at_once()).sum());
        let feeds = |nested: Threading| Feeds {
            parts,
            counters: Arc::clone(&counters),
            parse: parser.counted_by(Arc::clone(&counters)),
            threading: nested
                .threads(share.max(2).min(threading.threads))
                .ahead(share.div_ceil(2).max(2))
                .slow_start(),
            scan_threads: share.div_ceil(2).min(processors()),
        };
        let restored = self.state.map(|state| state.0);
        let leaves = plans.len() == 1 || self.exhausted == Exhausted::Leave;
        let global_ends = plans.iter().filter(|_| leaves).map(|plan| end_of_all(plan)).collect();
        let shares = Shares { weights, exhausted: self.exhausted, seed };
        let planner =
            Planner::new(Arc::clone(plan), plans.clone(), shares, Arc::clone(&counters), restored.as_ref());
        for order in &told.orders {
            tracing::info!(seed, files = files.len(), restored = restored.is_some(), %order, "loading");
        }
        let tallies = checks.as_ref().filter(|checks| checks.counts()).map(|_| plan.unit);
        // All threads that work for the loader tell what they decompress.
        let spawn = counters.inflating.spawn(Arc::clone(&threading.spawn));
        let threading = threading.clone().spawn(spawn);
        let engine = engine::start(planner, &threading, assemble, tallies, &counters, feeds)?;
        let mut progress = restored.unwrap_or_default();
        progress.belongs_to(
            seed,
            settings,
            members.into_iter().zip(plans).map(|(member, plan)| (plan.seed, member.settings, plan.blocks())),
        );
        Ok(BatchLoader {
            engine,
            counters,
            specs,
            plan: told,
            checks,
            files,
            progress,
            global_ends,
            ended: false,
            cancel,
            left: None,
        })
    }
}

/// Returns the schema checks of the data sets, which go on where a state left them.
fn checks(config: &LoaderConfig, members: &mut [Member], state: Option<&LoaderState>) -> Option<Arc<Checks>> {
    let validate = config.validate.as_ref()?;
    let validations = members.iter_mut().filter_map(|member| member.validation.take());
    let known = state.map_or(&[][..], LoaderState::anomalies);
    Some(Arc::new(Checks::new(validate.on_leave, validations, known)))
}

/// Returns the function that makes batches of items.
fn assembly(batcher: Batcher, maps: Maps, files: &Arc<[Arc<str>]>, members: &[Member]) -> Assemble {
    let (names, ends) = (Arc::clone(files), members.iter().map(|member| member.files.end).collect());
    Arc::new(move |items, packing, epoch| {
        maps.apply(batcher.make(items, packing, &names)?.of_files(&names, &ends).of_epoch(epoch))
    })
}

impl LoaderBuilder {
    /// Returns the plan of each data set, with its seed.
    fn plans(
        &self,
        config: &LoaderConfig,
        members: &[Member],
        seeds: impl Iterator<Item = u64>,
        parts: &Arc<Parts>,
        parser: &Parser,
        threading: &Threading,
    ) -> Result<Vec<Arc<ExamplePlan>>> {
        let states = self.state.as_ref().map(LoaderState::data_sets).unwrap_or_default();
        // What it takes to find the lengths and sizes of records is not counted.
        let parse = parser.counted_by(Arc::default());
        let mut plans = Vec::with_capacity(members.len());
        for (number, (member, seed)) in members.iter().zip(seeds).enumerate() {
            let Member { pipeline, files, .. } = member;
            let units = match needs_units(config)? {
                Some(purpose) => {
                    let units = units(config, member, parts, purpose, threading, Some(&parse));
                    units.map_err(|error| self.locate(error))?
                }
                None => None,
            };
            let bytes = match config.shuffle {
                Shuffle::Blocks { .. } | Shuffle::Auto { .. } => {
                    example_bytes(config, parts, files, &parse, threading)?
                }
                _ => 0,
            };
            let order = order(config, units.clone(), bytes)?;
            if let (Some(state), Order::Blocks(order)) = (states.get(number), &order) {
                state.check_blocks(order.numbers())?;
            }
            if let (Some(state), Some(order)) = (states.get(number), order.examples()) {
                state.check_position(order.len(), config.epochs)?;
            }
            let plan = plan(config, pipeline, order, units.as_ref(), files, seed);
            plan.check_even().map_err(|error| self.locate(error))?;
            plans.push(Arc::new(plan));
        }
        Ok(plans)
    }
}

/// Returns how many threads can run at once.
pub(super) fn processors() -> usize {
    available_parallelism().map_or(usize::MAX, NonZeroUsize::get)
}
