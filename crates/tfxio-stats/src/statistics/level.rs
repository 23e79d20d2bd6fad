//! Presence and number of values at one level of lists.

use arrow_array::{Array as _, ArrayRef};

use super::lengths::Lengths;
use super::lists::Lists;

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

    /// Adds lists, each with the weight of its row where there are weights. With `has_own`, lengths of the outermost lists are counted
    /// apart.
    pub(super) fn add_lists(&mut self, lists: &Lists, has_own: bool, weights: Option<&[f64]>, epsilon: f64) {
        self.non_missing = self.non_missing.saturating_add(lists.non_missing() as u64);
        self.values = self.values.saturating_add(lists.values.len() as u64);
        let lengths = match has_own {
            true => &mut **self.own_lengths.get_or_insert_with(|| Box::new(Lengths::new(epsilon))),
            false => &mut self.lengths,
        };
        match lists.only_length() {
            Some(length) => lengths.add(length, lists.non_missing() as u64),
            None => lists.for_each(|_, length| lengths.add(length, 1)),
        }
        let Some(outer) = weights else { return };
        lists.for_each(|row, length| {
            let weight = outer.get(row).copied().unwrap_or(0.0);
            self.weighted_non_missing += weight;
            self.weighted_values += weight * length as f64;
        });
    }

    /// Adds rows of one value each, of which some are null.
    pub(super) fn add_values(&mut self, values: &ArrayRef, nulls: usize, weights: Option<&[f64]>) {
        let present = (values.len() - nulls.min(values.len())) as u64;
        self.non_missing = self.non_missing.saturating_add(present);
        self.values = self.values.saturating_add(present);
        self.lengths.add(1, present);
        let Some(weights) = weights else { return };
        let valid = values.logical_nulls();
        let of_row = |(row, weight): (usize, &f64)| {
            if valid.as_ref().is_none_or(|nulls| nulls.is_valid(row)) { *weight } else { 0.0 }
        };
        let sum: f64 = weights.iter().enumerate().map(of_row).sum();
        self.weighted_non_missing += sum;
        self.weighted_values += sum;
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
