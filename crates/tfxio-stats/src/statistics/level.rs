//! Presence and number of values at one level of lists.

use super::lengths::Lengths;

/// Presence and number of values at one level of lists; the outermost level counts examples.
#[derive(Clone, Debug)]
pub(super) struct Level {
    pub(super) non_missing: u64,
    pub(super) values: u64,
    /// Numbers of values of the lists; for the outermost of several levels, numbers of innermost values.
    pub(super) lengths: Lengths,
    /// The lengths of the lists of the outermost of several levels themselves.
    pub(super) own_lengths: Option<Box<Lengths>>,
    pub(super) weighted_non_missing: f64,
    pub(super) weighted_values: f64,
}

impl Level {
    pub(super) fn new(epsilon: f64) -> Self {
        Self {
            non_missing: 0,
            values: 0,
            lengths: Lengths::new(epsilon),
            own_lengths: None,
            weighted_non_missing: 0.0,
            weighted_values: 0.0,
        }
    }

    pub(super) fn merge(&mut self, other: &Self, epsilon: f64) {
        self.non_missing = self.non_missing.saturating_add(other.non_missing);
        self.values = self.values.saturating_add(other.values);
        self.lengths.merge(&other.lengths);
        if let Some(theirs) = &other.own_lengths {
            self.own_lengths.get_or_insert_with(|| Box::new(Lengths::new(epsilon))).merge(theirs);
        }
        self.weighted_non_missing += other.weighted_non_missing;
        self.weighted_values += other.weighted_values;
    }
}
