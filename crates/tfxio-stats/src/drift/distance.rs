//! Distances of two distributions.

use std::collections::{BTreeMap, BTreeSet};

use super::histogram;
use crate::proto::tfmd::histogram::HistogramType;
use crate::view::FeatureView;

/// Counts of values.
type Counts<'a> = BTreeMap<&'a str, f64>;

/// Returns the largest difference of the shares of a value, and the last value in order that has it.
pub(crate) fn l_infinity<'a>(a: &Counts<'a>, b: &Counts<'a>) -> (Option<&'a str>, f64) {
    largest_difference(a, sum(a), b, sum(b))
}

/// Returns the largest difference of the counts of a value, by the sum of all counts of both.
pub(crate) fn normalized_difference<'a>(a: &Counts<'a>, b: &Counts<'a>) -> (Option<&'a str>, f64) {
    let all = sum(a) + sum(b);
    largest_difference(a, all, b, all)
}

fn sum(counts: &Counts<'_>) -> f64 {
    counts.values().sum()
}

fn largest_difference<'a>(a: &Counts<'a>, of_a: f64, b: &Counts<'a>, of_b: f64) -> (Option<&'a str>, f64) {
    let share = |counts: &Counts<'_>, value: &str, all: f64| {
        let count = counts.get(value).copied().unwrap_or(0.0);
        if all == 0.0 { count } else { count / all }
    };
    let mut largest = (None, 0.0);
    for value in a.keys().chain(b.keys()).copied().collect::<BTreeSet<_>>() {
        let difference = (share(a, value, of_a) - share(b, value, of_b)).abs();
        if difference >= largest.1 {
            largest = (Some(value), difference);
        }
    }
    largest
}

/// Returns the Jensen-Shannon divergence of the counts of strings, or else of histograms of numbers; nothing where neither
/// can be compared.
pub(crate) fn jensen_shannon(a: &FeatureView<'_>, b: &FeatureView<'_>, wanted: HistogramType) -> Option<f64> {
    let (of_a, of_b) = (a.string_counts(), b.string_counts());
    if !of_a.is_empty() && !of_b.is_empty() {
        let values: BTreeSet<&str> = of_a.keys().chain(of_b.keys()).copied().collect();
        let count = |counts: &Counts<'_>, value: &str| counts.get(value).copied().unwrap_or(0.0);
        let pairs = values.into_iter().map(|value| (count(&of_a, value), count(&of_b, value)));
        return divergence(&pairs.collect::<Vec<_>>());
    }
    divergence(&histogram::align(a.histogram(wanted)?, b.histogram(wanted)?)?)
}

/// Returns the Jensen-Shannon divergence of masses, to the base 2; nothing where one has no mass, or a negative one.
fn divergence(masses: &[(f64, f64)]) -> Option<f64> {
    let is_mass = |mass: f64| mass.is_finite() && mass >= 0.0;
    if !masses.iter().all(|(p, q)| is_mass(*p) && is_mass(*q)) {
        return None;
    }
    let all_p: f64 = masses.iter().map(|(p, _)| p).sum();
    let all_q: f64 = masses.iter().map(|(_, q)| q).sum();
    if !(all_p > 0.0 && all_q > 0.0 && all_p.is_finite() && all_q.is_finite()) {
        return None;
    }
    let part = |p: f64, mean: f64| if p > 0.0 { p * (p / mean).log2() } else { 0.0 };
    let parts = masses.iter().map(|(p, q)| {
        let (p, q) = (p / all_p, q / all_q);
        let mean = f64::midpoint(p, q);
        part(p, mean) + part(q, mean)
    });
    // Rounding can lead a little out of the range.
    Some((parts.sum::<f64>() / 2.0).clamp(0.0, 1.0))
}
