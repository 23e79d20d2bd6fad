//! States that are kept in the repository: version 1 can be read, version 2 is written exactly as it is kept.

use std::path::Path;

use batch_loader::config::{LoaderConfig, OnError, Operation, Padding, Shard, Shuffle};
use batch_loader::{BatchLoader, Kind, LoaderBuilder, LoaderState};
use tfrecord_io::Compression;

use crate::data;

/// The name of a state, the type of its loader, its data set, the tensors, and the other keys. Together they have a
/// value of every kind.
const LOADERS: [(&str, &str, &str, &[&str], &str); 6] = [
    (
        "records",
        "independent",
        "examples",
        &["id"],
        r#""target_batch_size": 4, "drop_remainder": false, "epochs": 1, "seed": 1"#,
    ),
    (
        "buffer",
        "independent",
        "examples",
        &["id", "raw"],
        r#""target_batch_size": 3, "drop_remainder": true, "epochs": 3, "shuffle": true, "seed": 7,
        "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2,
        "secondary_features": [
            {"to_name": "ones", "type": "ones", "args": {"shape": "raw", "dtype": "float32"}},
            {"to_name": "half", "type": "const", "args": {"shape": [2, 3], "dtype": "raw", "value": 2.0}},
            {"to_name": "text", "type": "const", "args": {"shape": [], "dtype": "string", "value": "é\"\\\n"}},
            {"to_name": "yes", "type": "const", "args": {"shape": [1], "dtype": "bool", "value": true}},
            {"to_name": "none", "type": "const", "args": {"shape": [1], "dtype": "float64"}},
            {"to_name": "tiny", "type": "const", "args": {"shape": [1], "dtype": "float64", "value": -1.5e-7}}
        ],
        "processing_steps": [
            {"tensor": "raw", "type": "slice", "args": {"slice": "[1:]"}},
            {"tensor": "half", "type": "slice", "args": {"slice": "[-1, ::2]"}},
            {"tensor": "id", "type": "onehot", "args": {"depth": 4, "dtype": "int64"}},
            {"tensor": "id", "type": "reshape", "args": {"shape": [2, 2]}}
        ],
        "normalization": [{"tensor": "ones", "axis": -1}],
        "padding": [{"tensor": "half", "shape": [-1], "value": 9}, {"tensor": "text", "value": "<none>"}]"#,
    ),
    (
        "steps",
        "continuous_sequence",
        "sequences",
        &["v"],
        r#""target_batch_size": 4, "drop_remainder": false, "epochs": 2, "padding": true, "seed": 3,
        "min_window": 2, "max_window": 6, "min_stride": 1, "max_stride": 9,
        "bucket_by_length": {"tensor": "v", "boundaries": [3, 5], "batch_sizes": [4, 2, 1]}"#,
    ),
    (
        "windows",
        "continuous_sequence",
        "sequences",
        &["v"],
        r#""target_batch_size": 2, "drop_remainder": false, "epochs": null, "min_window": 3, "max_window": 3,
        "stride": 1, "shuffle": true, "num_shuffle_buffer_elements": 4, "num_filenames_shuffle_buffer": 9,
        "num_mix_files": 1, "seed": 18446744073709551615, "shard": {"index": 1, "count": 2}"#,
    ),
    (
        "discrete",
        "discrete_sequence",
        "sequences",
        &["v"],
        r#""target_batch_size": 2, "drop_remainder": false, "epochs": 2, "min_window": 1, "max_window": 3, "seed": 0,
        "padding": [{"tensor": "v", "shape": [30], "value": -1}], "on_corrupt": "skip""#,
    ),
    (
        "global",
        "independent",
        "examples",
        &["id"],
        r#""target_batch_size": 3, "drop_remainder": true, "epochs": 2, "shuffle": "global", "seed": 11,
        "shard": {"index": 0, "count": 2}"#,
    ),
];

/// Batches before a state is saved.
const BEFORE: usize = 2;

fn write(dir: &Path) {
    let (examples, sequences) = (dir.join("examples"), dir.join("sequences"));
    std::fs::create_dir_all(&examples).unwrap();
    std::fs::create_dir_all(&sequences).unwrap();
    data::independent(&examples, &[7, 0, 11, 4], Compression::None);
    let lengths = [vec![3, 1, 0, 4, 2, 5, 1], vec![1], vec![6, 6, 1, 2, 2], vec![0, 9]];
    data::sequences(&sequences, &lengths, Compression::None);
}

fn config(dir: &Path, number: usize) -> LoaderConfig {
    let (_, kind, data_set, tensors, more) = LOADERS[number];
    let features = tensors.iter().map(|name| format!(r#"{{"from_name": "{name}", "to_name": "{name}"}}"#));
    let text = format!(
        r#"{{"type": "{kind}", "dataset": {{"type": "dir", "args": {{"data_dir": "{}"}}}},
            "num_read_buffer_bytes": 0, "num_prefetch": 2, "primary_features": [{}], {more}}}"#,
        dir.join(data_set).display(),
        features.collect::<Vec<_>>().join(", ")
    );
    LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}")).into_inner()
}

fn builder(dir: &Path, number: usize) -> LoaderBuilder {
    builder_of(config(dir, number), number)
}

fn builder_of(config: LoaderConfig, number: usize) -> LoaderBuilder {
    let tensors = LOADERS[number].3;
    let made =
        config.secondary_features.iter().map(|feature| feature.to_name.to_string()).collect::<Vec<_>>();
    BatchLoader::builder(config)
        .formats(&tfxio_formats::formats())
        .inputs(tensors.iter().copied())
        .targets(made)
}

/// The next batches, at most ten.
fn some(loader: &mut BatchLoader) -> Vec<String> {
    std::iter::from_fn(|| loader.next_batch().unwrap()).take(10).map(|batch| format!("{batch:?}")).collect()
}

fn kept(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/states").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A loader of the number, from a state or after the first batches.
fn at(dir: &Path, number: usize, state: Option<LoaderState>) -> BatchLoader {
    match state {
        Some(state) => builder(dir, number).state(state).build().unwrap(),
        None => {
            let mut loader = builder(dir, number).build().unwrap();
            for _ in 0..BEFORE {
                loader.next_batch().unwrap().unwrap();
            }
            loader
        }
    }
}

#[test]
fn states_of_both_versions_are_read() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    for (number, (name, ..)) in LOADERS.iter().enumerate() {
        let expected = some(&mut at(dir.path(), number, None));
        assert!(!expected.is_empty());
        for version in [1, 2] {
            let text = kept(&format!("{name}.version{version}.json"));
            let state = LoaderState::from_json(&text).unwrap();
            assert_eq!(state.to_json(), LoaderState::from_json(&state.to_json()).unwrap().to_json());
            let mut loader = at(dir.path(), number, Some(state));
            // What is saved anew is of the new version.
            assert_eq!(loader.state().to_json(), kept(&format!("{name}.version2.json")).trim(), "{name}");
            assert_eq!(some(&mut loader), expected, "{name}, version {version}");
        }
    }
}

/// Checks that the written format does not change without a new version.
#[test]
fn states_are_written_as_they_are_kept() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    for (number, (name, ..)) in LOADERS.iter().enumerate() {
        let text = at(dir.path(), number, None).state().to_json();
        assert_eq!(text, kept(&format!("{name}.version2.json")).trim(), "{name}");
    }
}

#[test]
fn every_change_of_a_byte_is_refused_or_changes_nothing() {
    for (name, ..) in LOADERS {
        let text = kept(&format!("{name}.version2.json")).trim().to_owned();
        let state = LoaderState::from_json(&text).unwrap();
        let check = |changed: Vec<u8>| {
            let Ok(changed) = String::from_utf8(changed) else { return };
            match LoaderState::from_json(&changed) {
                Ok(read) => assert_eq!(read, state, "{changed}"),
                Err(error) => assert_eq!(error.detail(), Some(&Kind::State), "{error}: {changed}"),
            }
        };
        for at in 0..text.len() {
            let bytes = text.as_bytes();
            let flips = (0..8).map(|bit| bytes[at] ^ 1 << bit);
            for other in flips.chain(b'0'..=b'9').chain(*b" \"\\,:[]{}A/-.eE") {
                let mut changed = bytes.to_vec();
                changed[at] = other;
                check(changed);
            }
            let mut changed = bytes.to_vec();
            changed.remove(at);
            check(changed);
            let mut changed = bytes.to_vec();
            changed.insert(at, bytes[at]);
            check(changed);
        }
    }
}

#[test]
fn what_changed_is_said_as_a_configuration_spells_it() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path());
    let refused = |name: &str, version: u32, change: &dyn Fn(&mut LoaderConfig)| {
        let number = LOADERS.iter().position(|loader| loader.0 == name).unwrap();
        let mut config = config(dir.path(), number);
        change(&mut config);
        let state = LoaderState::from_json(&kept(&format!("{name}.version{version}.json"))).unwrap();
        let error = builder_of(config, number).state(state).build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::State), "{error}");
        let text = error.to_string();
        let text = text.strip_prefix("the state is of another configuration: ").unwrap_or(&text);
        let advice = "; restore with the data set and the configuration of which the state was saved";
        text.strip_suffix(advice).unwrap_or(text).to_owned()
    };
    let steps = |config: &mut LoaderConfig| {
        config.processing_steps[1].operation = Operation::Slice("[-1,1:]".parse().unwrap());
    };
    type Change<'a> = &'a dyn Fn(&mut LoaderConfig);
    let cases: [(&str, u32, Change<'_>, &str); 13] = [
        ("buffer", 2, &|config| config.target_batch_size = 4, "`target_batch_size` was 3 and is 4"),
        (
            "buffer",
            2,
            &|config| config.padding = Padding::All,
            "`padding` was [{\"tensor\": \"half\", \"shape\": [-1], \"value\": 9}, {\"tensor\": \"… and is true",
        ),
        (
            "buffer",
            2,
            &|config| config.shuffle = Shuffle::Off,
            "`num_filenames_shuffle_buffer` was 2 and is not given",
        ),
        ("buffer", 2, &steps, "`processing_steps[1].args.slice` was \"[-1,::2]\" and is \"[-1,1:]\""),
        (
            "buffer",
            2,
            &|config| config.processing_steps.truncate(3),
            "`processing_steps[3]` was {\"tensor\": \"id\", \"type\": \"reshape\", \"args\": {\"shape\": [2, 2]… and is not given",
        ),
        (
            "buffer",
            2,
            &|config| config.secondary_features[1].value = None,
            "`secondary_features[1].args.value` was 2 and is null",
        ),
        ("records", 2, &|config| config.padding = Padding::All, "`padding` was false and is true"),
        (
            "records",
            2,
            &|config| config.shard = Some(Shard { index: 1, count: 2 }),
            "`shard` was not given and is {\"index\": 1, \"count\": 2}",
        ),
        (
            "windows",
            2,
            &|config| config.shard = Some(Shard { index: 0, count: 2 }),
            "`shard.index` was 1 and is 0",
        ),
        ("discrete", 2, &|config| config.on_error = OnError::Fail, "`on_error` was \"skip\" and is \"fail\""),
        ("records", 1, &|config| config.target_batch_size = 3, "`target_batch_size` was 4 and is 3"),
        ("records", 1, &|config| config.padding = Padding::All, "`padding` was false and is true"),
        ("buffer", 1, &steps, "`processing_steps` was another (a state of version 1 does not say which)"),
    ];
    for (name, version, change, expected) in cases {
        assert_eq!(refused(name, version, change), expected, "{name}");
    }
}
