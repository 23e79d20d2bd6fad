//! Where a mixture stands.

use serde::{Deserialize, Serialize};

use super::MixedLoader;
use crate::loader::BatchLoader;
use crate::state::LoaderState;
use crate::{Error, Kind, Result};

/// Where a [`MixedLoader`] stands, between two batches. Serialisable.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MixedState {
    pub(super) version: u32,
    pub(super) seed: u64,
    pub(super) draws: u64,
    pub(super) weights: Vec<u64>,
    pub(super) ended: Vec<bool>,
    pub(super) states: Vec<LoaderState>,
}

const VERSION: u32 = 1;

impl MixedState {
    pub(super) fn of(loader: &MixedLoader) -> Self {
        Self {
            version: VERSION,
            seed: loader.seed,
            draws: loader.stream.counter,
            weights: loader.weights.clone(),
            ended: loader.ended.clone(),
            states: loader.loaders.iter().map(BatchLoader::state).collect(),
        }
    }

    /// Refuses a state of another mixture.
    pub(super) fn check(&self, weights: &[u64], seed: Option<u64>) -> Result<()> {
        let refused = |what: String, help: &str| Err(Error::new(Kind::State, what).help(help));
        if self.version != VERSION {
            let what =
                format!("the state is of version {}, this release reads version {VERSION}", self.version);
            return refused(what, "restore it with the release that wrote it");
        }
        if self.states.len() != weights.len() || self.ended.len() != weights.len() || self.weights != weights
        {
            let what =
                "the state is of another mixture: its data sets had other weights, or were more or fewer";
            return refused(
                what.to_owned(),
                "restore with the data sets and weights of which the state was saved",
            );
        }
        match seed.filter(|seed| *seed != self.seed) {
            Some(seed) => {
                let what = format!("the state is of a loader with the seed {}, not {seed}", self.seed);
                refused(what, "leave the seed out, or restore a state of this one")
            }
            None => Ok(()),
        }
    }
}
