//! Runs of the decoder of SequenceExamples on the inputs of a case.

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use example_codec::SequenceExampleDecoder;
use golden_cases::{Failure, base64};
use serde_json::Value;
use tfxio_core::Origin;

use super::tfmd;

fn decoder(inputs: &Value) -> Result<SequenceExampleDecoder, Failure> {
    let column = inputs["sequence_feature_column_name"].as_str().expect("a name");
    let mut builder = SequenceExampleDecoder::builder().sequence_column(column);
    if !inputs["schema"].is_null() {
        let schema = tfmd::convert_sequence(&base64(&inputs["schema"]["b64"]), column);
        builder = builder.schema(schema.map_err(Failure::on_construction)?);
    }
    builder.build().map_err(Failure::on_construction)
}

pub(super) fn decode(inputs: &Value) -> Result<RecordBatch, Failure> {
    let mut decoder = decoder(inputs)?;
    for (index, example) in inputs["sequence_examples"].as_array().into_iter().flatten().enumerate() {
        decoder.push(&base64(&example["b64"]), Origin::record(index as u64)).map_err(Failure::on_call)?;
    }
    decoder.flush().map_err(Failure::on_call)
}

pub(super) fn arrow_schema(inputs: &Value) -> Result<SchemaRef, Failure> {
    decoder(inputs)?.schema().ok_or_else(|| Failure::on_call("the schema depends on the records"))
}
