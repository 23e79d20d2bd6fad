//! Packing: the rows of batches hold every example, whole or split, and segments and positions tell them apart.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{Batch, BatchLoader, Kind, LoaderBuilder, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;

use crate::data;

const SHUFFLE: &str = r#", "shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#;
const GLOBAL: &str = r#", "shuffle": "global""#;

/// Two tensors of the same sequences, `v` and, as floats that are made of it, `w`.
fn builder(dir: &Path, kind: &str, more: &str) -> LoaderBuilder {
    let text = format!(
        r#"{{"type": "{kind}", "dataset": {{"type": "dir", "args": {{"data_dir": {:?}}}}}, "drop_remainder": false, "epochs": 1,
            "num_read_buffer_bytes": 0, "num_prefetch": 2, "seed": 3, "padding": [{{"tensor": "v", "value": -1}}],
            "primary_features": [{{"from_name": "v", "to_name": "v"}}],
            "secondary_features": [{{"to_name": "w", "type": "const", "args": {{"shape": "v", "dtype": "float32", "value": 1}}}}]{more}}}"#,
        dir.display().to_string()
    );
    let config = LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
    BatchLoader::builder(config).formats(&tfxio_formats::formats()).inputs(["v"]).targets(["w"])
}

/// The four tensors of a batch: shape, values, weights, segments, positions.
#[derive(Clone, Debug, PartialEq)]
struct Rows {
    shape: Vec<usize>,
    values: Vec<i64>,
    weights: Vec<f32>,
    segments: Vec<i32>,
    positions: Vec<i32>,
}

fn rows(batch: &Batch) -> Rows {
    let (shape, values) = data::values(batch, "v");
    let get = |name: &str| batch.get(name).unwrap();
    for name in ["w", "segment_ids", "positions"] {
        assert_eq!(get(name).shape(), shape);
    }
    assert_eq!(batch.len(), shape[0]);
    Rows {
        shape,
        values,
        weights: get("w").values().as_slice().unwrap().to_vec(),
        segments: get("segment_ids").values().as_slice().unwrap().to_vec(),
        positions: get("positions").values().as_slice().unwrap().to_vec(),
    }
}

fn load(builder: LoaderBuilder) -> Vec<Rows> {
    builder.build().unwrap().map(|batch| rows(&batch.unwrap())).collect()
}

/// The examples, made of segments and positions alone: the parts of each, in the order of the rows.
fn parts(batches: &[Rows]) -> Vec<(i32, Vec<i64>)> {
    let mut parts = Vec::new();
    for batch in batches {
        let length = batch.shape[1];
        for row in 0..batch.shape[0] {
            let mut last = 0;
            for at in row * length..(row + 1) * length {
                let (segment, position, value) = (batch.segments[at], batch.positions[at], batch.values[at]);
                if segment == 0 {
                    assert_eq!((position, value, batch.weights[at]), (0, -1, 0.0), "padding");
                    last = i32::MAX;
                    continue;
                }
                assert_eq!(batch.weights[at], 1.0, "parallel tensors are packed alike");
                assert!(last < i32::MAX, "padding comes last");
                if segment != last {
                    assert_eq!(segment, last + 1, "segments are numbered from 1");
                    parts.push((position, Vec::new()));
                    last = segment;
                }
                let (first, values) = parts.last_mut().unwrap();
                assert_eq!(position, *first + values.len() as i32, "positions follow each other");
                values.push(value);
            }
        }
    }
    parts
}

/// The examples that are not split.
fn whole(batches: &[Rows]) -> Vec<Vec<i64>> {
    let parts = parts(batches).into_iter();
    parts.map(|(first, values)| (first == 0).then_some(values).expect("a whole example")).collect()
}

/// The examples whose parts follow each other.
fn joined(batches: &[Rows]) -> Vec<Vec<i64>> {
    let mut all: Vec<Vec<i64>> = Vec::new();
    for (first, values) in parts(batches) {
        if first == 0 {
            all.push(values);
        } else {
            let last = all.last_mut().unwrap();
            assert_eq!(first as usize, last.len());
            last.extend(values);
        }
    }
    all
}

/// Returns the examples of `sequences` of these lengths, without the empty ones.
fn all(lengths: &[Vec<usize>]) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    for (file, lengths) in lengths.iter().enumerate() {
        let mut next = 1000 * file as i64;
        for length in lengths.iter().filter(|length| **length > 0) {
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
fn examples_go_into_the_first_row_with_room() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![4, 3, 2, 5, 0, 1]], Compression::None);
    let mut loader =
        builder(dir.path(), "independent", r#", "target_batch_size": 2, "pack": 6"#).build().unwrap();
    let batch = loader.next_batch().unwrap().unwrap();
    let first = rows(&batch);
    assert_eq!(first.shape, [2, 6]);
    assert_eq!(first.values, [0, 1, 2, 3, 7, 8, 4, 5, 6, 14, -1, -1]);
    assert_eq!(first.segments, [1, 1, 1, 1, 2, 2, 1, 1, 1, 2, 0, 0]);
    assert_eq!(first.positions, [0, 1, 2, 3, 0, 1, 0, 1, 2, 0, 0, 0]);
    let origins = batch.origins().map(|origin| (origin.row, origin.record)).collect::<Vec<_>>();
    assert_eq!(origins, [(0, 0), (0, 2), (1, 1), (1, 5)]);
    let last = rows(&loader.next_batch().unwrap().unwrap());
    assert_eq!((last.shape, last.values), (vec![1, 6], vec![9, 10, 11, 12, 13, -1]));
    assert!(loader.next_batch().unwrap().is_none());
    assert_eq!((loader.stats().examples, loader.stats().examples_dropped), (5, 1));
    let specs = loader.specs().iter().map(|(name, spec)| format!("{name}: {spec}")).collect::<Vec<_>>();
    let expected = [
        "v: dense int64 [?, 6]",
        "w: dense float32 [?, 6]",
        "segment_ids: dense int32 [?, 6]",
        "positions: dense int32 [?, 6]",
    ];
    assert_eq!(specs, expected);
    let names =
        |names: Vec<&std::sync::Arc<str>>| names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
    assert_eq!(names(batch.inputs().map(|(name, _)| name).collect()), ["v", "segment_ids", "positions"]);
    assert_eq!(names(batch.targets().map(|(name, _)| name).collect()), ["w"]);
}

#[test]
fn split_examples_fill_every_row() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![4, 9, 2]], Compression::None);
    let pack = r#", "target_batch_size": 2, "pack": {"length": 4, "split": true, "dtype": "int64"}"#;
    let mut loader = builder(dir.path(), "independent", pack).build().unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        let of = |name: &str| batch.get(name).unwrap().values().as_slice::<i64>().unwrap().to_vec();
        batches.push((of("v"), of("segment_ids"), of("positions")));
    }
    let expected = [
        (vec![0, 1, 2, 3, 4, 5, 6, 7], vec![1; 8], vec![0, 1, 2, 3, 0, 1, 2, 3]),
        (vec![8, 9, 10, 11, 12, 13, 14, -1], vec![1, 1, 1, 1, 1, 2, 2, 0], vec![4, 5, 6, 7, 8, 0, 1, 0]),
    ];
    assert_eq!(batches, expected);
    assert_eq!(loader.stats().examples, 3);
}

#[test]
fn the_last_rows_are_dropped_as_other_remainders_are() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![4, 4, 4, 1]], Compression::None);
    for pack in [r#""pack": 4"#, r#""pack": {"length": 4, "split": true}"#] {
        let more = format!(r#", "target_batch_size": 3, {pack}"#);
        let text = builder(dir.path(), "independent", &more);
        let shapes = load(text).into_iter().map(|rows| rows.shape).collect::<Vec<_>>();
        assert_eq!(shapes, [[3, 4], [1, 4]]);
        let manifest = data::config(
            "independent",
            dir.path(),
            "v",
            &format!(r#""target_batch_size": 3, "drop_remainder": true, "epochs": 1, {pack}"#),
        );
        assert_eq!(data::rest(&mut data::builder(manifest, "v").build().unwrap(), "v").len(), 1);
    }
}

#[test]
fn examples_that_do_not_fit_are_an_error_or_counted() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 9, 3]], Compression::None);
    let build = |too_long: &str| {
        let more = format!(r#", "target_batch_size": 1, "pack": {{"length": 4, "too_long": "{too_long}"}}"#);
        builder(dir.path(), "independent", &more)
    };
    let error = build("fail").build().unwrap().next_batch().unwrap_err();
    assert_eq!((error.detail(), error.position().record), (Some(&Kind::Record), Some(1)));
    assert!(error.to_string().ends_with("the example has 9 tokens, more than the 4 of `pack.length`; raise `pack.length`, or set `too_long` to \"drop\" or \"truncate\", or set `split` to true"), "{error}");
    assert_eq!(whole(&load(build("drop"))), [vec![0, 1], vec![11, 12, 13]]);
    assert_eq!(whole(&load(build("truncate"))), [vec![2, 3, 4, 5], vec![0, 1], vec![11, 12, 13]]);
}

#[test]
fn tensors_of_other_lengths_are_an_error() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 3]], Compression::None);
    let more = r#", "target_batch_size": 1, "pack": 4, "processing_steps": [{"tensor": "w", "type": "slice", "args": {"slice": "[:2]"}}]"#;
    let error = builder(dir.path(), "independent", more).build().unwrap().next_batch().unwrap_err();
    assert_eq!((error.detail(), error.position().record), (Some(&Kind::Record), Some(1)));
    assert!(
        error
            .to_string()
            .contains("the tensor \"v\" has 3 tokens, \"w\" has 2; all tensors of an example that is packed"),
        "{error}"
    );
}

#[test]
fn another_packing_is_another_configuration() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 3]], Compression::None);
    let build = |length: u32| {
        builder(dir.path(), "independent", &format!(r#", "target_batch_size": 1, "pack": {length}"#))
    };
    let state = build(4).build().unwrap().state();
    let error = build(5).state(state).build().unwrap_err().to_string();
    assert!(error.contains("`pack.length` was 4 and is 5"), "{error}");
}

fn lengths() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0usize..9, 0..12), 1..4)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, ..ProptestConfig::default() })]

    /// Every example comes once, told apart by segments and positions alone; threads and restores change nothing.
    #[test]
    fn nothing_is_lost(
        lengths in lengths(),
        length in 8usize..20,
        size in 1usize..4,
        open in 1usize..5,
        split in any::<bool>(),
        order in prop::sample::select(vec!["", SHUFFLE, GLOBAL]),
        hosts in 1u32..4,
        windows in any::<bool>(),
    ) {
        let dir = tempfile::tempdir().unwrap();
        data::sequences(dir.path(), &lengths, Compression::None);
        let length = if split { length / 4 } else { length };
        let how = if split { r#""split": true"#.to_owned() } else { format!(r#""open_rows": {open}"#) };
        let (kind, window) = if windows { ("discrete_sequence", r#", "min_window": 1, "max_window": 1"#) } else { ("independent", "") };
        let more = format!(r#", "target_batch_size": {size}, "pack": {{"length": {length}, {how}}}{order}{window}"#);
        let mut found = Vec::new();
        for index in 0..hosts {
            let build = || builder(dir.path(), kind, &more).shard(Shard { index, count: hosts });
            let batches = load(build().threads(1));
            prop_assert_eq!(&load(build().threads(3)), &batches);
            for batch in batches.iter().rev().skip(1) {
                prop_assert_eq!(&batch.shape, &[size, length]);
                prop_assert!(!split || batch.segments.iter().all(|segment| *segment > 0), "rows of split examples are full");
            }
            let mut loader = build().build().unwrap();
            for stop in 0..=batches.len() {
                let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                prop_assert_eq!(&load(build().state(state)), &batches[stop..]);
                loader.next_batch().unwrap();
            }
            found.extend(if split { joined(&batches) } else { whole(&batches) });
        }
        prop_assert_eq!(sorted(found), sorted(all(&lengths)));
    }
}
