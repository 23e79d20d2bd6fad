//! The shuffle of blocks: every example once an epoch, in an order that hosts and threads do not change, each block read once.

use std::collections::BTreeSet;
use std::path::Path;

use batch_loader::config::{LoaderConfig, LoaderType, Shard};
use batch_loader::{BatchLoader, ExampleOrder, Kind, LoaderBuilder, LoaderState};
use tfrecord_io::Compression;

use crate::data;

/// Values of an example: small ones are copied before they are drawn, and of both a megabyte holds few.
const VALUES: [usize; 2] = [256, 600];
/// Examples of the files.
const COUNTS: [usize; 4] = [600, 0, 500, 400];

fn files(dir: &Path, compression: Compression, values: usize) {
    let name = match compression {
        Compression::None => "null",
        Compression::Gzip => "\"gzip\"",
        _ => "\"zlib\"",
    };
    let manifest = format!(
        r#"{{"compression": {name}, "allow_var_len": false, "features": [
            {{"name": "v", "dtype": "int64", "shape": [{values}], "deserialize_type": "int"}}]}}"#
    );
    std::fs::write(dir.join("__manifest__.json"), manifest).unwrap();
    for (file, count) in COUNTS.into_iter().enumerate() {
        let records = (0..count).map(|record| data::list(vec![(1000 * file + record) as i64; values]));
        data::write(dir, &format!("{file:03}.tfrecord"), compression, records);
    }
}

fn everything(epochs: usize) -> Vec<i64> {
    let mut all = (0..600).chain(2000..2500).chain(3000..3400).collect::<Vec<i64>>().repeat(epochs);
    all.sort_unstable();
    all
}

fn config(dir: &Path, more: &str) -> LoaderConfig {
    let more = format!(r#""target_batch_size": 10, "drop_remainder": false, "seed": 11, {more}"#);
    data::config("independent", dir, "v", &more)
}

/// About ten blocks of 250 examples and windows of a hundred or so.
fn small(streams: &str) -> String {
    format!(r#""shuffle": "blocks", "shuffle_bytes": 1048576, "shuffle_streams": {streams}"#)
}

fn builder(config: LoaderConfig) -> LoaderBuilder {
    data::builder(config, "v")
}

/// The first value of each example of the batches that are left.
fn rest(loader: &mut BatchLoader, batches: usize) -> Vec<Vec<i64>> {
    let mut out = Vec::new();
    while out.len() < batches
        && let Some(batch) = loader.next_batch().unwrap()
    {
        let (shape, values) = data::values(&batch, "v");
        out.push(values.chunks(shape[1]).map(|values| values[0]).collect());
    }
    out
}

fn sorted(batches: &[Vec<i64>]) -> Vec<i64> {
    let mut all = batches.concat();
    all.sort_unstable();
    all
}

#[test]
fn each_epoch_has_every_example_once_in_an_order_of_its_own() {
    let both =
        [Compression::None, Compression::Gzip, Compression::Zlib].map(|of| VALUES.map(|values| (of, values)));
    for (compression, values) in both.into_iter().flatten() {
        let dir = tempfile::tempdir().unwrap();
        files(dir.path(), compression, values);
        let mut of_threads = Vec::new();
        for streams in ["null", "1", "2", "3", "7"] {
            for threads in [1, 3] {
                let config = config(dir.path(), &format!(r#""epochs": 3, {}"#, small(streams)));
                let mut loader = builder(config).threads(threads).build().unwrap();
                let all = rest(&mut loader, usize::MAX).concat();
                let epochs = all.chunks(1500).collect::<Vec<_>>();
                assert_eq!(epochs.len(), 3);
                for epoch in &epochs {
                    let mut sorted = epoch.to_vec();
                    sorted.sort_unstable();
                    assert_eq!(sorted, everything(1), "{compression:?}, {streams} streams");
                }
                assert_ne!(epochs[0], epochs[1]);
                of_threads.push(all);
            }
            let [one, three] = &of_threads[..] else { panic!() };
            assert_eq!(one, three, "the number of threads changes the order");
            of_threads.clear();
        }
    }
}

/// A file that is not entered is read once an epoch, and once more for its count.
#[test]
fn each_block_is_decompressed_once_an_epoch() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::Zlib, 256);
    let mut in_order = builder(config(dir.path(), r#""epochs": 3"#)).build().unwrap();
    rest(&mut in_order, usize::MAX);
    let mut loader =
        builder(config(dir.path(), &format!(r#""epochs": 3, {}"#, small("null")))).build().unwrap();
    rest(&mut loader, usize::MAX);
    assert_eq!(loader.stats().bytes_inflated, in_order.stats().bytes_inflated);
    assert_eq!(loader.stats().records_parsed, in_order.stats().records_parsed);
}

#[test]
fn neighbours_come_apart() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::None, 256);
    let mut loader = builder(config(dir.path(), &format!(r#""epochs": 1, {}"#, small("3")))).build().unwrap();
    let all = rest(&mut loader, usize::MAX).concat();
    let neighbours = all.windows(2).filter(|pair| (pair[0] - pair[1]).abs() == 1).count();
    assert!(neighbours < 60, "{neighbours} of 1,499 examples follow a neighbour");
    let files_of_batch = |batch: &[i64]| batch.iter().map(|id| id / 1000).collect::<BTreeSet<_>>().len();
    let mixed = all.chunks(30).filter(|batch| files_of_batch(batch) > 1).count();
    assert!(mixed > 35, "only {mixed} of 50 batches have examples of several files");
}

/// Runs hosts for some steps of 60 examples of all of them together, or to their ends: what all got in each step, sorted.
fn hosts(
    config: &LoaderConfig,
    count: u32,
    state: Option<&LoaderState>,
    steps: usize,
    of: u32,
) -> (Vec<Vec<i64>>, LoaderState) {
    let (mut all, mut kept) = (Vec::new(), None);
    for index in 0..count {
        let size = 60 / count as usize;
        let builder = builder(config.clone()).shard(Shard { index, count }).batch_size(size);
        let builder = match state {
            Some(state) => builder.state(state.clone()),
            None => builder,
        };
        let mut loader = builder.build().unwrap();
        for (step, batch) in rest(&mut loader, steps).into_iter().enumerate() {
            all.resize(all.len().max(step + 1), Vec::new());
            all[step].extend(batch);
        }
        if index == of % count {
            kept = Some(LoaderState::from_json(&loader.state().to_json()).unwrap());
        }
    }
    for step in &mut all {
        step.sort_unstable();
    }
    (all, kept.unwrap())
}

#[test]
fn the_global_batches_stay_the_same_when_hosts_change() {
    let dir = tempfile::tempdir().unwrap();
    for (streams, values) in [("1", 256), ("3", 600), ("4", 256), ("3", 256)] {
        files(dir.path(), Compression::Gzip, values);
        let config = config(dir.path(), &format!(r#""epochs": 2, {}"#, small(streams)));
        let (expected, _) = hosts(&config, 1, None, usize::MAX, 0);
        assert_eq!(sorted(&expected), everything(2));
        for (chain, host) in [
            (&[(4, 3), (2, 999)][..], 3),
            (&[(6, 11), (5, 2), (4, 9), (3, 1), (2, 2), (1, 999)], 0),
            (&[(1, 12), (3, 14), (2, 999)], 1),
            (&[(5, 50), (6, 999)], 2),
        ] {
            let (mut got, mut state) = (Vec::new(), None);
            for &(count, steps) in chain {
                let (steps, after) = hosts(&config, count, state.as_ref(), steps, host);
                got.extend(steps);
                state = Some(after);
            }
            assert_eq!(got, expected, "{chain:?}");
        }
    }
}

#[test]
fn a_loader_goes_on_from_every_batch() {
    VALUES.into_iter().for_each(goes_on);
}

fn goes_on(values: usize) {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::Gzip, values);
    let config = config(dir.path(), &format!(r#""epochs": 2, {}"#, small("2")));
    let mut whole = builder(config.clone()).build().unwrap();
    let all = rest(&mut whole, usize::MAX);
    let mut loader = builder(config.clone()).build().unwrap();
    for step in 0..=all.len() {
        if step % 17 == 0 || step == all.len() {
            let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
            let mut other = builder(config.clone()).state(state).build().unwrap();
            assert_eq!(rest(&mut other, usize::MAX), all[step..], "after {step} batches");
        }
        loader.next_batch().unwrap();
    }
}

#[test]
fn hosts_are_made_even() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::None, 256);
    for (even, each) in [("drop", 214), ("repeat", 215)] {
        let more = format!(r#""epochs": 1, "even": "{even}", {}"#, small("2"));
        let config = config(dir.path(), &more);
        for index in 0..7 {
            let mut loader = builder(config.clone()).shard(Shard { index, count: 7 }).build().unwrap();
            assert_eq!(rest(&mut loader, usize::MAX).concat().len(), each, "{even}, host {index}");
        }
    }
}

#[test]
fn filters_and_windows_keep_their_examples() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::Gzip, 256);
    let mut config = config(dir.path(), &format!(r#""epochs": 1, {}"#, small("3")));
    config.loader = LoaderType::DiscreteSequence { min_window: 3, max_window: 3 };
    let mut loader = builder(config).build().unwrap();
    let mut windows = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        let (_, values) = data::values(&batch, "v");
        windows.extend(values.chunks(3 * 256).map(|window| [window[0], window[256], window[512]]));
    }
    windows.sort_unstable();
    let files = [(0, 600), (2000, 500), (3000, 400)];
    let expected = files.into_iter().flat_map(|(first, count)| {
        (0..count / 3).map(move |window| first + 3 * window).map(|id| [id, id + 1, id + 2])
    });
    assert_eq!(windows, expected.collect::<Vec<_>>());
}

#[test]
fn auto_is_global_where_large_records_can_be_entered() {
    let cases = [
        (Compression::None, 5000, true),
        (Compression::None, 256, false),
        (Compression::Gzip, 5000, false),
        (Compression::Zlib, 256, false),
    ];
    for (compression, values, is_global) in cases {
        let dir = tempfile::tempdir().unwrap();
        files(dir.path(), compression, values);
        let of = |shuffle: &str| {
            let config = config(dir.path(), &format!(r#""epochs": 1, "shuffle": "{shuffle}""#));
            builder(config).build().unwrap()
        };
        let mut auto = of("auto");
        let is_planned = matches!(auto.plan().orders[..], [ExampleOrder::Global { .. }]);
        assert_eq!(is_planned, is_global, "{compression:?}, {values} values");
        let all = rest(&mut auto, usize::MAX);
        let same_as = if is_global { "global" } else { "blocks" };
        assert_eq!(all, rest(&mut of(same_as), usize::MAX), "{compression:?}");
        assert_eq!(sorted(&all), everything(1));
    }
}

/// Members of gzip cost a global shuffle far more than blocks, which is told.
#[test]
fn a_global_shuffle_that_decompresses_again_is_warned_of() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::Gzip, 256);
    let config = config(dir.path(), r#""epochs": 1, "shuffle": "global""#);
    let plan = builder(config.clone()).build().unwrap().plan().clone();
    let [ExampleOrder::Global { examples: 1500, reads }] = plan.orders[..] else { panic!("{plan:?}") };
    assert!(reads > 1.5, "{reads}");
    files(dir.path(), Compression::None, 256);
    let plan = builder(config).build().unwrap().plan().clone();
    assert_eq!(plan.orders, [ExampleOrder::Global { examples: 1500, reads: 1.0 }]);
    assert!(plan.warnings().is_empty());
}

#[test]
fn plans_tell_whether_batches_are_made_ahead() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::None, 256);
    let told = |threads| {
        let mut config = config(dir.path(), r#""epochs": 1"#);
        config.num_prefetch = 3;
        let plan = builder(config).threads(threads).build().unwrap().plan().to_string();
        plan.lines().last().unwrap().to_owned()
    };
    assert!(told(1).ends_with(" each, made when they are asked for, on 1 thread"), "{}", told(1));
    assert!(told(2).ends_with(" each, 3 made ahead on 2 threads"), "{}", told(2));
}

#[test]
fn a_state_of_other_blocks_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    files(dir.path(), Compression::None, 256);
    let with = |bytes: u64| {
        config(dir.path(), &format!(r#""epochs": 1, "shuffle": "blocks", "shuffle_bytes": {bytes}"#))
    };
    let mut loader = builder(with(1 << 20)).build().unwrap();
    rest(&mut loader, 3);
    let error = builder(with(1 << 21)).state(loader.state()).build().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::State));
    assert!(error.to_string().contains("`shuffle_bytes` was 1048576 and is 2097152"), "{error}");
    // A release that cuts other blocks of the same files.
    let text = loader.state().to_json();
    let at = text.find("\"blocks\":[").unwrap();
    let end = at + text[at..].find(']').unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    assert_eq!(text[at..=end].matches(',').count(), 2);
    value["blocks"] = serde_json::json!([1, 1, 1]);
    let error = LoaderState::from_json(&value.to_string()).unwrap_err();
    assert!(error.to_string().contains("its checksum does not match"), "{error}");
}
