//! Partition statistics, known without reading the data.

use serde::{Deserialize, Serialize};

use crate::{ColumnPath, Literal};

/// A number or value that may be known exactly, or be a bound, or be unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Estimate<T> {
    /// Known exactly.
    Exact(T),
    /// A bound: for a count and a maximum the value is at most this, for a minimum at least.
    Bound(T),
    /// Unknown.
    #[default]
    Unknown,
}

impl<T> Estimate<T> {
    /// Returns the value, if it is known exactly.
    pub fn exact(self) -> Option<T> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Bound(_) | Self::Unknown => None,
        }
    }
}

/// Statistics of a partition, known without reading its data: from an index, a footer, or block headers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct PartitionStatistics {
    /// Number of rows.
    pub rows: Estimate<u64>,
    /// Number of bytes as stored.
    pub bytes: Estimate<u64>,
    /// Statistics of columns, each column at most once.
    pub columns: Vec<(ColumnPath, ColumnStatistics)>,
}

/// Statistics of a column.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct ColumnStatistics {
    /// Minimum value.
    pub min: Estimate<Literal>,
    /// Maximum value.
    pub max: Estimate<Literal>,
    /// Number of nulls.
    pub nulls: Estimate<u64>,
}
