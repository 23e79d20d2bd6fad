//! Statistics of data sets.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use tfxio::ColumnPath;
use tfxio::stats::{
    DriftOptions, InferOptions, Page, StatisticsExt as _, StatisticsList, StatisticsOptions, ValidateOptions,
    drift, infer_schema, propose_representations, validate,
};
use tfxio::tensor_repr::TfmdSchema;

use crate::dataset::Dataset;
use crate::errors::OrRaise;
use crate::reading::Reading;
use crate::request::{Path, Request};
use crate::skipped::Skipped;
use crate::waiting;
use crate::watched::Watched;
use crate::writing::convert::{Gauge, watch};

/// Statistics of one or more data sets or slices. `tfxio.Statistics` is what a user sees.
#[pyclass(frozen, module = "tfxio._lib")]
pub(crate) struct Statistics(StatisticsList);

/// Reads what a request asks for, and returns statistics of it.
#[pyfunction]
#[pyo3(signature = (dataset, request, *, weight=None, by=None, top_values=20, correlations=false, categorical, progress=None))]
#[expect(clippy::too_many_arguments, reason = "keywords in Python")]
pub(crate) fn statistics(
    py: Python<'_>,
    dataset: &Dataset,
    request: &Request,
    weight: Option<Path>,
    by: Option<Path>,
    top_values: usize,
    correlations: bool,
    categorical: Vec<Path>,
    progress: Option<Bound<'_, PyAny>>,
) -> PyResult<Statistics> {
    let request = request.of_reader(&Reading::new(), dataset.skips());
    let (dataset, skipped) = (dataset.shared(py)?, Skipped::of(&request));
    let mut options = StatisticsOptions::default().top_values(top_values).correlations(correlations);
    options.weight = weight.map(ColumnPath::from);
    options.by = by.map(ColumnPath::from);
    options.categorical = categorical.into_iter().map(ColumnPath::from).collect();
    let cancel = request.cancel.clone();
    let gauge = Gauge::default();
    let dataset: Arc<dyn tfxio::Dataset> = match &progress {
        Some(_) => Arc::new(Watched::new(dataset, gauge.clone())),
        None => dataset,
    };
    let work = move || dataset.stats(options, request);
    let done = match &progress {
        Some(progress) => watch(py, &cancel, Some(progress), &gauge, None, work)?,
        None => waiting::wait(py, &cancel, work)?,
    };
    let statistics = tfxio::Result::or_raise(done, py)?;
    skipped.warn(py)?;
    Ok(Statistics(statistics))
}

#[pymethods]
impl Statistics {
    /// Reads an encoded `DatasetFeatureStatisticsList`.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, data: &[u8]) -> PyResult<Self> {
        StatisticsList::from_bytes(data).map(Self).or_raise(py)
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.to_bytes())
    }

    fn to_json(&self) -> String {
        self.0.to_json()
    }

    #[pyo3(signature = (title=None, other=None, names=None))]
    fn to_html(
        &self,
        py: Python<'_>,
        title: Option<&str>,
        other: Option<&Self>,
        names: Option<(String, String)>,
    ) -> PyResult<String> {
        let mut page = Page::new(&self.0);
        if let Some(title) = title {
            page = page.title(title);
        }
        if let Some(other) = other {
            let (ours, theirs) = names.as_ref().map_or(("this", "other"), |(ours, theirs)| (ours, theirs));
            page = page.other(&other.0, [ours, theirs]);
            for feature in drift(&self.0, &other.0, &DriftOptions::default()).or_raise(py)?.features {
                if let Some(distance) = feature.distance() {
                    page = page.drift(&feature.path.to_string(), distance, feature.is_drifted());
                }
            }
        }
        Ok(page.to_html())
    }

    #[pyo3(signature = (max_string_domain_size=100, tensors=false))]
    fn infer_schema(&self, py: Python<'_>, max_string_domain_size: usize, tensors: bool) -> PyResult<String> {
        let options = InferOptions::default().max_string_domain_size(max_string_domain_size);
        let schema = match tensors {
            true => propose_representations(&self.0, &options),
            false => infer_schema(&self.0, &options),
        };
        schema.map(|schema| schema.to_text()).or_raise(py)
    }

    /// Returns what the statistics do not satisfy of a schema: path, kind, severity, short text, text.
    #[pyo3(signature = (schema, environment=None, previous=None, serving=None))]
    fn validate(
        &self,
        py: Python<'_>,
        schema: &str,
        environment: Option<&str>,
        previous: Option<&Self>,
        serving: Option<&Self>,
    ) -> PyResult<Vec<Finding>> {
        let schema = TfmdSchema::from_text(schema).or_raise(py)?;
        let options = ValidateOptions::default()
            .environment(environment)
            .previous(previous.map(|of| &of.0))
            .serving(serving.map(|of| &of.0));
        let anomalies = validate(&self.0, &schema, &options).or_raise(py)?;
        let steps = |path: &ColumnPath| path.steps().iter().map(ToString::to_string).collect();
        let finding = |of: &tfxio::stats::Anomaly| {
            let texts = [of.kind(), of.severity().name(), of.summary(), of.text()];
            (steps(of.path()), texts.map(str::to_owned))
        };
        Ok(anomalies.iter().map(finding).collect())
    }

    /// Returns how far apart the values of each feature are, the farthest first.
    #[pyo3(signature = (other, l_infinity=None, jensen_shannon=None))]
    fn drift<'py>(
        &self,
        py: Python<'py>,
        other: &Self,
        l_infinity: Option<f64>,
        jensen_shannon: Option<f64>,
    ) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut options = DriftOptions::default();
        options.l_infinity = l_infinity.unwrap_or(options.l_infinity);
        options.jensen_shannon = jensen_shannon.unwrap_or(options.jensen_shannon);
        let report = drift(&self.0, &other.0, &options).or_raise(py)?;
        let steps = |path: &ColumnPath| path.steps().iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut features = Vec::new();
        for of in &report.features {
            let feature = PyDict::new(py);
            feature.set_item("path", steps(&of.path))?;
            feature.set_item("drifted", of.is_drifted())?;
            feature.set_item("l_infinity", of.l_infinity)?;
            feature.set_item("most_different", of.most_different.as_deref())?;
            feature.set_item("jensen_shannon", of.jensen_shannon)?;
            features.push(feature);
        }
        for (paths, only) in [(&report.only_before, "this"), (&report.only_after, "other")] {
            for path in paths {
                let feature = PyDict::new(py);
                feature.set_item("path", steps(path))?;
                feature.set_item("drifted", true)?;
                feature.set_item("only_in", only)?;
                features.push(feature);
            }
        }
        Ok(features)
    }
}

/// Steps of a path; kind, severity, short text, text.
type Finding = (Vec<String>, [String; 4]);
