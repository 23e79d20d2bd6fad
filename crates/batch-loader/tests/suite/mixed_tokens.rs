//! Mixtures within a budget of tokens and packed into rows: every record once, weighted, shuffled, filtered, resumed.

use std::path::Path;
use std::sync::Arc;

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{BatchLoader, LoaderBuilder, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;
use tfxio_core::Dataset;
use tfxio_formats::OpenOptions;

use crate::data;

const WEIGHTS: [f64; 3] = [6.0, 3.0, 1.0];
const ORDERS: [&str; 3] = [
    "",
    r#", "shuffle": true, "num_shuffle_buffer_elements": 6, "num_filenames_shuffle_buffer": 1, "num_mix_files": 1"#,
    r#", "shuffle": "global""#,
];
const BATCHINGS: [&str; 5] = [
    r#", "padding": [{"tensor": "v", "value": -1}], "max_tokens": 12"#,
    r#", "padding": [{"tensor": "v", "value": -1}], "max_tokens": {"tokens": 12, "max_examples": 3},
       "bucket_by_length": {"tensor": "v", "boundaries": [3, 5]}"#,
    r#", "padding": [{"tensor": "v", "value": -1}], "pack": {"length": 9, "open_rows": 3}"#,
    r#", "padding": [{"tensor": "v", "value": -1}], "pack": {"length": 4, "split": true}"#,
    r#", "padding": [{"tensor": "v", "value": -1}], "bucket_by_length": {"tensor": "v", "boundaries": [4], "batch_sizes": [3, 2]}"#,
];

/// Data sets of two files, of which record `r` of data set `d` has `lengths[d][r]` values of `100 · d + r`.
fn datasets(dir: &Path, lengths: &[Vec<usize>]) -> Vec<Arc<dyn Dataset>> {
    let dataset = |(number, lengths): (usize, &Vec<usize>)| {
        let half = lengths.len() / 2;
        let files = [("a", 0..half), ("b", half..lengths.len())].map(|(file, records)| {
            let name = format!("{number}{file}.tfrecord");
            let records = records.map(|record| {
                data::list(std::iter::repeat_n((100 * number + record) as i64, lengths[record]))
            });
            data::write(dir, &name, Compression::None, records);
            dir.join(name).display().to_string()
        });
        OpenOptions::new().open(&files[..]).unwrap()
    };
    lengths.iter().enumerate().map(dataset).collect()
}

fn config(more: &str) -> LoaderConfig {
    let text = format!(
        r#"{{"type": "independent", "dataset": null, "target_batch_size": 2, "epochs": 2, "seed": 5,
            "primary_features": [{{"from_name": "v", "to_name": "v"}}]{more}}}"#
    );
    LoaderConfig::from_json(&text).unwrap_or_else(|error| panic!("{error}: {text}")).into_inner()
}

fn mixed(datasets: &[Arc<dyn Dataset>], config: &LoaderConfig) -> LoaderBuilder {
    let weighted = datasets.iter().cloned().zip(WEIGHTS);
    BatchLoader::mixed(weighted, config.clone()).inputs(["v"])
}

/// The values of batches, without padding.
fn values(batches: &[(Vec<usize>, Vec<i64>)]) -> Vec<i64> {
    let mut values =
        batches.iter().flat_map(|(_, values)| values).copied().filter(|v| *v >= 0).collect::<Vec<_>>();
    values.sort_unstable();
    values
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_record_comes_once_an_epoch(
        lengths in prop::collection::vec(prop::collection::vec(1usize..9, 6..14), 3..4),
        order in prop::sample::select(&ORDERS[..]),
        batching in prop::sample::select(&BATCHINGS[..]),
        is_filtered in any::<bool>(),
        hosts in 1u32..4,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let datasets = datasets(dir.path(), &lengths);
        let filter = if is_filtered { r#", "filter": "not v in (1, 101, 102, 200)""# } else { "" };
        let config = config(&format!("{batching}{order}{filter}"));
        let mut found = Vec::new();
        for index in 0..hosts {
            let build = || mixed(&datasets, &config).shard(Shard { index, count: hosts });
            let all = data::rest(&mut build().threads(1).build().unwrap(), "v");
            prop_assert_eq!(&data::rest(&mut build().threads(3).build().unwrap(), "v"), &all);
            if batching.contains("max_tokens") {
                prop_assert!(all.iter().all(|(shape, _)| shape[0] * shape[1] <= 12));
            }
            let mut loader = build().build().unwrap();
            for stop in 0..=all.len() {
                let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                let mut restored = build().state(state).build().unwrap();
                prop_assert_eq!(&data::rest(&mut restored, "v"), &all[stop..]);
                loader.next_batch().unwrap();
            }
            found.extend(all);
        }
        let mut expected = Vec::new();
        for (number, lengths) in lengths.iter().enumerate() {
            for (record, length) in lengths.iter().enumerate() {
                let value = (100 * number + record) as i64;
                if !is_filtered || ![1, 101, 102, 200].contains(&value) {
                    expected.extend(std::iter::repeat_n(value, 2 * length));
                }
            }
        }
        expected.sort_unstable();
        prop_assert_eq!(values(&found), expected);
    }
}

/// Examples are drawn by weight, whatever becomes of them.
#[test]
fn packed_rows_have_examples_in_proportion_to_the_weights() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), &[vec![1; 20], vec![2; 20], vec![3; 20]]);
    for batching in [BATCHINGS[0], BATCHINGS[2], BATCHINGS[3]] {
        let mut config = config(&format!("{batching}{}", ORDERS[1]));
        config.epochs = None;
        let mut loader = mixed(&datasets, &config).build().unwrap();
        let mut counts = [0.0f64; 3];
        while counts.iter().sum::<f64>() < 6000.0 {
            let batch = loader.next_batch().unwrap().unwrap();
            for value in data::values(&batch, "v").1.into_iter().filter(|value| *value >= 0) {
                let of = value as usize / 100;
                counts[of] += 1.0 / (of + 1) as f64;
            }
        }
        let all = counts.iter().sum::<f64>();
        for (count, weight) in counts.into_iter().zip(WEIGHTS) {
            // Five standard deviations.
            let (expected, deviation) =
                (all * weight / 10.0, (all * weight / 10.0 * (1.0 - weight / 10.0)).sqrt());
            assert!(
                (count - expected).abs() < 5.0 * deviation,
                "{count} of {all}, {expected} expected: {batching}"
            );
        }
    }
}
