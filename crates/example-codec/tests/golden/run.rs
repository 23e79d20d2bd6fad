//! Runs of the inputs of a case, checked against the expected results.

use arrow_array::RecordBatch;
use example_codec::{
    EncoderOptions, ExampleDecoder, ExampleEncoder, append_raw_record_column, example_to_arrays,
};
use golden_cases::{Case, Failure, arrow, base64, check, equal_json};
use serde_json::{Value, json};
use tfxio_core::Origin;

use super::{examples, render, sequence, tfmd};

/// Runs a case.
pub(super) fn run(case: &Case, expected: &Value) -> Result<(), String> {
    let inputs = &case.inputs;
    match case.kind.as_str() {
        "decode_examples" => check_batch(decode(inputs), expected),
        "decode_examples_arrow_schema" => {
            check(arrow_schema(inputs), expected, |ours, ok| arrow::same_schema(ours, &arrow::schema(ok)))
        }
        "decode_examples_reuse" => check(decoder(inputs), expected, |_, ok| reuse(inputs, ok)),
        "example_to_numpy_dict" => {
            let ours = example_to_arrays(&base64(&inputs["example"]["b64"]));
            check(ours.map_err(Failure::on_call), expected, |ours, ok| {
                equal_json(&examples::arrays(ours), ok)
            })
        }
        "decode_sequence_examples" => check_batch(sequence::decode(inputs), expected),
        "decode_sequence_examples_arrow_schema" => {
            check(sequence::arrow_schema(inputs), expected, |ours, ok| {
                arrow::same_schema(ours, &arrow::schema(ok))
            })
        }
        "append_raw_record_column" => check_batch(append(inputs), expected),
        "encode_examples" => check(encode(inputs), expected, |ours, ok| {
            equal_json(&json!({"examples": ours.iter().map(|e| examples::parsed(e)).collect::<Value>()}), ok)
        }),
        other => Err(format!("the harness does not know the kind {other}")),
    }
}

fn decoder(inputs: &Value) -> Result<ExampleDecoder, Failure> {
    let mut builder = ExampleDecoder::builder();
    if !inputs["schema"].is_null() {
        let schema = tfmd::convert(&base64(&inputs["schema"]["b64"])).map_err(Failure::on_construction)?;
        builder = builder.schema(schema);
    }
    builder.build().map_err(Failure::on_construction)
}

fn decode(inputs: &Value) -> Result<RecordBatch, Failure> {
    decode_batch(&mut decoder(inputs)?, &inputs["examples"])
}

/// Decodes one batch; after an error the rows that came before it are taken out, as a reader that gives up does.
fn decode_batch(decoder: &mut ExampleDecoder, examples: &Value) -> Result<RecordBatch, Failure> {
    let mut error = None;
    for (index, example) in examples.as_array().expect("examples").iter().enumerate() {
        if let Err(e) = decoder.push(&base64(&example["b64"]), Origin::record(index as u64)) {
            error = Some(e);
            break;
        }
    }
    let batch = decoder.flush().map_err(Failure::on_call)?;
    error.map_or(Ok(batch), |error| Err(Failure::on_call(error)))
}

fn arrow_schema(inputs: &Value) -> Result<arrow_schema::SchemaRef, Failure> {
    decoder(inputs)?.schema().ok_or_else(|| Failure::on_call("the schema depends on the records"))
}

/// Decodes several batches by one decoder, each with its own expectation.
fn reuse(inputs: &Value, expected: &Value) -> Result<(), String> {
    let mut decoder = decoder(inputs).map_err(|failure| failure.to_string())?;
    let batches = inputs["batches"].as_array().expect("batches");
    let expected = expected.as_array().expect("a list");
    if batches.len() != expected.len() {
        return Err("the case has more batches than answers".to_owned());
    }
    for (index, (batch, expected)) in batches.iter().zip(expected).enumerate() {
        check_batch(decode_batch(&mut decoder, batch), expected)
            .map_err(|why| format!("batch {index}: {why}"))?;
    }
    Ok(())
}

fn append(inputs: &Value) -> Result<RecordBatch, Failure> {
    let records = inputs["raw_records_b64"].as_array().expect("records").iter().map(base64);
    append_raw_record_column(
        &arrow::batch(&inputs["record_batch"]),
        inputs["column_name"].as_str().expect("a name"),
        &records.collect::<Vec<_>>(),
        inputs["record_index_column_name"].as_str(),
    )
    .map_err(Failure::on_call)
}

/// Encodes a batch. An encoder may refuse it when it is built: an error that the values do not cause may come early.
fn encode(inputs: &Value) -> Result<Vec<Vec<u8>>, Failure> {
    // As TFX, which refuses them.
    let mut options = EncoderOptions::default().scalars(false);
    if !inputs["schema"].is_null() {
        let ragged = tfmd::ragged_features(&base64(&inputs["schema"]["b64"]));
        options = options.ragged_features(ragged.map_err(Failure::on_construction)?);
    }
    let batch = arrow::batch(&inputs["record_batch"]);
    let encoder =
        ExampleEncoder::builder(&batch.schema()).options(options).build().map_err(Failure::on_call)?;
    encoder.encode_to_vec(&batch).map_err(Failure::on_call)
}

fn check_batch(ours: Result<RecordBatch, Failure>, expected: &Value) -> Result<(), String> {
    check(ours, expected, |ours, ok| {
        if ok["ipc"].is_null() {
            equal_json(&render::columns(ours), &ok["columns"])
        } else {
            arrow::same_batch(ours, &arrow::batch(ok))
        }
    })
}
