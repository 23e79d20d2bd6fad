//! Domains that follow from values.

use prost::Message as _;
use tensor_repr::TfmdSchema;

use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::feature_name_statistics::Type;
use crate::proto::tfmd::{self, BoolDomain, Feature, FloatDomain, IntDomain};
use crate::view::FeatureView;

/// Words that mean true, and words that mean false. No word is both.
const TRUE: [&str; 6] = ["TRUE", "true", "SET", "set", "1", ""];
const FALSE: [&str; 5] = ["FALSE", "false", "CLEAR", "clear", "0"];
/// The name of the statistic that has a domain as text.
const DOMAIN_INFO: &str = "domain_info";

/// Returns the strings of the domain of a feature that has few, sorted; `None` if an inline domain is more specific.
pub(super) fn strings(statistics: &FeatureView<'_>, most: usize) -> Option<Vec<String>> {
    if statistics.value_type() != Type::String
        || inline(statistics).is_some()
        || statistics.has_invalid_utf8()
    {
        return None;
    }
    let values = statistics.string_counts();
    let few = !values.is_empty() && values.len() <= most;
    few.then(|| values.into_keys().map(str::to_owned).collect())
}

/// Returns the domain to write into the feature itself, instead of one that it names.
pub(super) fn inline(statistics: &FeatureView<'_>) -> Option<DomainInfo> {
    if statistics.has_invalid_utf8() {
        return None;
    }
    match statistics.value_type() {
        Type::Int if statistics.strings().is_some() => {
            Some(DomainInfo::IntDomain(IntDomain { is_categorical: Some(true), ..IntDomain::default() }))
        }
        Type::Float if statistics.strings().is_some() => Some(DomainInfo::FloatDomain(FloatDomain {
            is_categorical: Some(true),
            ..FloatDomain::default()
        })),
        Type::Int => {
            let numbers = statistics.numbers()?;
            let is_bool = numbers.min >= 0.0 && numbers.max == 1.0;
            is_bool.then(|| DomainInfo::BoolDomain(BoolDomain::default()))
        }
        Type::String => {
            let values: Vec<&str> = statistics.string_counts().into_keys().collect();
            if let Some(domain) = bool_domain(&values) {
                return Some(DomainInfo::BoolDomain(domain));
            }
            let integers = !values.is_empty() && values.iter().all(|value| integer(value).is_some());
            integers.then(|| DomainInfo::IntDomain(IntDomain::default()))
        }
        _ => None,
    }
}

fn bool_domain(values: &[&str]) -> Option<BoolDomain> {
    if values.is_empty() || values.len() > 2 {
        return None;
    }
    let mut domain = BoolDomain::default();
    for value in values {
        let word = if TRUE.contains(value) {
            &mut domain.true_value
        } else if FALSE.contains(value) {
            &mut domain.false_value
        } else {
            return None;
        };
        if word.is_some() {
            return None;
        }
        *word = Some((*value).to_owned());
    }
    Some(domain)
}

/// Returns the integer of a text. Blanks around it do not count.
pub(crate) fn integer(text: &str) -> Option<i64> {
    text.trim_matches(|c: char| c.is_ascii_whitespace()).parse().ok()
}

/// Returns the domain of a custom statistic, if it is one and nothing else.
pub(crate) fn of_custom_statistic(statistics: &FeatureView<'_>) -> Option<DomainInfo> {
    let mut texts = statistics.custom().iter().filter(|custom| custom.name == DOMAIN_INFO);
    let (Some(custom), None) = (texts.next(), texts.next()) else { return None };
    let Some(Val::Str(text)) = &custom.val else { return None };
    let parsed = TfmdSchema::from_text(&format!("feature {{\n{text}\n}}")).ok()?;
    let mut schema = tfmd::Schema::decode(parsed.as_binary()).ok()?;
    let mut feature = schema.feature.pop()?;
    let domain = feature.domain_info.take();
    let alone = schema == tfmd::Schema::default() && feature == Feature::default();
    domain.filter(|_| alone)
}
