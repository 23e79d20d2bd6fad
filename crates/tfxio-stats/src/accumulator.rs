//! Statistics that were computed in shards, in one list.

mod shard;

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use prost::Message as _;
use tfxio_base::{Error, Result};

use self::shard::{CrossFeature, Dataset, DatasetList, Feature};
use crate::Kind;
use crate::kind::Conflict;
use crate::proto::tfmd;

/// Merges statistics that were computed in shards into one `tensorflow.metadata.v0.DatasetFeatureStatisticsList`.
///
/// A shard is an encoded `DatasetFeatureStatistics`: some of the features, or some of the statistics of a feature, of a
/// data set or of a slice of one, which its name tells apart. Slices, features (by path, or by name) and pairs of features
/// are in the order in which they first appear. The parts that two shards have of the same one are merged: parts of its
/// statistics as protobuf merges messages (singular fields of the later one win, repeated ones follow each other); custom
/// statistics follow each other. Numbers of examples, types and kinds of statistics must be the same wherever they are set.
/// Nothing is added up: shards cut the features, not the examples.
///
/// Fields that this version does not know are kept within statistics, paths and custom statistics.
///
/// ```
/// use tfxio_stats::DatasetListAccumulator;
///
/// // Two slices without features: name (field 1) and number of examples (field 2).
/// let mut all = DatasetListAccumulator::new();
/// all.merge(b"\x0a\x01a\x10\x05")?;
/// all.merge(b"\x0a\x01b\x10\x07")?;
/// all.merge(b"\x0a\x01a")?;
/// assert_eq!(all.finish(), b"\x0a\x05\x0a\x01a\x10\x05\x0a\x05\x0a\x01b\x10\x07");
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
///
/// Behaves as `DatasetListAccumulator` of tfx-bsl 1.21, but refuses what that one would drop: numbers of examples that differ
/// beyond 32 bits, and sources of derived features that differ in their settings.
#[derive(Clone, Debug)]
pub struct DatasetListAccumulator {
    list: DatasetList,
    /// The number of each slice, and of its features and pairs of features, by what tells them apart.
    slices: HashMap<String, usize>,
    features: HashMap<(usize, FeatureId), usize>,
    cross_features: HashMap<(usize, FeatureId, FeatureId), usize>,
    placeholder: bool,
}

impl Default for DatasetListAccumulator {
    fn default() -> Self {
        Self::new()
    }
}

impl DatasetListAccumulator {
    /// Returns an accumulator without shards.
    #[must_use]
    pub fn new() -> Self {
        Self {
            list: DatasetList::default(),
            slices: HashMap::new(),
            features: HashMap::new(),
            cross_features: HashMap::new(),
            placeholder: true,
        }
    }

    /// Sets whether a list without shards has one empty entry. Default: true.
    #[must_use]
    pub fn include_empty_placeholder(mut self, include: bool) -> Self {
        self.placeholder = include;
        self
    }

    /// Merges an encoded `DatasetFeatureStatistics`.
    ///
    /// # Errors
    ///
    /// If the bytes are not one, or contradict what other shards said of the same slice, feature or pair of features. The
    /// accumulator may have taken in a part of the shard then.
    pub fn merge(&mut self, shard: &[u8]) -> Result<()> {
        // What is within statistics is taken over as it is, so it is checked here.
        tfmd::DatasetFeatureStatistics::decode(shard).map_err(malformed)?;
        let shard = Dataset::decode(shard).map_err(malformed)?;
        let slice = match self.slices.entry(shard.name.clone()) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                self.list.datasets.push(Dataset { name: shard.name.clone(), ..Dataset::default() });
                *new.insert(self.list.datasets.len() - 1)
            }
        };
        let Some(merged) = self.list.datasets.get_mut(slice) else { return Ok(()) };
        shard::merge_counts(merged, &shard)?;
        for feature in shard.features {
            let id = FeatureId::of(&feature)?;
            let at = *self.features.entry((slice, id)).or_insert(merged.features.len());
            merge_into(&mut merged.features, at, feature, Feature::merge)?;
        }
        for cross in shard.cross_features {
            let (x, y) = (FeatureId::of_path(&cross.path_x)?, FeatureId::of_path(&cross.path_y)?);
            let at = *self.cross_features.entry((slice, x, y)).or_insert(merged.cross_features.len());
            merge_into(&mut merged.cross_features, at, cross, CrossFeature::merge)?;
        }
        Ok(())
    }

    /// Returns the encoded `DatasetFeatureStatisticsList`.
    #[must_use]
    pub fn finish(mut self) -> Vec<u8> {
        if self.list.datasets.is_empty() && self.placeholder {
            self.list.datasets.push(Dataset::default());
        }
        self.list.encode_to_vec()
    }
}

fn malformed(error: prost::DecodeError) -> Error {
    Error::new(Kind::MalformedStatistics, format!("not a DatasetFeatureStatistics: {error}"))
}

/// Merges an item into the one of a number, which is the next number if it is new.
fn merge_into<T: Default>(
    items: &mut Vec<T>,
    at: usize,
    item: T,
    merge: fn(&mut T, T) -> Result<()>,
) -> Result<()> {
    if at == items.len() {
        items.push(T::default());
    }
    items.get_mut(at).map_or(Ok(()), |known| merge(known, item))
}

/// Identity of a feature: a path, or a name, which is not the path of one step.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum FeatureId {
    Name(String),
    Path(Vec<String>),
}

impl FeatureId {
    fn of(feature: &Feature) -> Result<Self> {
        if feature.path.is_empty() {
            return Ok(Self::Name(feature.name.clone().unwrap_or_default()));
        }
        Self::of_path(&feature.path)
    }

    fn of_path(path: &[Vec<u8>]) -> Result<Self> {
        let path = tfmd::Path::decode(&*path.concat()).map_err(malformed)?;
        Ok(Self::Path(path.step))
    }
}

/// Returns an error of two shards that contradict each other.
fn conflict(conflict: Conflict, what: String) -> Error {
    Error::new(Kind::Conflict(conflict), what)
        .help("merge shards of the statistics of one data set; sum up those of different ones elsewhere")
}
