//! Kind `tensors_to_record_batch`: tensors as columns.

use std::collections::BTreeMap;

use golden_cases::{Case, Failure, arrow, base64, check, equal};
use serde_json::Value;
use tensor_repr::{Representation, TensorsToArrow};

use super::tensors;

pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let converter = match construct(&case.inputs) {
        Ok(converter) => converter,
        Err(error) => return check(Err::<(), _>(Failure::early(error)), expected, |(), _| Ok(())),
    };
    let batch = case.inputs["tensors"].as_object().map(|given| {
        let tensor = |(name, value): (&String, _)| Ok((name.as_str().into(), tensors::tensor(value)?));
        let tensors = given.iter().map(tensor).collect::<Result<Vec<_>, String>>()?;
        converter.convert(&tensors).map_err(|error| error.to_string())
    });
    let batch = batch.transpose().map_err(Failure::on_call);
    check(batch, expected, |batch, ok| {
        arrow::same_schema(converter.arrow_schema(), &arrow::schema(&ok["arrow_schema"]))?;
        same_representations(&converter, &ok["tensor_representations"])?;
        match batch {
            Some(batch) => arrow::same_batch(batch, &arrow::batch(&ok["record_batch"])),
            None if ok["record_batch"].is_null() => Ok(()),
            None => Err("no tensors for the expected batch".to_owned()),
        }
    })
}

fn construct(inputs: &Value) -> Result<TensorsToArrow, tensor_repr::Error> {
    let specs = inputs["type_specs"].as_object().expect("specs").iter();
    let options = &inputs["options"];
    let text = |name: &str| options[name].as_str().expect("a template").to_owned();
    let generic = options["generic_sparse_tensor_names"].as_array().expect("names").iter();
    TensorsToArrow::builder(specs.map(|(name, spec)| (name.as_str(), tensors::spec(spec))))
        .sparse_value_column(text("sparse_tensor_value_column_name_template"))
        .sparse_index_column(text("sparse_tensor_index_column_name_template"))
        .generic_sparse_tensors(generic.map(|name| name.as_str().unwrap()))
        .build()
}

/// Compares representations by meaning: members with their defaults may be given or left out.
fn same_representations(converter: &TensorsToArrow, expected: &Value) -> Result<(), String> {
    let mut ours = BTreeMap::new();
    for (name, representation) in converter.tensor_representations() {
        representation.to_proto().map_err(|error| error.to_string())?;
        ours.insert(name.to_string(), representation.clone());
    }
    let expected = expected
        .as_object()
        .expect("representations")
        .iter()
        .map(|(name, value)| (name.clone(), Representation::from_proto(&base64(&value["b64"])).unwrap()));
    equal(&ours, &expected.collect())
}
