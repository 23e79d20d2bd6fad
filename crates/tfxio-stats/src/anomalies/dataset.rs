//! The data set as a whole.

use super::Fault;
use super::validate::Validation;
use crate::number_text::number;
use crate::proto::tfmd::NumericValueComparator;
use crate::proto::tfmd::anomaly_info::Type;
use crate::view::DatasetView;

const FEW: &str = "Low number of examples";
const MANY: &str = "High number of examples";

/// Holds the number of examples against bounds, and against that of other data.
pub(super) fn check(validation: &Validation<'_>, view: &DatasetView<'_>) -> Vec<Fault> {
    let Some(constraints) = &validation.schema.dataset_constraints else { return Vec::new() };
    let mut faults = Vec::new();
    let pairs = [
        (&constraints.num_examples_drift_comparator, &validation.previous, "the earlier data"),
        (&constraints.num_examples_version_comparator, &validation.previous_version, "the earlier version"),
    ];
    for (comparator, control, name) in pairs {
        if let (Some(comparator), Some(control)) = (comparator, control) {
            faults.extend(compare(*comparator, view.num_examples(), control.num_examples(), name));
        }
    }
    let found = view.num_examples();
    if let Some(min) = constraints.min_examples_count.filter(|min| found < *min as f64) {
        let text = format!("The schema asks for at least {min} examples, there are {}.", number(found));
        faults.push(Fault::new(Type::DatasetLowNumExamples, FEW, text));
    }
    if let Some(max) = constraints.max_examples_count.filter(|max| found > *max as f64) {
        let text = format!("The schema asks for at most {max} examples, there are {}.", number(found));
        faults.push(Fault::new(Type::DatasetHighNumExamples, MANY, text));
    }
    faults
}

fn compare(comparator: NumericValueComparator, found: f64, control: f64, name: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let quotient = found / control;
    let told = |bound: &str, threshold: f64| {
        let (found, control) = (number(found), number(control));
        let (quotient, threshold) = (number(quotient), number(threshold));
        format!(
            "There are {found} examples, {control} in {name}: {quotient} times as many, the schema asks for {bound} {threshold}."
        )
    };
    if let Some(max) = comparator.max_fraction_threshold {
        if control == 0.0 {
            let text = format!("There are {} examples, none in {name}.", number(found));
            faults.push(Fault::new(Type::ComparatorHighNumExamples, MANY, text));
        } else if quotient > max {
            faults.push(Fault::new(Type::ComparatorHighNumExamples, MANY, told("at most", max)));
        }
    }
    if let Some(min) = comparator.min_fraction_threshold
        && control != 0.0
        && quotient < min
    {
        faults.push(Fault::new(Type::ComparatorLowNumExamples, FEW, told("at least", min)));
    }
    faults
}
