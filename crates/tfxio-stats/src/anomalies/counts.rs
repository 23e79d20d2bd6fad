//! Presence of a feature in examples, and its numbers of values.

use super::Fault;
use crate::number_text::number;
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature::{PresenceConstraints, ShapeType};
use crate::proto::tfmd::{Feature, FixedShape, ValueCount};
use crate::schema::fixed;
use crate::view::FeatureView;

/// Holds the numbers of values against a shape or bounds. A legacy schema lets features of a shape be absent.
pub(super) fn shape(shape: Option<&ShapeType>, statistics: &FeatureView<'_>, legacy: bool) -> Vec<Fault> {
    let levels = statistics.counts_by_level();
    match shape {
        None => Vec::new(),
        Some(ShapeType::Shape(shape)) => fixed_shape(shape, statistics, legacy).into_iter().collect(),
        Some(ShapeType::ValueCount(count)) => match levels.as_slice() {
            [only] => value_count(count, *only, ""),
            _ => vec![nestedness(1, levels.len())],
        },
        Some(ShapeType::ValueCounts(counts)) if counts.value_count.len() != levels.len() => {
            vec![nestedness(counts.value_count.len(), levels.len())]
        }
        Some(ShapeType::ValueCounts(counts)) => {
            let pairs = counts.value_count.iter().zip(levels).enumerate();
            pairs
                .flat_map(|(level, (count, bounds))| {
                    value_count(count, bounds, &format!(" on level {level}"))
                })
                .collect()
        }
    }
}

fn nestedness(known: usize, found: usize) -> Fault {
    let levels = |count: usize| if count == 1 { "1 level".to_owned() } else { format!("{count} levels") };
    let text = format!("The schema has {} of lists, the data has {found}.", levels(known));
    Fault::new(Type::ValueNestednessMismatch, "Other levels of lists", text)
}

fn value_count(count: &ValueCount, (least, most): (u64, u64), level: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let most = i64::try_from(most).unwrap_or(i64::MAX);
    let least = i64::try_from(least).unwrap_or(i64::MAX);
    if let Some(min) = count.min.filter(|min| least < *min) {
        let text = format!("The schema asks for at least {min} values{level}, an example has {least}.");
        faults.push(Fault::new(Type::FeatureTypeLowNumberValues, "Missing values", text));
    }
    if let Some(max) = count.max.filter(|max| most > *max) {
        let text = format!("The schema asks for at most {max} values{level}, an example has {most}.");
        faults.push(Fault::new(Type::FeatureTypeHighNumberValues, "Superfluous values", text));
    }
    faults
}

fn fixed_shape(shape: &FixedShape, statistics: &FeatureView<'_>, legacy: bool) -> Option<Fault> {
    let fault = |text: String| Some(Fault::new(Type::InvalidFeatureShape, "Feature not of its shape", text));
    let sizes: Vec<String> = shape.dim.iter().map(|dim| dim.size().to_string()).collect();
    let sizes = format!("[{}]", sizes.join(", "));
    if !legacy
        && let Some(missing) = statistics.missing_by_level().into_iter().find(|missing| *missing != 0.0)
    {
        return fault(format!(
            "The schema has the shape {sizes}, the feature is missing {} times.",
            number(missing)
        ));
    }
    let product = |mut sizes: Box<dyn Iterator<Item = i64> + '_>| sizes.try_fold(1_i64, i64::checked_mul);
    let wanted = product(Box::new(shape.dim.iter().map(|dim| dim.size())));
    let levels = statistics.counts_by_level();
    let Some(counts) = levels.iter().copied().map(fixed).collect::<Option<Vec<_>>>() else {
        let bounds: Vec<String> = levels.iter().map(|(least, most)| format!("{least} to {most}")).collect();
        let bounds = bounds.join(" times ");
        return fault(format!("The schema has the shape {sizes}, examples have {bounds} values."));
    };
    let found = product(Box::new(counts.into_iter()));
    if found.is_some() && found == wanted {
        return None;
    }
    let found = found.map_or_else(|| "too many".to_owned(), |found| found.to_string());
    fault(format!("The schema has the shape {sizes}, examples have {found} values."))
}

/// Holds the number of examples that have a feature against its presence.
pub(super) fn presence(feature: &Feature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let Some(PresenceConstraints::Presence(presence)) = &feature.presence_constraints else {
        return Vec::new();
    };
    let mut faults = Vec::new();
    let present = statistics.num_present();
    if let Some(min) = presence.min_count.filter(|min| present < *min as f64) {
        let text =
            format!("The schema asks for {min} examples with the feature, {} have it.", number(present));
        faults.push(Fault::new(Type::FeatureTypeLowNumberPresent, "Column dropped", text));
    }
    let (Some(min), Some(found)) = (presence.min_fraction, statistics.fraction_present()) else {
        return faults;
    };
    // A missing example among very many is lost in the quotient.
    if found < min.min(1.0) || (min >= 1.0 && statistics.num_missing() != 0.0) {
        let missing = statistics.num_missing();
        let (min, found, missing) = (number(min), number(found), number(missing));
        let text = format!(
            "The schema asks for the feature in {min} of all examples, {found} have it ({missing} lack it)."
        );
        faults.push(Fault::new(Type::FeatureTypeLowFractionPresent, "Column dropped", text));
    }
    faults
}

/// Holds the number of different values against its bounds.
pub(super) fn unique(feature: &Feature, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let Some(constraints) = &feature.unique_constraints else { return Vec::new() };
    let Some(unique) = statistics.num_unique() else {
        let text = "The schema bounds the number of different values, which were not counted: they are counted of strings and categories.";
        return vec![Fault::new(Type::FeatureTypeNoUnique, "Different values not counted", text)];
    };
    let unique = i64::try_from(unique).unwrap_or(i64::MAX);
    let mut faults = Vec::new();
    if let Some(min) = constraints.min.filter(|min| unique < *min) {
        let text = format!("The schema asks for at least {min} different values, there are {unique}.");
        faults.push(Fault::new(Type::FeatureTypeLowUnique, "Few different values", text));
    }
    if let Some(max) = constraints.max.filter(|max| unique > *max) {
        let text = format!("The schema asks for at most {max} different values, there are {unique}.");
        faults.push(Fault::new(Type::FeatureTypeHighUnique, "Many different values", text));
    }
    faults
}
