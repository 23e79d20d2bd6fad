//! Correlations of pairs of columns of numbers.

use tfxio_core::ColumnPath;

use crate::StatisticsList;
use crate::path_text::path_steps;
use crate::proto::tfmd;
use crate::proto::tfmd::cross_feature_statistics::CrossStats;

/// Correlation of two columns of numbers, over the rows in which both have one finite number.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Correlation {
    /// One of the columns.
    pub x: ColumnPath,
    /// The other.
    pub y: ColumnPath,
    /// Number of rows in which both have one finite number.
    pub rows: u64,
    /// Pearson's coefficient, from -1 to 1; 0 where a column has one value only.
    pub correlation: f64,
    /// Covariance of the rows as a sample.
    pub covariance: f64,
}

impl StatisticsList {
    /// Returns how the pairs of columns of numbers of the data set or slice of this number correlate, the strongest first; nothing where
    /// that was not measured ([`StatisticsOptions::correlations`](crate::StatisticsOptions::correlations)).
    ///
    /// ```
    /// let list = tfxio_stats::StatisticsList::from_bytes(b"\x0a\x02\x10\x03")?;
    /// assert_eq!(list.correlations(0), []);
    /// # Ok::<(), tfxio_stats::Error>(())
    /// ```
    #[must_use]
    pub fn correlations(&self, dataset: usize) -> Vec<Correlation> {
        let pairs = self.0.datasets.get(dataset).into_iter().flat_map(|dataset| &dataset.cross_features);
        let mut pairs = pairs.filter_map(correlation).collect::<Vec<_>>();
        // What is not a number comes last.
        let strength =
            |pair: &Correlation| if pair.correlation.is_nan() { -1.0 } else { pair.correlation.abs() };
        pairs.sort_by(|a, b| {
            strength(b).total_cmp(&strength(a)).then_with(|| (&a.x, &a.y).cmp(&(&b.x, &b.y)))
        });
        pairs
    }
}

fn correlation(pair: &tfmd::CrossFeatureStatistics) -> Option<Correlation> {
    let Some(CrossStats::NumCrossStats(stats)) = &pair.cross_stats else { return None };
    let path = |path: &Option<tfmd::Path>| ColumnPath::new(path.as_ref().map(path_steps).unwrap_or_default());
    Some(Correlation {
        x: path(&pair.path_x),
        y: path(&pair.path_y),
        rows: pair.count,
        correlation: stats.correlation.into(),
        covariance: stats.covariance.into(),
    })
}
