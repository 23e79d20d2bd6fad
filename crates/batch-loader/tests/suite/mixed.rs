//! Several data sets mixed by weight.

use std::path::Path;
use std::sync::Arc;

use batch_loader::config::{
    BucketByLength, LoaderConfig, LoaderType, MaxTokens, Padding, Shard, Shuffle, Stride, TooLong,
};
use batch_loader::{BatchLoader, Exhausted, Kind, LoaderBuilder, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;
use tfxio_core::Dataset;
use tfxio_formats::OpenOptions;

use crate::data;

/// Three data sets: `counts[d]` records in two files, of which record `r` is `1000 · d + r`.
fn datasets(dir: &Path, counts: [usize; 3]) -> Vec<Arc<dyn Dataset>> {
    let dataset = |(number, count): (usize, usize)| {
        let files = [("a", 0..count / 3), ("b", count / 3..count)].map(|(file, records)| {
            let name = format!("{number}{file}{}.tfrecord", records.start);
            let records = records.map(|record| data::example((1000 * number + record) as i64));
            data::write(dir, &name, Compression::None, records);
            dir.join(name).display().to_string()
        });
        let options = OpenOptions::new().set("fixed_size_lists", true).unwrap();
        options.open(&files[..]).unwrap()
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

fn mixed(datasets: &[Arc<dyn Dataset>], config: LoaderConfig) -> LoaderBuilder {
    let weighted = datasets.iter().cloned().zip(WEIGHTS);
    BatchLoader::mixed(weighted, config).inputs(["id"]).seed(5)
}

/// Returns the values of each remaining batch, and checks that each is of the file and the record that the batch
/// reports.
fn rest(loader: &mut BatchLoader) -> Vec<Vec<i64>> {
    let mut all = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        let values = data::values(&batch, "id").1;
        for (origin, id) in batch.origins().zip(&values) {
            let name = Path::new(&**origin.file).file_stem().unwrap().to_str().unwrap();
            let (number, start) = name.split_once(['a', 'b']).unwrap();
            assert_eq!(origin.dataset, number.parse::<usize>().unwrap());
            let at = 1000 * number.parse::<u64>().unwrap() + start.parse::<u64>().unwrap() + origin.record;
            assert_eq!(at, *id as u64);
        }
        all.push(values);
    }
    all
}

/// The values of all batches, in ascending order.
fn sorted(batches: impl IntoIterator<Item = Vec<i64>>) -> Vec<i64> {
    let mut values = batches.into_iter().flatten().collect::<Vec<_>>();
    values.sort_unstable();
    values
}

#[test]
fn examples_come_in_proportion_to_the_weights_within_batches() {
    const BATCHES: usize = 4000;
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [20, 20, 20]);
    let mut loader = mixed(&datasets, config(None)).build().unwrap();
    // How often a batch of three has how many of each.
    let mut found = std::collections::BTreeMap::<[usize; 3], usize>::new();
    for _ in 0..BATCHES {
        let batch = loader.next_batch().unwrap().unwrap();
        let mut counts = [0usize; 3];
        data::values(&batch, "id").1.into_iter().for_each(|id| counts[id as usize / 1000] += 1);
        *found.entry(counts).or_default() += 1;
    }
    assert_eq!(found.len(), 10, "every mixture of three: {found:?}");
    let factorial = |number: usize| (1..=number).product::<usize>() as f64;
    let squares = found.iter().map(|(counts, found)| {
        let weighted = counts.iter().zip(WEIGHTS);
        let likely = weighted.map(|(&count, weight)| (weight / 10.0).powi(count as i32) / factorial(count));
        let expected = likely.product::<f64>() * factorial(3) * BATCHES as f64;
        (*found as f64 - expected).powi(2) / expected
    });
    // More than that has a probability of one in a thousand, with nine degrees of freedom.
    let squares = squares.sum::<f64>();
    assert!(squares < 27.9, "{squares}: {found:?}");
    assert_eq!(loader.stats().examples, 3 * BATCHES as u64);
}

#[test]
fn every_record_comes_once_an_epoch_or_the_mixture_ends_with_the_first() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [40, 4, 25]);
    for shuffle in [config(None).shuffle, Shuffle::Global, Shuffle::Off] {
        let mut config = config(Some(2));
        config.shuffle = shuffle;
        let builder = mixed(&datasets, config.clone());
        assert_eq!(builder.length().unwrap().batches, Some(46));
        let all = rest(&mut builder.build().unwrap());
        assert_eq!(all.len(), 46, "only the last batch of all may be short");
        let once = (0..40).chain(1000..1004).chain(2000..2025);
        assert_eq!(sorted(all.iter().cloned()), once.flat_map(|id| [id, id]).collect::<Vec<i64>>());

        let stop = mixed(&datasets, config).exhausted(Exhausted::Stop);
        let error = stop.length().unwrap_err().to_string();
        assert!(error.contains("which data set of the mixture ends first"), "{error}");
        let first = rest(&mut stop.build().unwrap());
        let all = all.concat();
        let first = first.concat();
        assert_eq!(first, all[..first.len()], "the same until one has ended");
        assert_eq!(first.iter().filter(|id| **id / 1000 == 1).count(), 8, "the smallest was read to its end");
        assert!(first.len() < 100, "{}", first.len());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same seed gives the same batches, whatever the number of threads, and the same rest after any of them.
    #[test]
    fn mixtures_are_the_same_for_any_threads_and_gone_on_from_anywhere(
        counts in prop::array::uniform3(1usize..24),
        weights in prop::collection::vec(prop_oneof![0.01..100.0f64, Just(1e-9)], 3),
        (seed, size, epochs, stops) in (0u64..1 << 53, 1usize..7, 1u64..4, any::<bool>()),
        (shuffle, drops) in (0usize..3, any::<bool>()),
    ) {
        let dir = tempfile::tempdir().unwrap();
        let datasets = datasets(dir.path(), counts);
        let build = |threads: usize| {
            let mut config = config(Some(epochs));
            (config.target_batch_size, config.drop_remainder) = (size, drops);
            config.shuffle = [config.shuffle, Shuffle::Global, Shuffle::Off][shuffle];
            let weighted = datasets.iter().cloned().zip(weights.iter().copied());
            let builder = BatchLoader::mixed(weighted, config).inputs(["id"]).seed(seed).threads(threads);
            builder.exhausted(if stops { Exhausted::Stop } else { Exhausted::Leave })
        };
        let values = |loader: &mut BatchLoader| data::rest(loader, "id");
        let all = values(&mut build(1).build().unwrap());
        for threads in 2..=4 {
            prop_assert_eq!(&values(&mut build(threads).build().unwrap()), &all, "{} threads", threads);
        }
        if !stops {
            prop_assert_eq!(build(1).length().unwrap().batches, Some(all.len() as u64));
        }
        let mut records = all.iter().flat_map(|(_, values)| values.clone()).collect::<Vec<_>>();
        records.sort_unstable();
        let most = records.chunk_by(|a, b| a == b).map(<[i64]>::len).max().unwrap_or(0);
        prop_assert!(most <= epochs as usize, "a record came {} times", most);
        if !stops && !drops {
            let once = counts.iter().zip(0..).flat_map(|(&count, number)| 1000 * number..1000 * number + count as i64);
            let expected = once.flat_map(|id| vec![id; epochs as usize]).collect::<Vec<_>>();
            prop_assert_eq!(records, expected);
        }
        let mut loader = build(2).build().unwrap();
        for stop in 0..=all.len() {
            let state = loader.state();
            let text = state.to_json();
            let read = LoaderState::from_json(&text).unwrap();
            prop_assert_eq!(&read, &state);
            let mut restored = build(1 + stop % 4).state(read).build().unwrap();
            prop_assert_eq!(restored.state().to_json(), text);
            prop_assert_eq!(&values(&mut restored), &all[stop..], "after {} batches", stop);
            prop_assert_eq!(loader.next_batch().unwrap().is_some(), stop < all.len());
        }
    }
}

/// Examples that are too long in one data set do not count for the epochs of another.
#[test]
fn examples_that_are_too_long_are_left_out_of_mixtures() {
    let dir = tempfile::tempdir().unwrap();
    let dataset = |name: &str, lengths: &[i64]| {
        data::write(dir.path(), name, Compression::None, lengths.iter().map(|length| data::list(0..*length)));
        OpenOptions::new().open(dir.path().join(name).as_path()).unwrap()
    };
    let [short, long] = [("a.tfrecord", &[2, 9, 9, 9, 9, 9, 9, 9][..]), ("b.tfrecord", &[8][..])]
        .map(|(name, lengths)| dataset(name, lengths));
    let build = |datasets: [&Arc<dyn Dataset>; 2]| {
        let mut config = LoaderConfig::independent(1);
        config.epochs = None;
        config.padding = Padding::All;
        config.max_tokens = Some(MaxTokens::new(4).too_long(TooLong::Drop));
        let weighted = datasets.into_iter().map(|dataset| (Arc::clone(dataset), 1.0));
        BatchLoader::mixed(weighted, config).inputs(["v"]).seed(5).build().unwrap()
    };
    let mut loader = build([&short, &long]);
    for _ in 0..40 {
        assert_eq!(data::values(&loader.next_batch().unwrap().unwrap(), "v").1[..2], [0, 1]);
    }
    let error = build([&long, &long]).next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
    assert!(error.to_string().contains("no example of a whole epoch has between 1 and 4 tokens"), "{error}");
}

/// Records that a filter leaves out of one data set, and units left over in it, do not count for another.
#[test]
fn a_data_set_of_which_nothing_comes_is_told_from_the_others() {
    let dir = tempfile::tempdir().unwrap();
    let dataset = |ids: std::ops::Range<i64>| {
        let name = format!("{}.tfrecord", ids.start);
        data::write(dir.path(), &name, Compression::None, ids.map(|id| data::list([id])));
        OpenOptions::new().open(dir.path().join(name).as_path()).unwrap()
    };
    let [kept, filtered, single] = [0..5, 1000..1006, 500..501].map(dataset);
    let windows = |first: f64, second: f64| {
        let mut config = config(Some(1));
        config.padding = Padding::All;
        config.loader = LoaderType::DiscreteSequence { min_window: 2, max_window: 2 };
        config.filter = Some("v < 1000".parse().unwrap());
        let weighted = [(Arc::clone(&kept), first), (Arc::clone(&filtered), second)];
        BatchLoader::mixed(weighted, config).inputs(["v"]).seed(5).build().unwrap()
    };
    let shard = |first: f64, second: f64| {
        let mut config = config(Some(1));
        config.padding = Padding::All;
        config.filter = Some("v != 3".parse().unwrap());
        let weighted = [(Arc::clone(&kept), first), (Arc::clone(&single), second)];
        let builder = BatchLoader::mixed(weighted, config).inputs(["v"]).seed(5);
        builder.shard(Shard { index: 1, count: 2 }).build().unwrap()
    };
    for (first, second) in [(1e9, 1.0), (1.0, 1e9)] {
        let mut loader = windows(first, second);
        let error = std::iter::from_fn(|| loader.next_batch().transpose()).find_map(Result::err).unwrap();
        assert_eq!(error.detail(), Some(&Kind::InvalidValue));
        let what = "no record satisfies the filter \"v < 1000\"";
        assert!(error.to_string().contains(what), "{first}, {second}: {error}");
        // The other host has the only record of the second: nothing was left out.
        let ids = data::rest(&mut shard(first, second), "v").into_iter().map(|(_, ids)| ids);
        assert_eq!(sorted(ids).len(), 2, "{first}, {second}");
    }
}

/// Buckets by length are shared by the mixture: a batch has examples of all data sets.
#[test]
fn windows_of_similar_length_are_mixed() {
    let dir = tempfile::tempdir().unwrap();
    let dataset = |number: usize| {
        let name = format!("{number}.tfrecord");
        let records = (0..9).map(|record| {
            let start = (1000 * number + 10 * record) as i64;
            data::list(start..start + 7)
        });
        data::write(dir.path(), &name, Compression::None, records);
        (OpenOptions::new().open(dir.path().join(name).as_path()).unwrap(), 1.0)
    };
    let datasets = [dataset(0), dataset(1)];
    let build = |threads: usize| {
        let mut config = config(Some(2));
        config.loader = LoaderType::ContinuousSequence {
            min_window: 1,
            max_window: 6,
            stride: Stride::Range { min: 1, max: 3 },
        };
        config.padding = Padding::All;
        config.bucket_by_length = Some(BucketByLength::new("v", vec![3], vec![4, 3]));
        BatchLoader::mixed(datasets.clone(), config).inputs(["v"]).seed(9).threads(threads)
    };
    let all = data::rest(&mut build(1).build().unwrap(), "v");
    let is_mixed = |values: &[i64]| values.iter().any(|v| *v < 1000) && values.iter().any(|v| *v >= 1000);
    assert!(all.iter().filter(|(_, values)| is_mixed(values)).count() > all.len() / 2);
    assert_eq!(data::rest(&mut build(3).build().unwrap(), "v"), all);
    let mut loader = build(1).build().unwrap();
    for stop in 0..=all.len() {
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        assert_eq!(data::rest(&mut build(2).state(state).build().unwrap(), "v"), all[stop..], "after {stop}");
        loader.next_batch().unwrap();
    }
}

#[test]
fn hosts_draw_the_same_and_share_the_records() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [36, 12, 24]);
    let host = |index, count, batches: usize, state: Option<LoaderState>| {
        let mut config = config(Some(1));
        config.shuffle = Shuffle::Global;
        let mut loader = mixed(&datasets, config).shard(Shard { index, count }).state(state).build().unwrap();
        let values = (0..batches).map_while(|_| loader.next_batch().unwrap());
        let values = values.flat_map(|batch| data::values(&batch, "id").1).collect::<Vec<_>>();
        (values, loader.state())
    };
    let [(one, _), (two, _)] = [0, 1].map(|index| host(index, 2, usize::MAX, None));
    let sources = |of: &[i64]| of.iter().map(|id| id / 1000).collect::<Vec<_>>();
    assert_eq!(sources(&one), sources(&two));
    let once = (0..36).chain(1000..1012).chain(2000..2024).collect::<Vec<i64>>();
    assert_eq!(sorted([one, two]), once);

    // Three hosts go on from where two were.
    let [(one, state), (two, _)] = [0, 1].map(|index| host(index, 2, 5, None));
    let more = (0..3).map(|index| host(index, 3, usize::MAX, Some(state.clone())).0);
    assert_eq!(sorted([one, two].into_iter().chain(more)), once);
}

#[test]
fn files_of_the_same_name_are_told_apart() {
    let dir = tempfile::tempdir().unwrap();
    let dataset = datasets(dir.path(), [6, 3, 3]).remove(0);
    let mut config = config(Some(1));
    config.shuffle = Shuffle::Global;
    let weighted = [(Arc::clone(&dataset), 1.0), (dataset, 1.0)];
    let mut loader = BatchLoader::mixed(weighted, config).inputs(["id"]).seed(5).build().unwrap();
    let mut found = [Vec::new(), Vec::new()];
    while let Some(batch) = loader.next_batch().unwrap() {
        let ids = data::values(&batch, "id").1;
        for (origin, id) in batch.origins().zip(ids) {
            found[origin.dataset].push(id);
        }
    }
    assert_eq!(found.map(|ids| sorted([ids])), [[0, 1, 2, 3, 4, 5]; 2]);
}

#[test]
fn one_data_set_is_loaded_as_without_a_mixture() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [20, 4, 9]);
    let one = mixed(&datasets[..1], config(Some(2))).build().unwrap();
    let over = BatchLoader::over(Arc::clone(&datasets[0]), config(Some(2))).inputs(["id"]).seed(5);
    let mut over = over.state(one.state()).build().unwrap();
    let all = rest(&mut over);
    let mut one = one;
    assert_eq!(rest(&mut one), all);
    assert_eq!(one.state(), over.state());
}

#[test]
fn what_cannot_be_mixed_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let datasets = datasets(dir.path(), [4, 4, 4]);
    let refused = |builder: LoaderBuilder, kind: Kind| {
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
    let pair = || datasets[..2].iter().cloned().map(|dataset| (dataset, 1.0));
    let path = dir.path().join("0b1.tfrecord");
    let mut padded = config(None);
    padded.padding = Padding::All;
    let with = |other: Arc<dyn Dataset>| BatchLoader::mixed(pair().chain([(other, 1.0)]), padded.clone());
    let raw = OpenOptions::new().format("raw").open(path.as_path()).unwrap();
    assert_eq!(
        refused(with(raw), Kind::InvalidValue),
        "tensor \"id\": in the data set 2 of the mixture, the data set has no column \"id\"; the columns are \"raw_record\""
    );
    // Without `fixed_size_lists`.
    let lists = || OpenOptions::new().open(path.as_path()).unwrap();
    assert_eq!(
        refused(with(lists()), Kind::InvalidValue),
        "tensor \"id\": in the data set 2 of the mixture, records have int64 [?], in the data set 0 int64 [1]; name \
         inputs and targets that all of them have alike"
    );
    let more = OpenOptions::new().source_column("file").open(path.as_path()).unwrap();
    let builder = BatchLoader::mixed([(lists(), 1.0), (more, 1.0)], padded.clone());
    assert_eq!(
        refused(builder, Kind::InvalidValue),
        "tensor \"file\": in the data set 1 of the mixture, there is a column that the data set 0 does not have; name \
         inputs and targets that all of them have alike"
    );

    let state = mixed(&datasets, config(None)).build().unwrap().state();
    let another = "the state is of another mixture: its data sets had other weights, or were more or fewer";
    let with = |weights: &[f64]| {
        let weighted = datasets.iter().cloned().zip(weights.iter().copied());
        let builder = BatchLoader::mixed(weighted, config(None)).inputs(["id"]);
        refused(builder.state(state.clone()), Kind::State)
    };
    for weights in [&[1.0][..], &[6.0, 3.0], &[6.0, 3.0, 2.0]] {
        assert!(with(weights).starts_with(another), "{weights:?}");
    }
    let single = mixed(&datasets[..1], config(None)).build().unwrap().state();
    assert!(refused(mixed(&datasets, config(None)).state(single), Kind::State).starts_with(another));
    let text = refused(mixed(&datasets, config(None)).seed(6).state(state), Kind::State);
    assert!(text.contains("the seed 5, not 6"), "{text}");
}
