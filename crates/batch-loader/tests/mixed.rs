//! Several data sets mixed by weight.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use std::path::Path;
use std::sync::Arc;

use batch_loader::config::{LoaderConfig, Shard, Shuffle};
use batch_loader::{BatchLoader, Exhausted, Kind, MixedBuilder, MixedLoader, MixedState};
use tfrecord_io::Compression;
use tfxio_core::Dataset;
use tfxio_formats::OpenOptions;

/// Three data sets: `counts[d]` records, of which record `r` is `1000 · d + r`.
fn datasets(dir: &Path, counts: [usize; 3]) -> Vec<Arc<dyn Dataset>> {
    let dataset = |(number, count): (usize, usize)| {
        let name = format!("{number}.tfrecord");
        let records = (0..count).map(|record| data::example((1000 * number + record) as i64));
        data::write(dir, &name, Compression::None, records);
        OpenOptions::new().set("fixed_size_lists", true).unwrap().open(dir.join(name).as_path()).unwrap()
    };
    counts.into_iter().enumerate().map(dataset).collect()
}

const WEIGHTS: [f64; 3] = [6.0, 3.0, 1.0];

fn config(epochs: Option<u64>) -> LoaderConfig {
    let mut config = LoaderConfig::independent(3).pad("id", 1);
    config.epochs = epochs;
    config.shuffle = Shuffle::Buffer { elements: 8, filenames: 1, mix_files: 1 };
    config
}

fn mixed(datasets: &[Arc<dyn Dataset>], config: LoaderConfig) -> MixedBuilder {
    let weighted = datasets.iter().cloned().zip(WEIGHTS);
    BatchLoader::mixed(weighted, config).inputs(["id"]).seed(5)
}

/// The data set and the values of each batch that is left.
fn rest(loader: &mut MixedLoader) -> Vec<(usize, Vec<i64>)> {
    let mut all = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        let source = loader.source().unwrap();
        let values = data::values(&batch, "id").1;
        assert!(values.iter().all(|id| *id as usize / 1000 == source), "{values:?} of {source}");
        all.push((source, values));
    }
    all
}

#[test]
fn data_sets_come_in_proportion_to_their_weights() {
    const BATCHES: usize = 4000;
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [20, 20, 20]);
    let mut loader = mixed(&datasets, config(None)).build().unwrap();
    let mut counts = [0usize; 3];
    for _ in 0..BATCHES {
        loader.next_batch().unwrap().unwrap();
        counts[loader.source().unwrap()] += 1;
    }
    for (count, weight) in counts.into_iter().zip(WEIGHTS) {
        let share = weight / 10.0;
        // Five standard deviations.
        let spread = 5.0 * (share * (1.0 - share) * BATCHES as f64).sqrt();
        assert!((count as f64 - share * BATCHES as f64).abs() < spread, "{counts:?}");
    }
    assert_eq!(loader.loaders().iter().map(|of| of.stats().batches).sum::<u64>(), BATCHES as u64);
}

#[test]
fn every_record_comes_once_an_epoch_or_the_mixture_ends_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [40, 4, 25]);
    let all = rest(&mut mixed(&datasets, config(Some(2))).build().unwrap());
    let mut records = all.into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
    records.sort_unstable();
    let once = (0..40).chain(1000..1004).chain(2000..2025);
    assert_eq!(records, once.flat_map(|id| [id, id]).collect::<Vec<i64>>());

    let stop = mixed(&datasets, config(Some(2))).exhausted(Exhausted::Stop);
    let first = rest(&mut stop.build().unwrap());
    let of_second = first.iter().filter(|(source, _)| *source == 1).flat_map(|(_, values)| values);
    assert_eq!(of_second.count(), 8, "the smallest was read to its end");
    assert!(first.len() < 30, "{}", first.len());
}

#[test]
fn a_state_between_any_two_batches_is_gone_on_from() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [20, 4, 9]);
    for exhausted in [Exhausted::Leave, Exhausted::Stop] {
        for shuffle in [config(None).shuffle, Shuffle::Global, Shuffle::Off] {
            let build = |threads: usize| {
                let mut config = config(Some(2));
                config.shuffle = shuffle;
                (config.num_parallel_reads, config.num_parallel_parses) = (threads, threads);
                mixed(&datasets, config).exhausted(exhausted)
            };
            let all = rest(&mut build(1).build().unwrap());
            assert_eq!(rest(&mut build(3).build().unwrap()), all, "three threads");
            for stop in 0..=all.len() {
                let mut loader = build(1).build().unwrap();
                for _ in 0..stop {
                    loader.next_batch().unwrap().unwrap();
                }
                let text = serde_json::to_string(&loader.state()).unwrap();
                let state: MixedState = serde_json::from_str(&text).unwrap();
                let mut restored = build(2).state(state).build().unwrap();
                assert_eq!(rest(&mut restored), all[stop..], "after {stop} batches");
            }
        }
    }
}

#[test]
fn hosts_draw_the_same_and_share_the_records() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [36, 12, 24]);
    let host = |index| {
        let mut config = config(Some(1));
        config.shuffle = Shuffle::Global;
        rest(&mut mixed(&datasets, config).shard(Shard { index, count: 2 }).build().unwrap())
    };
    let (one, two) = (host(0), host(1));
    let sources = |of: &[(usize, Vec<i64>)]| of.iter().map(|(source, _)| *source).collect::<Vec<_>>();
    assert_eq!(sources(&one), sources(&two));
    let mut both = one.into_iter().chain(two).flat_map(|(_, values)| values).collect::<Vec<_>>();
    both.sort_unstable();
    assert_eq!(both, (0..36).chain(1000..1012).chain(2000..2024).collect::<Vec<i64>>());
}

#[test]
fn what_cannot_be_mixed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [4, 4, 4]);
    let refused = |builder: MixedBuilder, kind: Kind| {
        let error = builder.build().unwrap_err();
        assert_eq!(error.detail(), Some(&kind), "{error}");
        error.to_string()
    };
    assert_eq!(
        refused(BatchLoader::mixed([], config(None)), Kind::InvalidValue),
        "a mixture needs at least one data set"
    );
    for weight in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let pair = [(Arc::clone(&datasets[0]), 1.0), (Arc::clone(&datasets[1]), weight)];
        let text = refused(BatchLoader::mixed(pair, config(None)), Kind::InvalidValue);
        assert!(text.starts_with("the data set 1 has the weight "), "{text}");
    }
    let pair = datasets[..2].iter().cloned().map(|dataset| (dataset, 1.0));
    let other = OpenOptions::new().format("raw").open(dir.path().join("0.tfrecord").as_path()).unwrap();
    let mut padded = config(None);
    padded.padding = batch_loader::config::Padding::All;
    let text = refused(BatchLoader::mixed(pair.chain([(other, 1.0)]), padded), Kind::InvalidValue);
    assert!(text.starts_with("the data sets of a mixture have different tensors: the first id: "), "{text}");

    let state = mixed(&datasets, config(None)).build().unwrap().state();
    let fewer = mixed(&datasets[..2], config(None)).state(state.clone());
    assert!(refused(fewer, Kind::State).starts_with("the state is of another mixture"));
    let text = refused(mixed(&datasets, config(None)).seed(6).state(state), Kind::State);
    assert!(text.contains("the seed 5, not 6"), "{text}");
}
