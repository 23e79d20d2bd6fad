//! Comparison of an answer with the expected one.

use std::sync::Arc;

use avro_path::container::ContainerReader;
use avro_path::datum::{DatumReader, write_json};
use avro_path::{AvroSchema, Limits};
use golden_cases::{Case, base64};
use serde_json::Value;
use tensor_repr::Tensor;

use super::run::Answer;
use super::tensors;

/// Compares the answer with `expected`: tensors, batches, records, or an error, which may follow some of them. The text
/// of the error is not compared, nor the number of records before it if nothing else is expected.
pub(super) fn compare(case: &Case, answer: &Answer, expected: &Value) -> Result<(), String> {
    let fails = expected.get("error").is_some();
    match (answer, expected["batches"].as_array(), expected["records_b64"].as_array()) {
        (Answer::Batches(ours, error), Some(batches), _) => {
            if ours.len() != batches.len() {
                return Err(format!("{} batches instead of {}, then {error:?}", ours.len(), batches.len()));
            }
            for (ours, batch) in ours.iter().zip(batches) {
                same_tensors(ours, &batch["tensors"])?;
            }
            same_end(error.as_deref(), fails)
        }
        (Answer::Records(schema, ours), _, Some(records)) => {
            let schema = schema.clone().unwrap_or_else(|| schema_of(case));
            let expected = records.iter().map(|record| json(&schema, &base64(record))).collect::<Vec<_>>();
            let found = ours.records.iter().map(|record| json(&schema, record)).collect::<Vec<_>>();
            if found != expected {
                return Err(format!("records {found:?} instead of {expected:?}"));
            }
            same_end(ours.error.as_deref(), fails)
        }
        (Answer::Batches(_, error), None, None) if fails => same_end(error.as_deref(), true),
        (Answer::Records(_, ours), None, None) if fails => same_end(ours.error.as_deref(), true),
        (Answer::Batches(ours, error), None, None) => match (ours.as_slice(), error) {
            ([ours], None) => same_tensors(ours, &expected["tensors"]),
            (_, error) => Err(format!("{} batches, then {error:?}", ours.len())),
        },
        _ => Err("another kind of answer is expected".to_owned()),
    }
}

fn same_end(error: Option<&str>, expected: bool) -> Result<(), String> {
    match (error, expected) {
        (Some(_), true) | (None, false) => Ok(()),
        (Some(error), false) => Err(format!("error: {error}")),
        (None, true) => Err("no error".to_owned()),
    }
}

fn same_tensors(ours: &[(Arc<str>, Tensor)], expected: &Value) -> Result<(), String> {
    let expected = expected.as_object().ok_or("no tensors are expected")?;
    if ours.len() != expected.len() {
        return Err(format!("{} tensors instead of {}", ours.len(), expected.len()));
    }
    for (name, tensor) in ours {
        let expected = expected.get(&**name).ok_or_else(|| format!("there is no {name}"))?;
        let expected = tensors::tensor(expected).map_err(|error| error.to_string())?;
        if *tensor != expected {
            return Err(format!("{name} is {tensor:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// Returns a datum as text that is the same for all ways of cutting arrays into blocks.
fn json(schema: &AvroSchema, datum: &[u8]) -> String {
    let mut reader = DatumReader::new(datum);
    let mut out = Vec::new();
    write_json(schema, &mut reader, &Limits::default(), &mut out).expect("a datum");
    assert!(reader.is_empty(), "bytes behind a datum");
    String::from_utf8(out).expect("JSON")
}

/// Returns the schema of the only file.
fn schema_of(case: &Case) -> AvroSchema {
    let bytes = base64(&case.inputs["files"][0]["b64"]);
    ContainerReader::new(&bytes[..]).expect("a container").header().schema().clone()
}
