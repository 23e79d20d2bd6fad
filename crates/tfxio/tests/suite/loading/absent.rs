//! Absent features get their defaults, however the format represents their absence.

use golden_cases::proto::tensorflow::feature::Kind;
use golden_cases::proto::tensorflow::{
    Feature, FeatureList, FeatureLists, Features, Int64List, SequenceExample,
};
use prost::Message as _;
use tfxio::LoaderConfig;
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::tfrecord_io::FileWriter;

use super::test_records::{ENDINGS, FEATURES, Made, rows};
use super::{config, in_every_way, loader};

const LISTS: &str = r#", "padding": true, "shuffle": true, "num_shuffle_buffer_elements": 7, "defaults": [
    {"tensor": "v", "value": [7, 8]}, {"tensor": "w", "value": [0.25]}, {"tensor": "s", "value": ["none"]}]"#;
const SCALARS: &str = r#", "padding": true, "shuffle": true, "num_shuffle_buffer_elements": 7, "defaults": [
    {"tensor": "v", "value": [7, 8]}, {"tensor": "w", "value": 0.25}, {"tensor": "s", "value": "none"}]"#;

#[test]
fn every_format_gets_the_same_defaults() {
    let made = Made::new(rows(true));
    let config = config(&FEATURES, LISTS);
    let expected = in_every_way(&|| loader(&made.open("tfrecord"), &config), "tfrecord");
    let texts = expected.iter().flatten().flat_map(|(_, values)| values).collect::<Vec<_>>();
    assert!(
        texts.iter().any(|text| *text == "0.25") && texts.iter().any(|text| *text == "[110, 111, 110, 101]")
    );
    // A repeated field of a message cannot be told from one that is empty.
    for ending in ENDINGS.into_iter().filter(|ending| *ending != "messages") {
        let dataset = made.open(ending);
        assert_eq!(in_every_way(&|| loader(&dataset, &config), ending), expected, "{ending}");
    }
    // What a program writes by hand: members that are missing.
    let lines = made.names("tfrecord").map(|input| {
        let output = input.replace(".tfrecord", ".hand.jsonl");
        Conversion::builder([input.as_str()], output.as_str()).build().unwrap().run(|_| {}).unwrap();
        let text = std::fs::read_to_string(&output).unwrap();
        assert!(text.contains("null"), "{text}");
        let text =
            ["v", "w", "s"].iter().fold(text, |text, name| text.replace(&format!(", \"{name}\": null"), ""));
        assert!(!text.contains("null"), "{text}");
        std::fs::write(&output, text).unwrap();
        output
    });
    let dataset = tfxio::open(lines).unwrap();
    assert_eq!(in_every_way(&|| loader(&dataset, &config), "missing members"), expected);
}

#[test]
fn columns_of_single_values_get_them_too() {
    let made = Made::new(rows(true));
    let config = config(&FEATURES, SCALARS);
    let mut found = ["parquet", "arrow"].map(|ending| {
        let outputs = made.names("tfrecord").map(|input| {
            let output = input.replace(".tfrecord", &format!(".scalars.{ending}"));
            let conversion = Conversion::builder([input], output.as_str()).scalars(true).text(true);
            conversion.build().unwrap().run(|_| {}).unwrap();
            output
        });
        let dataset = tfxio::open(outputs).unwrap();
        assert!(!dataset.schema().field_with_name("w").unwrap().data_type().is_nested());
        in_every_way(&|| loader(&dataset, &config), ending)
    });
    assert_eq!(found[0], found[1]);
    // But for the dimension of one value the same as of lists.
    let lists = config_of_lists(&made);
    found[0].iter_mut().flatten().filter(|(shape, _)| shape.len() == 1).for_each(|(shape, _)| shape.push(1));
    assert_eq!(found[0], lists);
}

fn config_of_lists(made: &Made) -> Vec<Vec<super::Plain>> {
    let config = config(&FEATURES, LISTS);
    in_every_way(&|| loader(&made.open("tfrecord"), &config), "lists")
}

#[test]
fn missing_feature_lists_get_steps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    let ints = |values: &[i64]| Feature { kind: Some(Kind::Int64List(Int64List { value: values.to_vec() })) };
    let mut writer = FileWriter::create(&path).unwrap();
    for id in 0..9 {
        let steps = (0..id % 4).map(|at| ints(&[10 * id + at])).collect();
        let list = [("v".to_owned(), FeatureList { feature: steps })];
        let lists = list.into_iter().filter(|_| id % 3 > 0).collect();
        let context = [("id".to_owned(), ints(&[id]))].into_iter().filter(|_| id != 4).collect();
        let record = SequenceExample {
            context: Some(Features { feature: context }),
            feature_lists: Some(FeatureLists { feature_list: lists }),
        };
        writer.write(&record.encode_to_vec()).unwrap();
    }
    writer.finish().unwrap();
    let dataset = OpenOptions::new().format("sequence_example").open(path.to_str().unwrap()).unwrap();
    let given = config(&["id", "v"], "");
    let error = loader(&dataset, &given).build().unwrap().next_batch().unwrap_err().to_string();
    assert!(error.contains("record 0, tensor \"v\": the record lacks the feature"), "{error}");
    // A manifest says how many values a step has.
    let features = r#"{"name": "id", "dtype": "int64", "shape": [], "var_len": false, "deserialize_type": "int"},
        {"name": "v", "dtype": "int64", "shape": [], "var_len": true, "deserialize_type": "int"}"#;
    let manifest = format!(r#"{{"compression": null, "allow_var_len": true, "features": [{features}]}}"#);
    std::fs::write(folder.path().join("__manifest__.json"), manifest).unwrap();
    let text = r#"{"type": "independent", "dataset": {"type": "dir", "args": {"data_dir": "."}}, "target_batch_size": 4, "seed": 5,
        "primary_features": [{"from_name": "id", "to_name": "id"}, {"from_name": "v", "to_name": "v"}],
        "padding": [{"tensor": "v", "value": -1}],
        "defaults": [{"tensor": "id", "value": -4}, {"tensor": "v", "value": [5]}]}"#;
    let build = || {
        let config = LoaderConfig::from_json(text).unwrap();
        tfxio::loader(config).inputs(["id", "v"]).base_dir(folder.path())
    };
    let found = in_every_way(&build, "sequences");
    let steps = ["5", "-1", "10", "-1", "20", "21", "5", "-1"].map(String::from);
    assert_eq!(found[0][1], (vec![4, 2], steps.into()));
    let values = found.iter().flat_map(|batch| &batch[0].1).take(9).collect::<Vec<_>>();
    assert_eq!(values, ["0", "1", "2", "3", "-4", "5", "6", "7", "8"]);
}
