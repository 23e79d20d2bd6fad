//! Options of statistics.

use tfxio_core::ColumnPath;

/// Options of statistics: their columns, limits and presentation. The defaults are the ones of TensorFlow Data Validation.
///
/// ```
/// use tfxio_stats::StatisticsOptions;
///
/// let options = StatisticsOptions::default().weight("w").by("label").top_values(50);
/// assert_eq!(options.top_values, 50);
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatisticsOptions {
    /// Column with the weight of each row: one number a row, not negative. Default: rows have no weights.
    pub weight: Option<ColumnPath>,
    /// Column by whose values rows are put into slices: after the statistics of all rows (`All Examples`) come the
    /// statistics of each value, named `column_value`. A row of several values is in the slices of all of them. Default: no
    /// slices.
    pub by: Option<ColumnPath>,
    /// Maximum number of slices; more are an error. Default 100.
    pub max_slices: usize,
    /// Number of most frequent values that are listed. Default 20.
    pub top_values: usize,
    /// Number of most frequent values in the histogram of ranks. Default 1,000.
    pub rank_buckets: usize,
    /// Number of buckets of equal width. Default 10.
    pub histogram_buckets: usize,
    /// Number of buckets of equal counts. Default 10.
    pub quantile_buckets: usize,
    /// Number of buckets of equal counts of the number of values. Default 10.
    pub values_buckets: usize,
    /// Maximum error of ranks, as a share of all values, where values are too many to be counted exactly. Default 0.01.
    pub epsilon: f64,
    /// Maximum number of distinct values of a column that are counted exactly; of numbers a quarter as many. Default 16,384; of
    /// strings no more than 2^30 less 8,192 are.
    pub exact_values: usize,
    /// Whether pairs of columns of numbers get their correlation, over all rows where both have one finite number. Default: no.
    pub correlations: bool,
    /// Maximum number of columns whose pairs get correlations: the first ones. Default 64.
    pub correlated_columns: usize,
    /// Columns of numbers that are categories: their values are counted as texts. Default: none.
    pub categorical: Vec<ColumnPath>,
    /// Columns of strings that are not text. Default: inferred from their values.
    pub bytes: Vec<ColumnPath>,
}

impl Default for StatisticsOptions {
    fn default() -> Self {
        Self {
            weight: None,
            by: None,
            max_slices: 100,
            top_values: 20,
            rank_buckets: 1000,
            histogram_buckets: 10,
            quantile_buckets: 10,
            values_buckets: 10,
            epsilon: 0.01,
            exact_values: 1 << 14,
            correlations: false,
            correlated_columns: 64,
            categorical: Vec::new(),
            bytes: Vec::new(),
        }
    }
}

macro_rules! setters {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self, $name: $type) -> Self {
            self.$name = $name;
            self
        })*
    };
}

impl StatisticsOptions {
    /// Sets the column with the weight of each row.
    #[must_use]
    pub fn weight(mut self, column: impl Into<ColumnPath>) -> Self {
        self.weight = Some(column.into());
        self
    }

    /// Sets the column by whose values rows are put into slices.
    #[must_use]
    pub fn by(mut self, column: impl Into<ColumnPath>) -> Self {
        self.by = Some(column.into());
        self
    }

    /// Sets the columns of numbers that are categories.
    #[must_use]
    pub fn categorical<C: Into<ColumnPath>>(mut self, columns: impl IntoIterator<Item = C>) -> Self {
        self.categorical = columns.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the columns of strings that are not text.
    #[must_use]
    pub fn bytes<C: Into<ColumnPath>>(mut self, columns: impl IntoIterator<Item = C>) -> Self {
        self.bytes = columns.into_iter().map(Into::into).collect();
        self
    }

    setters! {
        /// Sets the maximum number of slices.
        max_slices: usize;
        /// Sets the number of most frequent values that are listed.
        top_values: usize;
        /// Sets the number of most frequent values in the histogram of ranks.
        rank_buckets: usize;
        /// Sets the number of buckets of equal width.
        histogram_buckets: usize;
        /// Sets the number of buckets of equal counts.
        quantile_buckets: usize;
        /// Sets the number of buckets of equal counts of the number of values.
        values_buckets: usize;
        /// Sets the maximum error of ranks.
        epsilon: f64;
        /// Sets the maximum number of distinct values of a column that are counted exactly.
        exact_values: usize;
        /// Sets whether pairs of columns of numbers get their correlation.
        correlations: bool;
        /// Sets the maximum number of columns whose pairs get correlations.
        correlated_columns: usize;
    }
}
