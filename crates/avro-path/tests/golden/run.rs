//! Answers of this project to cases.

use std::sync::Arc;

use avro_path::AvroSchema;
use avro_path::program::KeyOptions;
use golden_cases::{Case, base64};
use tensor_repr::Tensor;

use super::bind::Features;
use super::data::{self, Records};
use super::features;

/// The answer to a case.
pub(super) enum Answer {
    /// Tensors, batch by batch, and what ended them too early.
    Batches(Vec<Vec<(Arc<str>, Tensor)>>, Option<String>),
    /// Records of a schema, and what ended them too early.
    Records(Option<AvroSchema>, Records),
}

pub(super) fn run(case: &Case) -> Answer {
    let answer = match case.inputs["call"].as_str().expect("a call") {
        "parse_avro" => parse(case),
        "make_avro_record_dataset" => dataset(case),
        "AvroRecordDataset" => records(case),
        other => panic!("a call of {other}"),
    };
    answer.unwrap_or_else(|error| Answer::Batches(Vec::new(), Some(error)))
}

/// Returns an option of the call that is a number.
pub(super) fn number(case: &Case, option: &str) -> Option<usize> {
    case.inputs["options"][option].as_u64().map(|number| usize::try_from(number).unwrap())
}

fn schema(case: &Case) -> Result<Option<AvroSchema>, String> {
    let text = case.inputs["reader_schema"].as_str();
    text.map(AvroSchema::parse).transpose().map_err(|error| error.to_string())
}

fn features(case: &Case, schema: &AvroSchema) -> Result<Features, String> {
    let specs = features::specs(&case.inputs["features"]).map_err(|error| error.to_string())?;
    Features::new(schema, &specs, KeyOptions::stored()).map_err(|error| error.to_string())
}

/// Reads data of the reader's schema, cut into batches.
fn parse(case: &Case) -> Result<Answer, String> {
    let features = features(case, &schema(case)?.expect("a schema"))?;
    let data = case.inputs["serialized"].as_array().expect("data").iter().map(base64).collect::<Vec<_>>();
    let size = number(case, "batch_size").unwrap_or(data.len()).max(1);
    if data.is_empty() {
        return Ok(batches(&features, [&data[..]].into_iter(), None));
    }
    Ok(batches(&features, data.chunks(size), None))
}

/// Files, read again and again, cut into batches.
fn dataset(case: &Case) -> Result<Answer, String> {
    let schema = schema(case)?.expect("a schema");
    let features = features(case, &schema)?;
    let Records { records, error } = data::read(case, Some(&schema));
    let size = number(case, "batch_size").expect("a batch size");
    let epochs = number(case, "num_epochs");
    let taken = number(case, "take_batches");
    let count = match (epochs, taken) {
        _ if error.is_some() => records.len(),
        (Some(epochs), _) => records.len() * epochs,
        (None, Some(batches)) => batches * size,
        (None, None) => panic!("a data set without an end"),
    };
    let drop_final = case.inputs["options"]["drop_final_batch"] == true || epochs.is_none();
    let all = records.iter().cycle().take(count).collect::<Vec<_>>();
    let chunks = all.chunks(size).filter(|chunk| !drop_final || chunk.len() == size);
    Ok(batches(&features, chunks.take(taken.unwrap_or(usize::MAX)), error))
}

fn batches<'a, D: AsRef<[u8]> + 'a>(
    features: &Features,
    chunks: impl Iterator<Item = &'a [D]>,
    error: Option<String>,
) -> Answer {
    let mut batches = Vec::new();
    for chunk in chunks {
        match features.tensors(chunk) {
            Ok(tensors) => batches.push(tensors),
            Err(error) => return Answer::Batches(batches, Some(error.to_string())),
        }
    }
    Answer::Batches(batches, error)
}

/// Records as they are, of the reader's schema.
fn records(case: &Case) -> Result<Answer, String> {
    let schema = schema(case)?;
    let records = data::read(case, schema.as_ref());
    Ok(Answer::Records(schema, records))
}
