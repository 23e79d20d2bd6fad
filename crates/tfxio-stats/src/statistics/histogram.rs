//! Histograms out of counts of values, as TensorFlow Data Validation derives them.

use arrow_array::FixedSizeListArray;
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float64Type;

use crate::Quantiles;
use crate::proto::tfmd::histogram::{Bucket, HistogramType};
use crate::proto::tfmd::{Histogram, RankHistogram, rank_histogram};
use crate::quantiles::quantiles_of_counts;

/// Quantiles, each with the weight of all values that are not larger.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Boundaries {
    pub(super) values: Vec<f64>,
    pub(super) cumulative: Vec<f64>,
}

/// Number of quantiles for each bucket of equal counts; the histogram of equal width is derived from all of them.
pub(super) const FACTOR: usize = 100;

impl Boundaries {
    /// Returns `number` + 1 quantiles of values with weights; none without values.
    pub(super) fn of_counts(counts: &mut [(f64, f64)], number: usize) -> Self {
        let mut boundaries = Self { values: Vec::new(), cumulative: Vec::new() };
        quantiles_of_counts(counts, number, |value, cumulative| {
            boundaries.values.push(value);
            boundaries.cumulative.push(cumulative);
        });
        boundaries
    }

    /// Returns `number` + 1 quantiles of a sketch.
    pub(super) fn of_sketch(sketch: &Quantiles, number: usize) -> Self {
        let Ok((values, cumulative)) = sketch.quantiles_and_cumulative_weights(number.max(2)) else {
            return Self { values: Vec::new(), cumulative: Vec::new() };
        };
        let of = |lists: &FixedSizeListArray| lists.values().as_primitive::<Float64Type>().values().to_vec();
        Self { values: of(&values), cumulative: of(&cumulative) }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the median: the one in the middle, or the mean of two.
    pub(super) fn median(&self) -> f64 {
        let middle = self.values.len() / 2;
        let at = |index: usize| self.values.get(index).copied().unwrap_or(f64::NAN);
        if self.values.len().is_multiple_of(2) && middle > 0 {
            f64::midpoint(at(middle - 1), at(middle))
        } else {
            at(middle)
        }
    }

    /// Returns every `factor`-th of the boundaries, the first included.
    pub(super) fn every(&self, factor: usize) -> Self {
        let pick = |all: &[f64]| all.iter().step_by(factor.max(1)).copied().collect();
        Self { values: pick(&self.values), cumulative: pick(&self.cumulative) }
    }

    /// Returns buckets between the boundaries. The weight of buckets that end alike is shared evenly, and the first ones that
    /// are alike share that of the least value.
    fn buckets(&self) -> Vec<Bucket> {
        let ends = self.values.windows(2).zip(self.cumulative.windows(2));
        let mut buckets: Vec<Bucket> = ends
            .filter_map(|(values, weights)| match (values, weights) {
                ([low, high], [below, upto]) => {
                    Some(Bucket { low_value: *low, high_value: *high, sample_count: upto - below })
                }
                _ => None,
            })
            .collect();
        for alike in buckets.chunk_by_mut(|a, b| a.high_value == b.high_value) {
            if alike.len() > 1 {
                let share = alike.iter().map(|bucket| bucket.sample_count).sum::<f64>() / alike.len() as f64;
                alike.iter_mut().for_each(|bucket| bucket.sample_count = share);
            }
        }
        let ends = buckets.first().map(|first| (first.low_value, first.high_value));
        let is_first = |bucket: &Bucket| Some((bucket.low_value, bucket.high_value)) == ends;
        let first = buckets.iter().take_while(|bucket| is_first(bucket)).count();
        let least = self.cumulative.first().copied().unwrap_or(0.0);
        buckets.iter_mut().take(first).for_each(|bucket| bucket.sample_count += least / first as f64);
        buckets
    }

    /// Returns the histogram of buckets of equal counts.
    pub(super) fn quantile_histogram(&self) -> Histogram {
        Histogram { buckets: self.buckets(), r#type: HistogramType::Quantiles.into(), ..Histogram::default() }
    }

    /// Returns a histogram of `number` buckets of equal width between the least and the largest finite value, and, where there
    /// are any, a bucket of infinite ones at each end. A bucket between two boundaries counts evenly for the part of it that
    /// a bucket of equal width covers.
    pub(super) fn width_histogram(
        &self,
        (min, max): (f64, f64),
        number: usize,
        positive_infinite: f64,
    ) -> Histogram {
        let histogram =
            |buckets| Histogram { buckets, r#type: HistogramType::Standard.into(), ..Histogram::default() };
        let all = self.cumulative.last().copied().unwrap_or(0.0);
        if !min.is_finite() || !max.is_finite() {
            return histogram(vec![Bucket { low_value: min, high_value: max, sample_count: all }]);
        }
        let (finite, negative_infinite) = self.finite(max, positive_infinite);
        let number = if min == max { 1 } else { number.max(1) };
        let step = (max - min) / number as f64;
        let edge = |index: usize| if index == number { max } else { index as f64 * step + min };
        if !(0..=number).all(|index| edge(index).is_finite()) {
            return histogram(Vec::new());
        }
        let mut buckets = Vec::new();
        let infinite =
            |value: f64, count| Bucket { low_value: value, high_value: value, sample_count: count };
        if negative_infinite > 0.0 {
            buckets.push(infinite(f64::NEG_INFINITY, negative_infinite));
        }
        let parts = finite.buckets();
        let mut start = 0;
        for index in 0..number {
            let (low, high) = (edge(index), edge(index + 1));
            let mut count = 0.0;
            for (at, part) in parts.iter().enumerate().skip(start) {
                match overlap(part, low, high, index == 0) {
                    Overlap::Before => start = at,
                    Overlap::After => break,
                    Overlap::Share(share) => count += share * part.sample_count,
                }
            }
            buckets.push(Bucket { low_value: low, high_value: high, sample_count: count });
        }
        if positive_infinite > 0.0 {
            buckets.push(infinite(f64::INFINITY, positive_infinite));
        }
        histogram(buckets)
    }

    /// Returns the boundaries without infinite ones, and the weight of negative infinity.
    fn finite(&self, max: f64, positive_infinite: f64) -> (Self, f64) {
        let negative = self.values.iter().take_while(|value| **value == f64::NEG_INFINITY).count();
        let below =
            negative.checked_sub(1).and_then(|last| self.cumulative.get(last)).copied().unwrap_or(0.0);
        let mut finite = Self {
            values: self.values.iter().skip(negative).copied().collect(),
            cumulative: self.cumulative.iter().skip(negative).map(|weight| weight - below).collect(),
        };
        if positive_infinite > 0.0 {
            let all = finite.cumulative.last().copied().unwrap_or(0.0);
            let kept = finite.values.iter().take_while(|value| **value < f64::INFINITY).count();
            finite.values.truncate(kept);
            finite.cumulative.truncate(kept);
            finite.values.push(max);
            finite.cumulative.push(all - positive_infinite);
        }
        (finite, below)
    }
}

enum Overlap {
    Before,
    After,
    Share(f64),
}

/// Returns which share of a bucket is between two finite values.
fn overlap(bucket: &Bucket, low: f64, high: f64, is_first: bool) -> Overlap {
    let (from, to) = (bucket.low_value, bucket.high_value);
    if from == to && to == low {
        return if is_first { Overlap::Share(1.0) } else { Overlap::Before };
    }
    if to < low {
        return Overlap::Before;
    }
    if from > high {
        return Overlap::After;
    }
    if low <= from && to <= high {
        return Overlap::Share(1.0);
    }
    Overlap::Share((to.min(high) - from.max(low)) / (to - from))
}

/// Returns the histogram of ranks of the most frequent values.
pub(super) fn rank_histogram<'a>(top: impl Iterator<Item = (&'a str, f64)>) -> RankHistogram {
    let bucket = |(rank, (label, count)): (u64, (&str, f64))| rank_histogram::Bucket {
        low_rank: rank,
        high_rank: rank,
        label: label.to_owned(),
        sample_count: count,
    };
    RankHistogram { buckets: (0..).zip(top).map(bucket).collect(), name: String::new() }
}

#[cfg(test)]
mod tests {
    use super::Boundaries;

    fn counts(histogram: &crate::proto::tfmd::Histogram) -> Vec<(f64, f64, f64)> {
        let of_bucket = |bucket: &super::Bucket| (bucket.low_value, bucket.high_value, bucket.sample_count);
        histogram.buckets.iter().map(of_bucket).collect()
    }

    #[test]
    fn buckets_of_equal_counts_share_what_ends_alike() {
        let boundaries = Boundaries::of_counts(&mut [(1.0, 10.0)], 4);
        assert_eq!(counts(&boundaries.quantile_histogram()), [(1.0, 1.0, 2.5); 4]);
        let mut values: Vec<_> = (1..=8).map(|value| (f64::from(value), 1.0)).collect();
        let boundaries = Boundaries::of_counts(&mut values, 4);
        let histogram = counts(&boundaries.quantile_histogram());
        assert_eq!(histogram.iter().map(|(_, _, count)| count).sum::<f64>(), 8.0);
        assert_eq!(histogram.first().map(|(low, ..)| *low), Some(1.0));
    }

    #[test]
    fn buckets_of_equal_width_hold_all_values() {
        let infinity = f64::INFINITY;
        let mut values = vec![(-infinity, 2.0), (infinity, 3.0)];
        values.extend((0..100).map(|value| (f64::from(value), 1.0)));
        let boundaries = Boundaries::of_counts(&mut values, 1000);
        let histogram = counts(&boundaries.width_histogram((0.0, 99.0), 10, 3.0));
        assert_eq!(histogram.len(), 12);
        assert_eq!((histogram[0], histogram[11]), ((-infinity, -infinity, 2.0), (infinity, infinity, 3.0)));
        for (low, high, count) in &histogram[1..11] {
            assert!((count - 10.0).abs() <= 1.0, "{low} {high} {count}");
        }
        let all: f64 = histogram.iter().map(|(_, _, count)| count).sum();
        assert!((all - 105.0).abs() < 1e-9, "{all}");
    }
}
