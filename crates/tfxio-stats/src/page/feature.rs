//! Arrangement of features in tables, beside the features of the other data set.

use std::collections::BTreeMap;

use crate::StatisticsList;
use crate::feature::type_name;
use crate::path_text::steps;
use crate::proto::tfmd;
use tfmd::feature_name_statistics::Stats;

/// A data set or slice, and the one beside it.
pub(super) struct Section<'a> {
    /// The data sets of either side; one of them is there.
    pub(super) datasets: [Option<&'a tfmd::DatasetFeatureStatistics>; 2],
    /// The numeric features first.
    pub(super) features: Vec<Feature<'a>>,
    /// Number of numeric features.
    pub(super) numeric: usize,
}

/// A feature of either side; one of them is there.
pub(super) struct Feature<'a> {
    pub(super) name: String,
    pub(super) sides: [Option<&'a tfmd::FeatureNameStatistics>; 2],
}

impl Section<'_> {
    /// Returns the name of the slice; TFDV has none for all examples.
    pub(super) fn shown_name(&self) -> &str {
        let name = self.datasets.iter().flatten().next().map_or("", |dataset| dataset.name.as_str());
        if name.is_empty() { "All examples" } else { name }
    }
}

impl Feature<'_> {
    fn is_numeric(&self) -> bool {
        let first = self.sides.iter().flatten().next();
        first.is_some_and(|feature| matches!(feature.stats, Some(Stats::NumStats(_))))
    }

    /// Returns the name of the type, of the first side that has the feature.
    pub(super) fn type_name(&self) -> &'static str {
        self.sides.iter().flatten().next().map_or("unknown", |feature| type_name(feature))
    }
}

/// Returns the data sets and slices of both lists.
pub(super) fn sections<'a>(list: &'a StatisticsList, other: Option<&'a StatisticsList>) -> Vec<Section<'a>> {
    let ours = &list.0.datasets;
    let theirs = other.map_or(&[][..], |other| &other.0.datasets);
    if let ([ours], [theirs]) = (&ours[..], theirs) {
        return vec![section(Some(ours), Some(theirs))];
    }
    let mut left = theirs.iter().map(Some).collect::<Vec<_>>();
    let mut out = Vec::new();
    for dataset in ours {
        let same = left.iter_mut().find(|other| other.is_some_and(|other| other.name == dataset.name));
        out.push(section(Some(dataset), same.and_then(Option::take)));
    }
    out.extend(left.into_iter().flatten().map(|dataset| section(None, Some(dataset))));
    out
}

fn section<'a>(
    ours: Option<&'a tfmd::DatasetFeatureStatistics>,
    theirs: Option<&'a tfmd::DatasetFeatureStatistics>,
) -> Section<'a> {
    let mut features: Vec<Feature<'a>> = Vec::new();
    let mut numbers = BTreeMap::new();
    for (side, dataset) in [ours, theirs].into_iter().enumerate() {
        for statistics in dataset.map_or(&[][..], |dataset| &dataset.features) {
            let name = path(statistics);
            // A name that a list has twice has a row for each.
            match numbers.get(&name).and_then(|at: &usize| features.get_mut(*at)) {
                Some(feature) if feature.sides[side].is_none() => feature.sides[side] = Some(statistics),
                _ => {
                    numbers.insert(name.clone(), features.len());
                    let mut sides = [None, None];
                    sides[side] = Some(statistics);
                    features.push(Feature { name, sides });
                }
            }
        }
    }
    features.sort_by_key(|feature| !feature.is_numeric());
    let numeric = features.iter().filter(|feature| feature.is_numeric()).count();
    Section { datasets: [ours, theirs], features, numeric }
}

/// Returns the steps of a feature's path with dots between them.
pub(super) fn path(feature: &tfmd::FeatureNameStatistics) -> String {
    steps(feature).join(".")
}
