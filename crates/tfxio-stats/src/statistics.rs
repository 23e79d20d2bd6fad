//! Statistics of record batches: accumulated, merged, and put into a list as TensorFlow Data Validation does.

mod byte_strings;
mod column;
mod column_tree;
mod errors;
mod finish;
mod histogram;
mod images;
mod keys;
mod lengths;
mod level;
mod lists;
mod merge_sorted;
mod moments;
mod numbers;
mod options;
mod pairs;
mod quantile_sketch;
mod radix;
mod rows;
mod slices;
mod state;
mod string_counts;

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::Schema;
use tfxio_base::{Error, ErrorKind, Position, Result};
use tfxio_core::ColumnPath;

pub(crate) use self::column::{BatchRows, Column};
use self::finish::Parent;
pub use self::options::StatisticsOptions;
use self::slices::Slices;
use crate::StatisticsList;
use crate::proto::tfmd;

/// Statistics of record batches: accumulated batch by batch, merged, and finished to a list.
///
/// In one pass and in memory that depends on the columns, not on the rows. All columns are described, whatever their type, and
/// fields of structs by their paths. What is counted is what TensorFlow Data Validation counts: [`finish`](Self::finish) has the
/// table.
///
/// The merged statistics of parts are the statistics of the whole: numbers of rows and values, extremes, zeros and lengths
/// are equal, means and deviations up to the rounding of floats, and estimates are within their stated error.
///
/// ```
/// use std::sync::Arc;
/// use arrow_array::{ArrayRef, Int64Array, RecordBatch, StringArray};
/// use tfxio_stats::{Statistics, StatisticsOptions};
///
/// let age: ArrayRef = Arc::new(Int64Array::from(vec![Some(31), None, Some(44)]));
/// let city: ArrayRef = Arc::new(StringArray::from(vec!["Paris", "Lyon", "Paris"]));
/// let batch = RecordBatch::try_from_iter([("age", age), ("city", city)])?;
///
/// let mut statistics = Statistics::builder(&batch.schema()).build();
/// statistics.update(&batch)?;
/// let mut other = Statistics::builder(&batch.schema()).build();
/// other.update(&batch.slice(0, 1))?;
/// statistics.merge(&other)?;
/// assert_eq!(statistics.num_rows(), 4);
/// assert_eq!(statistics.finish().num_examples(0), Some(4));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Statistics {
    options: Arc<StatisticsOptions>,
    slices: Slices,
    /// Pairs of columns, over all rows.
    pairs: pairs::Pairs,
    columns: Vec<Column>,
    /// Index of each column by its name.
    names: HashMap<Arc<str>, usize>,
}

/// Builder of [`Statistics`].
#[derive(Clone, Debug)]
#[must_use]
pub struct StatisticsBuilder<'s> {
    schema: &'s Schema,
    options: StatisticsOptions,
}

impl StatisticsBuilder<'_> {
    /// Sets the options. Default: [`StatisticsOptions::default`].
    pub fn options(mut self, options: StatisticsOptions) -> Self {
        self.options = options;
        self
    }

    /// Returns the statistics.
    #[must_use]
    pub fn build(self) -> Statistics {
        let mut statistics = Statistics {
            slices: Slices::default(),
            pairs: pairs::Pairs::default(),
            columns: Vec::new(),
            names: HashMap::new(),
            options: Arc::new(self.options),
        };
        for field in self.schema.fields() {
            statistics.column(field.name(), field.data_type());
        }
        statistics
    }
}

impl Statistics {
    /// Returns a builder of statistics of no rows. Columns that the schema does not have are added when they come.
    pub fn builder(schema: &Schema) -> StatisticsBuilder<'_> {
        StatisticsBuilder { schema, options: StatisticsOptions::default() }
    }

    /// Returns the number of rows.
    #[must_use]
    pub fn num_rows(&self) -> u64 {
        self.slices.all().rows
    }

    /// Adds the rows of a batch.
    ///
    /// # Errors
    /// `SchemaMismatch` when a column has values of another type than before, or in another number of lists; `InvalidArgument`
    /// when a weight is not one number, finite and not negative, when the column of weights or slices does not exist, or when
    /// two columns have one name; `LimitExceeded` with more slices than are allowed. The statistics are not to be used then.
    pub fn update(&mut self, batch: &RecordBatch) -> Result<()> {
        self.update_columns(batch, batch)
    }

    /// Adds the rows of a batch that is described, of which another batch has all columns that are needed.
    pub(crate) fn update_columns(&mut self, whole: &RecordBatch, described: &RecordBatch) -> Result<()> {
        let rows = self.rows(whole, described)?;
        for (index, array) in self.arrays(described)? {
            if let Some(column) = self.columns.get_mut(index) {
                column.update(&array, &rows)?;
            }
        }
        Ok(())
    }

    /// Adds what other statistics have, which were made with the same options. What one of both has no column for is missing
    /// in all of its rows.
    ///
    /// # Errors
    /// `InvalidArgument` when options differ that decide what is kept; otherwise as [`update`](Self::update).
    pub fn merge(&mut self, other: &Self) -> Result<()> {
        state::check_options(&self.options, &other.options)?;
        let slices = self.slices.merge(&other.slices, &self.options)?;
        self.pairs.merge(&other.pairs);
        for theirs in &other.columns {
            let index = match self.names.get(theirs.name()) {
                Some(index) => *index,
                None => self.column(theirs.name(), &arrow_schema::DataType::Null),
            };
            if let Some(ours) = self.columns.get_mut(index) {
                ours.merge(theirs, &slices, &self.options)?;
            }
        }
        Ok(())
    }

    /// Returns a data set for all rows, and one for each slice.
    ///
    /// The fields of the messages have the meaning that they have in TensorFlow Data Validation. What is not said there:
    ///
    /// - A column without lists has one value in each row that is not null. Booleans are integers 0 and 1, times integers of
    ///   their unit, decimals floats. Of types that are neither numbers, strings nor structs, only the presence is counted, and
    ///   a custom statistic `only_counted` names the type.
    /// - A column of strings is `BYTES` if more than half of its values are not UTF-8.
    /// - Images are told by their headers, which are not decoded further: PNG, JPEG, GIF, BMP, and WebP, which is `UNKNOWN` there.
    /// - Both histograms of numbers come from 100 quantiles for each bucket of equal counts, as there. They are exact up to that
    ///   as long as distinct values are few ([`StatisticsOptions::exact_values`]).
    ///
    /// Custom statistics tell what the messages have no field for:
    ///
    /// | name | of | what |
    /// | --- | --- | --- |
    /// | `num_distinct` | numbers | number of distinct values |
    /// | `top_values` | numbers | the most frequent values, where they are counted exactly |
    /// | `num_positive_infinity`, `num_negative_infinity`, `finite_mean`, `finite_std_dev` | numbers | only where some are infinite |
    /// | `max_rank_error` | numbers | most by which the rank of a quantile is off; only where they are not exact |
    /// | `min_length`, `max_length`, `length_quantiles` | strings | lengths in bytes |
    /// | `max_count_error` | strings | most by which a count of a value is too high; only where they are not exact |
    /// | `num_distinct_standard_error` | both | relative standard error of the number of distinct values; only where it is not exact |
    /// | `domain_info` | strings | `image_domain {}`, where at least 0.8 of at least 100 values are images |
    /// | `image_format_histogram` | strings | images by format (`UNKNOWN`: the other values), where at least half of the values are images |
    /// | `image_min_width`, `image_mean_width`, `image_max_width`, and `height` | strings | sizes of these images in pixels |
    /// | `image_sizes` | strings | their most frequent sizes: `28x28` |
    /// | `max_image_size_count_error` | strings | most by which a count of a size is too high; only where they are not exact |
    /// | `num_rows_present`, `num_rows_missing` | fields | rows with and without a value of the field; only where they differ from the messages, which count structs |
    /// | `num_null_values` | all | nulls within lists, which are values of the list, but in nothing else |
    /// | `level_2_value_list_length_quantiles`, … | lists of lists | lengths of inner lists |
    #[must_use]
    pub fn finish(&self) -> StatisticsList {
        let datasets = self.slices.in_order(&self.options).map(|(index, name, slice)| {
            let mut features = Vec::new();
            let parent = Parent { count: slice.rows, weight: slice.weight, rows: slice.rows };
            for column in &self.columns {
                let path = ColumnPath::new([Arc::clone(column.name())]);
                column.with_node(index, &self.options, |node| {
                    finish::append(node, &path, parent, &self.options, &mut features)
                });
            }
            tfmd::DatasetFeatureStatistics {
                name,
                num_examples: slice.rows,
                weighted_num_examples: slice.weight,
                features,
                // Pairs are of all rows, which are the first slice.
                cross_features: if index == 0 { self.pairs.finish() } else { Vec::new() },
            }
        });
        StatisticsList(tfmd::DatasetFeatureStatisticsList { datasets: datasets.collect() })
    }

    /// Counts the rows of a batch, and returns what columns need to know of them.
    pub(crate) fn rows(&mut self, batch: &RecordBatch, described: &RecordBatch) -> Result<BatchRows> {
        if self.options.correlations {
            self.pairs.update(described, self.options.correlated_columns)?;
        }
        let weights = match &self.options.weight {
            Some(path) => Some(rows::weights(batch, path)?),
            None => None,
        };
        let slices = self.slices.rows(batch, weights.as_deref(), &self.options)?;
        Ok(BatchRows { weights, slices, options: Arc::clone(&self.options) })
    }

    /// Returns the columns of a batch with their indices here.
    pub(crate) fn arrays(&mut self, batch: &RecordBatch) -> Result<Vec<(usize, ArrayRef)>> {
        let schema = batch.schema_ref();
        let mut arrays: Vec<(usize, ArrayRef)> = Vec::with_capacity(batch.num_columns());
        let mut seen = vec![false; self.columns.len()];
        for (field, array) in schema.fields().iter().zip(batch.columns()) {
            let index = self.column(field.name(), field.data_type());
            seen.resize(self.columns.len(), false);
            if let Some(seen) = seen.get_mut(index)
                && std::mem::replace(seen, true)
            {
                return Err(Error::new(ErrorKind::InvalidArgument, "two columns have this name")
                    .help("name each column once")
                    .at(Position::new().column(field.name().clone())));
            }
            arrays.push((index, Arc::clone(array)));
        }
        Ok(arrays)
    }

    /// Returns the index of a column, which is added if there is none of its name.
    fn column(&mut self, name: &str, data_type: &arrow_schema::DataType) -> usize {
        if let Some(index) = self.names.get(name) {
            return *index;
        }
        let (name, index): (Arc<str>, _) = (name.into(), self.columns.len());
        self.names.insert(Arc::clone(&name), index);
        self.columns.push(Column::new(name, data_type));
        index
    }

    /// Takes the columns out, to be worked on apart and [put back](Self::put_columns).
    pub(crate) fn take_columns(&mut self) -> Vec<Column> {
        std::mem::take(&mut self.columns)
    }

    pub(crate) fn put_columns(&mut self, columns: Vec<Column>) {
        self.columns = columns;
    }
}
