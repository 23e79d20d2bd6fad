//! Values of absent features, truncation, and budgets of tokens.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Pack, Shard};
use batch_loader::{BatchLoader, Kind, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;

use crate::data;

const SHUFFLE: &str = r#", "shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#;
const GLOBAL: &str = r#", "shuffle": "global""#;

fn config(kind: &str, dir: &Path, more: &str) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 4, "drop_remainder": false, "epochs": 1, "seed": 7, "padding": [{{"tensor": "v", "value": -1}}]{more}"#
    );
    data::config(kind, dir, "v", &more)
}

fn load(config: &LoaderConfig) -> Vec<(Vec<usize>, Vec<i64>)> {
    data::rest(&mut data::builder(config.clone(), "v").build().unwrap(), "v")
}

/// The examples of a batch, without padding.
fn examples((shape, values): &(Vec<usize>, Vec<i64>)) -> Vec<Vec<i64>> {
    let rows = (0..shape[0]).map(|row| &values[row * shape[1]..(row + 1) * shape[1]]);
    rows.map(|row| row.iter().copied().take_while(|value| *value >= 0).collect()).collect()
}

/// The examples that `sequences` of these lengths has.
fn all(lengths: &[Vec<usize>]) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    for (file, lengths) in lengths.iter().enumerate() {
        let mut next = 1000 * file as i64;
        for length in lengths {
            all.push((next..next + *length as i64).collect());
            next += *length as i64;
        }
    }
    all
}

fn sorted(mut all: Vec<Vec<i64>>) -> Vec<Vec<i64>> {
    all.sort();
    all
}

#[test]
fn sequences_are_truncated_at_either_end() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![5, 2, 3, 0]], Compression::None);
    let cases = [
        ("independent", "", "head", vec![vec![0, 1, 2], vec![5, 6], vec![7, 8, 9], vec![]]),
        ("independent", "", "tail", vec![vec![2, 3, 4], vec![5, 6], vec![7, 8, 9], vec![]]),
        (
            "discrete_sequence",
            r#", "min_window": 2, "max_window": 2"#,
            "head",
            vec![vec![0, 1, 2], vec![7, 8, 9]],
        ),
        (
            "discrete_sequence",
            r#", "min_window": 2, "max_window": 2"#,
            "tail",
            vec![vec![4, 5, 6], vec![7, 8, 9]],
        ),
        (
            "continuous_sequence",
            r#", "min_window": 5, "max_window": 5"#,
            "tail",
            vec![vec![2, 3, 4], vec![7, 8, 9]],
        ),
    ];
    for (kind, more, keep, expected) in cases {
        let more = format!(r#"{more}, "truncate": [{{"tensor": "v", "length": 3, "keep": "{keep}"}}]"#);
        let config = config(kind, dir.path(), &more);
        let mut loader = data::builder(config, "v").build().unwrap();
        let batches = data::rest(&mut loader, "v");
        assert_eq!(batches.iter().flat_map(examples).collect::<Vec<_>>(), expected, "{kind}, {keep}");
        let truncated = if kind == "continuous_sequence" { 2 } else { 1 };
        assert_eq!(loader.stats().examples_truncated, truncated, "{kind}, {keep}");
    }
    // Buckets and padding see what is left.
    let more = r#", "truncate": [{"tensor": "v", "length": 3}], "bucket_by_length": {"tensor": "v", "boundaries": [3, 4], "batch_sizes": [2, 2, 9]}"#;
    let shapes = load(&config("independent", dir.path(), more)).into_iter().map(|(shape, _)| shape);
    assert_eq!(shapes.collect::<Vec<_>>(), [[2, 3], [2, 2]]);
}

#[test]
fn absent_features_are_filled_in() {
    let dir = tempfile::tempdir().unwrap();
    let features = r#"{"name": "id", "dtype": "int16", "shape": [], "deserialize_type": "int"},
        {"name": "raw", "dtype": "uint8", "shape": [4], "deserialize_type": "raw", "deserialize_args": {"endian": "little"}},
        {"name": "v", "dtype": "float32", "shape": [2], "deserialize_type": "int"}"#;
    let manifest = format!(r#"{{"compression": null, "allow_var_len": false, "features": [{features}]}}"#);
    std::fs::write(dir.path().join("__manifest__.json"), manifest).unwrap();
    let records =
        [data::example(7), data::list([3, 4]), data::example(9), data::list([]), data::list([5, 6])];
    data::write(dir.path(), "0.tfrecord", Compression::None, [&records[..3], &records[4..]].concat());
    let of = |defaults: &str| {
        let names =
            ["id", "raw", "v"].map(|name| format!(r#"{{"from_name": "{name}", "to_name": "{name}"}}"#));
        let text = format!(
            r#"{{"type": "independent", "dataset": {{"type": "dir", "args": {{"data_dir": {:?}}}}}, "target_batch_size": 9,
            "drop_remainder": false, "epochs": 1, "num_read_buffer_bytes": 0, "num_prefetch": 0, "defaults": [{defaults}],
            "primary_features": [{}]}}"#,
            dir.path().display().to_string(),
            names.join(", ")
        );
        let config = LoaderConfig::from_json(&text).unwrap();
        BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["id", "raw", "v"]).threads(1)
    };
    let [id, raw, v] = [
        r#"{"tensor": "id", "value": -1}"#,
        r#"{"tensor": "raw", "value": [1, 2, 3, 4]}"#,
        r#"{"tensor": "v", "value": 0.5}"#,
    ];
    let batch = of(&[id, raw, v].join(",")).build().unwrap().next_batch().unwrap().unwrap();
    let get = |name| batch.get(name).unwrap().values();
    assert_eq!(get("id").as_slice::<i16>().unwrap(), [7, -1, 9, -1]);
    assert_eq!(get("raw").as_slice::<u8>().unwrap(), [7, 8, 9, 10, 1, 2, 3, 4, 9, 10, 11, 12, 1, 2, 3, 4]);
    assert_eq!(get("v").as_slice::<f32>().unwrap(), [0.5, 0.5, 3.0, 4.0, 0.5, 0.5, 5.0, 6.0]);
    let error = of(&[id, v].join(",")).build().unwrap().next_batch().unwrap_err();
    assert!(error.to_string().contains("the record lacks the feature"), "{error}");
    // Present and empty is not absent.
    data::write(dir.path(), "0.tfrecord", Compression::None, [records[3].clone()]);
    assert!(of(&[id, raw, v].join(",")).build().unwrap().next_batch().is_err());

    let cases = [
        (r#"{"tensor": "id", "value": 40000}"#, "`defaults[0].value`"),
        (
            r#"{"tensor": "id", "value": [1, 2]}"#,
            "`defaults[0].value`: 2 values are given; for the shape [], give one value for all cells, or a list of 1",
        ),
        (
            r#"{"tensor": "idd", "value": 1}"#,
            "`defaults[0].tensor`: there is no tensor \"idd\"; did you mean \"id\"?",
        ),
        (
            r#"{"tensor": "id", "value": 1}, {"tensor": "id", "value": 2}"#,
            "`defaults[1].tensor`: the tensor \"id\" has a default already",
        ),
    ];
    for (defaults, expected) in cases {
        let error = of(defaults).check().unwrap_err().to_string();
        assert!(error.starts_with("line ") && error.contains(expected), "{error}");
    }
}

#[test]
fn absent_sequences_get_steps() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[], Compression::None);
    data::write(
        dir.path(),
        "0.tfrecord",
        Compression::None,
        [data::sequence([1, 2]), data::example(3), data::sequence([])],
    );
    for (value, expected) in
        [("[8, 9, 7]", vec![vec![1, 2], vec![8, 9, 7], vec![]]), ("[]", vec![vec![1, 2], vec![], vec![]])]
    {
        let more = format!(r#", "defaults": [{{"tensor": "v", "value": {value}}}]"#);
        let config = config("independent", dir.path(), &more);
        assert_eq!(load(&config).iter().flat_map(examples).collect::<Vec<_>>(), expected);
    }
    let more = r#", "defaults": [{"tensor": "v", "value": 8}]"#;
    let error = data::builder(config("independent", dir.path(), more), "v").check().unwrap_err().to_string();
    assert!(error.contains("one value is given for a sequence; for the shape [?], give a list of any number of steps, 1 value each"), "{error}");
}

#[test]
fn batches_are_as_full_as_the_budget_allows() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3, 5, 2, 2, 2, 7, 1, 1]], Compression::None);
    let shapes = |more: &str| {
        let batches = load(&config("independent", dir.path(), more));
        batches.into_iter().map(|(shape, _)| [shape[0], shape[1]]).collect::<Vec<_>>()
    };
    assert_eq!(shapes(r#", "max_tokens": 10"#), [[2, 5], [3, 2], [1, 7], [2, 1]]);
    assert_eq!(
        shapes(r#", "max_tokens": {"tokens": 10, "max_examples": 2}"#),
        [[2, 5], [2, 2], [1, 2], [1, 7], [2, 1]]
    );
    let buckets = r#", "max_tokens": 12, "bucket_by_length": {"tensor": "v", "boundaries": [3]}"#;
    assert_eq!(shapes(buckets), [[2, 5], [1, 7], [5, 2]]);
    let buckets = r#", "max_tokens": 12, "bucket_by_length": {"tensor": "v", "boundaries": [3], "batch_sizes": [2, 9]}"#;
    assert_eq!(shapes(buckets), [[2, 5], [2, 2], [1, 7], [2, 2], [1, 1]]);
    // The length to which a tensor is padded counts.
    let more = r#""target_batch_size": 4, "drop_remainder": true, "epochs": 1, "max_tokens": 20, "padding": [{"tensor": "v", "shape": [8]}]"#;
    let config = data::config("independent", dir.path(), "v", more);
    let shapes = load(&config).into_iter().map(|(shape, _)| shape).collect::<Vec<_>>();
    assert_eq!(shapes, vec![[2, 8]; 4]);
}

#[test]
fn examples_that_are_too_long_are_an_error_or_counted() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3, 9, 2]], Compression::None);
    let builder = |too_long: &str, epochs: &str, tokens: u32| {
        let more = format!(r#", "max_tokens": {{"tokens": {tokens}, "too_long": "{too_long}"}}"#);
        let mut config = config("independent", dir.path(), &more);
        config.epochs = epochs.parse().ok();
        data::builder(config, "v")
    };
    let mut loader = builder("fail", "1", 6).build().unwrap();
    let error = loader.next_batch().and_then(|_| loader.next_batch()).unwrap_err();
    assert_eq!((error.detail(), error.position().record), (Some(&Kind::Record), Some(1)));
    let text = error.to_string();
    assert!(text.contains("000.tfrecord, byte 46, record 1"), "{text}");
    assert!(text.ends_with("the example has 9 tokens, more than the 6 of `max_tokens.tokens`; raise `max_tokens.tokens`, or set `too_long` to \"drop\" or \"truncate\""), "{text}");
    let mut loader = builder("drop", "1", 6).build().unwrap();
    assert_eq!(
        data::rest(&mut loader, "v").iter().flat_map(examples).collect::<Vec<_>>(),
        [vec![0, 1, 2], vec![12, 13]]
    );
    assert_eq!((loader.stats().examples_dropped, loader.stats().examples), (1, 2));
    let mut loader = builder("truncate", "1", 6).build().unwrap();
    assert_eq!(
        data::rest(&mut loader, "v").iter().flat_map(examples).map(|row| row.len()).sum::<usize>(),
        11
    );
    assert_eq!((loader.stats().examples_truncated, loader.stats().examples), (1, 3));
    // Without end, and of nothing.
    let error = builder("drop", "null", 1).build().unwrap().next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
    assert!(error.to_string().contains("no example of a whole epoch has between 1 and 1 tokens"), "{error}");
}

/// Windows that are drawn too long in a few epochs are followed by shorter ones.
#[test]
fn windows_that_are_drawn_too_long_do_not_end_training() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![6]], Compression::None);
    let windows = |min: usize| {
        let more = format!(
            r#", "min_window": {min}, "max_window": 6, "max_tokens": {{"tokens": 2, "max_examples": 1, "too_long": "drop"}}"#
        );
        let mut config = config("continuous_sequence", dir.path(), &more);
        config.epochs = None;
        data::builder(config, "v").build().unwrap()
    };
    let mut loader = windows(2);
    for _ in 0..100 {
        assert_eq!(loader.next_batch().unwrap().unwrap().len(), 1);
    }
    let error = windows(3).next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
    assert!(
        error.to_string().contains("no example of 100 epochs in a row has between 1 and 2 tokens"),
        "{error}"
    );
}

/// Values that a program can set and JSON cannot express.
#[test]
fn rows_that_cannot_be_numbered_or_never_close_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3]], Compression::None);
    let check = |change: fn(&mut Pack)| {
        let mut config = config("independent", dir.path(), "");
        let mut pack = Pack::new(8);
        change(&mut pack);
        config.pack = Some(pack);
        data::builder(config, "v").check().map_err(|error| (error.detail().copied(), error.to_string()))
    };
    let refused = |what: &str| Err((Some(Kind::InvalidValue), what.to_owned()));
    let long = "`pack.length`: rows of 2147483648 tokens have positions that are too large for int32; give a \
                length up to 2147483647, or `pack.dtype` \"int64\"";
    assert_eq!(check(|pack| pack.length = 1 << 31), refused(long));
    let open = |rows: &str| {
        refused(&format!(
            "`pack.open_rows`: {rows} rows would be open at once; give a number from 1 to 65536"
        ))
    };
    assert_eq!(check(|pack| pack.open_rows = usize::MAX), open(&usize::MAX.to_string()));
    assert_eq!(check(|pack| pack.open_rows = 65_537), open("65537"));
    assert_eq!(check(|pack| pack.open_rows = 0), open("0"));
    assert_eq!(check(|pack| pack.open_rows = 65_536), Ok(()));
}

#[test]
fn combinations_that_make_no_sense_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3]], Compression::None);
    let cases = [
        (r#""max_tokens": 5"#, "`max_tokens`: the tensor \"v\" of shape [?] is not padded; set `padding`"),
        (
            r#""max_tokens": 5, "pack": 5, "padding": true"#,
            "`max_tokens`: this stands beside `pack`; leave out `max_tokens` or `pack`",
        ),
        (
            r#""pack": 5, "bucket_by_length": {"tensor": "v", "boundaries": [1], "batch_sizes": [1, 1]}"#,
            "`bucket_by_length`: this stands beside `pack`",
        ),
        (
            r#""pack": 5, "padding": [{"tensor": "v", "shape": [5]}]"#,
            "`padding[0].shape`: rows that are packed have the length of `pack`",
        ),
        (
            r#""pack": {"length": 5, "dtype": "int16"}"#,
            "`pack.dtype`: numbers of examples and tokens have no dtype \"int16\"",
        ),
        (
            r#""pack": {"length": 5, "positions": "v"}"#,
            "`pack.positions`: a second tensor would be named \"v\"",
        ),
        (
            r#""padding": true, "max_tokens": {"tokens": 5, "tensors": ["w"]}"#,
            "`max_tokens.tensors[0]`: there is no tensor \"w\"",
        ),
        (r#""truncate": [{"tensor": "w", "length": 5}]"#, "`truncate[0].tensor`: there is no tensor \"w\""),
    ];
    for (more, expected) in cases {
        let more = format!(r#""target_batch_size": 4, "drop_remainder": false, "epochs": 1, {more}"#);
        let config = data::located("independent", dir.path(), "v", &more);
        let error = data::builder(config, "v").check().unwrap_err().to_string();
        assert!(error.starts_with("line ") && error.contains(expected), "{error}");
    }
    let even = r#", "max_tokens": 5, "even": "drop""#;
    let builder =
        data::builder(config("independent", dir.path(), even), "v").shard(Shard { index: 0, count: 2 });
    let error = builder.check().unwrap_err().to_string();
    assert!(
        error.contains(
            "hosts cannot be made even: how many batches there are depends on the lengths of all examples; leave `even` \
             out, set `epochs` to null and end all hosts after as many batches"
        ),
        "{error}"
    );
}

#[test]
fn configurations_are_written_as_they_are_read() {
    let dir = tempfile::tempdir().unwrap();
    for more in [
        r#", "filter": "not v in (1, 2) and v < 9", "truncate": [{"tensor": "v", "length": 3, "keep": "tail"}]"#,
        r#", "defaults": [{"tensor": "v", "value": [1, 2]}, {"tensor": "w", "value": 0.5}], "max_tokens": 7"#,
        r#", "max_tokens": {"tokens": 9, "tensors": ["v"], "max_examples": 3, "too_long": "drop"}, "bucket_by_length": {"tensor": "v", "boundaries": [3]}"#,
        r#", "pack": 8"#,
        r#", "pack": {"length": 8, "split": true, "positions": "p", "dtype": "int64"}"#,
        r#", "pack": {"length": 8, "open_rows": 3, "too_long": "truncate"}"#,
    ] {
        let config = config("independent", dir.path(), more);
        let json = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<LoaderConfig>(&json).unwrap(), config, "{json}");
    }
    let plain =
        LoaderConfig::from_json(r#"{"type": "independent", "dataset": null, "primary_features": []}"#)
            .unwrap();
    assert_eq!(*plain, LoaderConfig::default());
}

fn lengths() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0usize..9, 0..12), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    /// Every example comes once, in no batch beyond the budget; threads and restores change nothing.
    #[test]
    fn budgets_hold_and_nothing_is_lost(
        lengths in lengths(),
        tokens in 8usize..30,
        most in prop::option::of(1usize..5),
        buckets in prop::sample::select(vec!["", r#", "bucket_by_length": {"tensor": "v", "boundaries": [2, 5]}"#]),
        order in prop::sample::select(vec!["", SHUFFLE, GLOBAL]),
        hosts in 1u32..4,
        windows in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        data::sequences(dir.path(), &lengths, Compression::None);
        let max = most.map(|most| format!(r#", "max_examples": {most}"#)).unwrap_or_default();
        let more = format!(r#"{order}{buckets}, "max_tokens": {{"tokens": {tokens}{max}, "too_long": "drop"}}"#);
        let kind = if windows { r#", "min_window": 1, "max_window": 1"# } else { "" };
        let config = config(if windows { "discrete_sequence" } else { "independent" }, dir.path(), &(more + kind));
        let mut found = Vec::new();
        for index in 0..hosts {
            let build = || data::builder(config.clone(), "v").shard(Shard { index, count: hosts });
            let batches = data::rest(&mut build().threads(1).build().unwrap(), "v");
            prop_assert_eq!(&data::rest(&mut build().threads(3).build().unwrap(), "v"), &batches);
            for batch in &batches {
                prop_assert!(batch.0[0] * batch.0[1] <= tokens && batch.0[0] <= most.unwrap_or(usize::MAX));
            }
            let mut loader = build().build().unwrap();
            for stop in 0..=batches.len() {
                let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                let mut restored = build().state(state).build().unwrap();
                prop_assert_eq!(&data::rest(&mut restored, "v"), &batches[stop..]);
                loader.next_batch().unwrap();
            }
            found.extend(batches.iter().flat_map(examples));
        }
        prop_assert_eq!(sorted(found), sorted(all(&lengths)));
    }
}
