//! Kinds `kmv_sketch`, `misra_gries_sketch` and `quantiles_sketch`: the same state and the same results, to the byte.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{ArrayRef, FixedSizeListArray};
use golden_cases::{Case, arrow, base64, equal, equal_json};
use serde_json::{Value, json};
use tfxio_stats::{Error, Kmv, MisraGries, Quantiles};

use super::check;
use super::steps::{Sketch, sketch_of};

pub(super) fn kmv(case: &Case, expected: &Value) -> Result<(), String> {
    check(sketch_of::<Kmv>(&case.inputs), expected, |sketch, ok| {
        equal(&sketch.to_bytes(), &base64(&ok["state"]))?;
        equal(&sketch.estimate(), &ok["estimate"].as_u64().expect("a number"))?;
        reloaded(sketch, &ok["state"], Kmv::from_bytes, Kmv::to_bytes)
    })
}

pub(super) fn misra_gries(case: &Case, expected: &Value) -> Result<(), String> {
    check(sketch_of::<MisraGries>(&case.inputs), expected, |sketch, ok| {
        let estimate: ArrayRef = Arc::new(sketch.estimate());
        arrow::same_array(&estimate, &arrow::array(&ok["estimate"]["array"]))?;
        equal(&sketch.to_bytes(), &base64(&ok["state"]))?;
        reloaded(sketch, &ok["state"], MisraGries::from_bytes, MisraGries::to_bytes)
    })
}

pub(super) fn quantiles(case: &Case, expected: &Value) -> Result<(), String> {
    let ask = case.inputs["ask"].as_array().expect("numbers of quantiles").clone();
    let answers = sketch_of::<Quantiles>(&case.inputs).and_then(|sketch| {
        let answers = ask.iter().map(|number| answer(&sketch, number)).collect::<Result<Vec<_>, Error>>()?;
        Ok((sketch, answers))
    });
    check(answers, expected, |(sketch, answers), ok| {
        equal(&sketch.to_bytes(), &base64(&ok["state"]))?;
        equal_json(&json!(answers), &ok["answers"])?;
        reloaded(sketch, &ok["state"], Quantiles::from_bytes, Quantiles::to_bytes)
    })
}

/// Checks that their state gives our state.
fn reloaded<S: Sketch>(
    _: &S,
    state: &Value,
    from_bytes: fn(&[u8]) -> Result<S, Error>,
    to_bytes: fn(&S) -> Vec<u8>,
) -> Result<(), String> {
    let state = base64(state);
    equal(&to_bytes(&from_bytes(&state).map_err(|error| error.to_string())?), &state)
}

fn answer(sketch: &Quantiles, number: &Value) -> Result<Value, Error> {
    let number = usize::try_from(number.as_u64().expect("a number")).unwrap();
    let (quantiles, weights) = sketch.quantiles_and_cumulative_weights(number)?;
    assert_eq!(sketch.quantiles(number)?, quantiles);
    Ok(json!({"quantiles": lists(&quantiles), "weights": lists(&weights)}))
}

/// Returns the lists of the streams that have values; theirs leaves out the others.
fn lists(array: &FixedSizeListArray) -> Vec<Vec<Value>> {
    array
        .iter()
        .flatten()
        .map(|list| list.as_primitive::<Float64Type>().values().iter().map(float).collect())
        .collect()
}

fn float(value: &f64) -> Value {
    match value {
        value if value.is_nan() => json!("NaN"),
        &f64::INFINITY => json!("Infinity"),
        &f64::NEG_INFINITY => json!("-Infinity"),
        value => json!(value),
    }
}
