//! Kind `tensor_adapter`: columns as tensors.

use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tensor_repr::{Adapter, Error, Representation};

use super::tensors;

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let adapter = match construct(&case.inputs) {
        Ok(adapter) => adapter,
        Err(error) => return check(Err::<(), _>(Failure::early(error)), expected, |(), _| Ok(())),
    };
    let batch = Some(&case.inputs["record_batch"]).filter(|batch| !batch.is_null());
    let made = batch.map(|batch| adapter.tensors(&arrow::batch(batch))).transpose();
    check(made.map_err(Failure::on_call), expected, |made, ok| {
        let specs = ok["type_specs"].as_object().expect("specs");
        same_names(adapter.specs().iter().map(|(name, _)| &**name), specs.keys())?;
        for (name, spec) in adapter.specs() {
            let expected = tensors::spec(&specs[&**name]);
            if *spec != expected {
                return Err(format!("the spec of {name} is {spec} instead of {expected}"));
            }
        }
        let (Some(made), Some(expected)) = (made, ok["tensors"].as_object()) else {
            return if ok["tensors"].is_null() { Ok(()) } else { Err("no tensors".to_owned()) };
        };
        same_names(made.iter().map(|(name, _)| &**name), expected.keys())?;
        for ((name, tensor), (_, spec)) in made.iter().zip(adapter.specs()) {
            let expected = tensors::tensor(&expected[&**name])?;
            if *tensor != expected {
                return Err(format!("{name} is {tensor:?} instead of {expected:?}"));
            }
            if !spec.accepts(tensor) {
                return Err(format!("{name} is {}, its spec {spec}", tensor.spec()));
            }
        }
        Ok(())
    })
}

fn construct(inputs: &Value) -> Result<Adapter, Error> {
    let mut representations = Vec::new();
    for (name, value) in inputs["tensor_representations"].as_object().expect("representations") {
        representations.push((name.as_str(), Representation::from_proto(&base64(&value["b64"]))?));
    }
    let adapter = Adapter::builder(arrow::schema(&inputs["arrow_schema"]), representations);
    match inputs["original_type_specs"].as_object() {
        None => adapter.build(),
        Some(specs) => {
            let specs = specs.iter().map(|(name, spec)| (name.as_str().into(), tensors::spec(spec)));
            adapter.original_specs(specs.collect()).build()
        }
    }
}

fn same_names<'a>(
    ours: impl Iterator<Item = &'a str>,
    expected: impl Iterator<Item = &'a String>,
) -> Result<(), String> {
    let (mut ours, mut expected) =
        (ours.collect::<Vec<_>>(), expected.map(String::as_str).collect::<Vec<_>>());
    ours.sort_unstable();
    expected.sort_unstable();
    equal(&ours, &expected).map_err(|why| format!("tensors {why}"))
}
