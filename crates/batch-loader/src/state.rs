//! Saved states: where a loader stands between two batches, as a value that can be kept.

mod places;
mod settings;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::settings::Settings;
use crate::progress::{Committed, ItemPlace, PartProgress, Progress};
use crate::{Error, Kind, Result};

/// The version of the format that this release writes. Settings are JSON texts, and there is a checksum.
pub(crate) const VERSION: u32 = 2;
/// The first version, which this release reads too. Settings are what `{:?}` printed, and there is no checksum.
pub(crate) const FIRST_VERSION: u32 = 1;

/// Where a loader stands between two batches.
///
/// It holds positions, not data: the files and records that come next, the positions of the examples in the shuffle
/// buffer, and how far the random numbers are used up. A loader of the same data set and configuration that is
/// built with it ([`LoaderBuilder::state`](crate::LoaderBuilder::state)) goes on with exactly the batches that
/// would have followed. Threads and buffers ahead may differ. It implements serde's traits, so that it can be part of a
/// checkpoint of any format; [`to_json`](Self::to_json) is a text of its own.
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
pub struct LoaderState {
    /// The version of the settings.
    pub(crate) version: u32,
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) committed: Committed,
}

/// A state as it is written. The order of the fields is that of the checksum; they are sorted by name.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    batches: u64,
    buckets: Vec<String>,
    buffer: String,
    /// The hash of the JSON text of all of it, without blanks, with an empty checksum. Not in the first version.
    #[serde(default)]
    checksum: String,
    data_set: Settings,
    drained: bool,
    draws: u64,
    epoch: u64,
    examples: u64,
    format: String,
    /// For each slot of open files: part, record, byte, step, cut, draws.
    open: Vec<Option<[u64; 6]>>,
    opened: u64,
    position: u64,
    seed: u64,
    turn: u32,
    version: u32,
}

/// No loader counts as far, so that none that goes on from a state overflows.
const MOST: u64 = 1 << 62;

const FORMAT: &str = "tfxio loader state";

impl LoaderState {
    /// Returns how many batches were delivered before.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.committed.batches
    }

    /// Returns the seed of the loader.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
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
        let text: Text = serde_json::from_str(text).map_err(|error| damaged().because(error))?;
        text.state()
    }

    fn text(&self) -> Text {
        let Committed { batches, progress, buffer } = &self.committed;
        let open = progress.open.iter().map(|open| {
            open.map(|open| [u64::from(open.part), open.record, open.byte, open.step, open.cut, open.draws])
        });
        let mut text = Text {
            batches: *batches,
            buckets: progress.buckets.iter().map(|places| places::write(places)).collect(),
            buffer: places::write(buffer),
            checksum: String::new(),
            data_set: self.settings.clone(),
            drained: progress.drained,
            draws: progress.draws,
            epoch: progress.epoch,
            examples: progress.examples,
            format: FORMAT.to_owned(),
            open: open.collect(),
            opened: progress.opened,
            position: progress.position,
            seed: self.seed,
            turn: progress.turn,
            version: self.version,
        };
        if self.version != FIRST_VERSION {
            text.checksum = text.sum();
        }
        text
    }

    /// Refuses a state of another data set or configuration, and says what differs. `now` is of the state's version.
    pub(crate) fn check(&self, now: &Settings, parts: u32, epochs: Option<u64>) -> Result<()> {
        if let Some(what) = self.settings.difference(now, self.version) {
            return Err(refused(what));
        }
        let Committed { progress, buffer, .. } = &self.committed;
        let places = buffer.iter().chain(progress.buckets.iter().flatten());
        let known = |place: &ItemPlace| place.part < parts && place.len > 0 && place.records > 0;
        if !places.clone().all(known) || progress.open.iter().flatten().any(|open| open.part >= parts) {
            return Err(refused("the state is damaged: it names files that do not exist".to_owned()));
        }
        let is_beyond = |&epochs: &u64| (progress.epoch, progress.examples) > (epochs, 0);
        epochs.filter(is_beyond).map_or(Ok(()), |epochs| Err(beyond(epochs)))
    }

    /// Refuses a state that lies after the last epoch of a global order of `examples` an epoch.
    pub(crate) fn check_position(&self, examples: u64, epochs: Option<u64>) -> Result<()> {
        let position = self.committed.progress.position;
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

impl Text {
    /// The checksum of all but the checksum.
    fn sum(&mut self) -> String {
        self.checksum.clear();
        let text = serde_json::to_vec(self).unwrap_or_default();
        format!("{:016x}", hash([&*text]))
    }

    fn state(mut self) -> Result<LoaderState> {
        head_is_ours(&self.format, self.version)?;
        let checksum = std::mem::take(&mut self.checksum);
        let expected = if self.version == FIRST_VERSION { String::new() } else { self.sum() };
        if checksum != expected {
            let what = "the state is damaged: its checksum does not match";
            return Err(Error::new(Kind::State, what)
                .help("it was changed after it was saved; restore another state"));
        }
        let counts = [self.batches, self.epoch, self.examples];
        let of_files = self.open.iter().flatten().flatten();
        if counts.iter().chain(of_files).any(|&number| number > MOST) {
            return Err(damaged());
        }
        let read = |text: &str| {
            let places = places::read(text).ok_or_else(damaged)?;
            if places.iter().any(|place| place.record.max(place.byte) > MOST) {
                Err(damaged())
            } else {
                Ok(places)
            }
        };
        let open = self.open.into_iter().map(|open| match open {
            Some([part, record, byte, step, cut, draws]) => match u32::try_from(part) {
                Ok(part) => Ok(Some(PartProgress { part, record, byte, step, cut, draws })),
                Err(_) => Err(damaged()),
            },
            None => Ok(None),
        });
        let progress = Progress {
            epoch: self.epoch,
            opened: self.opened,
            open: open.collect::<Result<_>>()?,
            turn: self.turn,
            drained: self.drained,
            draws: self.draws,
            examples: self.examples,
            position: self.position,
            buckets: self.buckets.iter().map(|places| read(places)).collect::<Result<_>>()?,
        };
        let committed = Committed { batches: self.batches, progress, buffer: read(&self.buffer)? };
        Ok(LoaderState { version: self.version, seed: self.seed, settings: self.data_set, committed })
    }
}

impl Serialize for LoaderState {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.text().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for LoaderState {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Text::deserialize(deserializer)?.state().map_err(serde::de::Error::custom)
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
