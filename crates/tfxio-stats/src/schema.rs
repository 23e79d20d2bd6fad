//! Schemas that follow from statistics.

mod domain;
mod representations;
mod shape;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use prost::Message as _;
use tensor_repr::{FeatureType, TfmdSchema};
use tfxio_base::Result;

pub(crate) use self::domain::{integer, of_custom_statistic};
pub use self::representations::propose_representations;
pub(crate) use self::shape::fixed;
use crate::StatisticsList;
use crate::path_text::path_text;
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::{self, Feature, LifecycleStage, StringDomain, StructDomain};
use crate::view::{DatasetView, FeatureView};

/// Options of [`infer_schema`].
///
/// ```
/// let options = tfxio_stats::InferOptions::default().max_string_domain_size(20).feature_shape(false);
/// assert_eq!(options.max_string_domain_size, 20);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InferOptions {
    /// The most strings of a domain; a feature of more different ones has none. Default: 100.
    pub max_string_domain_size: usize,
    /// Whether features that every example has, with the same number of values, have a shape. They have a
    /// `value_count` otherwise. Default: true.
    pub feature_shape: bool,
    /// The slice whose statistics count. Default: the only data set, or that of all examples.
    pub slice: Option<String>,
}

impl Default for InferOptions {
    fn default() -> Self {
        Self { max_string_domain_size: 100, feature_shape: true, slice: None }
    }
}

impl InferOptions {
    /// Sets the most strings of a domain.
    #[must_use]
    pub fn max_string_domain_size(mut self, max_string_domain_size: usize) -> Self {
        self.max_string_domain_size = max_string_domain_size;
        self
    }

    /// Sets whether features of a fixed number of values have a shape.
    #[must_use]
    pub fn feature_shape(mut self, feature_shape: bool) -> Self {
        self.feature_shape = feature_shape;
        self
    }

    /// Sets the slice whose statistics count.
    #[must_use]
    pub fn slice(mut self, slice: impl Into<Option<String>>) -> Self {
        self.slice = slice.into();
        self
    }
}

/// Infers the schema of the data from its statistics, by the rules of TensorFlow Data Validation.
///
/// | the schema has | where |
/// | --- | --- |
/// | `type` | everywhere |
/// | `presence` `min_count: 1` | an example has the feature; `min_count: 0` otherwise, and nothing more |
/// | `presence` `min_fraction: 1` | no example lacks it |
/// | `shape` | no list is missing, and all on one level have the same number of values |
/// | `value_count` | the shape is absent, and every list has values: the number that all have, or at least 1 |
/// | `value_counts` | the same of lists of lists, for each level: the number that all lists have, at least 1 where none is empty, else no bound |
/// | `bool_domain` | integers are 0 and 1, with a 1 among them; or strings are one word for true, one for false, or both |
/// | `int_domain` | every string is an integer |
/// | `domain` | a feature has few different strings: its values, sorted |
/// | `struct_domain` | a feature is a struct: what is in it |
/// | the domain of a custom statistic `domain_info` | there is one |
///
/// Statistics of features that are made of others (sparse and weighted ones) do not determine a schema and are left out.
/// Differs from TensorFlow Data Validation in one thing: integers and floats that were counted as categories have a
/// categorical `int_domain` or `float_domain`, not one of strings, which it would refuse itself.
///
/// # Errors
/// If the list has no data set, or several and no slice is chosen ([`Kind::UnknownSlice`]); and if the statistics
/// contradict themselves ([`Kind::MalformedStatistics`]).
///
/// [`Kind::UnknownSlice`]: crate::Kind::UnknownSlice
/// [`Kind::MalformedStatistics`]: crate::Kind::MalformedStatistics
///
/// ```
/// use tfxio_stats::{InferOptions, StatisticsList, infer_schema};
///
/// // Three examples, each with one integer: a feature (3) of name "a" (1) with counts (3.1) of 3 lists (1) of 1 to 1 values.
/// let list = StatisticsList::from_bytes(b"\x0a\x13\x10\x03\x1a\x0f\x0a\x01a\x1a\x0a\x0a\x08\x08\x03\x18\x01\x20\x01\x40\x03")?;
/// let schema = infer_schema(&list, &InferOptions::default())?;
/// let feature = schema.features().next().expect("there is one");
/// assert_eq!((feature.name(), feature.fixed_len()), ("a", Some(1)));
/// # Ok::<(), tfxio_stats::Error>(())
/// ```
pub fn infer_schema(statistics: &StatisticsList, options: &InferOptions) -> Result<TfmdSchema> {
    let view = DatasetView::of(statistics, options.slice.as_deref())?;
    let schema = infer(&view, options);
    TfmdSchema::from_binary(schema.encode_to_vec())
}

fn infer(view: &DatasetView<'_>, options: &InferOptions) -> tfmd::Schema {
    let mut inference = Inference { view, options, domains: Vec::new(), names: BTreeSet::new() };
    let counted = view.roots().filter(|feature| feature.has_counts());
    let feature = counted.map(|feature| inference.feature(feature)).collect();
    tfmd::Schema { feature, string_domain: inference.domains, ..tfmd::Schema::default() }
}

struct Inference<'a> {
    view: &'a DatasetView<'a>,
    options: &'a InferOptions,
    domains: Vec<StringDomain>,
    names: BTreeSet<String>,
}

impl Inference<'_> {
    /// Returns a feature with what is in it. Its domain of strings joins the others.
    fn feature(&mut self, statistics: &FeatureView<'_>) -> Feature {
        let mut feature = Feature {
            name: statistics.path().steps().last().map(ToString::to_string),
            r#type: Some(proto_type(statistics.feature_type()).into()),
            ..Feature::default()
        };
        shape::set_presence_and_shape(&mut feature, statistics, self.options.feature_shape);
        if let Some(source) = statistics.derived_source() {
            feature.lifecycle_stage = Some(LifecycleStage::ValidationDerived.into());
            feature.validation_derived_source = Some(source.clone());
        }
        let size = self.options.max_string_domain_size;
        feature.domain_info = of_custom_statistic(statistics).or_else(|| {
            if let Some(values) = domain::strings(statistics, size) {
                return Some(DomainInfo::Domain(self.domain(&path_text(statistics.path()), values)));
            }
            domain::inline(statistics)
        });
        let children: Vec<_> = self.view.children(statistics).filter(|child| child.has_counts()).collect();
        if !children.is_empty() {
            let feature_list = children.into_iter().map(|child| self.feature(child)).collect();
            let domain = StructDomain { feature: feature_list, ..StructDomain::default() };
            feature.domain_info = Some(DomainInfo::StructDomain(domain));
        }
        feature
    }

    /// Adds a domain and returns its name.
    fn domain(&mut self, wanted: &str, value: Vec<String>) -> String {
        let mut name = wanted.to_owned();
        let mut number = 1_usize;
        while !self.names.insert(name.clone()) {
            number += 1;
            name = format!("{wanted}{number}");
        }
        self.domains.push(StringDomain { name: Some(name.clone()), value, ..StringDomain::default() });
        name
    }
}

/// Returns a type as the message has it.
pub(crate) fn proto_type(feature_type: FeatureType) -> tfmd::FeatureType {
    match feature_type {
        FeatureType::Bytes => tfmd::FeatureType::Bytes,
        FeatureType::Int => tfmd::FeatureType::Int,
        FeatureType::Float => tfmd::FeatureType::Float,
        FeatureType::Struct => tfmd::FeatureType::Struct,
        _ => tfmd::FeatureType::TypeUnknown,
    }
}
