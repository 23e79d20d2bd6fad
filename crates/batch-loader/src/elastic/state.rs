//! State of the parts of a loader.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use crate::config::Shard;
use crate::loader::BatchLoader;
use crate::state::LoaderState;
use crate::{Error, Kind, Result};

const FORMAT: &str = "tfxio elastic loader state";
const VERSION: u32 = 1;

/// State of the parts of an [`ElasticLoader`](crate::ElasticLoader) between two batches: the parts of one host, or,
/// [merged](Self::merge), of all.
///
/// ```
/// # use batch_loader::ElasticState;
/// # fn keep(state: &ElasticState) -> batch_loader::Result<()> {
/// assert_eq!(&ElasticState::from_json(&state.to_json())?, state);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ElasticState {
    format: String,
    version: u32,
    /// Number of parts of the data set.
    parts: u32,
    /// The host whose state it is, and which of its parts is next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    host: Option<Turn>,
    /// The state of each part.
    states: BTreeMap<u32, LoaderState>,
}

/// Next part of a host, by its position among the host's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Turn {
    index: u32,
    count: u32,
    turn: usize,
}

impl ElasticState {
    pub(super) fn new(parts: u32, host: Shard, turn: usize, states: BTreeMap<u32, LoaderState>) -> Self {
        let host = Turn { index: host.index, count: host.count, turn };
        Self { format: FORMAT.to_owned(), version: VERSION, parts, host: Some(host), states }
    }

    /// Returns the merged state of several hosts. If the hosts were saved after equally many rounds, in which each part
    /// gives a batch, any number of hosts that divides the parts goes on with the same rounds.
    ///
    /// # Errors
    /// [`Kind::State`] without states, and for states of different numbers of parts or two of the same part that differ.
    pub fn merge(states: impl IntoIterator<Item = Self>) -> Result<Self> {
        let mut states = states.into_iter();
        let Some(mut all) = states.next() else {
            return Err(refused("there is no state".to_owned(), "give the state of one host or more"));
        };
        for other in states {
            if other.parts != all.parts {
                let what = format!("one state is of {} parts, another of {}", all.parts, other.parts);
                return Err(refused(what, "give states that were saved together"));
            }
            if other.host != all.host {
                all.host = None;
            }
            for (part, state) in other.states {
                match all.states.entry(part) {
                    Entry::Vacant(entry) => _ = entry.insert(state),
                    Entry::Occupied(entry) if *entry.get() == state => {}
                    Entry::Occupied(_) => {
                        let what = format!("two states differ in where part {part} stands");
                        return Err(refused(what, "give one state of each host, which were saved together"));
                    }
                }
            }
        }
        Ok(all)
    }

    /// Returns the states of the parts, by their numbers.
    pub fn states(&self) -> impl Iterator<Item = (u32, &LoaderState)> {
        self.states.iter().map(|(part, state)| (*part, state))
    }

    /// Returns how many batches were given before, of all parts that the state has.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.states.values().map(LoaderState::batches).fold(0, u64::saturating_add)
    }

    /// Returns the seed of the loader.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.states.values().next().map_or(0, LoaderState::seed)
    }

    /// Returns the state as JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a state that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`Kind::State`] if the text is not a state of an elastic loader, is damaged, or is of a version that this release does not read.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let help = "give the text that the state of an elastic loader was written as";
        let not_one = || refused("this is not the state of an elastic loader".to_owned(), help);
        let head = serde_json::from_str::<Head>(text).map_err(|error| not_one().because(error))?;
        if head.format != FORMAT {
            let what = format!("this is not the state of an elastic loader but {:?}", head.format);
            return Err(refused(what, help));
        }
        if head.version != VERSION {
            let what =
                format!("the state is of version {}, this release reads version {VERSION}", head.version);
            return Err(refused(what, "restore it with the release that wrote it"));
        }
        serde_json::from_str::<Self>(text)
            .map_err(|error| refused("the state is damaged".to_owned(), help).because(error))
    }

    /// Refuses a state that lacks a part of the host, or has another number of parts.
    pub(super) fn check(&self, parts: u32, own: &[u32]) -> Result<()> {
        if self.parts != parts {
            let what = format!("the state is of {} parts, and the loader has {parts}", self.parts);
            return Err(refused(what, "restore with as many parts as when it was saved"));
        }
        if let Some(missing) = own.iter().find(|part| !self.states.contains_key(part)) {
            let what = format!("the state does not have part {missing}, which is one of this host");
            return Err(refused(what, "give the states of all hosts, which were saved together"));
        }
        Ok(())
    }

    /// Returns the state of a part.
    pub(super) fn of_part(&self, part: u32) -> Option<&LoaderState> {
        self.states.get(&part)
    }

    /// Returns the next loader of a host: the one that was next, where the host is the same; else the first of the
    /// loaders that have given the fewest batches.
    pub(super) fn turn(&self, host: Shard, loaders: &[(u32, BatchLoader)]) -> usize {
        if let Some(turn) = self.host.filter(|turn| (turn.index, turn.count) == (host.index, host.count)) {
            return turn.turn.min(loaders.len().saturating_sub(1));
        }
        let batches = loaders.iter().map(|(part, _)| self.of_part(*part).map_or(0, LoaderState::batches));
        batches.enumerate().min_by_key(|(_, batches)| *batches).map_or(0, |(at, _)| at)
    }
}

#[cold]
fn refused(what: String, help: &'static str) -> Error {
    Error::new(Kind::State, what).help(help)
}
