//! Loaders that go on from states with other numbers of hosts, batch sizes and epochs.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{Kind, LoaderState};
use tfrecord_io::Compression;

use crate::data;

/// Examples of all hosts together in each step: every number of hosts from 1 to 7 divides it.
const GLOBAL: usize = 420;

fn config(dir: &Path, epochs: u64, more: &str) -> LoaderConfig {
    let more =
        format!(r#""target_batch_size": 1, "drop_remainder": false, "epochs": {epochs}, "seed": 11 {more}"#);
    data::config("independent", dir, "id", &more)
}

const SHUFFLE: &str = r#", "shuffle": "global""#;

/// Runs hosts for so many steps, or to their ends: what all of them got in each step, sorted, and a host's state.
fn hosts(
    config: &LoaderConfig,
    count: u32,
    state: Option<&LoaderState>,
    steps: usize,
    of: u32,
) -> (Vec<Vec<i64>>, LoaderState) {
    let mut all = Vec::new();
    let mut kept = None;
    for index in 0..count {
        let size = GLOBAL / count as usize;
        let builder = data::builder(config.clone(), "id").shard(Shard { index, count }).batch_size(size);
        let builder = match state {
            Some(state) => builder.state(state.clone()),
            None => builder,
        };
        let mut loader = builder.build().unwrap();
        for step in 0..steps {
            let Some(batch) = loader.next_batch().unwrap() else { break };
            all.resize(all.len().max(step + 1), Vec::new());
            all[step].extend(data::values(&batch, "id").1);
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
fn the_global_batches_stay_the_same() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[999, 0, 503, 777], Compression::None);
    let config = config(dir.path(), 2, SHUFFLE);
    let (expected, _) = hosts(&config, 1, None, usize::MAX, 0);
    assert_eq!(expected.len(), (2 * (999 + 503 + 777usize)).div_ceil(GLOBAL));
    for (chain, host) in [
        (&[(4, 3), (2, 99)][..], 3),
        (&[(7, 1), (6, 1), (5, 1), (4, 1), (3, 1), (2, 1), (1, 99)], 0),
        (&[(1, 2), (3, 4), (7, 2), (2, 99)], 1),
        (&[(5, 10), (6, 99), (4, 99)], 2),
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

/// Epochs may be added, and `drop_remainder` may change, in every order.
#[test]
fn epochs_may_be_added_in_every_order() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[7, 4, 6], Compression::None);
    let buffer = r#", "shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#;
    for order in ["", buffer, SHUFFLE] {
        let of = |epochs: u64, drop_remainder: bool, state: Option<LoaderState>| {
            let mut config = config(dir.path(), epochs, order);
            config.target_batch_size = 4;
            config.drop_remainder = drop_remainder;
            let builder = data::builder(config, "id");
            match state {
                Some(state) => builder.state(state).build(),
                None => builder.build(),
            }
        };
        let all = data::rest(&mut of(5, false, None).unwrap(), "id");
        for stop in 0..=2 * 17 / 4 {
            let mut short = of(2, true, None).unwrap();
            for _ in 0..stop {
                short.next_batch().unwrap().unwrap();
            }
            let state = LoaderState::from_json(&short.state().to_json()).unwrap();
            let mut longer = of(5, false, Some(state.clone())).unwrap();
            assert_eq!(data::rest(&mut longer, "id"), all[stop..], "{order}, after {stop} batches");
            // Fewer epochs than were read cannot be.
            if stop > 17 / 4 + 1 {
                let end = of(1, false, Some(state)).map(|_| ()).unwrap_err();
                assert_eq!(end.detail(), Some(&Kind::State));
                let text = end.to_string();
                assert!(
                    text.contains("read more than `epochs`, which is 1; give more epochs, or start anew"),
                    "{text}"
                );
            }
        }
        // At its end, too: no example is lost, none comes twice.
        let mut short = of(2, false, None).unwrap();
        let mut got = data::rest(&mut short, "id");
        got.extend(data::rest(&mut of(5, false, Some(short.state())).unwrap(), "id"));
        let flat = |batches: &[(Vec<usize>, Vec<i64>)]| {
            batches.iter().flat_map(|(_, values)| values.clone()).collect::<Vec<_>>()
        };
        assert_eq!(flat(&got), flat(&all), "{order}");
    }
}

#[test]
fn what_the_order_depends_on_may_not_change() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![3, 1, 4], vec![2]], Compression::None);
    let config = |more: &str| {
        let more = format!(
            r#""target_batch_size": 2, "drop_remainder": false, "epochs": 2, "seed": 1, "padding": true{more}"#
        );
        data::config("independent", dir.path(), "v", &more)
    };
    let buckets = r#", "shuffle": "global", "bucket_by_length": {"tensor": "v", "boundaries": [3], "batch_sizes": [2, 2]}"#;
    for (more, expected) in
        [("", "`target_batch_size` was 2 and is 3"), (buckets, "`shard` was not given and is {")]
    {
        let mut loader = data::builder(config(more), "v").build().unwrap();
        loader.next_batch().unwrap();
        let mut other = config(more);
        if more.is_empty() {
            other.target_batch_size = 3;
        } else {
            other.shard = Some(Shard { index: 0, count: 2 });
        }
        let error = data::builder(other, "v").state(loader.state()).build().unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
    }
}
