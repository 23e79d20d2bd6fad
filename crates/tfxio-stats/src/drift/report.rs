//! Report on the drift between two data sets.

use std::fmt;

use tfxio_core::ColumnPath;

use crate::number_text::number;

/// Distances between the two distributions of one feature.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct FeatureDrift {
    /// The feature.
    pub path: ColumnPath,
    /// The largest difference of the shares of a value, of strings and categories.
    pub l_infinity: Option<f64>,
    /// The value whose shares differ most.
    pub most_different: Option<String>,
    /// The Jensen-Shannon divergence; `None` if comparable histograms are missing.
    pub jensen_shannon: Option<f64>,
    /// The largest [`l_infinity`](Self::l_infinity) that is not drift.
    pub l_infinity_bound: f64,
    /// The largest [`jensen_shannon`](Self::jensen_shannon) that is not drift.
    pub jensen_shannon_bound: f64,
    /// The share of examples that have the feature, before.
    pub present_before: Option<f64>,
    /// The share of examples that have the feature, after.
    pub present_after: Option<f64>,
    /// Whether the values are of another type.
    pub is_type_changed: bool,
}

impl FeatureDrift {
    /// Returns whether a distance is above its bound, or the values are of another type.
    #[must_use]
    pub fn is_drifted(&self) -> bool {
        self.is_type_changed
            || self.l_infinity.is_some_and(|distance| distance > self.l_infinity_bound)
            || self.jensen_shannon.is_some_and(|distance| distance > self.jensen_shannon_bound)
    }

    /// Returns the larger of the two distances; 1 where the values are of another type.
    #[must_use]
    pub fn distance(&self) -> Option<f64> {
        if self.is_type_changed {
            return Some(1.0);
        }
        self.l_infinity.into_iter().chain(self.jensen_shannon).reduce(f64::max)
    }
}

/// Report of [`drift`](crate::drift()). Prints as a table.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DriftReport {
    /// The features that both data sets have: the largest distance first, those without one last.
    pub features: Vec<FeatureDrift>,
    /// The features that only the earlier data has.
    pub only_before: Vec<ColumnPath>,
    /// The features that only the later data has.
    pub only_after: Vec<ColumnPath>,
}

impl DriftReport {
    /// Returns whether a feature drifted, or is in one of the data sets only.
    #[must_use]
    pub fn is_drifted(&self) -> bool {
        let differ = !self.only_before.is_empty() || !self.only_after.is_empty();
        differ || self.features.iter().any(FeatureDrift::is_drifted)
    }

    pub(super) fn sort(&mut self) {
        let key = |feature: &FeatureDrift| feature.distance().unwrap_or(-1.0);
        self.features.sort_by(|a, b| key(b).total_cmp(&key(a)).then_with(|| a.path.cmp(&b.path)));
        self.only_before.sort();
        self.only_after.sort();
    }
}

impl fmt::Display for DriftReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.features.iter().map(|feature| feature.path.to_string()).collect();
        let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max("feature".len());
        writeln!(f, "{:width$}  {:>10}  {:>14}  drift", "feature", "L-infinity", "Jensen-Shannon")?;
        let shown = |distance: Option<f64>| distance.map_or_else(|| "-".to_owned(), number);
        for (name, feature) in names.iter().zip(&self.features) {
            let (norm, divergence) = (shown(feature.l_infinity), shown(feature.jensen_shannon));
            let drifted = match (feature.is_type_changed, feature.is_drifted()) {
                (true, _) => "yes, another type",
                (false, true) => "yes",
                (false, false) => "no",
            };
            write!(f, "{name:width$}  {norm:>10}  {divergence:>14}  {drifted}")?;
            match &feature.most_different {
                Some(value) if feature.is_drifted() => writeln!(f, ", most in {value:?}")?,
                _ => writeln!(f)?,
            }
        }
        for path in &self.only_before {
            writeln!(f, "only before: {path}")?;
        }
        for path in &self.only_after {
            writeln!(f, "only after: {path}")?;
        }
        Ok(())
    }
}
