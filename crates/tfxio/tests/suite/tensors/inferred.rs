//! Schemas that were inferred from data: the data satisfies them, and tensors are made by them.

use std::sync::Arc;

use super::records::{File, example, floats, ints, sequence_example, strings};
use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{
    BytesList, Example, Feature, FeatureList, FeatureLists, Features, FloatList, Int64List, SequenceExample,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use prost::Message as _;
use tfxio::prelude::*;
use tfxio::tensor_repr::{SchemaInference, SchemaValidation, TfmdSchema};

/// Writes the schema of records as text, and reads the same records as tensors by it.
fn round(records: Vec<Vec<u8>>, format: &str) -> String {
    let (count, file) = (records.len(), File::new(records));
    let options = || OpenOptions::new().format(format);
    let batches = |dataset: &Arc<dyn Dataset>| {
        dataset.read(ScanRequest::new()).unwrap().collect::<Result<Vec<_>, _>>().unwrap()
    };
    let inferred = batches(&options().open(file.name()).unwrap());
    let mut inference = SchemaInference::default();
    inferred.iter().for_each(|batch| inference.push(batch).unwrap());
    let text = inference.finish().unwrap().to_text();

    let schema = TfmdSchema::from_text(&text).unwrap();
    let mut validation = SchemaValidation::builder(&schema).build().unwrap();
    inferred.iter().for_each(|batch| validation.push(batch).unwrap());
    assert!(validation.finish().is_empty(), "{:?}\n{text}", validation.finish());

    // A schema without features has no brace.
    let path = file.path("schema.pbtxt");
    std::fs::write(&path, &text).unwrap();
    let dataset = options().set("schema", path).unwrap().open(file.name());
    let dataset = dataset.unwrap_or_else(|error| panic!("{error}\n{text}"));
    let mut rows = 0;
    for tensors in super::tensors(&dataset).read(ScanRequest::new()).unwrap() {
        rows += tensors.unwrap_or_else(|error| panic!("{error}\n{text}")).num_rows();
    }
    assert_eq!(rows, count, "{text}");
    // All columns by the schema: as they were without it.
    let by_schema = batches(&dataset);
    assert_eq!(by_schema.iter().map(|batch| batch.num_rows()).sum::<usize>(), count, "{text}");
    text
}

fn of_examples(records: Vec<Vec<u8>>) -> String {
    round(records, "example")
}

fn of_sequence_examples(records: Vec<Vec<u8>>) -> String {
    round(records, "sequence_example")
}

#[test]
fn a_feature_without_values_has_no_tensor() {
    let none = Feature { kind: None };
    let text = of_examples(vec![example([("a", none.clone()), ("b", floats(&[1.5]))])]);
    assert!(text.starts_with("feature {\n  name: \"a\"\n  lifecycle_stage: PLANNED\n}\n"), "{text}");
    let text = of_sequence_examples(vec![sequence_example(
        [("a", none.clone()), ("b", ints(&[1]))],
        [("s", vec![none]), ("t", vec![]), ("u", vec![strings(&["x"])])],
    )]);
    assert_eq!(text.matches("lifecycle_stage: PLANNED").count(), 3, "{text}");
}

/// A feature of one of the kinds, or of none.
fn feature(kind: u8) -> BoxedStrategy<Feature> {
    let lists = match kind {
        0 => vec(any::<i64>(), 0..4).prop_map(|value| Kind::Int64List(Int64List { value })).boxed(),
        1 => vec(any::<f32>(), 0..4).prop_map(|value| Kind::FloatList(FloatList { value })).boxed(),
        _ => vec(vec(any::<u8>(), 0..3), 0..4).prop_map(|value| Kind::BytesList(BytesList { value })).boxed(),
    };
    option::weighted(0.7, lists).prop_map(|kind| Feature { kind }).boxed()
}

/// A feature of the kind that goes with the name.
fn named() -> impl Strategy<Value = (String, Feature)> {
    (0..6u8).prop_flat_map(|at| {
        // Features 3 to 5 never have a value.
        let feature = if at < 3 { feature(at) } else { Just(Feature { kind: None }).boxed() };
        (Just(format!("f{at}")), feature)
    })
}

fn lists() -> impl Strategy<Value = (String, FeatureList)> {
    (0..6u8).prop_flat_map(|at| {
        let feature = if at < 3 { feature(at) } else { Just(Feature { kind: None }).boxed() };
        (Just(format!("s{at}")), vec(feature, 0..4).prop_map(|feature| FeatureList { feature }))
    })
}

fn features() -> impl Strategy<Value = Features> {
    vec(named(), 0..5).prop_map(|entries| Features { feature: entries.into_iter().collect() })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn of_any_examples(records in vec(features(), 1..12)) {
        of_examples(records.into_iter().map(|own| Example { features: Some(own) }.encode_to_vec()).collect());
    }

    #[test]
    fn of_any_sequence_examples(records in vec((features(), vec(lists(), 0..4)), 1..12)) {
        of_sequence_examples(records.into_iter().map(|(context, lists)| {
            let lists = FeatureLists { feature_list: lists.into_iter().collect() };
            SequenceExample { context: Some(context), feature_lists: Some(lists) }.encode_to_vec()
        }).collect());
    }
}
