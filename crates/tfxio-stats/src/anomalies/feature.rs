//! The checks of one feature.

use tensor_repr::FeatureType;

use super::environment::{expects, requires};
use super::validate::Validation;
use super::{Distances, Fault};
use super::{comparators, counts, domain, schema_faults};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::feature_name_statistics::Type as ValueType;
use crate::proto::tfmd::{self, Feature, LifecycleStage};
use crate::schema::{of_custom_statistic, proto_type};
use crate::view::FeatureView;

/// Results of the checks of one feature.
#[derive(Debug, Default)]
pub(super) struct Check {
    pub(super) faults: Vec<Fault>,
    pub(super) distances: Distances,
    /// Whether the content of the feature cannot be judged.
    pub(super) is_unusable: bool,
}

/// Looks at a feature that data and schema have.
pub(super) fn check(validation: &Validation<'_>, feature: &Feature, statistics: &FeatureView<'_>) -> Check {
    let mut check = Check::default();
    let own = schema_faults::check(validation.schema, feature);
    check.faults = own.faults;
    let Some(known_type) = own.feature_type else {
        check.is_unusable = true;
        return check;
    };
    if !statistics.has_counts() {
        check.faults.push(Fault::new(
            Type::StatsNotAvailable,
            "Values not counted",
            "The statistics have no counts of this feature, so nothing was compared with the schema.",
        ));
        check.is_unusable = true;
        return check;
    }
    if statistics.num_present() == 0.0 {
        if requires(validation.schema, feature, validation.environment) {
            let text = "No example has this feature.";
            check.faults.push(Fault::new(Type::FeatureTypeNotPresent, "Column dropped", text));
            check.is_unusable = true;
        }
        return check;
    }
    if !expects(validation.schema, feature, validation.environment) {
        let environment = validation.environment.unwrap_or_default();
        let text = format!("The data has this feature; the schema does not have it in \"{environment}\".");
        check.faults.push(Fault::new(Type::SchemaNewColumn, "Column missing in environment", text));
    }
    let legacy = validation.schema.generate_legacy_feature_spec();
    check.faults.extend(counts::shape(own.shape.as_ref(), statistics, legacy));
    check.faults.extend(counts::presence(feature, statistics));
    check.is_unusable = !type_fits(known_type, statistics, &mut check.faults);
    let domain = usable_domain(own.domain, statistics, &mut check.faults);
    match domain {
        Some(domain) => check.faults.extend(domain::check(&domain, feature, statistics)),
        None if of_custom_statistic(statistics).is_some() => {
            let text = "The values suggest a domain that the schema does not have.";
            check.faults.push(Fault::new(Type::SemanticDomainUpdate, "Domain suggested", text));
        }
        None => {}
    }
    check.faults.extend(counts::unique(feature, statistics));
    let previous = validation.previous.as_ref();
    let drift = comparators::drift(feature.drift_comparator.as_ref(), statistics, previous);
    let serving = validation.serving.as_ref();
    let skew = comparators::skew(feature.skew_comparator.as_ref(), statistics, serving);
    check.faults.extend(drift.faults.into_iter().chain(skew.faults));
    check.distances = Distances { drift: drift.measured, skew: skew.measured };
    check.faults.extend(derived(feature, statistics));
    check
}

fn type_fits(known: tfmd::FeatureType, statistics: &FeatureView<'_>, faults: &mut Vec<Fault>) -> bool {
    if proto_type(statistics.feature_type()) == known {
        return true;
    }
    let found = statistics.value_type().as_str_name();
    let text = format!("The schema has values of type {}, the data has {found}.", known.as_str_name());
    faults.push(Fault::new(Type::UnexpectedDataType, "Unexpected data type", text));
    false
}

/// Returns the domain, unless it cannot be one of byte strings that are not text.
fn usable_domain<'a>(
    domain: Option<schema_faults::Domain<'a>>,
    statistics: &FeatureView<'_>,
    faults: &mut Vec<Fault>,
) -> Option<schema_faults::Domain<'a>> {
    let domain = domain?;
    let of_bytes = match domain {
        schema_faults::Domain::Other(other) => matches!(
            other,
            DomainInfo::NaturalLanguageDomain(_) | DomainInfo::ImageDomain(_) | DomainInfo::UrlDomain(_)
        ),
        _ => false,
    };
    if statistics.value_type() == ValueType::Bytes && !of_bytes {
        let text = format!("The values are bytes, which cannot have a {}.", domain.name());
        faults.push(Fault::new(Type::DomainInvalidForType, "Domain of other values", text));
        return None;
    }
    // What is in a struct is looked at by itself.
    (statistics.feature_type() != FeatureType::Struct).then_some(domain)
}

/// Looks at where a derived feature is said to be from.
fn derived(feature: &Feature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    if statistics.derived_source().is_some() && feature.validation_derived_source.is_none() {
        let text = "The feature was derived from others, and the schema does not say so.";
        faults.push(Fault::new(Type::DerivedFeatureInvalidSource, "Origin not in the schema", text));
    } else if feature.validation_derived_source.is_some()
        && feature.lifecycle_stage() != LifecycleStage::ValidationDerived
    {
        let stage = feature.lifecycle_stage().as_str_name();
        let text =
            format!("The schema has the feature as a derived one in stage {stage}, not VALIDATION_DERIVED.");
        faults.push(Fault::new(Type::DerivedFeatureBadLifecycle, "Derived feature in a wrong stage", text));
    }
    faults
}
