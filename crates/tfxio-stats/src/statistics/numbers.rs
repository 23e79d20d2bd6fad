//! The numbers of a column.

mod range;
mod read;

use arrow_array::{Array, Float64Array};
use tfxio_base::Result;

use self::range::Range;
use super::StatisticsOptions;
use super::keys::NumberKind;
use super::moments::Moments;
use super::quantile_sketch::QuantileSketch;
use crate::Quantiles;

pub(super) use self::read::{for_each_valid, kind_of};

/// Statistics of the numbers of a column. NaN is counted, and is in nothing else.
#[derive(Clone, Debug)]
pub(super) struct Numbers {
    pub(super) kind: NumberKind,
    pub(super) nan: u64,
    pub(super) positive_infinite: u64,
    pub(super) negative_infinite: u64,
    pub(super) zeros: u64,
    /// The least and the largest finite number; infinite where there is none.
    pub(super) min: f64,
    pub(super) max: f64,
    /// Moments of finite numbers.
    pub(super) moments: Moments,
    /// Distribution of all numbers, infinite ones included.
    pub(super) sketch: QuantileSketch,
    pub(super) weighted: Option<Box<Weighted>>,
}

/// The same, each number with the weight of its row.
#[derive(Clone, Debug)]
pub(super) struct Weighted {
    pub(super) moments: Moments,
    pub(super) positive_infinite: f64,
    pub(super) negative_infinite: f64,
    pub(super) quantiles: Quantiles,
}

/// Numbers that are looked at together, so that they stay in the nearest cache.
const CHUNK: usize = 1024;

impl Numbers {
    pub(super) fn new(kind: NumberKind, options: &StatisticsOptions) -> Self {
        Self {
            kind,
            nan: 0,
            positive_infinite: 0,
            negative_infinite: 0,
            zeros: 0,
            min: f64::INFINITY,
            max: f64::NEG_INFINITY,
            moments: Moments::default(),
            sketch: QuantileSketch::new(options.epsilon, options.exact_values / 4),
            weighted: None,
        }
    }

    /// Adds the values of an array of numbers, nulls left out, each with the weight of its row where there are weights.
    pub(super) fn update(
        &mut self,
        values: &dyn Array,
        weights: Option<&[f64]>,
        options: &StatisticsOptions,
    ) -> Result<()> {
        read::for_each_chunk(values, |numbers, keys| self.add(numbers, keys));
        if let Some(weights) = weights {
            self.add_weighted(values, weights, options)?;
        }
        Ok(())
    }

    /// Adds numbers, and their keys if they are known; the keys of floats are made here.
    fn add(&mut self, numbers: &mut Vec<f64>, keys: Option<&[u64]>) {
        let mut range = Range::of(numbers);
        if !range.is_finite {
            self.take_out(numbers);
            range = Range::of(numbers);
        }
        self.min = self.min.min(range.min);
        self.max = self.max.max(range.max);
        self.zeros = self.zeros.saturating_add(range.zeros);
        self.moments.merge(Moments::of(numbers));
        match keys {
            Some(keys) => self.sketch.extend(keys),
            None => {
                let mut keys = [0; CHUNK];
                for numbers in numbers.chunks(CHUNK) {
                    for (key, number) in keys.iter_mut().zip(numbers) {
                        *key = super::keys::float_key(*number);
                    }
                    self.sketch.extend(keys.get(..numbers.len()).unwrap_or_default());
                }
            }
        }
    }

    /// Takes what is not finite out of the numbers.
    #[cold]
    fn take_out(&mut self, numbers: &mut Vec<f64>) {
        numbers.retain(|number| {
            self.nan = self.nan.saturating_add(u64::from(number.is_nan()));
            for (infinity, count) in [
                (f64::INFINITY, &mut self.positive_infinite),
                (f64::NEG_INFINITY, &mut self.negative_infinite),
            ] {
                if *number == infinity {
                    *count = count.saturating_add(1);
                    self.sketch.extend(&[super::keys::float_key(infinity)]);
                }
            }
            number.is_finite()
        });
    }

    fn add_weighted(
        &mut self,
        values: &dyn Array,
        weights: &[f64],
        options: &StatisticsOptions,
    ) -> Result<()> {
        let (mut numbers, mut of_numbers) = (Vec::new(), Vec::new());
        for_each_valid(values, |at, number| {
            if !number.is_nan() {
                numbers.push(number);
                of_numbers.push(weights.get(at).copied().unwrap_or(0.0));
            }
        });
        let weighted = self.weighted(options)?;
        let finite = numbers.iter().copied().zip(of_numbers.iter().copied());
        let finite = finite.filter(|(number, _)| number.is_finite());
        weighted.moments.merge(Moments::weighted(finite));
        for (number, weight) in numbers.iter().zip(&of_numbers) {
            weighted.positive_infinite += if *number == f64::INFINITY { *weight } else { 0.0 };
            weighted.negative_infinite += if *number == f64::NEG_INFINITY { *weight } else { 0.0 };
        }
        weighted.quantiles.add_weighted(&Float64Array::from(numbers), &Float64Array::from(of_numbers))
    }

    fn weighted(&mut self, options: &StatisticsOptions) -> Result<&mut Weighted> {
        if self.weighted.is_none() {
            let quantiles = Quantiles::new(options.epsilon, 1 << 32, 1)?;
            self.weighted = Some(Box::new(Weighted {
                moments: Moments::default(),
                positive_infinite: 0.0,
                negative_infinite: 0.0,
                quantiles,
            }));
        }
        self.weighted.as_deref_mut().ok_or_else(super::errors::impossible)
    }

    /// Adds what another column of the same kind has.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        for (ours, theirs) in [
            (&mut self.nan, other.nan),
            (&mut self.positive_infinite, other.positive_infinite),
            (&mut self.negative_infinite, other.negative_infinite),
            (&mut self.zeros, other.zeros),
        ] {
            *ours = ours.saturating_add(theirs);
        }
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
        self.moments.merge(other.moments);
        self.sketch.merge(&other.sketch);
        match (&mut self.weighted, &other.weighted) {
            (None, theirs) => self.weighted.clone_from(theirs),
            (Some(ours), Some(theirs)) => {
                ours.moments.merge(theirs.moments);
                ours.positive_infinite += theirs.positive_infinite;
                ours.negative_infinite += theirs.negative_infinite;
                ours.quantiles.merge(&theirs.quantiles)?;
            }
            (Some(_), None) => {}
        }
        Ok(())
    }

    /// Returns the number of values that are not NaN.
    pub(super) fn count(&self) -> u64 {
        let infinite = self.positive_infinite.saturating_add(self.negative_infinite);
        infinite.saturating_add(self.moments.weight as u64)
    }
}
