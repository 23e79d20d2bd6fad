//! The statistics of one data set, ready for questions about its features.

mod feature;

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use tfxio_base::{Error, Result, suggest};
use tfxio_core::ColumnPath;

pub(crate) use self::feature::FeatureView;
use crate::path_text::steps;
use crate::proto::tfmd::feature_name_statistics::{FieldId, Type};
use crate::proto::tfmd::{DatasetFeatureStatistics, FeatureNameStatistics};
use crate::{Kind, StatisticsList};

/// The name that TensorFlow Data Validation gives to the statistics of all examples, beside the slices.
const ALL_EXAMPLES: &str = "All Examples";

/// The statistics of one data set.
#[derive(Debug)]
pub(crate) struct DatasetView<'a> {
    data: &'a DatasetFeatureStatistics,
    by_weight: bool,
    features: Vec<FeatureView<'a>>,
    indices: BTreeMap<ColumnPath, usize>,
}

impl<'a> DatasetView<'a> {
    /// Returns a view of the slice of that name; without a name, of the only data set, or of all examples. Counts are weights
    /// where every feature has them.
    ///
    /// # Errors
    /// If the slice does not exist, or if the statistics contradict themselves.
    pub(crate) fn of(list: &'a StatisticsList, slice: Option<&str>) -> Result<Self> {
        let data = select(list, slice)?;
        let mut view = Self::unweighted(data)?;
        let weighted = data.weighted_num_examples != 0.0
            && view.features.iter().filter(|feature| feature.has_counts()).all(FeatureView::has_weights);
        view.set_by_weight(weighted);
        Ok(view)
    }

    /// Returns a view of other statistics, whose counts are weights if the counts of this one are.
    ///
    /// # Errors
    /// As [`of`](Self::of).
    pub(crate) fn beside<'b>(
        &self,
        list: Option<&'b StatisticsList>,
        slice: Option<&str>,
    ) -> Result<Option<DatasetView<'b>>> {
        let Some(list) = list else { return Ok(None) };
        let mut view = DatasetView::unweighted(select(list, slice)?)?;
        view.set_by_weight(self.by_weight);
        Ok(Some(view))
    }

    fn unweighted(data: &'a DatasetFeatureStatistics) -> Result<Self> {
        let structs = struct_names(data);
        let mut view = Self { data, by_weight: false, features: Vec::new(), indices: BTreeMap::new() };
        for feature in &data.features {
            // A feature without any statistics says nothing.
            if feature.stats.is_none() && feature.custom_stats.is_empty() {
                continue;
            }
            let path = path_of(feature, &structs);
            if path.is_empty() {
                let what = "a feature of the statistics has neither a name nor a path";
                return Err(Error::new(Kind::MalformedStatistics, what));
            }
            match view.indices.entry(path.clone()) {
                Entry::Vacant(free) => free.insert(view.features.len()),
                Entry::Occupied(_) => {
                    let what = format!("the statistics have the feature \"{path}\" twice");
                    let hint = "merge shards of statistics with DatasetListAccumulator first";
                    return Err(Error::new(Kind::MalformedStatistics, what).help(hint));
                }
            };
            view.features.push(FeatureView::new(path, feature)?);
        }
        // In order of paths, so the order of children does not depend on that of the list.
        for (path, &index) in &view.indices {
            let parent = path.parent().ok().and_then(|parent| view.indices.get(&parent).copied());
            if let (Some(parent), false) = (parent, path.len() < 2) {
                if let Some(feature) = view.features.get_mut(index) {
                    feature.parent = Some(parent);
                }
                if let Some(feature) = view.features.get_mut(parent) {
                    feature.children.push(index);
                }
            }
        }
        Ok(view)
    }

    /// Sets whether counts are weights.
    pub(crate) fn set_by_weight(&mut self, by_weight: bool) {
        self.by_weight = by_weight;
        let examples = self.num_examples();
        for feature in &mut self.features {
            feature.by_weight = by_weight;
            feature.examples = examples;
        }
    }

    /// Returns whether counts are weights.
    pub(crate) fn by_weight(&self) -> bool {
        self.by_weight
    }

    /// Returns the number of examples, or their weight.
    pub(crate) fn num_examples(&self) -> f64 {
        if self.by_weight { self.data.weighted_num_examples } else { self.data.num_examples as f64 }
    }

    /// Returns whether there are zero examples.
    pub(crate) fn is_empty(&self) -> bool {
        self.data.num_examples == 0
    }

    /// Returns the features, in the order of the list.
    pub(crate) fn features(&self) -> impl Iterator<Item = &FeatureView<'a>> {
        self.features.iter()
    }

    /// Returns the features that are not in a struct, in the order of the list.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &FeatureView<'a>> {
        self.features.iter().filter(|feature| feature.parent.is_none())
    }

    /// Returns the features in a struct, in order of their names.
    pub(crate) fn children<'b>(
        &'b self,
        feature: &'b FeatureView<'a>,
    ) -> impl Iterator<Item = &'b FeatureView<'a>> {
        feature.children.iter().filter_map(|&index| self.features.get(index))
    }

    /// Returns the feature of a path.
    pub(crate) fn get(&self, path: &ColumnPath) -> Option<&FeatureView<'a>> {
        self.indices.get(path).and_then(|&index| self.features.get(index))
    }
}

/// Returns the data set that is meant.
fn select<'a>(list: &'a StatisticsList, slice: Option<&str>) -> Result<&'a DatasetFeatureStatistics> {
    let named = |name: &str| list.0.datasets.iter().find(|dataset| dataset.name == name);
    match (slice, list.0.datasets.as_slice()) {
        (_, []) => {
            let what = "the statistics are of no data set";
            Err(Error::new(Kind::NoDataset, what).help("give statistics of at least one"))
        }
        (Some(slice), _) => named(slice).ok_or_else(|| {
            let hint = suggest::hint(slice, list.names().collect::<Vec<_>>(), "slices");
            Error::new(Kind::UnknownSlice, format!("the statistics have no slice \"{slice}\"")).help(hint)
        }),
        (None, [only]) => Ok(only),
        (None, several) => named(ALL_EXAMPLES).ok_or_else(|| {
            let what = format!(
                "the statistics are of {} data sets, and none is called \"{ALL_EXAMPLES}\"",
                several.len()
            );
            let hint = suggest::hint("", list.names().collect::<Vec<_>>(), "slices");
            Error::new(Kind::UnknownSlice, what).help(format!("say which slice is meant; {hint}"))
        }),
    }
}

/// Returns the names of structs, of statistics that name their features instead of giving paths.
fn struct_names(data: &DatasetFeatureStatistics) -> Vec<&str> {
    let is_struct = |feature: &&FeatureNameStatistics| feature.r#type == Type::Struct as i32;
    let name = |feature: &'_ FeatureNameStatistics| matches!(&feature.field_id, Some(FieldId::Name(_)));
    let structs = data.features.iter().filter(is_struct).filter(|feature| name(feature));
    let mut names: Vec<&str> = structs.map(name_of).collect();
    names.sort_unstable();
    names
}

fn name_of(feature: &FeatureNameStatistics) -> &str {
    match &feature.field_id {
        Some(FieldId::Name(name)) => name,
        _ => "",
    }
}

/// Returns where a feature is found. A name that continues the one of a struct after a dot is that of a field.
fn path_of(feature: &FeatureNameStatistics, structs: &[&str]) -> ColumnPath {
    let mut rest = match &feature.field_id {
        Some(FieldId::Name(name)) => name.as_str(),
        _ => return ColumnPath::new(steps(feature)),
    };
    let (name, mut taken, mut path) = (rest, 0, ColumnPath::default());
    // Sorted, a struct precedes those in it.
    for parent in structs {
        let Some(field) = name.strip_prefix(parent).and_then(|rest| rest.strip_prefix('.')) else { continue };
        if let Some(step) = parent.get(taken..) {
            path = path.child(step);
            taken = name.len() - field.len();
            rest = field;
        }
    }
    path.child(rest)
}
