//! `docs/loader.md`: its examples are run, and it has every key.

use batch_loader::config::LoaderConfig;
use batch_loader::manifest::Manifest;
use batch_loader::{BatchLoader, Kind};

const PAGE: &str = include_str!("../../../../docs/loader.md");
const FIXTURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures");

/// The words behind ``` and the text of each block that begins with these words.
fn blocks(begin: &str) -> Vec<(Vec<&'static str>, &'static str)> {
    let fenced = PAGE.split("```").skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    let with_words = fenced.map(|(head, text)| (head.split_whitespace().collect::<Vec<_>>(), text));
    let wanted = begin.split_whitespace().collect::<Vec<_>>();
    with_words.filter(|(head, _)| head.starts_with(&wanted)).collect()
}

/// Returns a configuration of the required keys, and these further members.
fn config_with(loader: &str, members: &str) -> String {
    let windows = if loader == "independent" { "" } else { "\"min_window\": 1, \"max_window\": 1," };
    format!(
        r#"{{"type": "{loader}", "target_batch_size": 1, "drop_remainder": false, "epochs": 1, {windows}
            "num_read_buffer_bytes": 0, "num_prefetch": 0,
            "primary_features": [{{"from_name": "x", "to_name": "x"}}], {members}}}"#
    )
}

const DATASET: &str = r#""dataset": {"type": "dir", "args": {"data_dir": "d"}}"#;

#[test]
fn the_examples_of_each_type_load_real_data() {
    let mut types = Vec::new();
    for (head, text) in blocks("json configuration") {
        let [_, _, kind, names @ ..] = &head[..] else { panic!("no names") };
        let mut names = names.split(|word| *word == "to").map(<[_]>::to_vec);
        let (inputs, targets) = (names.next().unwrap(), names.next().unwrap());
        let config = LoaderConfig::from_json(text).unwrap();
        let size = config.target_batch_size;
        let builder = BatchLoader::builder(config)
            .formats(&tfxio_formats::formats())
            .inputs(inputs.clone())
            .targets(targets.clone());
        let mut loader = builder.base_dir(FIXTURES).seed(1).build().unwrap();
        let batch = loader.next_batch().unwrap().expect("a batch");
        // Within a budget there are as many as have so many tokens.
        assert!(batch.len() == size || text.contains("max_tokens"));
        assert_eq!(batch.inputs().map(|(name, _)| &**name).collect::<Vec<_>>(), inputs);
        assert_eq!(batch.targets().map(|(name, _)| &**name).collect::<Vec<_>>(), targets);
        types.push(kind.trim_end_matches(':'));
    }
    assert_eq!(
        types,
        [
            "independent",
            "continuous_sequence",
            "discrete_sequence",
            "discrete_sequence",
            "independent",
            "independent"
        ]
    );
}

#[test]
fn budgets_and_rows_are_as_the_page_says() {
    let mut seen = 0;
    for (_, text) in blocks("json configuration independent: tokens") {
        let config = LoaderConfig::from_json(text).unwrap();
        let packs = config.pack.is_some();
        let builder = BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["tokens"]);
        for batch in builder.base_dir(FIXTURES).seed(1).build().unwrap() {
            let batch = batch.unwrap();
            let shape = batch.get("tokens").unwrap().shape();
            if packs {
                assert_eq!(shape[1], 32);
                assert_eq!(batch.get("segment_ids").unwrap().shape(), shape);
            } else {
                assert!(shape[0] * shape[1] <= 120 && shape[0] <= 32, "{shape:?}");
            }
            seen += usize::from(packs) + 100 * usize::from(!packs);
        }
    }
    assert!(seen > 100 && seen % 100 > 0, "{seen}");
}

#[test]
fn the_other_examples_are_read() {
    let manifests = blocks("json manifest");
    assert_eq!(manifests.len(), 1);
    assert_eq!(Manifest::from_json(manifests[0].1).unwrap().features.len(), 3);
    for key in [
        "secondary_features",
        "processing_steps",
        "padding",
        "normalization",
        "bucket_by_length",
        "shard",
        "filter",
        "defaults",
        "truncate",
        "validate",
    ] {
        let [(_, text)] = blocks(&format!("json {key}"))[..] else { panic!("{key} has not one example") };
        LoaderConfig::from_json(&config_with("independent", &format!("{DATASET}, \"{key}\": {text}")))
            .unwrap();
    }
    let [(_, text)] = blocks("json error_budget")[..] else { panic!("not one budget") };
    let members = format!("{DATASET}, \"on_error\": \"skip\", \"error_budget\": {text}");
    LoaderConfig::from_json(&config_with("independent", &members)).unwrap();
    let [(_, text)] = blocks("json dataset")[..] else { panic!("not one example") };
    LoaderConfig::from_json(&config_with("independent", &format!("\"dataset\": {text}"))).unwrap();
}

#[test]
fn the_errors_are_ours() {
    let [(_, of_configuration), (_, of_manifest)] = blocks("text error")[..] else {
        panic!("not two errors")
    };
    let text = blocks("json configuration")[0].1.replace("\"type\": \"reshape\"", "\"type\": \"one_hot\"");
    let error = LoaderConfig::from_json(&text).unwrap_err();
    assert_eq!(of_configuration.trim(), format!("run.json, {error}"));
    let text = blocks("json manifest")[0].1.replace("\"int32\"", "\"flot32\"");
    let error = Manifest::from_json(&text).unwrap_err();
    assert_eq!(of_manifest.trim(), format!("speech/__manifest__.json, {error}"));
}

#[test]
fn every_key_is_on_the_page() {
    let mut keys = Vec::new();
    let mut note = |hint: &str| {
        let names = hint.strip_prefix("the keys are ").expect("keys").split(", ");
        keys.extend(names.map(|name| name.trim_matches('"').to_owned()));
    };
    for loader in ["independent", "continuous_sequence", "discrete_sequence"] {
        let text = config_with(loader, &format!("{DATASET}, \"??????\": 1"));
        let error = LoaderConfig::from_json(&text).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::UnexpectedArgument));
        note(error.hint().unwrap());
    }
    for members in [
        r#""shard": {"index": 0, "count": 1, "??????": 1}"#,
        r#""on_error": "skip", "error_budget": {"??????": 1}"#,
        r#""bucket_by_length": {"tensor": "x", "boundaries": [1], "batch_sizes": [1, 1], "??????": 1}"#,
        r#""defaults": [{"tensor": "x", "value": 1, "??????": 1}]"#,
        r#""truncate": [{"tensor": "x", "length": 1, "??????": 1}]"#,
        r#""validate": {"schema_file": "x", "??????": 1}"#,
        r#""max_tokens": {"tokens": 1, "??????": 1}"#,
        r#""pack": {"length": 1, "??????": 1}"#,
        r#""padding": [{"tensor": "x", "??????": 1}]"#,
        r#""normalization": [{"tensor": "x", "axis": 0, "??????": 1}]"#,
        r#""processing_steps": [{"tensor": "x", "type": "slice", "??????": 1}]"#,
        r#""processing_steps": [{"tensor": "x", "type": "onehot", "args": {"depth": 1, "??????": 1}}]"#,
        r#""secondary_features": [{"to_name": "x", "type": "const", "??????": 1}]"#,
        r#""secondary_features": [{"to_name": "x", "type": "const", "args": {"shape": [], "dtype": "bool", "??????": 1}}]"#,
    ] {
        let text = config_with("independent", &format!("{DATASET}, {members}"));
        note(LoaderConfig::from_json(&text).unwrap_err().hint().unwrap());
    }
    let feature = r#"{"name": "x", "dtype": "bool", "shape": [], "deserialize_type": "int", "??????": 1}"#;
    for text in [
        r#"{"compression": null, "allow_var_len": false, "features": [], "??????": 1}"#.to_owned(),
        format!(r#"{{"compression": null, "allow_var_len": false, "features": [{feature}]}}"#),
    ] {
        note(Manifest::from_json(&text).unwrap_err().hint().unwrap());
    }
    let missing = keys.iter().filter(|key| !PAGE.contains(&format!("`{key}`"))).collect::<Vec<_>>();
    assert!(keys.len() > 100 && missing.is_empty(), "{} keys, without {missing:?}", keys.len());
}
