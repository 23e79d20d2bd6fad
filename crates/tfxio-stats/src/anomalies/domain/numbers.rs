//! Integers and floats, also as text, against domains.

use crate::anomalies::Fault;
use crate::number_text::{number, quoted};
use crate::proto::tfmd::anomaly_info::Type;
use crate::proto::tfmd::feature_name_statistics::Type as ValueType;
use crate::proto::tfmd::{FloatDomain, IntDomain};
use crate::schema::integer;
use crate::view::FeatureView;

const OUT_OF_RANGE: &str = "Out-of-range values";
const INVALID: &str = "Invalid values";

pub(super) fn integers(domain: &IntDomain, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let texts = statistics.string_counts();
    let (least, most) = match statistics.value_type() {
        ValueType::Float | ValueType::Struct => return Vec::new(),
        ValueType::Int if texts.is_empty() => {
            let Some(numbers) = statistics.numbers() else { return Vec::new() };
            let limits = (i64::MIN as f64, i64::MAX as f64);
            let beyond = [numbers.min, numbers.max].into_iter().find(|at| *at < limits.0 || *at > limits.1);
            if let Some(beyond) = beyond {
                if domain.min.is_none() && domain.max.is_none() {
                    return Vec::new();
                }
                let text =
                    format!("The domain is one of 64-bit integers, and the data has {}.", number(beyond));
                return vec![Fault::new(Type::DomainInvalidForType, INVALID, text)];
            }
            // Within the limits above.
            #[allow(clippy::cast_possible_truncation, reason = "a conversion that saturates")]
            (numbers.min as i64, numbers.max as i64)
        }
        ValueType::Int | ValueType::String | ValueType::Bytes => {
            let mut bounds: Option<(i64, i64)> = None;
            for text in texts.into_keys() {
                let Some(value) = integer(text) else {
                    let text = format!("The domain is one of integers, and the data has {}.", quoted(text));
                    return vec![Fault::new(Type::IntTypeNotIntString, INVALID, text)];
                };
                let (least, most) = bounds.unwrap_or((value, value));
                bounds = Some((least.min(value), most.max(value)));
            }
            let Some(bounds) = bounds else { return Vec::new() };
            bounds
        }
    };
    let mut faults = Vec::new();
    if let Some(min) = domain.min.filter(|min| least < *min) {
        let text = format!("The domain begins at {min}, and the data has {least}.");
        faults.push(Fault::new(Type::IntTypeSmallInt, OUT_OF_RANGE, text));
    }
    if let Some(max) = domain.max.filter(|max| most > *max) {
        let text = format!("The domain ends at {max}, and the data has {most}.");
        faults.push(Fault::new(Type::IntTypeBigInt, OUT_OF_RANGE, text));
    }
    faults
}

pub(super) fn floats(domain: &FloatDomain, statistics: &FeatureView<'_>) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut bounds: Option<(f32, f32)> = None;
    let mut has_nan = false;
    match statistics.value_type() {
        ValueType::Float => {
            let Some(numbers) = statistics.numbers() else { return faults };
            has_nan = numbers.histograms.iter().any(|histogram| histogram.num_nan > 0);
            // The values are floats of 32 bits.
            #[allow(clippy::cast_possible_truncation, reason = "the least and the largest of them")]
            let range = (numbers.min as f32, numbers.max as f32);
            bounds = Some(range);
        }
        ValueType::String | ValueType::Bytes => {
            for text in statistics.string_counts().into_keys() {
                let Some(value) = float(text) else {
                    let text = format!("The domain is one of floats, and the data has {}.", quoted(text));
                    faults.push(Fault::new(Type::FloatTypeStringNotFloat, INVALID, text));
                    return faults;
                };
                has_nan |= value.is_nan();
                let (least, most) = bounds.unwrap_or((value, value));
                bounds = Some((least.min(value), most.max(value)));
            }
        }
        ValueType::Int | ValueType::Struct => return faults,
    }
    if has_nan && domain.disallow_nan() {
        let text = "The domain is one without NaN, and the data has it.";
        faults.push(Fault::new(Type::FloatTypeHasNan, INVALID, text));
    }
    let Some((least, most)) = bounds else { return faults };
    if let Some(min) = domain.min.filter(|min| least < *min) {
        let (min, least) = (number(f64::from(min)), number(f64::from(least)));
        let text = format!("The domain begins at {min}, and the data has {least}.");
        faults.push(Fault::new(Type::FloatTypeSmallFloat, OUT_OF_RANGE, text));
    }
    if let Some(max) = domain.max.filter(|max| most > *max) {
        let (max, most) = (number(f64::from(max)), number(f64::from(most)));
        let text = format!("The domain ends at {max}, and the data has {most}.");
        faults.push(Fault::new(Type::FloatTypeBigFloat, OUT_OF_RANGE, text));
    }
    if domain.disallow_inf() && (least.is_infinite() || most.is_infinite()) {
        let text = "The domain is one without infinities, and the data has one.";
        faults.push(Fault::new(Type::FloatTypeHasInf, INVALID, text));
    }
    faults
}

fn float(text: &str) -> Option<f32> {
    text.trim_matches(|c: char| c.is_ascii_whitespace()).parse().ok()
}
