//! Quantiles of streams of numbers, weighted or not.

mod numbers;
mod plan;
mod state;
mod stream;
mod summary;

use std::sync::Arc;

use arrow_array::{Array, FixedSizeListArray, Float64Array};
use arrow_buffer::NullBuffer;
use arrow_schema::{DataType, Field};
use tfxio_base::{Error, Result};

use self::plan::BlockPlan;
use self::stream::Stream;
use self::summary::Summary;
use crate::Kind;

/// Estimates quantiles of numbers, of one stream or of several at once, with or without weights.
///
/// With an error bound of *eps* and values of a weight of *W* together, the rank of each quantile is off by at most
/// *eps* · *W*, after any number of merges of sketches with the same bound and one call of [`compact`](Self::compact), if the
/// number of values that [`new`](Self::new) is told is large enough; least and largest value are exact. Memory grows with
/// 1/*eps* · log²(*eps* · n) of n values.
///
/// *Streams* are columns that are looked at together: arrays hold their values in rows, the stream varying fastest, so that
/// `[a0, b0, a1, b1]` has two rows of the two streams *a* and *b*. A weight belongs to a row.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::types::Float64Type;
/// use arrow_array::{Float64Array, Int32Array};
/// use tfxio_stats::Quantiles;
///
/// // Two streams of three rows, the last row of weight 2.
/// let mut sketch = Quantiles::new(0.01, 1 << 32, 2)?;
/// let values = Int32Array::from(vec![Some(1), Some(10), Some(2), None, Some(3), Some(30)]);
/// sketch.add_weighted(&values, &Float64Array::from(vec![1.0, 1.0, 2.0]))?;
///
/// let (quantiles, weights) = sketch.quantiles_and_cumulative_weights(2)?;
/// let of = |array: &arrow_array::FixedSizeListArray, stream| {
///     array.value(stream).as_primitive::<Float64Type>().values().to_vec()
/// };
/// assert_eq!(of(&quantiles, 0), [1.0, 3.0, 3.0]);
/// assert_eq!(of(&weights, 0), [1.0, 4.0, 4.0]);
/// assert_eq!(of(&quantiles, 1), [10.0, 30.0, 30.0]);
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
///
/// # Source
///
/// Chen, Guestrin: *XGBoost: A Scalable Tree Boosting System*, KDD 2016, appendix; Zhang, Wang: *A Fast Algorithm for
/// Approximate Quantiles in High Speed Data Streams*, SSDBM 2007; Greenwald, Khanna: *Space-Efficient Online Computation of
/// Quantile Summaries*, SIGMOD 2001. Results and bytes match `QuantilesSketch` of tfx-bsl 1.21, as long as sums of weights
/// are exact; weights of equal values are summed in the order in which they arrive.
#[derive(Clone, Debug)]
pub struct Quantiles {
    plan: BlockPlan,
    streams: Vec<Stream>,
    is_compacted: bool,
}

/// Calls a function with `number` + 1 quantiles of values with weights, each with the weight of all values that are not
/// larger; never for an empty list of values. Sorts the values, which are not NaN.
pub(crate) fn quantiles_of_counts(counts: &mut [(f64, f64)], number: usize, each: impl FnMut(f64, f64)) {
    Summary::of_values(counts).quantiles(number.max(1), each);
}

/// Number of steps that can add to the error: adding and merging, one `compact`, and the result.
const STEPS: f64 = 3.0;

/// The most streams of a sketch, which has some memory for each from the start.
const MAX_STREAMS: usize = 1 << 24;

impl Quantiles {
    /// Returns an empty sketch with an error bound, for a number of values a stream, and a number of streams.
    ///
    /// With more values than expected the error may be larger. A number that is far too large, as `1 << 32`, costs some
    /// memory. Fewer than five are too few: two or three values of each stream are kept then, whatever the bound, as in
    /// tfx-bsl, and the rank of a quantile may be off by half of the weight.
    ///
    /// # Errors
    ///
    /// If `eps` is not a positive number, or if the number of expected values is 0 or more than 2⁶³ - 1, or the number of
    /// streams 0 or more than 2²⁴.
    pub fn new(eps: f64, max_elements: u64, streams: usize) -> Result<Self> {
        if !(eps > 0.0 && eps.is_finite()) {
            let what = format!("an error bound of {eps}");
            return Err(Error::new(Kind::InvalidEps, what).help("eps must be positive, as 0.01"));
        }
        let max_elements =
            i64::try_from(max_elements).ok().filter(|number| *number > 0).ok_or_else(|| {
                Error::new(Kind::InvalidMaxElements, format!("{max_elements} values expected"))
                    .help(format!("max_elements must be from 1 to {}", i64::MAX))
            })?;
        if !(1..=MAX_STREAMS).contains(&streams) {
            let what = format!("a sketch of {streams} streams");
            return Err(
                Error::new(Kind::InvalidStreams, what).help(format!("give it from 1 to {MAX_STREAMS}"))
            );
        }
        let plan = BlockPlan::new(eps / STEPS, max_elements);
        Ok(Self { plan, streams: vec![Stream::default(); streams], is_compacted: false })
    }

    /// Adds values, each with a weight of 1. Nulls and NaN do not count; infinities do.
    ///
    /// # Errors
    ///
    /// If the array is not of integers, floats, booleans or nulls, or if its length is not a multiple of the number of
    /// streams. The sketch stays as it was.
    pub fn add(&mut self, values: &dyn Array) -> Result<()> {
        let streams = self.streams.len();
        if !values.len().is_multiple_of(streams) {
            let what = format!("{} values do not fill rows of {streams}", values.len());
            return Err(
                Error::new(Kind::ValueCount, what).help("give each row a value of each stream, or null")
            );
        }
        let values = numbers::to_f64(values)?;
        for (index, stream) in self.streams.iter_mut().enumerate() {
            for row in (index..values.len()).step_by(streams).filter(|row| values.is_valid(*row)) {
                stream.push(&self.plan, values.value(row), 1.0);
            }
        }
        Ok(())
    }

    /// Adds values with a weight for each row. Nulls and NaN do not count, nor do rows whose weight is null, NaN, negative or
    /// zero.
    ///
    /// # Errors
    ///
    /// If one of the arrays is not of integers, floats, booleans or nulls, if there is not one weight for each row, or if a
    /// weight is infinite. The sketch stays as it was.
    pub fn add_weighted(&mut self, values: &dyn Array, weights: &dyn Array) -> Result<()> {
        let streams = self.streams.len();
        if weights.len().checked_mul(streams) != Some(values.len()) {
            let what = format!("{} weights for {} values in rows of {streams}", weights.len(), values.len());
            return Err(Error::new(Kind::RowWeightCount, what).help("give each row one weight"));
        }
        let (values, weights) = (numbers::to_f64(values)?, numbers::to_f64(weights)?);
        if let Some(row) = weights.iter().position(|weight| weight == Some(f64::INFINITY)) {
            let mut error =
                Error::new(Kind::InvalidWeight, "an infinite weight").help("weights must be finite");
            error.position_mut().row = Some(row as u64);
            return Err(error);
        }
        for (index, stream) in self.streams.iter_mut().enumerate() {
            let rows = (index..values.len()).step_by(streams).zip(weights.iter());
            for (row, weight) in rows.filter(|(row, _)| values.is_valid(*row)) {
                // False for NaN.
                if let Some(weight) = weight.filter(|weight| *weight > 0.0) {
                    stream.push(&self.plan, values.value(row), weight);
                }
            }
        }
        Ok(())
    }

    /// Merges another sketch into this one: values that wait for a summary, then the summaries.
    ///
    /// The error bound is that of the two, if it is the same.
    ///
    /// # Errors
    ///
    /// If the other sketch has another number of streams. The sketch stays as it was.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        let (ours, theirs) = (self.streams.len(), other.streams.len());
        if ours != theirs {
            let what = format!("a sketch of {theirs} streams cannot be merged into one of {ours}");
            return Err(
                Error::new(Kind::MergedStreams { ours, theirs }, what).help("make both with the same number")
            );
        }
        for (stream, other) in self.streams.iter_mut().zip(&other.streams) {
            stream.merge(&self.plan, other);
        }
        self.is_compacted |= other.is_compacted;
        Ok(())
    }

    /// Makes one summary of all, so that the state takes fewer bytes: a sixteenth, where the sketch is full and `eps` is
    /// 0.0001.
    ///
    /// Does nothing if it was done before, here or in a sketch that was merged: each time adds to the error.
    pub fn compact(&mut self) {
        if !std::mem::replace(&mut self.is_compacted, true) {
            self.streams.iter_mut().for_each(|stream| stream.compact(&self.plan));
        }
    }

    /// Returns the quantiles of each stream: see [`QuantileSummary::quantiles`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn quantiles(&self, number: usize) -> Result<FixedSizeListArray> {
        self.summary().quantiles(number)
    }

    /// Returns the quantiles of each stream and their cumulative weights: see
    /// [`QuantileSummary::quantiles_and_cumulative_weights`].
    ///
    /// # Errors
    ///
    /// As there.
    pub fn quantiles_and_cumulative_weights(
        &self,
        number: usize,
    ) -> Result<(FixedSizeListArray, FixedSizeListArray)> {
        self.summary().quantiles_and_cumulative_weights(number)
    }

    /// Returns what the sketch knows, to be asked more than once. The sketch can take further values.
    #[must_use]
    pub fn summary(&self) -> QuantileSummary {
        self.clone().into_summary()
    }

    /// Returns what the sketch knows, as [`summary`](Self::summary), without a copy of it.
    #[must_use]
    pub fn into_summary(self) -> QuantileSummary {
        let Self { plan, streams, .. } = self;
        QuantileSummary { streams: streams.into_iter().map(|stream| stream.into_summary(&plan)).collect() }
    }

    /// Returns the number of streams.
    #[must_use]
    pub fn streams(&self) -> usize {
        self.streams.len()
    }
}

/// Summary of [`Quantiles`], for each stream.
#[derive(Clone, Debug)]
pub struct QuantileSummary {
    streams: Vec<Summary>,
}

impl QuantileSummary {
    /// Returns the quantiles of each stream: a list of `number` + 1 values in ascending order, from the least to the largest,
    /// between which there is about the same weight; null for a stream without values.
    ///
    /// # Errors
    ///
    /// If `number` is below 2, or above 2³¹ - 2, or if memory does not suffice for the result.
    pub fn quantiles(&self, number: usize) -> Result<FixedSizeListArray> {
        Ok(self.quantiles_and_cumulative_weights(number)?.0)
    }

    /// Returns the quantiles of each stream as [`quantiles`](Self::quantiles), and of each the weight of all values that are
    /// not larger.
    ///
    /// # Errors
    ///
    /// If `number` is below 2, or above 2³¹ - 2, or if memory does not suffice for the result.
    pub fn quantiles_and_cumulative_weights(
        &self,
        number: usize,
    ) -> Result<(FixedSizeListArray, FixedSizeListArray)> {
        let length =
            i32::try_from(number).ok().filter(|number| *number >= 2).and_then(|number| number.checked_add(1));
        let length = length.ok_or_else(|| {
            let what = format!("{number} quantiles");
            Error::new(Kind::InvalidQuantiles, what).help(format!("ask for 2 to {}", i32::MAX - 1))
        })?;
        let size = number.saturating_add(1).saturating_mul(self.streams.len());
        let (mut quantiles, mut weights) = (Vec::new(), Vec::new());
        if quantiles.try_reserve_exact(size).and_then(|()| weights.try_reserve_exact(size)).is_err() {
            let what = format!("no room for {number} quantiles of {} streams", self.streams.len());
            return Err(Error::new(Kind::InvalidQuantiles, what).help("ask for fewer"));
        }
        for summary in &self.streams {
            if summary.is_empty() {
                // Under a null.
                let hidden = [0.0].into_iter().cycle().take(number + 1);
                quantiles.extend(hidden.clone());
                weights.extend(hidden);
            }
            summary.quantiles(number, |value, weight| {
                quantiles.push(value);
                weights.push(weight);
            });
        }
        let nulls = NullBuffer::from_iter(self.streams.iter().map(|summary| !summary.is_empty()));
        let lists = |values: Vec<f64>| -> Result<FixedSizeListArray> {
            let field = Arc::new(Field::new_list_field(DataType::Float64, true));
            let nulls = (nulls.null_count() > 0).then(|| nulls.clone());
            FixedSizeListArray::try_new(field, length, Arc::new(Float64Array::from(values)), nulls)
                .map_err(|error| Error::new(Kind::InvalidQuantiles, error.to_string()))
        };
        Ok((lists(quantiles)?, lists(weights)?))
    }

    /// Returns the weight of all values of each stream.
    #[must_use]
    pub fn total_weights(&self) -> Vec<f64> {
        self.streams.iter().map(Summary::total_weight).collect()
    }
}
