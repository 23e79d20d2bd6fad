//! `DatasetFeatureStatistics` as far as merging needs it: statistics stay bytes.
//!
//! Messages that are taken over whole are fields of bytes, with the numbers of the published proto. They are repeated, since an
//! encoder may write a message in parts, which are put together by writing them one after the other.

use std::fmt::Display;

use prost::Message as _;
use tfxio_base::Result;

use super::{conflict, malformed};
use crate::kind::Conflict;
use crate::proto::tfmd;

/// `DatasetFeatureStatisticsList`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct DatasetList {
    #[prost(message, repeated, tag = "1")]
    pub(super) datasets: Vec<Dataset>,
}

/// `DatasetFeatureStatistics`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Dataset {
    #[prost(string, tag = "1")]
    pub(super) name: String,
    #[prost(uint64, tag = "2")]
    pub(super) num_examples: u64,
    #[prost(double, tag = "4")]
    pub(super) weighted_num_examples: f64,
    #[prost(message, repeated, tag = "3")]
    pub(super) features: Vec<Feature>,
    #[prost(message, repeated, tag = "5")]
    pub(super) cross_features: Vec<CrossFeature>,
}

/// `FeatureNameStatistics`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Feature {
    #[prost(string, optional, tag = "1")]
    pub(super) name: Option<String>,
    #[prost(bytes = "vec", repeated, tag = "8")]
    pub(super) path: Vec<Vec<u8>>,
    #[prost(int32, tag = "2")]
    value_type: i32,
    #[prost(bytes = "vec", repeated, tag = "3")]
    num_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "4")]
    string_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    bytes_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "7")]
    struct_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "6")]
    custom_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "10")]
    validation_derived_source: Vec<Vec<u8>>,
}

/// `CrossFeatureStatistics`.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct CrossFeature {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub(super) path_x: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    pub(super) path_y: Vec<Vec<u8>>,
    #[prost(uint64, tag = "3")]
    count: u64,
    #[prost(bytes = "vec", repeated, tag = "4")]
    num_cross_stats: Vec<Vec<u8>>,
    #[prost(bytes = "vec", repeated, tag = "5")]
    categorical_cross_stats: Vec<Vec<u8>>,
}

/// Takes over the numbers of examples.
pub(super) fn merge_counts(merged: &mut Dataset, shard: &Dataset) -> Result<()> {
    let refused = |kind, what: &str, two: String| {
        conflict(kind, format!("two {what} of slice {:?}: {two}", shard.name))
    };
    set(&mut merged.num_examples, shard.num_examples)
        .map_err(|two| refused(Conflict::NumExamples, "numbers of examples", two))?;
    set(&mut merged.weighted_num_examples, shard.weighted_num_examples)
        .map_err(|two| refused(Conflict::WeightedNumExamples, "weighted numbers of examples", two))
}

/// Sets a field on which all shards that set it must agree. The error contains both values.
fn set<T: Copy + Default + PartialEq + Display>(merged: &mut T, shard: T) -> Result<(), String> {
    let unset = T::default();
    if shard != unset {
        if *merged != unset && *merged != shard {
            return Err(format!("{merged} and {shard}"));
        }
        *merged = shard;
    }
    Ok(())
}

/// Appends the parts of a message to the known ones, as one part.
fn join(merged: &mut Vec<Vec<u8>>, shard: &[Vec<u8>]) {
    if !shard.is_empty() {
        let parts = merged.iter().chain(shard);
        *merged = vec![parts.flatten().copied().collect()];
    }
}

/// Takes over a message that is not known yet.
fn keep_first(merged: &mut Vec<Vec<u8>>, shard: &[Vec<u8>]) {
    if merged.is_empty() {
        join(merged, shard);
    }
}

impl Feature {
    /// Merges a shard's statistics of the feature.
    pub(super) fn merge(&mut self, mut shard: Self) -> Result<()> {
        // Both are the same for all shards of a feature.
        keep_first(&mut self.path, &shard.path);
        if self.path.is_empty() {
            self.name = self.name.take().or_else(|| shard.name.take().filter(|name| !name.is_empty()));
        }
        self.merge_derived_source(&shard)?;
        set(&mut self.value_type, shard.value_type).map_err(|two| {
            conflict(Conflict::FeatureType, format!("two types of feature {}: {two}", self.shown()))
        })?;
        let Self { num_stats, string_stats, bytes_stats, struct_stats, .. } = &mut shard;
        for (merged, shard) in [
            (&mut self.num_stats, num_stats),
            (&mut self.string_stats, string_stats),
            (&mut self.bytes_stats, bytes_stats),
            (&mut self.struct_stats, struct_stats),
        ] {
            join(merged, shard);
        }
        let kinds = [&self.num_stats, &self.string_stats, &self.bytes_stats, &self.struct_stats];
        if kinds.iter().filter(|stats| !stats.is_empty()).count() > 1 {
            let what = format!("two kinds of statistics of feature {}", self.shown());
            return Err(conflict(Conflict::FeatureStatistics, what));
        }
        self.custom_stats.append(&mut shard.custom_stats);
        Ok(())
    }

    fn merge_derived_source(&mut self, shard: &Self) -> Result<()> {
        let source = |feature: &Self| {
            tfmd::DerivedFeatureSource::decode(&*feature.validation_derived_source.concat())
                .map_err(malformed)
        };
        let both = !self.validation_derived_source.is_empty() && !shard.validation_derived_source.is_empty();
        if both && source(self)? != source(shard)? {
            let what = format!("two sources of the derived feature {}", self.shown());
            return Err(conflict(Conflict::DerivedSource, what));
        }
        keep_first(&mut self.validation_derived_source, &shard.validation_derived_source);
        Ok(())
    }

    /// Returns the path or the name, for messages.
    fn shown(&self) -> String {
        match &self.name {
            Some(name) if self.path.is_empty() => format!("{name:?}"),
            _ => path_shown(&self.path),
        }
    }
}

impl CrossFeature {
    /// Merges a shard's statistics of the pair of features.
    pub(super) fn merge(&mut self, shard: Self) -> Result<()> {
        // A path without steps is written as well.
        for (merged, shard) in [(&mut self.path_x, &shard.path_x), (&mut self.path_y, &shard.path_y)] {
            if merged.is_empty() {
                *merged = vec![shard.concat()];
            }
        }
        let pair = format!("features {} and {}", path_shown(&self.path_x), path_shown(&self.path_y));
        set(&mut self.count, shard.count)
            .map_err(|two| conflict(Conflict::CrossCount, format!("two counts of {pair}: {two}")))?;
        join(&mut self.num_cross_stats, &shard.num_cross_stats);
        join(&mut self.categorical_cross_stats, &shard.categorical_cross_stats);
        if !self.num_cross_stats.is_empty() && !self.categorical_cross_stats.is_empty() {
            return Err(conflict(Conflict::CrossStatistics, format!("two kinds of statistics of {pair}")));
        }
        Ok(())
    }
}

fn path_shown(path: &[Vec<u8>]) -> String {
    match tfmd::Path::decode(&*path.concat()) {
        Ok(path) => format!("{:?}", path.step),
        Err(_) => "without a path".to_owned(),
    }
}
