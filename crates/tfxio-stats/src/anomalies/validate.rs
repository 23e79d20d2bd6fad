//! Statistics against a schema.

use std::collections::{BTreeMap, HashMap};

use prost::Message as _;
use tensor_repr::TfmdSchema;
use tfxio_base::{Error, Result};
use tfxio_core::ColumnPath;

use super::environment::{children, is_unused, is_unused_stage, requires};
use super::{Anomalies, Anomaly, Distances, Fault, Severity, ValidateOptions};
use super::{composite, dataset, environment, feature};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::{self, Feature, SparseFeature, WeightedFeature};
use crate::view::{DatasetView, FeatureView};
use crate::{Kind, StatisticsList};

/// Validates statistics against a schema, and finds the anomalies that TensorFlow Data Validation finds.
///
/// | looked at | anomalies |
/// | --- | --- |
/// | features that only the data has, or only the schema | `SCHEMA_NEW_COLUMN`, `SCHEMA_MISSING_COLUMN`, `FEATURE_TYPE_NOT_PRESENT` |
/// | type | `UNEXPECTED_DATA_TYPE`, `DOMAIN_INVALID_FOR_TYPE` |
/// | presence | `FEATURE_TYPE_LOW_FRACTION_PRESENT`, `FEATURE_TYPE_LOW_NUMBER_PRESENT` |
/// | number of values | `FEATURE_TYPE_LOW_NUMBER_VALUES`, `FEATURE_TYPE_HIGH_NUMBER_VALUES`, `VALUE_NESTEDNESS_MISMATCH`, `INVALID_FEATURE_SHAPE` |
/// | strings | `ENUM_TYPE_UNEXPECTED_STRING_VALUES` beyond `min_domain_mass`, `ENUM_TYPE_INVALID_UTF8` |
/// | integers | `INT_TYPE_SMALL_INT`, `INT_TYPE_BIG_INT`, `INT_TYPE_NOT_INT_STRING` |
/// | floats | `FLOAT_TYPE_SMALL_FLOAT`, `FLOAT_TYPE_BIG_FLOAT`, `FLOAT_TYPE_STRING_NOT_FLOAT`, `FLOAT_TYPE_HAS_NAN`, `FLOAT_TYPE_HAS_INF` |
/// | booleans | `BOOL_TYPE_SMALL_INT`, `BOOL_TYPE_BIG_INT`, `BOOL_TYPE_UNEXPECTED_FLOAT`, `BOOL_TYPE_UNEXPECTED_STRING` |
/// | different values | `FEATURE_TYPE_LOW_UNIQUE`, `FEATURE_TYPE_HIGH_UNIQUE`, `FEATURE_TYPE_NO_UNIQUE` |
/// | images, text | `LOW_SUPPORTED_IMAGE_FRACTION`, `MAX_IMAGE_BYTE_SIZE_EXCEEDED`, `FEATURE_COVERAGE_*`, `SEQUENCE_VALUE_*` |
/// | drift and skew | `COMPARATOR_L_INFTY_HIGH`, `COMPARATOR_JENSEN_SHANNON_DIVERGENCE_HIGH`, `COMPARATOR_NORMALIZED_ABSOLUTE_DIFFERENCE_HIGH`, `COMPARATOR_CONTROL_DATA_MISSING` |
/// | sparse and weighted features | `SPARSE_FEATURE_*`, `WEIGHTED_FEATURE_*` |
/// | the data set | `DATASET_LOW_NUM_EXAMPLES`, `DATASET_HIGH_NUM_EXAMPLES`, `COMPARATOR_LOW_NUM_EXAMPLES`, `COMPARATOR_HIGH_NUM_EXAMPLES` |
/// | the schema itself | `FEATURE_MISSING_NAME`, `FEATURE_MISSING_TYPE`, `INVALID_SCHEMA_SPECIFICATION`, `INVALID_DOMAIN_SPECIFICATION` |
///
/// Counts are weights where every feature has them. Without examples nothing is looked at, and
/// [`Anomalies::is_data_missing`] returns true. `group_presence` is not looked at, as it is not there. Differs from it in
/// what it ignores or trips over: integer and float domains that a feature names are looked at, a `unique_constraints`
/// without a `max` has none, `max_examples_count` counts without `min_examples_count` too, and a feature that has no counts
/// is `STATS_NOT_AVAILABLE`.
///
/// # Errors
/// If the schema has a feature twice ([`Kind::InvalidSchema`]) or lacks the environment ([`Kind::UnknownEnvironment`]), if a
/// severity is of no kind that there is ([`Kind::UnknownAnomaly`]), and as [`infer_schema`](crate::infer_schema).
pub fn validate(
    statistics: &StatisticsList,
    schema: &TfmdSchema,
    options: &ValidateOptions<'_>,
) -> Result<Anomalies> {
    let severities = options.severities()?;
    let proto = tfmd::Schema::decode(schema.as_binary())
        .map_err(|error| Error::new(Kind::InvalidSchema, format!("the schema cannot be read: {error}")))?;
    if let Some(environment) = options.environment {
        environment::check(&proto, environment)?;
    }
    let index = Index::of(&proto)?;
    let view = DatasetView::of(statistics, options.slice)?;
    let mut anomalies = Anomalies {
        schema: schema.clone(),
        data_missing: view.is_empty(),
        found: Vec::new(),
        distances: BTreeMap::new(),
    };
    if view.is_empty() {
        return Ok(anomalies);
    }
    let mut validation = Validation {
        schema: &proto,
        index,
        environment: options.environment,
        previous: view.beside(options.previous, options.slice)?,
        serving: view.beside(options.serving, options.slice)?,
        previous_version: view.beside(options.previous_version, options.slice)?,
        found: BTreeMap::new(),
        distances: BTreeMap::new(),
    };
    for root in view.roots() {
        validation.feature(&view, root);
    }
    validation.missing(&view, &proto.feature, &ColumnPath::default());
    let faults = dataset::check(&validation, &view);
    if !faults.is_empty() {
        validation.found.insert(ColumnPath::default(), faults);
    }
    let severity = |kind: Type| severities.get(&kind).copied().unwrap_or(Severity::Error);
    for (path, faults) in validation.found {
        anomalies.found.extend(faults.into_iter().map(|fault| Anomaly {
            path: path.clone(),
            kind: fault.kind,
            severity: severity(fault.kind),
            summary: fault.summary,
            text: fault.text,
        }));
    }
    anomalies.distances = validation.distances;
    Ok(anomalies)
}

/// Index of a schema's features, by path.
#[derive(Debug, Default)]
struct Index<'a> {
    features: HashMap<ColumnPath, &'a Feature>,
    sparse: HashMap<ColumnPath, &'a SparseFeature>,
    weighted: HashMap<ColumnPath, &'a WeightedFeature>,
}

impl<'a> Index<'a> {
    /// # Errors
    /// If something is there twice.
    fn of(schema: &'a tfmd::Schema) -> Result<Self> {
        let mut index = Self::default();
        index.add(&schema.feature, &schema.sparse_feature, &ColumnPath::default())?;
        for weighted in &schema.weighted_feature {
            let path = ColumnPath::default().child(weighted.name());
            if index.weighted.insert(path.clone(), weighted).is_some() {
                return Err(twice("weighted feature", &path));
            }
        }
        Ok(index)
    }

    // Messages are nested as deep as their decoder allows, and no deeper.
    fn add(
        &mut self,
        features: &'a [Feature],
        sparse_features: &'a [SparseFeature],
        parent: &ColumnPath,
    ) -> Result<()> {
        for feature in features {
            let path = parent.child(feature.name());
            if self.features.insert(path.clone(), feature).is_some() {
                return Err(twice("feature", &path));
            }
            if let Some(DomainInfo::StructDomain(domain)) = &feature.domain_info {
                self.add(&domain.feature, &domain.sparse_feature, &path)?;
            }
        }
        for sparse in sparse_features {
            let path = parent.child(sparse.name());
            if self.sparse.insert(path.clone(), sparse).is_some() {
                return Err(twice("sparse feature", &path));
            }
        }
        Ok(())
    }
}

fn twice(what: &str, path: &ColumnPath) -> Error {
    Error::new(Kind::InvalidSchema, format!("the schema has the {what} \"{path}\" twice"))
        .help("remove one, or rename it")
}

/// A validation under way.
pub(super) struct Validation<'a> {
    pub(super) schema: &'a tfmd::Schema,
    index: Index<'a>,
    pub(super) environment: Option<&'a str>,
    pub(super) previous: Option<DatasetView<'a>>,
    pub(super) serving: Option<DatasetView<'a>>,
    pub(super) previous_version: Option<DatasetView<'a>>,
    found: BTreeMap<ColumnPath, Vec<Fault>>,
    distances: BTreeMap<ColumnPath, Distances>,
}

impl Validation<'_> {
    /// Looks at a feature of the data, and at the features in it.
    fn feature(&mut self, view: &DatasetView<'_>, statistics: &FeatureView<'_>) {
        let path = statistics.path();
        let feature = self.index.features.get(path).copied();
        let sparse = self.index.sparse.get(path).copied();
        let weighted = self.index.weighted.get(path).copied();
        if feature.is_none() && sparse.is_none() && weighted.is_none() {
            self.note(
                path,
                vec![Fault::new(
                    Type::SchemaNewColumn,
                    "New column",
                    "The data has this feature, the schema does not.",
                )],
            );
            return;
        }
        let unused = match (feature, sparse) {
            (Some(feature), _) => is_unused(feature),
            (None, Some(sparse)) => composite::is_unused(sparse),
            (None, None) => false,
        };
        if unused {
            return;
        }
        if let Some(weighted) = weighted.filter(|weighted| !is_unused_stage(weighted.lifecycle_stage())) {
            let faults = if feature.is_some() || sparse.is_some() {
                vec![composite::collision(Type::WeightedFeatureNameCollision)]
            } else {
                composite::weighted(weighted, statistics)
            };
            self.note(path, faults);
            return;
        }
        if let Some(sparse) = sparse.filter(|sparse| !composite::is_unused(sparse)) {
            let faults = if feature.is_some() {
                vec![composite::collision(Type::SparseFeatureNameCollision)]
            } else {
                composite::sparse(sparse, statistics)
            };
            self.note(path, faults);
            return;
        }
        let Some(feature) = feature else { return };
        let check = feature::check(self, feature, statistics);
        if check.distances != Distances::default() {
            self.distances.insert(path.clone(), check.distances);
        }
        self.note(path, check.faults);
        if check.is_unusable {
            return;
        }
        for child in view.children(statistics) {
            self.feature(view, child);
        }
    }

    /// Notes the features that the data does not have, and should.
    fn missing(&mut self, view: &DatasetView<'_>, features: &[Feature], parent: &ColumnPath) {
        for feature in features {
            let path = parent.child(feature.name());
            if requires(self.schema, feature, self.environment) && view.get(&path).is_none() {
                self.note(
                    &path,
                    vec![Fault::new(
                        Type::SchemaMissingColumn,
                        "Column dropped",
                        "The schema has this feature, the data does not.",
                    )],
                );
            }
            if !is_unused(feature) {
                self.missing(view, children(feature), &path);
            }
        }
    }

    fn note(&mut self, path: &ColumnPath, faults: Vec<Fault>) {
        if !faults.is_empty() {
            self.found.entry(path.clone()).or_default().extend(faults);
        }
    }
}
