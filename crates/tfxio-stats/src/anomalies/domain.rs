//! Values against domains.

mod bools;
mod numbers;

use super::schema_faults::Domain;
use super::{Fault, language};
use crate::number_text::{number, quoted, share};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::custom_statistic::Val;
use crate::proto::tfmd::feature::DomainInfo;
use crate::proto::tfmd::{Feature, ImageDomain, StringDomain};
use crate::view::FeatureView;

/// The most values that a sentence names.
const NAMED: usize = 10;

/// Holds values against a domain.
pub(super) fn check(domain: &Domain<'_>, feature: &Feature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    match domain {
        Domain::Strings(domain) => strings(domain, feature, statistics).into_iter().collect(),
        Domain::Integers(domain) => numbers::integers(domain, statistics),
        Domain::Floats(domain) => numbers::floats(domain, statistics),
        Domain::Other(DomainInfo::BoolDomain(domain)) => {
            bools::check(domain, statistics).into_iter().collect()
        }
        Domain::Other(DomainInfo::ImageDomain(domain)) => images(domain, statistics),
        Domain::Other(DomainInfo::NaturalLanguageDomain(domain)) => language::check(domain, statistics),
        Domain::Other(_) => Vec::new(),
    }
}

fn strings(domain: &StringDomain, feature: &Feature, statistics: &FeatureView<'_>) -> Option<Fault> {
    if statistics.has_invalid_utf8() {
        let text = "The schema has a domain of strings, and some are not UTF-8.";
        return Some(Fault::new(Type::EnumTypeInvalidUtf8, "Strings that are not UTF-8", text));
    }
    let allowed = feature.distribution_constraints.as_ref().map_or(0.0, |mass| 1.0 - mass.min_domain_mass());
    let known: std::collections::HashSet<&str> = domain.value.iter().map(String::as_str).collect();
    let counts = statistics.string_counts();
    let mut unknown: Vec<(&str, f64)> =
        counts.into_iter().filter(|(value, _)| !known.contains(value)).collect();
    let all = statistics.num_values();
    let outside: f64 = unknown.iter().map(|(_, count)| count).sum();
    let too_many = outside / all > allowed || (allowed == 0.0 && !unknown.is_empty());
    if !too_many {
        return None;
    }
    // The most frequent first; of equal ones in order.
    unknown.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    let list = unknown
        .iter()
        .take(NAMED)
        .map(|(value, count)| format!("{} ({})", quoted(value), share(*count, all)));
    let list: Vec<String> = list.collect();
    let more = unknown.len() - list.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let bound = match feature.distribution_constraints {
        Some(_) => format!(": {} of values, above {}", number(outside / all), number(allowed)),
        None => String::new(),
    };
    let text =
        format!("The data has strings that the domain does not have{bound}: {}{more}.", list.join(", "));
    Some(Fault::new(Type::EnumTypeUnexpectedStringValues, "Unexpected string values", text))
}

/// The statistic with the formats of images, and its name for values that are of none.
const FORMATS: &str = "image_format_histogram";
const NO_FORMAT: &str = "UNKNOWN";

fn images(domain: &ImageDomain, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let formats = statistics.custom().iter().find(|custom| custom.name == FORMATS);
    if let (Some(min), Some(Val::RankHistogram(formats))) =
        (domain.minimum_supported_image_fraction, formats.and_then(|custom| custom.val.as_ref()))
    {
        let sum = |supported: bool| -> f64 {
            let buckets = formats.buckets.iter().filter(|bucket| (bucket.label != NO_FORMAT) == supported);
            buckets.map(|bucket| bucket.sample_count).sum()
        };
        let found = sum(true) / (sum(true) + sum(false));
        if found < f64::from(min) {
            let (min, found) = (number(f64::from(min)), number(found));
            let text = format!("The schema asks for images in {min} of values, {found} are.");
            faults.push(Fault::new(Type::LowSupportedImageFraction, "Values that are not images", text));
        }
    } else if domain.minimum_supported_image_fraction.is_some() {
        let text = format!("The schema asks for images, and the statistics have no \"{FORMATS}\".");
        faults.push(Fault::new(Type::StatsNotAvailable, "Images not counted", text));
    }
    if let (Some(most), Some(found)) = (domain.max_image_byte_size, statistics.max_bytes())
        && found > most
    {
        let text = format!("The schema asks for images of at most {most} bytes, one has {found}.");
        faults.push(Fault::new(Type::MaxImageByteSizeExceeded, "Image too large", text));
    }
    faults
}
