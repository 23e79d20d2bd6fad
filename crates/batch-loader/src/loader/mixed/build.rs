//! From data sets and weights to a mixture.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;

use tensor_repr::TensorSpec;
use tfxio_core::{Dataset, Limits};

use super::{Exhausted, MixedLoader, MixedState};
use crate::config::{LoaderConfig, Located, Shard};
use crate::loader::BatchLoader;
use crate::random::{Stream, derive};
use crate::{Error, Kind, Result};

/// Share of the largest weight.
const LARGEST: f64 = 4_294_967_296.0;

/// Builds a [`MixedLoader`].
#[derive(Clone, Debug)]
#[must_use]
pub struct MixedBuilder {
    datasets: Vec<(Arc<dyn Dataset>, f64)>,
    config: Located<LoaderConfig>,
    inputs: Vec<Arc<str>>,
    targets: Vec<Arc<str>>,
    exhausted: Exhausted,
    limits: Limits,
    state: Option<MixedState>,
}

impl MixedBuilder {
    pub(in crate::loader) fn new(
        datasets: impl IntoIterator<Item = (Arc<dyn Dataset>, f64)>,
        config: Located<LoaderConfig>,
    ) -> Self {
        Self {
            datasets: datasets.into_iter().collect(),
            config,
            inputs: Vec::new(),
            targets: Vec::new(),
            exhausted: Exhausted::default(),
            limits: Limits::default(),
            state: None,
        }
    }

    /// Sets the names of the model's inputs, which every data set must have.
    pub fn inputs<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.inputs = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the names of the model's targets, which every data set must have.
    pub fn targets<N: Into<Arc<str>>>(mut self, names: impl IntoIterator<Item = N>) -> Self {
        self.targets = names.into_iter().map(Into::into).collect();
        self
    }

    /// Sets another seed than the configuration's.
    pub fn seed(mut self, seed: u64) -> Self {
        self.config.seed = Some(seed);
        self
    }

    /// Sets another shard than the configuration's. All hosts draw the same data sets, and each loads its part of them.
    pub fn shard(mut self, shard: Shard) -> Self {
        self.config.shard = Some(shard);
        self
    }

    /// Sets what is done when a data set is exhausted. Default: the others go on.
    pub fn exhausted(mut self, exhausted: Exhausted) -> Self {
        self.exhausted = exhausted;
        self
    }

    /// Sets the bounds on what is read. Default: [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Goes on where the loader stood of which the state was saved.
    pub fn state(mut self, state: MixedState) -> Self {
        self.state = Some(state);
        self
    }

    /// Checks everything and starts to load.
    ///
    /// # Errors
    /// - As [`LoaderBuilder::build`](crate::LoaderBuilder::build), for each data set.
    /// - [`Kind::InvalidValue`] for no data set, a weight that is not positive, and data sets whose tensors differ.
    /// - [`Kind::State`]: the state is of another mixture.
    pub fn build(self) -> Result<MixedLoader> {
        let weights = weights(&self.datasets)?;
        let count = self.datasets.len();
        if let Some(state) = &self.state {
            state.check(&weights, self.config.seed)?;
        }
        let drawn = || match self.config.shard.filter(|shard| shard.count > 1) {
            // One that all hosts derive.
            Some(shard) => derive(0, "mixture", &[u64::from(shard.count), count as u64]) >> 11,
            None => RandomState::new().build_hasher().finish() >> 11,
        };
        let seed = self.state.as_ref().map(|state| state.seed).or(self.config.seed).unwrap_or_else(drawn);
        let mut states =
            self.state.as_ref().map(|state| state.states.clone()).unwrap_or_default().into_iter();
        let mut loaders: Vec<BatchLoader> = Vec::with_capacity(count);
        for (number, (dataset, _)) in self.datasets.into_iter().enumerate() {
            // 53 bits, as every reader of JSON keeps.
            let own = derive(seed, "mixed", &[number as u64]) >> 11;
            let mut builder = BatchLoader::over(dataset, self.config.clone()).seed(own).limits(self.limits);
            builder = builder.inputs(self.inputs.iter().cloned()).targets(self.targets.iter().cloned());
            if let Some(state) = states.next() {
                builder = builder.state(state);
            }
            let loader = builder.build()?;
            if let Some(first) = loaders.first() {
                same_tensors(first.specs(), loader.specs(), number)?;
            }
            loaders.push(loader);
        }
        let mut stream = Stream::new(derive(seed, "mixture", &[]));
        let mut ended = vec![false; count];
        if let Some(state) = self.state {
            (stream.counter, ended) = (state.draws, state.ended);
        }
        Ok(MixedLoader { loaders, weights, ended, stream, seed, exhausted: self.exhausted, source: None })
    }
}

/// Returns the shares of weights.
fn weights(datasets: &[(Arc<dyn Dataset>, f64)]) -> Result<Vec<u64>> {
    let largest = datasets.iter().map(|(_, weight)| *weight).fold(0.0, f64::max);
    if datasets.is_empty() {
        return Err(Error::new(Kind::InvalidValue, "a mixture needs at least one data set"));
    }
    if let Some(wrong) = datasets.iter().position(|(_, weight)| !(weight.is_finite() && *weight > 0.0)) {
        let weight = datasets.get(wrong).map_or(0.0, |(_, weight)| *weight);
        return Err(Error::new(Kind::InvalidValue, format!("the data set {wrong} has the weight {weight}"))
            .help("give a positive number, or leave the data set out"));
    }
    Ok(datasets.iter().map(|(_, weight)| ((weight / largest * LARGEST) as u64).max(1)).collect())
}

/// Refuses data sets whose tensors differ.
fn same_tensors(
    first: &[(Arc<str>, TensorSpec)],
    other: &[(Arc<str>, TensorSpec)],
    number: usize,
) -> Result<()> {
    if first == other {
        return Ok(());
    }
    let text = |specs: &[(Arc<str>, TensorSpec)]| {
        specs.iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>().join(", ")
    };
    let what = format!(
        "the data sets of a mixture have different tensors: the first {}, the data set {number} {}",
        text(first),
        text(other)
    );
    Err(Error::new(Kind::InvalidValue, what).help("name inputs and targets that all of them have alike"))
}
