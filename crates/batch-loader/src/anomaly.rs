//! Schema violations of loaded examples, as they are reported and saved.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use tensor_repr::FindingKind;

/// Violations of a schema by loaded examples, of one kind in one feature: see
/// [`BatchLoader::anomalies`](crate::BatchLoader::anomalies). Displayed as one sentence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Anomaly {
    /// The feature, by its path.
    pub feature: String,
    /// The kind of violation.
    #[serde(serialize_with = "name_of", deserialize_with = "of_name")]
    pub kind: FindingKind,
    /// The expectation of the schema; for batches before a state that was restored, the one at the time they came out.
    pub expected: String,
    /// The value in the first record that violates it.
    pub found: String,
    /// Number of records that violate it, in examples that came out in batches. A record counts again in each epoch,
    /// and in each window that contains it.
    pub count: u64,
    /// The file of the first record; empty where it has none.
    pub file: Arc<str>,
    /// The number of the first record in its file.
    pub record: u64,
    /// The byte at which that begins, after decompression, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
}

impl fmt::Display for Anomaly {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { feature, kind, expected, found, count, file, record, .. } = self;
        let verb = if *kind == FindingKind::UnknownFeature { "has" } else { "asks for" };
        write!(f, "feature {feature:?}: the schema {verb} {expected}, the data has {found}")?;
        match count {
            1 => write!(f, " (once, in record {record}")?,
            _ => write!(f, " ({count} times, first in record {record}")?,
        }
        if file.is_empty() { f.write_str(")") } else { write!(f, " of {file})") }
    }
}

fn name_of<S: Serializer>(kind: &FindingKind, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(kind.name())
}

fn of_name<'de, D: Deserializer<'de>>(deserializer: D) -> Result<FindingKind, D::Error> {
    let name = String::deserialize(deserializer)?;
    FindingKind::from_name(&name).ok_or_else(|| serde::de::Error::custom("an anomaly of an unknown kind"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_how_often_and_where_first() {
        let anomaly = |kind, expected: &str, count, file: &str| {
            let (feature, expected, found) = ("x".to_owned(), expected.to_owned(), "INT".to_owned());
            Anomaly { feature, kind, expected, found, count, file: file.into(), record: 3, byte: None }
                .to_string()
        };
        assert_eq!(
            anomaly(FindingKind::Type, "FLOAT", 1, "a.tfrecord"),
            r#"feature "x": the schema asks for FLOAT, the data has INT (once, in record 3 of a.tfrecord)"#
        );
        assert_eq!(
            anomaly(FindingKind::UnknownFeature, "no such feature", 7, ""),
            r#"feature "x": the schema has no such feature, the data has INT (7 times, first in record 3)"#
        );
    }
}
