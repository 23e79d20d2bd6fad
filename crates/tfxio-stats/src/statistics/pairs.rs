//! Pairs of columns of numbers.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, RecordBatch};
use tfxio_base::Result;

use super::lists::Lists;
use super::numbers::{for_each_valid, kind_of};
use crate::proto::tfmd;
use crate::proto::tfmd::cross_feature_statistics::CrossStats;

/// Products of pairs of columns, over the rows where both have one finite number.
#[derive(Clone, Debug, Default)]
pub(super) struct Pairs(pub(super) BTreeMap<(Arc<str>, Arc<str>), Pair>);

/// Means, and sums of products of differences from them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Pair {
    pub(super) count: f64,
    pub(super) means: [f64; 2],
    pub(super) squares: [f64; 2],
    pub(super) products: f64,
}

impl Pair {
    fn of(rows: &[(f64, f64)]) -> Self {
        let count = rows.len() as f64;
        if rows.is_empty() {
            return Self::default();
        }
        let x = rows.iter().map(|(x, _)| x / count).sum::<f64>();
        let y = rows.iter().map(|(_, y)| y / count).sum::<f64>();
        let mut pair = Self { count, means: [x, y], ..Self::default() };
        for row in rows {
            let (from_x, from_y) = (row.0 - x, row.1 - y);
            pair.squares[0] += from_x * from_x;
            pair.squares[1] += from_y * from_y;
            pair.products += from_x * from_y;
        }
        pair
    }

    pub(super) fn merge(&mut self, other: Self) {
        let count = self.count + other.count;
        if count <= 0.0 {
            return;
        }
        let (x, y) = (other.means[0] - self.means[0], other.means[1] - self.means[1]);
        let (share, both) = (other.count / count, self.count * other.count / count);
        self.means[0] += x * share;
        self.means[1] += y * share;
        self.squares[0] += other.squares[0] + x * x * both;
        self.squares[1] += other.squares[1] + y * y * both;
        self.products += other.products + x * y * both;
        self.count = count;
    }
}

impl Pairs {
    /// Adds the rows of a batch: pairs of the first columns of numbers, `most` of them.
    pub(super) fn update(&mut self, batch: &RecordBatch, most: usize) -> Result<()> {
        let mut columns: Vec<(Arc<str>, Vec<f64>)> = Vec::new();
        for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
            if columns.len() < most
                && let Some(numbers) = single_numbers(array)?
            {
                columns.push((field.name().as_str().into(), numbers));
            }
        }
        for (at, (x, of_x)) in columns.iter().enumerate() {
            for (y, of_y) in columns.iter().skip(at + 1) {
                let rows = of_x.iter().copied().zip(of_y.iter().copied());
                let rows: Vec<_> = rows.filter(|(x, y)| x.is_finite() && y.is_finite()).collect();
                self.0.entry((Arc::clone(x), Arc::clone(y))).or_default().merge(Pair::of(&rows));
            }
        }
        Ok(())
    }

    pub(super) fn merge(&mut self, other: &Self) {
        for ((x, y), theirs) in &other.0 {
            let turned = (Arc::clone(y), Arc::clone(x));
            match self.0.get_mut(&turned) {
                Some(ours) => {
                    let [first, second] = theirs.means;
                    let [of_first, of_second] = theirs.squares;
                    ours.merge(Pair { means: [second, first], squares: [of_second, of_first], ..*theirs });
                }
                None => self.0.entry((Arc::clone(x), Arc::clone(y))).or_default().merge(*theirs),
            }
        }
    }

    pub(super) fn finish(&self) -> Vec<tfmd::CrossFeatureStatistics> {
        let path = |name: &Arc<str>| Some(tfmd::Path { step: vec![name.to_string()] });
        let pairs = self.0.iter().filter(|(_, pair)| pair.count > 0.0);
        let message = |((x, y), pair): (&(Arc<str>, Arc<str>), &Pair)| {
            let deviations = (pair.squares[0] * pair.squares[1]).sqrt();
            // A column of one value has no correlation.
            let correlation = if deviations > 0.0 { pair.products / deviations } else { 0.0 };
            let covariance = if pair.count > 1.0 { pair.products / (pair.count - 1.0) } else { 0.0 };
            let numbers = tfmd::NumericCrossStatistics {
                correlation: correlation as f32,
                covariance: covariance as f32,
            };
            tfmd::CrossFeatureStatistics {
                path_x: path(x),
                path_y: path(y),
                count: pair.count as u64,
                cross_stats: Some(CrossStats::NumCrossStats(numbers)),
            }
        };
        pairs.map(message).collect()
    }
}

/// Returns the number of each row, NaN where there is not exactly one; nothing for a column of other values.
fn single_numbers(array: &ArrayRef) -> Result<Option<Vec<f64>>> {
    let lists = Lists::of(array)?;
    let values = lists.as_ref().map_or(array, |lists| &lists.values);
    if kind_of(values.data_type()).is_none() {
        return Ok(None);
    }
    let mut flat = vec![f64::NAN; values.len()];
    for_each_valid(values, |at, number| {
        if let Some(of_value) = flat.get_mut(at) {
            *of_value = number;
        }
    });
    let Some(lists) = &lists else { return Ok(Some(flat)) };
    let mut rows = vec![f64::NAN; lists.len()];
    lists.for_each(|row, length| {
        if let (1, Some(of_row)) = (length, rows.get_mut(row)) {
            *of_row = flat.get(lists.first(row)).copied().unwrap_or(f64::NAN);
        }
    });
    Ok(Some(rows))
}
