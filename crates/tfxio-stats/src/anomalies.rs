//! Schema violations.

mod comparators;
mod composite;
mod counts;
mod dataset;
mod domain;
mod environment;
mod feature;
mod language;
mod options;
mod print;
mod schema_faults;
#[cfg(test)]
mod tests;
mod validate;

use std::collections::BTreeMap;

use prost::Message as _;
use tensor_repr::TfmdSchema;
use tfxio_core::ColumnPath;

pub use self::options::ValidateOptions;
pub use self::validate::validate;
use crate::path_text::{path_message, path_text};
use crate::proto::tfmd::anomaly_info::{Reason, Severity as ProtoSeverity, Type};
use crate::proto::tfmd::drift_skew_info::{Measurement, measurement};
use crate::proto::tfmd::{self, AnomalyInfo, DriftSkewInfo};

/// Severity of an [`Anomaly`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Severity {
    /// Unimportant.
    Unknown,
    /// Worth a look.
    Warning,
    /// Not to be used. The severity of every anomaly unless [`ValidateOptions::severity`] sets another.
    Error,
}

impl Severity {
    fn proto(self) -> ProtoSeverity {
        match self {
            Self::Unknown => ProtoSeverity::Unknown,
            Self::Warning => ProtoSeverity::Warning,
            Self::Error => ProtoSeverity::Error,
        }
    }

    /// Returns the name in the message: `ERROR`.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.proto().as_str_name()
    }
}

/// One violation of a schema by data.
#[derive(Clone, Debug, PartialEq)]
pub struct Anomaly {
    path: ColumnPath,
    kind: Type,
    severity: Severity,
    summary: &'static str,
    text: String,
}

impl Anomaly {
    /// Returns the feature; a path without steps for the data set as a whole.
    #[must_use]
    pub fn path(&self) -> &ColumnPath {
        &self.path
    }

    /// Returns the kind by its name in TensorFlow Metadata's `AnomalyInfo`: `SCHEMA_NEW_COLUMN`.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        self.kind.as_str_name()
    }

    /// Returns how bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.severity
    }

    /// Returns what it is in a few words.
    #[must_use]
    pub fn summary(&self) -> &str {
        self.summary
    }

    /// Returns what it is in a sentence, with the numbers.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }
}

/// Finding of a check, before its severity is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fault {
    kind: Type,
    summary: &'static str,
    text: String,
}

impl Fault {
    fn new(kind: Type, summary: &'static str, text: impl Into<String>) -> Self {
        Self { kind, summary, text: text.into() }
    }
}

/// Anomalies that [`validate`] finds.
///
/// Prints as a table for people; [`to_bytes`](Self::to_bytes) gives the message that TensorFlow Metadata reads.
///
/// ```
/// use tensor_repr::TfmdSchema;
/// use tfxio_stats::{StatisticsList, ValidateOptions, validate};
///
/// let list = StatisticsList::from_bytes(b"\x0a\x13\x10\x03\x1a\x0f\x0a\x01a\x1a\x0a\x0a\x08\x08\x03\x18\x01\x20\x01\x40\x03")?;
/// let schema = TfmdSchema::from_text(r#"feature { name: "b" type: INT presence { min_count: 1 } }"#)?;
/// let anomalies = validate(&list, &schema, &ValidateOptions::default())?;
/// let found: Vec<_> = anomalies.iter().map(|anomaly| (anomaly.path().to_string(), anomaly.kind())).collect();
/// assert_eq!(found, [
///     ("a".to_owned(), "SCHEMA_NEW_COLUMN"),
///     ("b".to_owned(), "SCHEMA_MISSING_COLUMN"),
/// ]);
/// assert!(anomalies.has_errors());
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Anomalies {
    schema: TfmdSchema,
    data_missing: bool,
    /// In order of the paths; anomalies of the data set first.
    found: Vec<Anomaly>,
    distances: BTreeMap<ColumnPath, Distances>,
}

/// The distances that were measured of one feature.
#[derive(Clone, Debug, Default, PartialEq)]
struct Distances {
    drift: Vec<Measurement>,
    skew: Vec<Measurement>,
}

impl Anomalies {
    /// Returns whether nothing was found, and there was data.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.found.is_empty() && !self.data_missing
    }

    /// Returns the number of anomalies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.found.len()
    }

    /// Returns whether the data has zero examples, so that nothing was compared with the schema.
    #[must_use]
    pub fn is_data_missing(&self) -> bool {
        self.data_missing
    }

    /// Leaves out anomalies, such as anomalies of columns that were not to be looked at.
    pub fn retain(&mut self, keep: impl FnMut(&Anomaly) -> bool) {
        self.found.retain(keep);
    }

    /// Returns the anomalies: of the data set as a whole first, then of features in order of their paths.
    pub fn iter(&self) -> impl Iterator<Item = &Anomaly> {
        self.found.iter()
    }

    /// Returns whether there is an anomaly that is an error, or no data at all: whether a program that checks data should
    /// end with an exit code of failure.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.data_missing || self.found.iter().any(|anomaly| anomaly.severity == Severity::Error)
    }

    /// Returns the distances from earlier data and from serving data that were measured: the feature, the kind of distance by
    /// its name in `DriftSkewInfo` (`L_INFTY`), the distance, and the largest that the schema allows.
    pub fn distances(&self) -> impl Iterator<Item = (&ColumnPath, &'static str, f64, f64)> {
        self.distances.iter().flat_map(|(path, distances)| {
            distances.drift.iter().chain(&distances.skew).map(move |measured| {
                (path, measured.r#type().as_str_name(), measured.value(), measured.threshold())
            })
        })
    }

    /// Returns the encoded `tensorflow.metadata.v0.Anomalies`. The schema in it is, byte for byte, the one that the data was
    /// compared with.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut message =
            tfmd::Anomalies { data_missing: self.data_missing.then_some(true), ..tfmd::Anomalies::default() };
        if !self.data_missing {
            message.anomaly_name_format = Some(tfmd::anomalies::AnomalyNameFormat::SerializedPath.into());
        }
        for group in self.found.chunk_by(|a, b| a.path == b.path) {
            let Some(first) = group.first() else { continue };
            let mut info = anomaly_info(group);
            if first.path.is_empty() {
                message.dataset_anomaly_info = Some(info);
            } else {
                info.path = Some(path_message(&first.path));
                message.anomaly_info.insert(path_text(&first.path), info);
            }
        }
        let distances = self.distances.iter().map(|(path, distances)| DriftSkewInfo {
            path: Some(path_message(path)),
            drift_measurements: distances.drift.clone(),
            skew_measurements: distances.skew.clone(),
        });
        message.drift_skew_info = distances.collect();
        let mut out = Vec::new();
        // The schema as it came, with fields that this version does not know.
        let schema = self.schema.as_binary();
        prost::encoding::encode_key(1, prost::encoding::WireType::LengthDelimited, &mut out);
        prost::encoding::encode_varint(schema.len() as u64, &mut out);
        out.extend_from_slice(schema);
        message.encode_raw(&mut out);
        out
    }
}

/// Returns what is wrong with one feature as the message has it.
fn anomaly_info(group: &[Anomaly]) -> AnomalyInfo {
    let reason = group.iter().map(|anomaly| Reason {
        r#type: Some(anomaly.kind.into()),
        short_description: Some(anomaly.summary.to_owned()),
        description: Some(anomaly.text.clone()),
    });
    let severity = group.iter().map(|anomaly| anomaly.severity).max().unwrap_or(Severity::Unknown);
    let short = match group {
        [only] => only.summary,
        // The name under which front ends look for it.
        _ => "Multiple errors",
    };
    let texts: Vec<&str> = group.iter().map(|anomaly| anomaly.text.as_str()).collect();
    AnomalyInfo {
        severity: Some(severity.proto().into()),
        short_description: Some(short.to_owned()),
        description: Some(texts.join(" ")),
        reason: reason.collect(),
        ..AnomalyInfo::default()
    }
}

/// Returns a distance as the message has it.
fn measurement(kind: measurement::Type, value: f64, threshold: f64) -> Measurement {
    Measurement { r#type: Some(kind.into()), value: Some(value), threshold: Some(threshold) }
}
