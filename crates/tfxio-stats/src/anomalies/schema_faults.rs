//! Faults of a schema's feature by itself.

use super::Fault;
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature::{DomainInfo, PresenceConstraints, ShapeType};
use crate::proto::tfmd::{Feature, FeatureType, FloatDomain, IntDomain, Schema, StringDomain, ValueCount};

/// A domain, wherever the schema has it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Domain<'a> {
    Strings(&'a StringDomain),
    Integers(&'a IntDomain),
    Floats(&'a FloatDomain),
    Other(&'a DomainInfo),
}

impl Domain<'_> {
    /// Returns the name of the kind, as schemas have it.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Strings(_) => "string_domain",
            Self::Integers(_) => "int_domain",
            Self::Floats(_) => "float_domain",
            Self::Other(other) => match other {
                DomainInfo::Domain(_) => "domain",
                DomainInfo::IntDomain(_) => "int_domain",
                DomainInfo::FloatDomain(_) => "float_domain",
                DomainInfo::StringDomain(_) => "string_domain",
                DomainInfo::BoolDomain(_) => "bool_domain",
                DomainInfo::StructDomain(_) => "struct_domain",
                DomainInfo::NaturalLanguageDomain(_) => "natural_language_domain",
                DomainInfo::ImageDomain(_) => "image_domain",
                DomainInfo::AudioDomain(_) => "audio_domain",
                DomainInfo::VideoDomain(_) => "video_domain",
                DomainInfo::ContentChunkDomain(_) => "content_chunk_domain",
                DomainInfo::MidDomain(_) => "mid_domain",
                DomainInfo::UrlDomain(_) => "url_domain",
                DomainInfo::TimeDomain(_) => "time_domain",
                DomainInfo::TimeOfDayDomain(_) => "time_of_day_domain",
            },
        }
    }

    /// Returns the types that values of the domain may have.
    fn types(&self) -> &'static [FeatureType] {
        use FeatureType::{Bytes, Float, Int, Struct};
        match self {
            Self::Strings(_) => &[Bytes],
            Self::Integers(_) => &[Int, Bytes],
            Self::Floats(_) => &[Float, Bytes],
            Self::Other(other) => match other {
                DomainInfo::BoolDomain(_) => &[Int, Bytes, Float],
                DomainInfo::StructDomain(_) => &[Struct],
                DomainInfo::NaturalLanguageDomain(_) | DomainInfo::TimeDomain(_) => &[Bytes, Int],
                DomainInfo::ImageDomain(_) | DomainInfo::MidDomain(_) | DomainInfo::UrlDomain(_) => &[Bytes],
                _ => &[Int, Float, Bytes, Struct],
            },
        }
    }
}

/// A feature of the schema without what makes no sense in it.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    pub(super) faults: Vec<Fault>,
    /// The type; `None` if the feature cannot be used.
    pub(super) feature_type: Option<FeatureType>,
    pub(super) shape: Option<ShapeType>,
    pub(super) domain: Option<Domain<'a>>,
}

pub(super) fn check<'a>(schema: &'a Schema, feature: &'a Feature) -> Own<'a> {
    let mut own = Own::default();
    if feature.name.is_none() {
        let text = "The schema has a feature without a name.";
        own.faults.push(Fault::new(Type::FeatureMissingName, "Feature without a name", text));
        return own;
    }
    let Some(feature_type) = feature_type(feature, &mut own.faults) else { return own };
    own.feature_type = Some(feature_type);
    if let Some(PresenceConstraints::Presence(presence)) = &feature.presence_constraints {
        let fraction = presence.min_fraction();
        if !(0.0..=1.0).contains(&fraction) {
            own.fault(format!("presence.min_fraction is {fraction}; it must be from 0 to 1."));
        }
    }
    own.shape = shape(feature, &mut own);
    own.domain = domain(schema, feature, feature_type, &mut own);
    let has_vocabulary = matches!(
        feature.domain_info,
        Some(DomainInfo::Domain(_) | DomainInfo::StringDomain(_) | DomainInfo::TimeOfDayDomain(_))
    );
    if feature.distribution_constraints.is_some() && !has_vocabulary {
        own.fault("distribution_constraints are for domains of strings alone.".to_owned());
    }
    own
}

impl Own<'_> {
    fn fault(&mut self, text: String) {
        self.faults.push(Fault::new(Type::InvalidSchemaSpecification, "Invalid schema", text));
    }
}

fn feature_type(feature: &Feature, faults: &mut Vec<Fault>) -> Option<FeatureType> {
    if feature.r#type.is_some() {
        return Some(feature.r#type());
    }
    let of_strings = matches!(feature.domain_info, Some(DomainInfo::Domain(_) | DomainInfo::StringDomain(_)));
    let text = if of_strings {
        "The schema has no type; BYTES was taken, as the domain is one of strings."
    } else {
        "The schema has no type, so nothing else was looked at."
    };
    faults.push(Fault::new(Type::FeatureMissingType, "Feature without a type", text));
    of_strings.then_some(FeatureType::Bytes)
}

/// Returns the shape or the numbers of values, without bounds that make no sense.
fn shape(feature: &Feature, own: &mut Own<'_>) -> Option<ShapeType> {
    let mut shape = feature.shape_type.clone()?;
    match &mut shape {
        ShapeType::Shape(shape) => {
            if let Some(dim) = shape.dim.iter().find(|dim| dim.size() <= 0) {
                own.fault(format!("shape has a dimension of size {}; it must be above 0.", dim.size()));
                return None;
            }
        }
        ShapeType::ValueCount(count) => value_count(count, "value_count", own),
        ShapeType::ValueCounts(counts) => {
            for (level, count) in counts.value_count.iter_mut().enumerate() {
                value_count(count, &format!("value_counts, level {level},"), own);
            }
        }
    }
    Some(shape)
}

fn value_count(count: &mut ValueCount, name: &str, own: &mut Own<'_>) {
    if count.min() < 0 {
        own.fault(format!("{name} has min {}; it must not be negative.", count.min()));
        count.min = None;
    }
    if count.max.is_some_and(|max| max < count.min()) {
        own.fault(format!("{name} has max {} below min {}.", count.max(), count.min()));
        count.max = Some(count.min());
    }
}

/// Returns the domain, if there is one and it goes with the type.
fn domain<'a>(
    schema: &'a Schema,
    feature: &'a Feature,
    feature_type: FeatureType,
    own: &mut Own<'_>,
) -> Option<Domain<'a>> {
    let domain = match feature.domain_info.as_ref()? {
        DomainInfo::Domain(name) => {
            let found = named(schema, name);
            if found.is_none() {
                let text = format!("The schema has no domain \"{name}\".");
                own.faults.push(Fault::new(Type::InvalidDomainSpecification, "Domain missing", text));
            }
            found?
        }
        DomainInfo::StringDomain(domain) => Domain::Strings(domain),
        DomainInfo::IntDomain(domain) => Domain::Integers(domain),
        DomainInfo::FloatDomain(domain) => Domain::Floats(domain),
        other => Domain::Other(other),
    };
    if !domain.types().contains(&feature_type) {
        let (name, found) = (domain.name(), feature_type.as_str_name());
        let text = format!("The schema has a {name} for values of type {found}.");
        own.faults.push(Fault::new(Type::DomainInvalidForType, "Domain of other values", text));
        return None;
    }
    Some(domain)
}

fn named<'a>(schema: &'a Schema, name: &str) -> Option<Domain<'a>> {
    let strings = schema.string_domain.iter().find(|domain| domain.name() == name).map(Domain::Strings);
    let integers = || schema.int_domain.iter().find(|domain| domain.name() == name).map(Domain::Integers);
    let floats = || schema.float_domain.iter().find(|domain| domain.name() == name).map(Domain::Floats);
    strings.or_else(integers).or_else(floats)
}
