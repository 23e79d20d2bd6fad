//! The most frequent values: a Misra-Gries sketch.

mod builder;
mod counters;
mod item;
mod state;

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_array::builder::{Float64Builder, LargeBinaryBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Float32Type;
use arrow_array::{Array, Float32Array, StructArray};
use arrow_schema::{DataType, Field, Fields};
use tfxio_base::{Error, Result};

use self::builder::Options;
pub use self::builder::{MisraGriesBuilder, OrderOnTie};
use self::counters::Counters;
use crate::kind::check_merged_buckets;
use crate::{Kind, SketchOption, ValueType, value_text};

/// Estimates the most frequent values and how often they occur, by count or by weight.
///
/// With *k* buckets, of values of a weight of *W* together, each count is at most *W* / (k + 1) too high and never too low;
/// [`error_bound`](Self::error_bound) returns the bound for the values that were really added. A value of more than that
/// weight is in the result. With no more distinct values than buckets the counts are exact. Merging sketches of parts keeps
/// the bound.
///
/// ```
/// use arrow_array::cast::AsArray;
/// use arrow_array::types::Float64Type;
/// use arrow_array::{Float32Array, StringArray};
/// use tfxio_stats::MisraGries;
///
/// let mut sketch = MisraGries::builder(100).build()?;
/// sketch.add(&StringArray::from(vec!["a", "b", "a", "c"]))?;
/// sketch.add_weighted(&StringArray::from(vec!["b"]), &Float32Array::from(vec![2.5]))?;
///
/// let top = sketch.estimate();
/// assert_eq!(top.column_by_name("values").unwrap().as_binary::<i64>().value(0), b"b");
/// let counts = top.column_by_name("counts").unwrap();
/// assert_eq!(counts.as_primitive::<Float64Type>().values(), &[3.5, 2.0, 1.0]);
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
///
/// # Source
///
/// Misra, Gries: *Finding Repeated Elements*, Science of Computer Programming 2, 1982; merging: Agarwal et al., *Mergeable
/// Summaries*, PODS 2012. Results and bytes match `MisraGriesSketch` of tfx-bsl 1.21, except for three things: items whose
/// count fell to 0 are kept by their order, not by chance; the options on strings hold for weighted items as well; and
/// floats among such items are shown as all others are.
#[derive(Clone, Debug)]
pub struct MisraGries {
    counters: Counters,
    value_type: Option<ValueType>,
    options: Options,
}

impl MisraGries {
    /// Begins a sketch of a number of buckets, from 1 to 2³¹ - 1: the most values of a result.
    pub fn builder(buckets: usize) -> MisraGriesBuilder {
        MisraGriesBuilder::new(buckets)
    }

    /// Adds the values of an array, each with a weight of 1. Nulls do not count.
    ///
    /// # Errors
    ///
    /// If the array is not of strings, binary, integers, `Float32` or `Float64`, or is of other values than the sketch has.
    /// The sketch stays as it was.
    pub fn add(&mut self, items: &dyn Array) -> Result<()> {
        let given = self.check_given(items)?;
        let Self { counters, options, .. } = self;
        value_text::for_each(items, |_, item| counters.count(options.counted(given, item)));
        Ok(())
    }

    /// Adds the values of an array with a weight each. Nulls do not count, whatever their weight.
    ///
    /// # Errors
    ///
    /// As [`add`](Self::add), and if `weights` is not of type `Float32`, or not of the length of `items`, or if a weight is
    /// null, NaN or infinite. The sketch stays as it was.
    pub fn add_weighted(&mut self, items: &dyn Array, weights: &dyn Array) -> Result<()> {
        if items.len() != weights.len() {
            let kind = Kind::WeightCount { items: items.len(), weights: weights.len() };
            let what = format!("{} weights for {} items", weights.len(), items.len());
            return Err(Error::new(kind, what).help("give each item one"));
        }
        let weights: &Float32Array = weights.as_primitive_opt::<Float32Type>().ok_or_else(|| {
            let what = format!("weights of Float32 expected, found {}", weights.data_type());
            Error::new(Kind::WeightType(weights.data_type().clone()), what).help("cast them")
        })?;
        let nulls = items.logical_nulls();
        let counts = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
        let refused =
            |row: &usize| counts(*row) && (weights.is_null(*row) || !weights.value(*row).is_finite());
        if let Some(row) = (0..items.len()).find(refused) {
            let found = if weights.is_null(row) { "null".to_owned() } else { weights.value(row).to_string() };
            let what = format!("a weight of {found}");
            let mut error = Error::new(Kind::InvalidWeight, what).help("weights must be finite numbers");
            error.position_mut().row = Some(row as u64);
            return Err(error);
        }
        let given = self.check_given(items)?;
        let Self { counters, options, .. } = self;
        value_text::for_each(items, |row, item| {
            counters.weigh(options.counted(given, item), weights.value(row).into());
        });
        Ok(())
    }

    fn check_given(&mut self, items: &dyn Array) -> Result<ValueType> {
        let given = value_text::value_type(items.data_type())?;
        ValueType::check_given(self.value_type, given)?;
        self.value_type = Some(given);
        Ok(given)
    }

    /// Adds what another sketch has seen. The order of ties stays as it is.
    ///
    /// # Errors
    ///
    /// If the other one has another number of buckets, other options on strings, or other values. The sketch stays as it was.
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        check_merged_buckets(self.counters.buckets(), other.counters.buckets())?;
        if let Some(option) = self.options.difference(&other.options) {
            let what = format!("sketches of different {} cannot be merged", option_words(option));
            return Err(Error::new(Kind::MergedOption(option), what).help("make both with the same options"));
        }
        self.value_type = ValueType::check_merged(self.value_type, other.value_type)?;
        self.counters.merge(&other.counters);
        Ok(())
    }

    /// Returns the most frequent values, at most one for each bucket: a struct array of `values` (`LargeBinary`) and `counts`
    /// (`Float64`, upper bounds), the highest count first.
    ///
    /// Integers are in decimal, floats have six digits as `%g` of C prints them. Where counts are equal the order is that of
    /// the bytes, ascending or descending ([`OrderOnTie`]). Buckets that are empty because several values fell to a count of
    /// 0 together are filled with these, in ascending order.
    #[must_use]
    pub fn estimate(&self) -> StructArray {
        let shown = |item: &[u8]| match (self.value_type, value_text::parse_float(item)) {
            (Some(ValueType::Float), Some(float)) => value_text::six_digits(float),
            _ => item.to_vec(),
        };
        let delta = self.counters.delta();
        let mut top: Vec<_> =
            self.counters.counts().map(|(item, count)| (shown(item), count + delta)).collect();
        top.sort_by(|(item, count), (other, other_count)| {
            let by_count = other_count.partial_cmp(count).unwrap_or(Ordering::Equal);
            by_count.then_with(|| self.options.order_on_tie.compare(item, other))
        });
        let uncounted = self.counters.extras().into_iter().filter(|item| !self.counters.has(item));
        let free = self.counters.buckets() - top.len().min(self.counters.buckets());
        top.extend(uncounted.map(|item| (shown(item), delta)).take(free));

        let mut values = LargeBinaryBuilder::with_capacity(top.len(), 0);
        let mut counts = Float64Builder::with_capacity(top.len());
        for (item, count) in &top {
            values.append_value(item);
            counts.append_value(*count);
        }
        let fields = Fields::from(vec![
            Field::new("values", DataType::LargeBinary, true),
            Field::new("counts", DataType::Float64, true),
        ]);
        StructArray::new(fields, vec![Arc::new(values.finish()), Arc::new(counts.finish())], None)
    }

    /// Returns the most by which a count of the result can be too high: at most *W* / (k + 1) for values of a weight of *W*
    /// together in *k* buckets, and 0 while the distinct values fit into the buckets.
    #[must_use]
    pub fn error_bound(&self) -> f64 {
        self.counters.delta()
    }

    /// Returns the number of buckets.
    #[must_use]
    pub fn buckets(&self) -> usize {
        self.counters.buckets()
    }

    /// Returns what was added, or nothing while nothing was.
    #[must_use]
    pub fn value_type(&self) -> Option<ValueType> {
        self.value_type
    }
}

fn option_words(option: SketchOption) -> &'static str {
    match option {
        SketchOption::InvalidUtf8Placeholder => "placeholders of strings that are not UTF-8",
        SketchOption::LargeStringThreshold => "lengths of large strings",
        SketchOption::LargeStringPlaceholder => "placeholders of large strings",
    }
}
