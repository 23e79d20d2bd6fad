//! Comparisons with the distributions of other data, as far as a schema asks for it.

use super::{Fault, measurement};
use crate::drift::distance::{jensen_shannon, l_infinity, normalized_difference};
use crate::number_text::{number, quoted};
use crate::proto::tfmd::FeatureComparator;
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::drift_skew_info::Measurement;
use crate::proto::tfmd::drift_skew_info::measurement::Type as Distance;
use crate::proto::tfmd::histogram::HistogramType;
use crate::proto::tfmd::histogram_selection::Type as Selection;
use crate::view::{DatasetView, FeatureView};

/// Result of a comparison.
#[derive(Debug, Default)]
pub(super) struct Comparison {
    pub(super) faults: Vec<Fault>,
    pub(super) measured: Vec<Measurement>,
}

/// Compares with earlier data.
pub(super) fn drift(
    comparator: Option<&FeatureComparator>,
    statistics: &FeatureView<'_>,
    control: Option<&DatasetView<'_>>,
) -> Comparison {
    compare(comparator, statistics, control, "the earlier data")
}

/// Compares with serving data.
pub(super) fn skew(
    comparator: Option<&FeatureComparator>,
    statistics: &FeatureView<'_>,
    control: Option<&DatasetView<'_>>,
) -> Comparison {
    compare(comparator, statistics, control, "the serving data")
}

fn compare(
    comparator: Option<&FeatureComparator>,
    statistics: &FeatureView<'_>,
    control: Option<&DatasetView<'_>>,
    name: &str,
) -> Comparison {
    let mut out = Comparison::default();
    let (Some(comparator), Some(control)) = (comparator, control) else { return out };
    let infinity = comparator.infinity_norm.as_ref().and_then(|norm| norm.threshold);
    let difference = comparator.normalized_abs_difference.as_ref().and_then(|norm| norm.threshold);
    let divergence = comparator.jensen_shannon_divergence.as_ref();
    let divergence = divergence.and_then(|divergence| Some((divergence.threshold?, divergence)));
    if infinity.is_none() && difference.is_none() && divergence.is_none() {
        return out;
    }
    let Some(control) = control.get(statistics.path()) else {
        let text = format!("The feature is to be compared with {name}, which does not have it.");
        out.faults.push(Fault::new(Type::ComparatorControlDataMissing, "Nothing to compare with", text));
        return out;
    };
    let (here, there) = (statistics.string_counts(), control.string_counts());
    if here.is_empty() && there.is_empty() && (infinity.is_some() || difference.is_some()) {
        let text = format!(
            "Shares of values are to be compared with {name}, and the statistics have no counts of values: they are counted of strings and categories."
        );
        out.faults.push(Fault::new(Type::StatsNotAvailable, "Distance not measured", text));
    }
    let counted = !here.is_empty() || !there.is_empty();
    if let Some(threshold) = infinity.filter(|_| counted) {
        let (value, found) = l_infinity(&here, &there);
        let kind = Type::ComparatorLInftyHigh;
        let text = "The largest difference of shares";
        out.values(kind, Distance::LInfty, (found, threshold), (text, name, value));
    }
    if let Some(threshold) = difference.filter(|_| counted) {
        let (value, found) = normalized_difference(&here, &there);
        let kind = Type::ComparatorNormalizedAbsoluteDifferenceHigh;
        let text = "The largest difference of counts, by all counts,";
        out.values(kind, Distance::NormalizedAbsoluteDifference, (found, threshold), (text, name, value));
    }
    if let Some((threshold, divergence)) = divergence {
        let selection = divergence.source.as_ref().map(|source| source.r#type());
        let histogram = match selection {
            Some(Selection::Quantiles) => HistogramType::Quantiles,
            _ => HistogramType::Standard,
        };
        match jensen_shannon(statistics, control, histogram) {
            Some(found) => {
                let kind = Type::ComparatorJensenShannonDivergenceHigh;
                let text = "The Jensen-Shannon divergence";
                let pair = (found, threshold);
                out.values(kind, Distance::JensenShannonDivergence, pair, (text, name, None));
            }
            None => {
                let text = format!(
                    "The Jensen-Shannon divergence from {name} is to be measured, and the statistics have no histograms that can be compared."
                );
                out.faults.push(Fault::new(Type::StatsNotAvailable, "Divergence not measured", text));
            }
        }
    }
    out
}

impl Comparison {
    /// Notes a distance, and a fault where it is above its bound.
    fn values(
        &mut self,
        kind: Type,
        distance: Distance,
        (found, threshold): (f64, f64),
        (text, name, value): (&str, &str, Option<&str>),
    ) {
        self.measured.push(measurement(distance, found, threshold));
        if found > threshold {
            let most = value.map(|value| format!(", of the value {}", quoted(value))).unwrap_or_default();
            let (found, threshold) = (number(found), number(threshold));
            let text =
                format!("{text} from {name} is {found}{most}; the schema asks for at most {threshold}.");
            self.faults.push(Fault::new(kind, "Distribution differs", text));
        }
    }
}
