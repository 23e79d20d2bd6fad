//! Two histograms, cut at the borders of both.

use crate::proto::tfmd::Histogram;

/// A histogram, taken apart.
#[derive(Debug, Default)]
struct Parts {
    /// Buckets with a width: lower and upper bound, and mass. In order, and apart from each other.
    wide: Vec<(f64, f64, f64)>,
    /// Buckets of one value. In order, each value once.
    points: Vec<(f64, f64)>,
    /// The mass of buckets with a bound that is not finite.
    infinite: f64,
    nan: f64,
}

impl Parts {
    /// Returns the parts of a histogram; `None` if the buckets overlap or are not in order.
    fn of(histogram: &Histogram) -> Option<Self> {
        let mut parts = Self { nan: histogram.num_nan as f64, ..Self::default() };
        for bucket in &histogram.buckets {
            // -0.0 is 0.0.
            let (low, high, mass) = (bucket.low_value + 0.0, bucket.high_value + 0.0, bucket.sample_count);
            if !low.is_finite() || !high.is_finite() {
                parts.infinite += mass;
            } else if low == high {
                match parts.points.last_mut() {
                    Some((value, sum)) if *value == low => *sum += mass,
                    Some((value, _)) if *value > low => return None,
                    _ => parts.points.push((low, mass)),
                }
            } else if low > high || parts.wide.last().is_some_and(|(_, end, _)| *end > low) {
                return None;
            } else {
                parts.wide.push((low, high, mass));
            }
        }
        Some(parts)
    }

    /// Returns the masses between borders, as if the mass of each bucket were spread evenly. The bounds of all buckets are
    /// borders.
    fn cut(&self, borders: &[f64]) -> Vec<f64> {
        let mut buckets = self.wide.iter().peekable();
        let spans = borders.windows(2).map(|span| {
            let &[from, to] = span else { return 0.0 };
            while buckets.next_if(|(_, high, _)| *high <= from).is_some() {}
            match buckets.peek() {
                // Halves do not overflow where the bounds are far apart.
                Some((low, high, mass)) if *low <= from => {
                    mass * ((to / 2.0 - from / 2.0) / (high / 2.0 - low / 2.0))
                }
                _ => 0.0,
            }
        });
        spans.collect()
    }
}

/// Returns the masses of two histograms in the same buckets; nothing if the buckets of one overlap or are not in order.
///
/// Infinities and NaN are in buckets of their own for each of the two.
pub(super) fn align(a: &Histogram, b: &Histogram) -> Option<Vec<(f64, f64)>> {
    let (a, b) = (Parts::of(a)?, Parts::of(b)?);
    let bounds = a.wide.iter().chain(&b.wide).flat_map(|(low, high, _)| [*low, *high]);
    let mut borders: Vec<f64> = bounds.collect();
    borders.sort_by(f64::total_cmp);
    borders.dedup();
    let mut out: Vec<(f64, f64)> = a.cut(&borders).into_iter().zip(b.cut(&borders)).collect();
    let mut values: Vec<f64> = a.points.iter().chain(&b.points).map(|(value, _)| *value).collect();
    values.sort_by(f64::total_cmp);
    values.dedup();
    let mass = |points: &[(f64, f64)], value: f64| {
        let found = points.binary_search_by(|(point, _)| point.total_cmp(&value)).ok();
        found.and_then(|at| points.get(at)).map_or(0.0, |(_, mass)| *mass)
    };
    out.extend(values.into_iter().map(|value| (mass(&a.points, value), mass(&b.points, value))));
    for (of_a, of_b) in [(a.infinite, b.infinite), (a.nan, b.nan)] {
        out.extend([(of_a, 0.0), (0.0, of_b)]);
    }
    Some(out)
}
