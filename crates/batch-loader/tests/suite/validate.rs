//! Records compared with a schema: loading stops at the first that leaves it, or they are counted, in every order, by any number of
//! threads, after every restore.

use std::path::Path;

use batch_loader::config::{LoaderConfig, OnLeave, Validate};
use batch_loader::{Anomaly, BatchLoader, Kind, LoaderExt as _, LoaderState};
use tensor_repr::{FindingKind, TfmdSchema};
use tfrecord_io::Compression;

use crate::data;

const SHUFFLE: &str = r#""shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2, "#;
const GLOBAL: &str = r#""shuffle": "global", "#;

/// Numbers up to 9 and from 2000 on are in the domain.
const IDS: &str = r#"feature { name: "id" type: INT int_domain { min: 0 max: 2003 } }"#;

fn warn(schema: &str) -> Validate {
    Validate::new(&TfmdSchema::from_text(schema).unwrap()).on_leave(OnLeave::Warn)
}

fn config(dir: &Path, more: &str) -> LoaderConfig {
    let more = format!(r#"{more} "target_batch_size": 3, "drop_remainder": false, "epochs": 2, "seed": 5"#);
    data::config("independent", dir, "id", &more)
}

fn loader(config: &LoaderConfig) -> BatchLoader {
    data::builder(config.clone(), "id").build().unwrap()
}

fn ids(loader: &mut BatchLoader) -> Vec<i64> {
    data::rest(loader, "id").into_iter().flat_map(|(_, ids)| ids).collect()
}

/// All batches, and the anomalies after them.
fn all(config: &LoaderConfig) -> (Vec<i64>, Vec<Anomaly>) {
    let mut loader = loader(config);
    let ids = ids(&mut loader);
    (ids, loader.anomalies().to_vec())
}

#[test]
fn records_are_counted_in_every_order() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[700, 0, 11, 4], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let config = config(dir.path(), order);
        let (plain, none) = all(&config);
        assert!(none.is_empty());
        let (ids, anomalies) = all(&config.clone().validate(warn(IDS)));
        assert_eq!(ids, plain, "{order}");
        let [anomaly] = &anomalies[..] else { panic!("{order}: {anomalies:?}") };
        let outside = || ids.iter().filter(|id| **id > 2003);
        assert_eq!((&*anomaly.feature, anomaly.kind), ("id", FindingKind::Domain));
        assert_eq!((&*anomaly.expected, anomaly.count), ("values in 0 to 2003", outside().count() as u64));
        // The first that came out, whatever was read before it.
        let first = *outside().next().unwrap();
        assert_eq!(anomaly.found, first.to_string(), "{order}");
        assert_eq!(anomaly.record, (first % 1000) as u64);
        let file = format!("{:03}.tfrecord", first / 1000);
        assert!(anomaly.file.ends_with(&file), "{order}: {}", anomaly.file);
        assert!(anomaly.byte.is_some(), "TFRecord files say where records begin");
    }
}

#[test]
fn threads_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[300, 50, 20, 4], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let config = config(dir.path(), order).validate(warn(IDS));
        let expected = all(&config);
        for threads in [1, 2, 5] {
            let mut loader = data::builder(config.clone(), "id").threads(threads).build().unwrap();
            let ids = ids(&mut loader);
            assert_eq!((ids, loader.anomalies().to_vec()), expected, "{order} {threads}");
        }
    }
}

#[test]
fn states_go_on_counting() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[20, 5, 20, 9], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let config = config(dir.path(), order).validate(warn(IDS));
        let (_, expected) = all(&config);
        for batches in [0, 1, 5, 9, 17, 30] {
            let mut first = loader(&config);
            for _ in 0..batches {
                first.next_batch().unwrap();
            }
            let state = LoaderState::from_json(&first.state().to_json()).unwrap();
            assert_eq!(state.anomalies(), first.anomalies());
            let mut rest = data::builder(config.clone(), "id").state(state).build().unwrap();
            ids(&mut rest);
            assert_eq!(rest.anomalies(), expected, "{order} after {batches}");
        }
    }
    // A loader without a schema goes on from the state of one with it, and the other way around.
    let with = config(dir.path(), "").validate(warn(IDS));
    let mut first = loader(&with);
    for _ in 0..12 {
        first.next_batch().unwrap();
    }
    let mut rest = data::builder(config(dir.path(), ""), "id").state(first.state()).build().unwrap();
    ids(&mut rest);
    assert_eq!(rest.anomalies(), first.anomalies());
    let mut plain = loader(&config(dir.path(), ""));
    plain.next_batch().unwrap();
    let mut rest = data::builder(with.clone(), "id").state(plain.state()).build().unwrap();
    ids(&mut rest);
    assert_eq!(rest.anomalies(), all(&with).1);
}

#[test]
fn loading_stops_at_the_first_record_that_leaves() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[700, 5], Compression::None);
    let schema =
        TfmdSchema::from_text(r#"feature { name: "id" type: INT int_domain { min: 0 max: 601 } }"#).unwrap();
    for threads in [1, 3] {
        let config = config(dir.path(), "").validate(Validate::new(&schema));
        let mut loader = data::builder(config, "id").threads(threads).build().unwrap();
        let mut seen = Vec::new();
        let error = loop {
            match loader.next_batch() {
                Ok(Some(batch)) => seen.extend(data::values(&batch, "id").1),
                Ok(None) => panic!("no record leaves"),
                Err(error) => break error,
            }
        };
        // Whole batches of what comes before it.
        assert_eq!(seen, (0..600).collect::<Vec<i64>>());
        assert_eq!(error.detail(), Some(&Kind::Schema));
        assert_eq!(error.position().record, Some(602));
        let text = error.to_string();
        let (file, rest) = text.split_once(", byte ").unwrap();
        assert!(file.ends_with("000.tfrecord"), "{text}");
        assert_eq!(
            rest.split_once(", ").unwrap().1,
            "record 602, column \"id\": the schema asks for values in 0 to 601, the record has 602; correct the record or the \
             schema, leave such records out with `filter`, or set `on_leave` of `validate` to \"warn\""
        );
        assert!(loader.next_batch().unwrap().is_none());
    }
}

#[test]
fn a_filter_leaves_records_out_before() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[10, 5], Compression::None);
    let schema = TfmdSchema::from_text(r#"feature { name: "id" type: INT int_domain { max: 9 } }"#).unwrap();
    for order in ["", SHUFFLE, GLOBAL] {
        let config =
            config(dir.path(), order).filter("id < 10".parse().unwrap()).validate(Validate::new(&schema));
        assert_eq!(all(&config).0.len(), 20, "{order}");
    }
}

/// One case: a schema, and what of a record with `id` 7 and 4 bytes in `raw` it does not allow.
#[test]
fn types_numbers_and_presence_are_looked_at() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[8], Compression::None);
    for (schema, expected) in [
        (r#"feature { name: "id" type: INT shape { } presence { min_fraction: 1 } }"#, ""),
        (r#"feature { name: "id" type: FLOAT }"#, "id: type: the schema asks for FLOAT, the data has INT"),
        (
            r#"feature { name: "id" type: INT value_count { min: 2 max: 3 } }"#,
            "id: value_count: the schema asks for 2 to 3 values, the data has 1 value",
        ),
        (
            r#"feature { name: "x" type: INT }"#,
            "id: unknown_feature: the schema has no such feature, the data has INT",
        ),
        // What is not read is not looked at: neither `raw`, nor what the manifest does not describe.
        (r#"feature { name: "id" } feature { name: "raw" type: INT presence { min_fraction: 1 } }"#, ""),
        (r#"feature { name: "id" } feature { name: "x" presence { min_fraction: 1 } }"#, ""),
        // Of all records together.
        (r#"feature { name: "id" presence { min_count: 100 } }"#, ""),
        (
            r#"feature { name: "id" int_domain { max: 2 } distribution_constraints { min_domain_mass: 0.1 } }"#,
            "",
        ),
    ] {
        let (_, anomalies) = all(&config(dir.path(), "").validate(warn(schema)));
        let text = anomalies.iter().map(|anomaly| {
            assert_eq!((anomaly.count, anomaly.record), (16, 0), "{schema}");
            let text = anomaly.to_string();
            let text = text.split_once(": ").unwrap().1.split_once(" (16 times").unwrap().0;
            format!("{}: {}: {text}", anomaly.feature, anomaly.kind.name())
        });
        assert_eq!(text.collect::<Vec<_>>().join("\n"), expected, "{schema}");
    }
}

#[test]
fn a_data_set_without_a_required_column_lacks_it_in_each_record() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[8], Compression::None);
    let dataset = tfxio_formats::open(dir.path().join("000.tfrecord").to_str().unwrap()).unwrap();
    let load = |schema: &str| {
        let config = LoaderConfig::independent(3).validate(warn(schema));
        let mut loader = dataset.loader(config).inputs(["id"]).build().unwrap();
        while loader.next_batch().unwrap().is_some() {}
        loader.anomalies().iter().map(|anomaly| (anomaly.feature.clone(), anomaly.count)).collect::<Vec<_>>()
    };
    let required = |name: &str| format!("feature {{ name: \"{name}\" presence {{ min_fraction: 1 }} }}");
    assert_eq!(load(&[required("id"), required("x")].concat()), [("x".to_owned(), 8)]);
    // There is a column of it, which is not read.
    assert_eq!(load(&[required("id"), required("raw")].concat()), []);
}

#[test]
fn records_of_windows_count_in_each() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2; 6]], Compression::None);
    let schema = r###"feature { name: "##SEQUENCE##" type: STRUCT struct_domain {
        feature { name: "v" type: INT int_domain { max: 5 } } } }"###;
    let count = |kind: &str, more: &str| {
        let more = format!(r#"{more} "target_batch_size": 2, "drop_remainder": false, "epochs": 1"#);
        let config = data::config(kind, dir.path(), "v", &more).validate(warn(schema));
        let mut loader = data::builder(config, "v").build().unwrap();
        data::rest(&mut loader, "v");
        let anomalies = loader.anomalies();
        assert_eq!(anomalies[0].feature, "##SEQUENCE##.v");
        assert_eq!((&*anomalies[0].found, anomalies[0].record), ("6", 3));
        anomalies[0].count
    };
    // Records 3, 4 and 5 leave it. Windows of 4 steps from every second on: 2-5 and 4-7 and 6-9 and 8-11.
    let steps = r#""min_window": 4, "max_window": 4, "stride": 2,"#;
    assert_eq!(count("continuous_sequence", steps), 1 + 2 + 2);
    assert_eq!(count("discrete_sequence", r#""min_window": 3, "max_window": 3,"#), 3);
}

#[test]
fn a_schema_comes_from_a_file_and_may_be_wrong() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::None);
    let path = dir.path().join("schema.pbtxt");
    let refused = |validate: Validate| {
        let error = data::builder(config(dir.path(), "").validate(validate), "id").check().unwrap_err();
        error.to_string().replace(&dir.path().display().to_string(), "DIR")
    };
    assert_eq!(
        refused(Validate::file(&path)),
        "`validate.schema_file`: the schema DIR/schema.pbtxt does not exist"
    );
    std::fs::write(&path, "feature { name: \"id\" typ: INT }").unwrap();
    let wrong = r#"Feature has no field `typ`; did you mean "type"?"#;
    assert_eq!(
        refused(Validate::file(&path)),
        format!(
            "DIR/schema.pbtxt, line 1, column 22, `validate.schema_file`: this is not a schema that records can be compared with: \
             {wrong}"
        )
    );
    assert_eq!(
        refused(Validate::text("feature {\n  typ: INT\n}")),
        format!(
            "`validate.schema`: this is not a schema that records can be compared with: line 2, column 3: {wrong}"
        )
    );
    std::fs::write(&path, r#"feature { name: "id" domain: "lost" }"#).unwrap();
    assert_eq!(
        refused(Validate::file(&path)),
        "`validate`: this is not a schema that records can be compared with: the feature refers to the domain \"lost\", which the \
         schema does not have"
    );
    // Text and binary, as the path in the configuration says.
    let schema = TfmdSchema::from_text(IDS).unwrap();
    for bytes in [IDS.as_bytes(), schema.as_binary()] {
        std::fs::write(&path, bytes).unwrap();
        let json =
            serde_json::to_string(&config(dir.path(), "").validate(Validate::file("schema.pbtxt"))).unwrap();
        let config: LoaderConfig = serde_json::from_str(&json).unwrap();
        assert_eq!(config.validate, Some(Validate::file("schema.pbtxt")));
        data::builder(config, "id").base_dir(dir.path()).check().unwrap();
    }
}
