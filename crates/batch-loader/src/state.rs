//! Saved states: where a loader stands between two batches, as a value that can be kept.

mod places;

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::progress::{Committed, ItemPlace, PartProgress, Progress};
use crate::{Error, ErrorKind, Result};

/// The version of the format that this release writes, and the only one that it reads.
const VERSION: u32 = 1;

/// Where a loader stands between two batches.
///
/// It holds places, not data: the files and records that come next, the places of the examples in the shuffle
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
    pub(crate) seed: u64,
    pub(crate) settings: Settings,
    pub(crate) committed: Committed,
}

/// What a state belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Settings {
    /// What of the configuration, the manifest and the caller's names decides what comes out: short texts as they
    /// are, long ones as a hash.
    pub(crate) configuration: BTreeMap<String, String>,
    /// The number of files, and a hash of their names and sizes.
    pub(crate) files: u64,
    pub(crate) names: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    format: String,
    version: u32,
    seed: u64,
    batches: u64,
    epoch: u64,
    examples: u64,
    opened: u64,
    turn: u32,
    drained: bool,
    draws: u64,
    position: u64,
    /// For each slot of open files: part, record, byte, step, cut, draws.
    open: Vec<Option<[u64; 6]>>,
    buffer: String,
    buckets: Vec<String>,
    data_set: Settings,
}

/// No loader counts as far, so that none that goes on from a state overflows.
const MOST: u64 = 1 << 62;

const FORMAT: &str = "tfxio loader state";

impl LoaderState {
    /// How many batches were given out before.
    #[must_use]
    pub fn batches(&self) -> u64 {
        self.committed.batches
    }

    /// The seed of the loader.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The state as JSON: some hundred bytes, and about ten for each example in the shuffle buffer.
    #[must_use]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// The state that [`to_json`](Self::to_json) wrote.
    ///
    /// # Errors
    /// [`ErrorKind::State`] if the text is no state, or one of another version.
    pub fn from_json(text: &str) -> Result<Self> {
        #[derive(Deserialize)]
        struct Head {
            format: String,
            version: u32,
        }
        let head: Head = serde_json::from_str(text)
            .map_err(|error| no_state("this is no state of a loader".to_owned()).because(error))?;
        head_is_ours(&head.format, head.version)?;
        let text: Text = serde_json::from_str(text).map_err(|error| damaged().because(error))?;
        text.state()
    }

    fn text(&self) -> Text {
        let Committed { batches, progress, buffer } = &self.committed;
        let open = progress.open.iter().map(|open| {
            open.map(|open| [u64::from(open.part), open.record, open.byte, open.step, open.cut, open.draws])
        });
        Text {
            format: FORMAT.to_owned(),
            version: VERSION,
            seed: self.seed,
            batches: *batches,
            epoch: progress.epoch,
            examples: progress.examples,
            opened: progress.opened,
            turn: progress.turn,
            drained: progress.drained,
            draws: progress.draws,
            position: progress.position,
            open: open.collect(),
            buffer: places::write(buffer),
            buckets: progress.buckets.iter().map(|places| places::write(places)).collect(),
            data_set: self.settings.clone(),
        }
    }

    /// Refuses a state of another data set or configuration, and says what differs.
    pub(crate) fn check(&self, now: &Settings, parts: u32) -> Result<()> {
        let refuse = |what: String| {
            Err(Error::new(ErrorKind::State, what)
                .with_hint("restore with the data set and the configuration of which the state was saved"))
        };
        let keys = self.settings.configuration.keys().chain(now.configuration.keys());
        for key in keys {
            let (then, now) = (self.settings.configuration.get(key), now.configuration.get(key));
            if then != now {
                let say = |value: Option<&String>| value.map_or("nothing", String::as_str).to_owned();
                return refuse(format!(
                    "the state is of another configuration: `{key}` was {} and is {}",
                    say(then),
                    say(now)
                ));
            }
        }
        if self.settings.files != now.files {
            let (then, now) = (self.settings.files, now.files);
            return refuse(format!(
                "the state is of another data set: it had {then} files, this one has {now}"
            ));
        }
        if self.settings.names != now.names {
            return refuse("the state is of another data set: its files had other names or sizes".to_owned());
        }
        let Committed { progress, buffer, .. } = &self.committed;
        let places = buffer.iter().chain(progress.buckets.iter().flatten());
        let known = |place: &ItemPlace| place.part < parts && place.len > 0 && place.records > 0;
        if !places.clone().all(known) || progress.open.iter().flatten().any(|open| open.part >= parts) {
            return refuse("the state is damaged: it names files that do not exist".to_owned());
        }
        Ok(())
    }
}

fn no_state(what: String) -> Error {
    Error::new(ErrorKind::State, what).with_hint("give the text that a loader's state was written as")
}

fn damaged() -> Error {
    no_state("the state is damaged".to_owned())
}

fn head_is_ours(format: &str, version: u32) -> Result<()> {
    if format != FORMAT {
        return Err(no_state(format!("this is no state of a loader but {format:?}")));
    }
    if version != VERSION {
        let what = format!("the state is of version {version}, this release reads version {VERSION}");
        return Err(Error::new(ErrorKind::State, what).with_hint("restore it with the release that wrote it"));
    }
    Ok(())
}

impl Text {
    fn state(self) -> Result<LoaderState> {
        head_is_ours(&self.format, self.version)?;
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
        Ok(LoaderState { seed: self.seed, settings: self.data_set, committed })
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

impl Settings {
    /// Notes a setting.
    pub(crate) fn note(&mut self, key: &str, value: &dyn std::fmt::Debug) {
        let text = format!("{value:?}");
        let text = if text.len() <= 80 { text } else { format!("#{:016x}", hash([text.as_bytes()])) };
        self.configuration.insert(key.to_owned(), text);
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
