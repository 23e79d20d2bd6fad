//! A loader of all examples of a host, or of parts that hosts divide among them.

use std::sync::Arc;

use tfxio::batch_loader::{
    Anomaly, Batch, ElasticLoader, ElasticState, LoadPlan, LoaderBuilder, Stats, StatsHandle,
};
use tfxio::tensor_repr::TensorSpec;
use tfxio::{BatchLoader, Error, ErrorKind, LoaderState, Result};

/// A loader, or one of parts.
pub(crate) enum Loading {
    One(Box<BatchLoader>),
    Parts(Box<ElasticLoader>),
}

/// State of a loader.
#[derive(Clone)]
pub(crate) enum State {
    One(Box<LoaderState>),
    Parts(Box<ElasticState>),
}

impl Loading {
    /// Builds a loader that goes on from the states, which are JSON: one of a loader, one of each host of one of parts.
    pub(crate) fn build(builder: LoaderBuilder, parts: Option<u32>, states: &[String]) -> Result<Self> {
        match (parts, states) {
            (Some(parts), []) => Ok(Self::Parts(Box::new(builder.build_elastic(parts, None)?))),
            (Some(parts), states) => {
                let states = states.iter().map(|state| ElasticState::from_json(state));
                let state = ElasticState::merge(states.collect::<Result<Vec<_>>>()?)?;
                Ok(Self::Parts(Box::new(builder.build_elastic(parts, Some(&state))?)))
            }
            (None, []) => Ok(Self::One(Box::new(builder.build()?))),
            (None, [state]) => {
                let state = LoaderState::from_json(state)?;
                Ok(Self::One(Box::new(builder.state(state).build()?)))
            }
            (None, _) => {
                let what = "several states are those of hosts that divide parts, and this loader has none";
                let error = Error::new(ErrorKind::InvalidArgument, what);
                Err(error.help("give elastic=…, the number of parts, or one state"))
            }
        }
    }

    pub(crate) fn next_batch(&mut self) -> Result<Option<Batch>> {
        match self {
            Self::One(loader) => loader.next_batch(),
            Self::Parts(loader) => loader.next_batch(),
        }
    }

    pub(crate) fn state(&self) -> State {
        match self {
            Self::One(loader) => State::One(Box::new(loader.state())),
            Self::Parts(loader) => State::Parts(Box::new(loader.state())),
        }
    }

    pub(crate) fn specs(&self) -> &[(Arc<str>, TensorSpec)] {
        match self {
            Self::One(loader) => loader.specs(),
            Self::Parts(loader) => loader.specs(),
        }
    }

    pub(crate) fn plan(&self) -> Option<LoadPlan> {
        match self {
            Self::One(loader) => Some(loader.plan().clone()),
            Self::Parts(loader) => loader.plan().cloned(),
        }
    }

    /// Returns handles whose counts are added.
    pub(crate) fn stats_handles(&self) -> Vec<StatsHandle> {
        match self {
            Self::One(loader) => vec![loader.stats_handle()],
            Self::Parts(loader) => loader.stats_handles(),
        }
    }
}

/// Returns the counts of all.
pub(crate) fn counted(handles: &[StatsHandle]) -> Stats {
    Stats::of_parts(handles.iter().map(StatsHandle::get))
}

impl State {
    pub(crate) fn seed(&self) -> u64 {
        match self {
            Self::One(state) => state.seed(),
            Self::Parts(state) => state.seed(),
        }
    }

    pub(crate) fn batches(&self) -> u64 {
        match self {
            Self::One(state) => state.batches(),
            Self::Parts(state) => state.batches(),
        }
    }

    pub(crate) fn to_json(&self) -> String {
        match self {
            Self::One(state) => state.to_json(),
            Self::Parts(state) => state.to_json(),
        }
    }

    pub(crate) fn anomalies(&self) -> Vec<Anomaly> {
        match self {
            Self::One(state) => state.anomalies().to_vec(),
            Self::Parts(state) => state.states().flat_map(|(_, state)| state.anomalies().to_vec()).collect(),
        }
    }
}
