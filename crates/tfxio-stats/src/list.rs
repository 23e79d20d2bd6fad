//! Statistics of data sets, as TensorFlow Data Validation keeps them.

use prost::Message as _;
use tfxio_base::{Error, Result};

use crate::Kind;
use crate::proto::tfmd;

/// Statistics of one or more data sets or slices: a `tensorflow.metadata.v0.DatasetFeatureStatisticsList`.
///
/// Reads the files of TensorFlow Data Validation, and writes files that TensorFlow Metadata reads.
///
/// ```
/// use tfxio_stats::StatisticsList;
///
/// // One data set without features: name (field 1) and number of examples (field 2).
/// let list = StatisticsList::from_bytes(b"\x0a\x05\x0a\x01a\x10\x05")?;
/// assert_eq!(list.names().collect::<Vec<_>>(), ["a"]);
/// assert_eq!(list.num_examples(0), Some(5));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StatisticsList(pub(crate) tfmd::DatasetFeatureStatisticsList);

impl StatisticsList {
    /// Reads an encoded `DatasetFeatureStatisticsList`.
    ///
    /// # Errors
    /// `Malformed` when the bytes are not one.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        tfmd::DatasetFeatureStatisticsList::decode(bytes).map(Self).map_err(|error| {
            Error::new(Kind::MalformedStatistics, format!("not a DatasetFeatureStatisticsList: {error}"))
        })
    }

    /// Returns the encoded `DatasetFeatureStatisticsList`.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.encode_to_vec()
    }

    /// Returns the number of data sets and slices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.datasets.len()
    }

    /// Returns whether the list is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.datasets.is_empty()
    }

    /// Returns the names of the data sets, or the keys of the slices, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.datasets.iter().map(|dataset| dataset.name.as_str())
    }

    /// Returns the number of examples of the data set of this number.
    #[must_use]
    pub fn num_examples(&self, dataset: usize) -> Option<u64> {
        self.0.datasets.get(dataset).map(|dataset| dataset.num_examples)
    }
}
