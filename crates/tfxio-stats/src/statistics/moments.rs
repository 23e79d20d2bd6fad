//! Mean and variance in one pass, stable and mergeable.

/// Count (or weight), mean and sum of squared differences from the mean.
///
/// # Source
///
/// Chan, Golub, LeVeque: *Updating Formulae and a Pairwise Algorithm for Computing Sample Variances*, 1979.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Moments {
    pub(super) weight: f64,
    pub(super) mean: f64,
    pub(super) squares: f64,
}

/// Sums that are kept at once, so that the processor adds in vectors and errors stay small.
pub(super) const LANES: usize = 8;

fn sum(values: &[f64], each: impl Fn(f64) -> f64) -> f64 {
    let mut sums = [0.0; LANES];
    let (chunks, rest) = values.as_chunks::<LANES>();
    for chunk in chunks {
        for (sum, value) in sums.iter_mut().zip(chunk) {
            *sum += each(*value);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().map(|value| each(*value)).sum::<f64>()
}

impl Moments {
    /// Returns the moments of finite values.
    pub(super) fn of(values: &[f64]) -> Self {
        if values.is_empty() {
            return Self::default();
        }
        let weight = values.len() as f64;
        let total = sum(values, |value| value);
        // The sum of large numbers may be infinite where their mean is not.
        let mean = if total.is_finite() { total / weight } else { sum(values, |value| value / weight) };
        let squares = sum(values, |value| (value - mean) * (value - mean));
        Self { weight, mean, squares }
    }

    /// Returns the moments of finite values, each with a weight that is not negative.
    pub(super) fn weighted(pairs: impl Iterator<Item = (f64, f64)> + Clone) -> Self {
        let weight: f64 = pairs.clone().map(|(_, weight)| weight).sum();
        if weight <= 0.0 {
            return Self::default();
        }
        let mean = pairs.clone().map(|(value, part)| value * (part / weight)).sum::<f64>();
        let squares = pairs.map(|(value, part)| part * (value - mean) * (value - mean)).sum();
        Self { weight, mean, squares }
    }

    pub(super) fn merge(&mut self, other: Self) {
        let weight = self.weight + other.weight;
        if other.weight <= 0.0 {
            return;
        }
        if self.weight <= 0.0 {
            *self = other;
            return;
        }
        let difference = other.mean - self.mean;
        let share = other.weight / weight;
        self.mean += difference * share;
        self.squares += other.squares + difference * difference * self.weight * share;
        self.weight = weight;
    }

    /// Returns the variance of the population.
    pub(super) fn variance(&self) -> f64 {
        if self.weight > 0.0 { (self.squares / self.weight).max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Moments;

    #[test]
    fn a_large_offset_does_not_hide_the_variance() {
        let values: Vec<f64> = (0..1000).map(|value| 1e9 + f64::from(value % 10)).collect();
        let mut merged = Moments::default();
        for part in values.chunks(7) {
            merged.merge(Moments::of(part));
        }
        assert!((merged.mean - (1e9 + 4.5)).abs() < 1e-6, "{merged:?}");
        assert!((merged.variance() - 8.25).abs() < 1e-6, "{merged:?}");
        assert!((Moments::of(&values).variance() - 8.25).abs() < 1e-6);
    }

    #[test]
    fn weights_count_as_repetitions() {
        let weighted = Moments::weighted([(1.0, 2.0), (5.0, 1.0), (9.0, 0.0)].into_iter());
        let repeated = Moments::of(&[1.0, 1.0, 5.0]);
        assert!((weighted.mean - repeated.mean).abs() < 1e-12);
        assert!((weighted.variance() - repeated.variance()).abs() < 1e-12);
        assert_eq!(Moments::weighted(std::iter::empty()), Moments::default());
    }
}
