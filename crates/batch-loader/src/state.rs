//! Saved states: the position of a loader between two batches, as a value that can be kept.

mod positions;
mod settings;

use std::ops::Range;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::positions::ItemPositions;
pub(crate) use self::settings::Settings;
use crate::anomaly::Anomaly;
use crate::progress::{ItemPosition, Progress};
use crate::{Error, Kind, Result};

/// The version of the format that this release writes. Settings are JSON texts, and there is a checksum.
pub(crate) const VERSION: u32 = 2;
/// The first version, which this release reads too. Settings are the output of `{:?}`, without a checksum.
pub(crate) const FIRST_VERSION: u32 = 1;

/// Position of a loader between two batches.
///
/// It has positions, not data: the files and records that come next, the positions of the examples in the shuffle
/// buffer, and the count of random numbers drawn. A loader of the same data set and configuration that is built with it
/// ([`LoaderBuilder::state`](crate::LoaderBuilder::state)) goes on with exactly the batches that would have followed.
/// Threads and buffers ahead may differ. It implements serde's traits, so that it can be part of a checkpoint of any
/// format; [`to_json`](Self::to_json) is a text of its own.
///
/// ```
/// # use batch_loader::LoaderState;
/// # fn keep(state: &LoaderState) -> batch_loader::Result<()> {
/// let text = state.to_json();
/// assert_eq!(&LoaderState::from_json(&text)?, state);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoaderState(pub(crate) Progress);

/// No loader counts as far, so that none that goes on from a state overflows.
const MOST: u64 = 1 << 62;

const FORMAT: &str = "tfxio loader state";

impl LoaderState {
    /// Returns how many batches were delivered before.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.0.batches
    }

    /// Returns how the examples of these batches left a schema, as [`BatchLoader::anomalies`](crate::BatchLoader::anomalies).
    #[must_use]
    pub fn anomalies(&self) -> &[Anomaly] {
        &self.0.anomalies
    }

    /// Returns the seed of the loader.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.0.seed
    }

    /// Returns the state as JSON, of about the size of the configuration and ten bytes an example in the shuffle buffer.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Reads a state that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`Kind::State`] if the text is not a state, is damaged, or is of a version that this release does not read.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head = serde_json::from_str(text)
            .map_err(|error| no_state("this is not the state of a loader".to_owned()).because(error))?;
        head_is_ours(&head.format, head.version)?;
        serde_json::from_str::<Progress>(text).map_err(|error| damaged().because(error))?.try_into()
    }

    /// Returns the version of the settings.
    pub(crate) fn version(&self) -> u32 {
        self.0.version
    }

    /// Returns the states of the data sets: the loader's own of one.
    pub(crate) fn data_sets(&self) -> &[Self] {
        if self.0.mixed.is_empty() { std::slice::from_ref(self) } else { &self.0.mixed }
    }

    /// Returns the states of `count` data sets, or refuses a state of another mixture than that of the settings.
    pub(crate) fn of_mixture(&self, settings: &Settings, count: usize) -> Result<&[Self]> {
        let (data_sets, is_mixed) = (self.data_sets(), !self.0.mixed.is_empty());
        if is_mixed != (count > 1) || data_sets.len() != count || (is_mixed && self.0.settings != *settings) {
            let what =
                "the state is of another mixture: its data sets had other weights, or were more or fewer";
            return Err(Error::new(Kind::State, what)
                .help("restore with the data sets and weights of which the state was saved"));
        }
        Ok(data_sets)
    }

    /// Refuses a state of another data set or configuration, with an error that names the difference. `now` is of the
    /// state's version, and `parts` are the files of the data set.
    pub(crate) fn check(&self, now: &Settings, parts: &Range<u32>, epochs: Option<u64>) -> Result<()> {
        let Self(progress) = self;
        if let Some(what) = progress.settings.difference(now, progress.version) {
            return Err(refused(what));
        }
        self.check_files(parts)?;
        let is_beyond = |&epochs: &u64| (progress.epoch, progress.examples) > (epochs, 0);
        epochs.filter(is_beyond).map_or(Ok(()), |epochs| Err(beyond(epochs)))
    }

    /// Refuses a state that names other files than these.
    pub(crate) fn check_files(&self, parts: &Range<u32>) -> Result<()> {
        let Self(progress) = self;
        let mut positions =
            progress.buffer.0.iter().chain(progress.buckets.iter().flat_map(|positions| &positions.0));
        let known = |position: &ItemPosition| {
            parts.contains(&position.part) && position.len > 0 && position.records > 0
        };
        if !positions.all(known) || progress.open.iter().flatten().any(|open| !parts.contains(&open.part)) {
            return Err(refused("the state is damaged: it names files that do not exist".to_owned()));
        }
        Ok(())
    }

    /// Refuses a state of an order of other blocks than these.
    pub(crate) fn check_blocks(&self, now: [u64; 3]) -> Result<()> {
        let text = |[blocks, streams, window]: [u64; 3]| {
            format!("{blocks} blocks in {streams} streams, with windows of {window} examples")
        };
        match self.0.blocks.filter(|then| *then != now) {
            Some(then) => Err(refused(format!(
                "the state is of an order of {}, this is one of {}",
                text(then),
                text(now)
            ))),
            None => Ok(()),
        }
    }

    /// Refuses a state that is after the last epoch of a global order of `examples` an epoch.
    pub(crate) fn check_position(&self, examples: u64, epochs: Option<u64>) -> Result<()> {
        let position = self.0.position;
        let is_beyond = |&epochs: &u64| position > epochs.saturating_mul(examples);
        epochs.filter(is_beyond).map_or(Ok(()), |epochs| Err(beyond(epochs)))
    }
}

#[cold]
fn refused(what: String) -> Error {
    Error::new(Kind::State, what)
        .help("restore with the data set and the configuration of which the state was saved")
}

#[cold]
fn beyond(epochs: u64) -> Error {
    let what = format!("the state is of a loader that has read more than `epochs`, which is {epochs}");
    Error::new(Kind::State, what).help("give more epochs, or start anew")
}

fn no_state(what: String) -> Error {
    Error::new(Kind::State, what).help("give the text that a loader's state was written as")
}

fn damaged() -> Error {
    no_state("the state is damaged".to_owned())
}

fn head_is_ours(format: &str, version: u32) -> Result<()> {
    if format != FORMAT {
        return Err(no_state(format!("this is not the state of a loader but {format:?}")));
    }
    if !(FIRST_VERSION..=VERSION).contains(&version) {
        let what = format!(
            "the state is of version {version}, this release reads versions {FIRST_VERSION} to {VERSION}"
        );
        return Err(Error::new(Kind::State, what).help("restore it with the release that wrote it"));
    }
    Ok(())
}

/// Returns the checksum of all but the checksum.
fn checksum(progress: &mut Progress) -> String {
    progress.checksum.clear();
    if progress.version == FIRST_VERSION {
        return String::new();
    }
    let text = serde_json::to_vec(progress).unwrap_or_default();
    format!("{:016x}", hash([&*text]))
}

impl From<LoaderState> for Progress {
    fn from(LoaderState(mut progress): LoaderState) -> Self {
        FORMAT.clone_into(&mut progress.format);
        progress.checksum = checksum(&mut progress);
        progress
    }
}

impl TryFrom<Progress> for LoaderState {
    type Error = Error;

    fn try_from(mut progress: Progress) -> Result<Self> {
        head_is_ours(&progress.format, progress.version)?;
        let saved = std::mem::take(&mut progress.checksum);
        if saved != checksum(&mut progress) {
            let what = "the state is damaged: its checksum does not match";
            return Err(Error::new(Kind::State, what)
                .help("it was changed after it was saved; restore another state"));
        }
        progress.format.clear();
        let counts = [progress.batches, progress.epoch, progress.examples, progress.split];
        let open = progress.open.iter().flatten().flat_map(|open| <[u64; 6]>::from(*open));
        let counts = counts.into_iter().chain(progress.anomalies.iter().map(|anomaly| anomaly.count));
        if counts.chain(open).any(|number| number > MOST) {
            return Err(damaged());
        }
        Ok(Self(progress))
    }
}

/// As the object of the JSON, or as its text in formats that are not for people: some of these know no field that is left out.
impl Serialize for LoaderState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            Progress::from(self.clone()).serialize(serializer)
        } else {
            self.to_json().serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for LoaderState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let state = if deserializer.is_human_readable() {
            Progress::deserialize(deserializer)?.try_into()
        } else {
            Self::from_json(&String::deserialize(deserializer)?)
        };
        state.map_err(serde::de::Error::custom)
    }
}

/// FNV-1a over texts, each ended by a byte that UTF-8 does not have.
pub(crate) fn hash<'a>(texts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for text in texts {
        for &byte in text.iter().chain(&[0xff]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
    hash
}
