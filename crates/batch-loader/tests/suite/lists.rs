//! Sequence features whose steps have any number of values, over data sets without a manifest: compared with lists of lists.

use std::path::Path;
use std::sync::Arc;

use batch_loader::config::LoaderConfig;
use batch_loader::{Batch, BatchLoader, Kind, LoaderBuilder, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;
use tfxio_core::Dataset;
use tfxio_formats::OpenOptions;

use crate::data;

/// The steps of an example.
type Steps = Vec<Vec<i64>>;

fn open(dir: &Path, files: &[Vec<Steps>]) -> Arc<dyn Dataset> {
    let name = |file: usize| format!("{file:03}.tfrecord");
    for (file, records) in files.iter().enumerate() {
        data::write(dir, &name(file), Compression::None, records.iter().cloned().map(data::sequence_of));
    }
    let paths = (0..files.len()).map(|file| dir.join(name(file)).display().to_string()).collect::<Vec<_>>();
    let options = OpenOptions::new().format("sequence_example");
    options.open(&paths[..]).unwrap()
}

/// Returns a loader of `v` and of a mask of its steps, padded by -1.
fn builder(dataset: &Arc<dyn Dataset>, more: &str) -> LoaderBuilder {
    let config = format!(
        r#"{{"type": "independent", "dataset": null, "target_batch_size": 3, "primary_features": [{{"from_name": "v", "to_name": "v"}}],
            "secondary_features": [{{"to_name": "steps", "type": "const", "args": {{"shape": ["v"], "dtype": "bool", "value": true}}}}],
            "padding": [{{"tensor": "v", "value": -1}}]{more}}}"#
    );
    let config = match more.contains("\"type\"") {
        true => config.replacen(r#""type": "independent", "#, "", 1),
        false => config,
    };
    let config = LoaderConfig::from_json(&config).unwrap_or_else(|error| panic!("{error}: {config}"));
    BatchLoader::over(Arc::clone(dataset), config).inputs(["v", "steps"])
}

/// Returns the steps of each row of a batch, by their mask, without padding.
fn rows(batch: &Batch) -> Vec<Steps> {
    let (shape, values) = data::values(batch, "v");
    let &[rows, steps, size] = &shape[..] else { panic!("{shape:?}") };
    let mask = batch.get("steps").unwrap();
    assert_eq!(mask.shape(), [rows, steps]);
    let mask = mask.values().as_bools().unwrap();
    let step =
        |at: usize| values[at * size..(at + 1) * size].iter().copied().filter(|value| *value != -1).collect();
    let row = |row: usize| (row * steps..(row + 1) * steps).filter(|at| mask[*at] == 1).map(step).collect();
    let padding =
        (0..rows * steps).filter(|at| mask[*at] == 0).flat_map(|at| &values[at * size..(at + 1) * size]);
    assert!(padding.into_iter().all(|value| *value == -1));
    (0..rows).map(row).collect()
}

fn rest(loader: &mut BatchLoader) -> Vec<Vec<Steps>> {
    let mut batches = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        batches.push(rows(&batch));
    }
    batches
}

/// Returns all batches, which are the same with any number of threads and after any restore.
fn all(build: impl Fn() -> LoaderBuilder) -> Vec<Vec<Steps>> {
    let batches = rest(&mut build().threads(1).build().unwrap());
    assert_eq!(rest(&mut build().threads(3).build().unwrap()), batches);
    let mut loader = build().build().unwrap();
    for stop in 0..=batches.len() {
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        assert_eq!(rest(&mut build().state(state).build().unwrap()), batches[stop..]);
        loader.next_batch().unwrap();
    }
    batches
}

fn sorted<T: Ord>(mut all: Vec<T>) -> Vec<T> {
    all.sort();
    all
}

fn files() -> impl Strategy<Value = Vec<Vec<Steps>>> {
    let steps = prop::collection::vec(prop::collection::vec(0..50i64, 0..4), 0..6);
    let files = prop::collection::vec(prop::collection::vec(steps, 0..9), 1..4);
    // What no step has a value of would have no type.
    files.prop_map(|mut files| {
        files.iter_mut().take(1).for_each(|records| records.push(vec![vec![50]]));
        files
    })
}

const ORDERS: [&str; 4] = [
    "",
    r#", "seed": 5, "shuffle": "blocks", "shuffle_bytes": 1048576"#,
    r#", "seed": 5, "shuffle": "global""#,
    r#", "seed": 5, "shuffle": true, "num_shuffle_buffer_elements": 4"#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// Every record comes once with its steps and their values.
    #[test]
    fn records_come_whole(files in files(), order in prop::sample::select(ORDERS.to_vec()), most in 1usize..5) {
        let dir = tempfile::tempdir().unwrap();
        let dataset = open(dir.path(), &files);
        let records = files.into_iter().flatten().collect::<Vec<_>>();
        let batches = all(|| builder(&dataset, order));
        let found = batches.into_iter().flatten().collect::<Vec<_>>();
        if order.is_empty() {
            prop_assert_eq!(&found, &records);
        }
        prop_assert_eq!(sorted(found), sorted(records.clone()));
        let more = format!(r#"{order}, "truncate": [{{"tensor": "v", "length": {most}, "keep": "tail"}}, {{"tensor": "steps", "length": {most}}}]"#);
        let found = all(|| builder(&dataset, &more)).into_iter().flatten().collect();
        let cut = records.iter().map(|steps| steps[steps.len().saturating_sub(most)..].to_vec()).collect();
        prop_assert_eq!(sorted::<Steps>(found), sorted(cut));
    }

    /// Windows are cut out of the steps of each file, one after the other.
    #[test]
    fn windows_are_of_steps(files in files(), size in 1usize..4, stride in 1usize..4, order in prop::sample::select(vec![ORDERS[0], ORDERS[3]])) {
        let dir = tempfile::tempdir().unwrap();
        let dataset = open(dir.path(), &files);
        let more = format!(r#"{order}, "type": "continuous_sequence", "min_window": {size}, "max_window": {size}, "stride": {stride},
            "window_steps": [{{"tensor": "v", "type": "slice", "args": {{"slice": "[::-1, :2]"}}}}]"#);
        let found = all(|| builder(&dataset, &more)).into_iter().flatten().collect::<Vec<_>>();
        let mut expected = Vec::new();
        for records in &files {
            let steps = records.iter().flatten().cloned().collect::<Vec<_>>();
            for from in (0..steps.len()).step_by(stride).filter(|from| from + size <= steps.len()) {
                let window = steps[from..from + size].iter().rev();
                expected.push(window.map(|step| step.iter().copied().take(2).collect()).collect::<Steps>());
            }
        }
        prop_assert_eq!(sorted(found), sorted(expected));
    }

    /// Rows hold the steps of records with at least one, and no others.
    #[test]
    fn rows_are_packed_of_steps(files in files(), length in 5usize..9, split in any::<bool>(), order in prop::sample::select(ORDERS.to_vec())) {
        let dir = tempfile::tempdir().unwrap();
        let dataset = open(dir.path(), &files);
        let more = format!(r#"{order}, "pack": {{"length": {length}, "split": {split}}}"#);
        let found = all(|| builder(&dataset, &more)).into_iter().flatten().collect::<Vec<_>>();
        prop_assert!(found.iter().all(|row| !row.is_empty() && row.len() <= length));
        let steps = files.into_iter().flatten().flatten().collect::<Vec<_>>();
        prop_assert_eq!(sorted(found.concat()), sorted(steps));
    }
}

#[test]
fn what_does_not_become_a_tensor_is_said_with_its_record() {
    let dir = tempfile::tempdir().unwrap();
    let records = vec![vec![vec![1, 2], vec![3, 4]], vec![vec![5, 6], vec![7]]];
    let dataset = open(dir.path(), &[records]);
    let config = |more: &str| {
        let text = format!(
            r#"{{"type": "independent", "dataset": null, "target_batch_size": 2, "primary_features": []{more}}}"#
        );
        LoaderConfig::from_json(&text).unwrap()
    };
    let load = |more: &str| {
        let loader = BatchLoader::over(Arc::clone(&dataset), config(more)).build();
        loader.and_then(|mut loader| loader.next_batch())
    };
    let refused = |more: &str, said: &str| {
        let error = load(more).unwrap_err();
        assert!(error.to_string().contains(said), "{error}");
        assert!(matches!(error.detail(), Some(Kind::Record | Kind::InvalidValue)), "{error:?}");
    };
    refused(
        "",
        r#"record 1, tensor "v": the step 1 has 1 value, the first in the same batch has 2; set `padding`"#,
    );
    refused(
        r#", "padding": [{"tensor": "v", "shape": [2, 1]}]"#,
        r#"record 0, tensor "v": the step 0 has 2 values, and its padding has 1"#,
    );
    refused(r#", "padding": [{"tensor": "v", "shape": [1]}]"#, "record 0");
    let step =
        |how: &str| format!(r#", "padding": true, "processing_steps": [{{"tensor": "v", "type": {how}}}]"#);
    refused(
        &step(r#""slice", "args": {"slice": "[:, 1]"}"#),
        "record 1, tensor \"v\": of the values of a step, the slice [1] takes a position",
    );
    refused(
        &step(r#""reshape", "args": {"shape": [4]}"#),
        "has any number of values in each step; take as many of each step before",
    );
    refused(&step(r#""onehot", "args": {"depth": 0}"#), "give a depth of at least 1");
    refused(
        r#", "padding": true, "defaults": [{"tensor": "v", "value": [1]}]"#,
        "give [], a sequence without a step",
    );
    // Where all steps of a batch have as many, nothing is to be padded.
    let batch = load(r#", "filter": "v = 1""#).unwrap().unwrap();
    assert_eq!(data::values(&batch, "v"), (vec![1, 2, 2], vec![1, 2, 3, 4]));
    let batch = load(&step(r#""slice", "args": {"slice": "[:, 0]"}"#)).unwrap().unwrap();
    assert_eq!(data::values(&batch, "v"), (vec![2, 2], vec![1, 3, 5, 7]));
    let batch = load(&step(r#""slice", "args": {"slice": "[1]"}"#)).unwrap().unwrap();
    assert_eq!(data::values(&batch, "v"), (vec![2, 2], vec![3, 4, 7, 0]));
    let hot = load(&step(r#""onehot", "args": {"depth": 8, "dtype": "int64"}"#)).unwrap().unwrap();
    let (shape, values) = data::values(&hot, "v");
    assert_eq!(shape, [2, 2, 2, 8]);
    let ones = values.iter().enumerate().filter(|(_, value)| **value == 1).map(|(at, _)| at % 8);
    assert_eq!(ones.collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 7]);
}

#[test]
fn a_state_is_not_one_of_steps_of_one_value() {
    let dir = tempfile::tempdir().unwrap();
    let lists = open(dir.path(), &[vec![vec![vec![1], vec![2]], vec![vec![3]]]]);
    let scalars =
        tfxio_formats::ValuesExt::values(&lists, &tfxio_formats::ValueOptions::new().scalars(true)).unwrap();
    let build = |dataset: &Arc<dyn Dataset>| {
        let config =
            r#"{"type": "independent", "dataset": null, "target_batch_size": 1, "primary_features": []}"#;
        BatchLoader::over(Arc::clone(dataset), LoaderConfig::from_json(config).unwrap())
    };
    let mut loader = build(&scalars).build().unwrap();
    assert_eq!(data::values(&loader.next_batch().unwrap().unwrap(), "v"), (vec![1, 2], vec![1, 2]));
    let error = build(&lists).state(loader.state()).build().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::State), "{error}");
    let mut restored = build(&scalars).state(loader.state()).build().unwrap();
    assert_eq!(data::values(&restored.next_batch().unwrap().unwrap(), "v"), (vec![1, 1], vec![3]));
}
