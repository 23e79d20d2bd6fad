//! Environments, in which features are expected or not.

use std::collections::BTreeSet;

use tfxio_base::{Error, Result, suggest};

use crate::Kind;
use crate::proto::tfmd::feature::{DomainInfo, PresenceConstraints};
use crate::proto::tfmd::{Feature, LifecycleStage, Schema};

/// Checks that a schema has an environment.
///
/// # Errors
/// If neither its default environments nor one of its features has it.
pub(super) fn check(schema: &Schema, environment: &str) -> Result<()> {
    let mut known: BTreeSet<&str> = schema.default_environment.iter().map(String::as_str).collect();
    add_environments(&schema.feature, &mut known);
    if known.contains(environment) {
        return Ok(());
    }
    let hint = suggest::hint(environment, known.iter().copied().collect::<Vec<_>>(), "environments");
    let what = format!("the schema has no environment \"{environment}\"");
    Err(Error::new(Kind::UnknownEnvironment, what).help(hint))
}

fn add_environments<'a>(features: &'a [Feature], known: &mut BTreeSet<&'a str>) {
    for feature in features {
        known.extend(feature.in_environment.iter().chain(&feature.not_in_environment).map(String::as_str));
        add_environments(children(feature), known);
    }
}

/// Returns the features in a struct.
pub(super) fn children(feature: &Feature) -> &[Feature] {
    match &feature.domain_info {
        Some(DomainInfo::StructDomain(domain)) => &domain.feature,
        _ => &[],
    }
}

/// Returns whether a feature is expected in an environment. Without one each is.
pub(super) fn expects(schema: &Schema, feature: &Feature, environment: Option<&str>) -> bool {
    let Some(environment) = environment else { return true };
    let has = |list: &[String]| list.iter().any(|name| name == environment);
    if has(&feature.in_environment) {
        return true;
    }
    !has(&feature.not_in_environment) && has(&schema.default_environment)
}

/// Returns whether a feature has to be in the data.
pub(super) fn requires(schema: &Schema, feature: &Feature, environment: Option<&str>) -> bool {
    let present = match &feature.presence_constraints {
        Some(PresenceConstraints::Presence(presence)) => {
            presence.min_count() > 0 || presence.min_fraction() > 0.0
        }
        _ => false,
    };
    present && !is_unused(feature) && expects(schema, feature, environment)
}

/// Returns whether a feature is not in use, so that nothing is said of it.
#[allow(deprecated, reason = "schemas that say it this way are what it is for")]
pub(super) fn is_unused(feature: &Feature) -> bool {
    feature.deprecated() || is_unused_stage(feature.lifecycle_stage())
}

pub(super) fn is_unused_stage(stage: LifecycleStage) -> bool {
    match stage {
        LifecycleStage::Planned
        | LifecycleStage::Alpha
        | LifecycleStage::Deprecated
        | LifecycleStage::DebugOnly
        | LifecycleStage::Disabled => true,
        LifecycleStage::UnknownStage
        | LifecycleStage::Beta
        | LifecycleStage::Production
        | LifecycleStage::ValidationDerived => false,
    }
}
