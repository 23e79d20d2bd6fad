//! Options of a validation.

use std::collections::BTreeMap;

use tfxio_base::{Error, Result, suggest};

use super::Severity;
use crate::proto::tfmd::anomaly_info::Type;
use crate::{Kind, StatisticsList};

/// Options of [`validate`](super::validate), besides statistics and schema.
///
/// ```
/// use tfxio_stats::{Severity, ValidateOptions};
///
/// let options = ValidateOptions::default()
///     .environment("SERVING")
///     .severity("SCHEMA_NEW_COLUMN", Severity::Warning);
/// assert_eq!(options.environment, Some("SERVING"));
/// ```
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ValidateOptions<'a> {
    /// The environment that the data is of, such as `SERVING`. Default: none, in which every feature is expected.
    pub environment: Option<&'a str>,
    /// The statistics of earlier data, which `drift_comparator`s compare with. Default: none.
    pub previous: Option<&'a StatisticsList>,
    /// The statistics of serving data, which `skew_comparator`s compare with. Default: none.
    pub serving: Option<&'a StatisticsList>,
    /// The statistics of an earlier version of the same data, which `num_examples_version_comparator` compares with.
    /// Default: none.
    pub previous_version: Option<&'a StatisticsList>,
    /// The slice whose statistics count, in all of them. Default: the only data set, or that of all examples.
    pub slice: Option<&'a str>,
    /// Severity of each kind of anomaly, by its name in `AnomalyInfo`. Default: every one is an error.
    pub severities: BTreeMap<String, Severity>,
}

impl<'a> ValidateOptions<'a> {
    /// Sets the environment that the data is of.
    #[must_use]
    pub fn environment(mut self, environment: impl Into<Option<&'a str>>) -> Self {
        self.environment = environment.into();
        self
    }

    /// Sets the statistics of earlier data.
    #[must_use]
    pub fn previous(mut self, previous: impl Into<Option<&'a StatisticsList>>) -> Self {
        self.previous = previous.into();
        self
    }

    /// Sets the statistics of serving data.
    #[must_use]
    pub fn serving(mut self, serving: impl Into<Option<&'a StatisticsList>>) -> Self {
        self.serving = serving.into();
        self
    }

    /// Sets the statistics of an earlier version of the same data.
    #[must_use]
    pub fn previous_version(mut self, previous_version: impl Into<Option<&'a StatisticsList>>) -> Self {
        self.previous_version = previous_version.into();
        self
    }

    /// Sets the slice whose statistics count.
    #[must_use]
    pub fn slice(mut self, slice: impl Into<Option<&'a str>>) -> Self {
        self.slice = slice.into();
        self
    }

    /// Sets how bad anomalies of a kind are.
    #[must_use]
    pub fn severity(mut self, kind: impl Into<String>, severity: Severity) -> Self {
        self.severities.insert(kind.into(), severity);
        self
    }

    /// Returns the severity of each kind of anomaly.
    ///
    /// # Errors
    /// If a kind does not exist.
    pub(super) fn severities(&self) -> Result<BTreeMap<Type, Severity>> {
        let read = |(name, severity): (&String, &Severity)| match Type::from_str_name(name) {
            Some(kind) => Ok((kind, *severity)),
            None => Err(unknown(name)),
        };
        self.severities.iter().map(read).collect()
    }
}

fn unknown(name: &str) -> Error {
    // The numbers of kinds have gaps, and end far below this.
    let kinds = (0..1000).filter_map(|number| Type::try_from(number).ok());
    let names: Vec<&str> = kinds.map(|kind| kind.as_str_name()).collect();
    let error = Error::new(Kind::UnknownAnomaly, format!("no anomaly is called \"{name}\""));
    match suggest::did_you_mean(name, names) {
        Some(hint) => error.help(hint),
        None => {
            error.help("the names are those of AnomalyInfo.Type in TensorFlow Metadata's anomalies.proto")
        }
    }
}
