//! Rules about features that several questions share.

use std::collections::HashSet;

use crate::proto::metadata::v0 as tfmd;
use crate::proto::metadata::v0::feature::DomainInfo;
use crate::proto::metadata::v0::{FeatureType, LifecycleStage};
use crate::{ColumnPath, Error, Kind};

/// Returns whether a feature is in use: not deprecated, and not in a stage such as `PLANNED` or `DEBUG_ONLY`.
#[allow(deprecated, reason = "schemas that say it this way are what it is for")]
pub(crate) fn is_used(feature: &tfmd::Feature) -> bool {
    !feature.deprecated() && is_ready(feature.lifecycle_stage())
}

/// Does the same for a sparse feature.
#[allow(deprecated, reason = "schemas that say it this way are what it is for")]
pub(super) fn is_sparse_used(feature: &tfmd::SparseFeature) -> bool {
    !feature.deprecated() && is_ready(feature.lifecycle_stage())
}

fn is_ready(stage: LifecycleStage) -> bool {
    matches!(stage, LifecycleStage::UnknownStage | LifecycleStage::Beta | LifecycleStage::Production)
}

/// Returns each feature once: of two with one name the first counts, as it does for the decoders.
pub(super) fn distinct(features: &[tfmd::Feature]) -> impl Iterator<Item = &tfmd::Feature> {
    let mut seen = HashSet::new();
    features.iter().filter(move |feature| seen.insert(feature.name()))
}

/// Returns the features in a struct.
pub(super) fn children(feature: &tfmd::Feature) -> &[tfmd::Feature] {
    match &feature.domain_info {
        Some(DomainInfo::StructDomain(domain)) => &domain.feature,
        _ => &[],
    }
}

/// Returns the sparse features in a struct.
pub(super) fn sparse_children(feature: &tfmd::Feature) -> &[tfmd::SparseFeature] {
    match &feature.domain_info {
        Some(DomainInfo::StructDomain(domain)) => &domain.sparse_feature,
        _ => &[],
    }
}

/// A feature that is not a struct, where it is found.
pub(super) struct Leaf<'a> {
    pub(super) path: ColumnPath,
    pub(super) feature: &'a tfmd::Feature,
    /// Whether it and every struct around it is to be used.
    pub(super) used: bool,
}

/// Returns every feature that is not a struct; features in structs have their paths.
pub(super) fn leaves(schema: &tfmd::Schema) -> Vec<Leaf<'_>> {
    let mut out = Vec::new();
    add_leaves(&schema.feature, &ColumnPath::default(), true, &mut out);
    out
}

fn add_leaves<'a>(features: &'a [tfmd::Feature], parent: &ColumnPath, used: bool, out: &mut Vec<Leaf<'a>>) {
    // Messages are nested as deep as their decoder allows, and no deeper.
    for feature in distinct(features) {
        let path = parent.child(feature.name());
        let used = used && is_used(feature);
        if feature.r#type() == FeatureType::Struct {
            add_leaves(children(feature), &path, used, out);
        } else {
            out.push(Leaf { path, feature, used });
        }
    }
}

/// Returns an error about a schema.
pub(super) fn invalid(text: impl Into<String>) -> Error {
    Error::new(Kind::InvalidSchema, text)
}

/// Names for a message: in quotes, divided by commas, the rest of many as a number.
pub(super) fn listed(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    const MOST: usize = 10;
    let mut names = names.into_iter();
    let first: Vec<_> = names.by_ref().take(MOST).map(|name| format!("\"{name}\"")).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}
