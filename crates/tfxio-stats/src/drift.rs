//! Distances between the distributions of two data sets.

pub(crate) mod distance;
mod histogram;
mod report;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use prost::Message as _;
use tensor_repr::TfmdSchema;
use tfxio_base::{Error, Result};
use tfxio_core::ColumnPath;

pub use self::report::{DriftReport, FeatureDrift};
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::histogram::HistogramType;
use crate::proto::tfmd::histogram_selection::Type as Selection;
use crate::proto::tfmd::{self, Feature, FeatureComparator};
use crate::view::{DatasetView, FeatureView};
use crate::{Kind, StatisticsList};

/// Options of [`drift`]: the bounds beyond which a distance counts as drift.
///
/// ```
/// let options = tfxio_stats::DriftOptions::default().l_infinity(0.05);
/// assert_eq!((options.l_infinity, options.jensen_shannon), (0.05, 0.1));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DriftOptions<'a> {
    /// The largest difference of the shares of a value that is not drift. Default: 0.1.
    pub l_infinity: f64,
    /// The largest Jensen-Shannon divergence that is not drift. Default: 0.1.
    pub jensen_shannon: f64,
    /// The schema whose `drift_comparator`s replace the two bounds for their features. Default: none.
    pub schema: Option<&'a TfmdSchema>,
    /// The slice whose statistics count, in both. Default: the only data set, or that of all examples.
    pub slice: Option<&'a str>,
}

impl Default for DriftOptions<'_> {
    fn default() -> Self {
        Self { l_infinity: 0.1, jensen_shannon: 0.1, schema: None, slice: None }
    }
}

impl<'a> DriftOptions<'a> {
    /// Sets the largest difference of the shares of a value that is not drift.
    #[must_use]
    pub fn l_infinity(mut self, l_infinity: f64) -> Self {
        self.l_infinity = l_infinity;
        self
    }

    /// Sets the largest Jensen-Shannon divergence that is not drift.
    #[must_use]
    pub fn jensen_shannon(mut self, jensen_shannon: f64) -> Self {
        self.jensen_shannon = jensen_shannon;
        self
    }

    /// Sets the schema whose `drift_comparator`s replace the two bounds.
    #[must_use]
    pub fn schema(mut self, schema: impl Into<Option<&'a TfmdSchema>>) -> Self {
        self.schema = schema.into();
        self
    }

    /// Sets the slice whose statistics count.
    #[must_use]
    pub fn slice(mut self, slice: impl Into<Option<&'a str>>) -> Self {
        self.slice = slice.into();
        self
    }
}

/// Measures the distances between the distributions of the features of two data sets.
///
/// For strings and categories it measures the L-infinity distance (the largest difference of the shares of one value) and
/// the Jensen-Shannon divergence of their counts; for numbers the Jensen-Shannon divergence of their histograms, cut at the
/// borders of both. Both are from 0 to 1, 0 where the distributions are equal, and as TensorFlow Data Validation measures
/// them: values that a histogram of ranks does not list do not count, and NaN and infinities of one data set equal nothing
/// of the other.
///
/// # Errors
/// If the statistics contradict themselves, or are of no data set or several, as [`infer_schema`](crate::infer_schema).
///
/// ```
/// use tfxio_stats::{DriftOptions, StatisticsList, drift};
///
/// let list = StatisticsList::from_bytes(b"\x0a\x13\x10\x03\x1a\x0f\x0a\x01a\x1a\x0a\x0a\x08\x08\x03\x18\x01\x20\x01\x40\x03")?;
/// let report = drift(&list, &list, &DriftOptions::default())?;
/// assert_eq!((report.features.len(), report.is_drifted()), (1, false));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
pub fn drift(
    before: &StatisticsList,
    after: &StatisticsList,
    options: &DriftOptions<'_>,
) -> Result<DriftReport> {
    let schema = match options.schema {
        Some(schema) => tfmd::Schema::decode(schema.as_binary()).map_err(|error| {
            Error::new(Kind::InvalidSchema, format!("the schema cannot be read: {error}"))
        })?,
        None => tfmd::Schema::default(),
    };
    let mut comparators = HashMap::new();
    add_comparators(&schema.feature, &ColumnPath::default(), &mut comparators);
    let mut after = DatasetView::of(after, options.slice)?;
    let mut before = DatasetView::of(before, options.slice)?;
    // Weights are compared with weights, and counts with counts.
    let by_weight = before.by_weight() && after.by_weight();
    before.set_by_weight(by_weight);
    after.set_by_weight(by_weight);

    let mut report = DriftReport::default();
    for old in before.features().filter(|feature| feature.has_counts()) {
        match after.get(old.path()).filter(|feature| feature.has_counts()) {
            Some(new) => {
                report.features.push(compare(old, new, comparators.get(old.path()).copied(), options));
            }
            None => report.only_before.push(old.path().clone()),
        }
    }
    let new = after.features().filter(|feature| feature.has_counts()).map(FeatureView::path);
    report.only_after =
        new.filter(|path| before.get(path).is_none_or(|old| !old.has_counts())).cloned().collect();
    report.sort();
    Ok(report)
}

fn add_comparators<'a>(
    features: &'a [Feature],
    parent: &ColumnPath,
    comparators: &mut HashMap<ColumnPath, &'a FeatureComparator>,
) {
    for feature in features {
        let path = parent.child(feature.name());
        if let Some(DomainInfo::StructDomain(domain)) = &feature.domain_info {
            add_comparators(&domain.feature, &path, comparators);
        }
        if let Some(comparator) = &feature.drift_comparator {
            comparators.insert(path, comparator);
        }
    }
}

fn compare(
    old: &FeatureView<'_>,
    new: &FeatureView<'_>,
    comparator: Option<&FeatureComparator>,
    options: &DriftOptions<'_>,
) -> FeatureDrift {
    let norm = comparator.and_then(|comparator| comparator.infinity_norm.as_ref()?.threshold);
    let divergence = comparator.and_then(|comparator| comparator.jensen_shannon_divergence.as_ref());
    let source = divergence.and_then(|divergence| divergence.source.as_ref()).map(|source| source.r#type());
    let histogram = match source {
        Some(Selection::Quantiles) => HistogramType::Quantiles,
        _ => HistogramType::Standard,
    };
    let (old_counts, new_counts) = (old.string_counts(), new.string_counts());
    let has_counts = !old_counts.is_empty() && !new_counts.is_empty();
    let (value, distance) = distance::l_infinity(&old_counts, &new_counts);
    FeatureDrift {
        path: old.path().clone(),
        l_infinity: has_counts.then_some(distance),
        most_different: value.filter(|_| has_counts && distance > 0.0).map(str::to_owned),
        jensen_shannon: distance::jensen_shannon(old, new, histogram),
        l_infinity_bound: norm.unwrap_or(options.l_infinity),
        jensen_shannon_bound: divergence
            .and_then(|divergence| divergence.threshold)
            .unwrap_or(options.jensen_shannon),
        present_before: old.fraction_present(),
        present_after: new.fraction_present(),
        is_type_changed: old.feature_type() != new.feature_type(),
    }
}
