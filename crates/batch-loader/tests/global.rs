//! The global shuffle: a permutation of the whole data set, for any number of hosts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{ErrorKind, LoaderState};
use tfrecord_io::Compression;

fn config(dir: &std::path::Path, epochs: &str) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 1, "drop_remainder": false, "epochs": {epochs}, "shuffle": "global", "seed": 11"#
    );
    data::config("independent", dir, "id", &more)
}

fn numbers(batches: Vec<(Vec<usize>, Vec<i64>)>) -> Vec<i64> {
    batches.into_iter().flat_map(|(_, values)| values).collect()
}

#[test]
fn each_epoch_is_a_permutation_of_its_own() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[13, 0, 5, 22], Compression::None);
    let mut loader = data::builder(config(dir.path(), "3"), "id").build().unwrap();
    let all = numbers(data::rest(&mut loader, "id"));
    let mut expected = (0..13).chain(2000..2005).chain(3000..3022).collect::<Vec<i64>>();
    expected.sort_unstable();
    let epochs = all.chunks(40).collect::<Vec<_>>();
    assert_eq!(epochs.len(), 3);
    for epoch in &epochs {
        let mut sorted = epoch.to_vec();
        sorted.sort_unstable();
        assert_eq!(sorted, expected);
        assert_ne!(**epoch, expected[..]);
    }
    assert_ne!(epochs[0], epochs[1]);
}

/// Runs `count` hosts from a state for `steps` batches each, or to their ends.
fn hosts(
    dir: &std::path::Path,
    count: u32,
    state: Option<&LoaderState>,
    steps: usize,
) -> (Vec<i64>, Vec<LoaderState>) {
    let (mut union, mut states) = (Vec::new(), Vec::new());
    for index in 0..count {
        let builder = data::builder(config(dir, "2"), "id").shard(Shard { index, count });
        let builder = match state {
            Some(state) => builder.state(state.clone()),
            None => builder,
        };
        let mut loader = builder.build().unwrap();
        for _ in 0..steps {
            let Some(batch) = loader.next_batch().unwrap() else { break };
            union.extend(data::values(&batch, "id").1);
        }
        states.push(LoaderState::from_json(&loader.state().to_json()).unwrap());
    }
    (union, states)
}

#[test]
fn the_number_of_hosts_may_change_at_every_step() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[4, 7], Compression::None);
    let mut everything = (0..4).chain(1000..1007).flat_map(|id| [id, id]).collect::<Vec<i64>>();
    everything.sort_unstable();
    for before in 1..=4u32 {
        for after in 1..=4u32 {
            for steps in 0..=(22 / before as usize) {
                let (mut union, states) = hosts(dir.path(), before, None, steps);
                let positions = states.windows(2).all(|pair| pair[0].to_json() == pair[1].to_json());
                assert!(positions, "the state of every host is the same");
                union.extend(hosts(dir.path(), after, Some(&states[0]), usize::MAX).0);
                union.sort_unstable();
                assert_eq!(union, everything, "{before} hosts, {steps} steps, then {after}");
            }
        }
    }
}

#[test]
fn windows_of_fixed_length_are_shuffled_too() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 1, 3, 2, 5], vec![4, 1]], Compression::None);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "shuffle": "global", "seed": 1,
        "min_window": 2, "max_window": 2"#;
    let config = data::config("discrete_sequence", dir.path(), "v", more);
    let mut loader = data::builder(config, "v").build().unwrap();
    let mut windows = data::rest(&mut loader, "v").into_iter().map(|(_, values)| values).collect::<Vec<_>>();
    windows.sort_unstable();
    assert_eq!(windows, [vec![0, 1, 2], vec![3, 4, 5, 6, 7], vec![1000, 1001, 1002, 1003, 1004]]);
}

#[test]
fn what_cannot_be_shuffled_globally_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 1]], Compression::None);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "shuffle": "global""#;
    let refused = |kind: &str, keys: &str| {
        let config = data::config(kind, dir.path(), "v", &format!("{more}, {keys}"));
        let error = data::builder(config, "v").build().unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidValue);
        error.to_string()
    };
    assert!(refused("discrete_sequence", r#""min_window": 1, "max_window": 2"#).ends_with(
        "`shuffle`: a global shuffle needs windows and strides of one length; shuffle through a buffer"
    ));
    let steps = refused("continuous_sequence", r#""min_window": 2, "max_window": 2"#);
    assert!(
        steps.ends_with(
            "a global shuffle of windows needs features whose length the manifest gives; shuffle through a buffer"
        ),
        "{steps}"
    );
    data::sequences(dir.path(), &[vec![2, 1]], Compression::Gzip);
    let gzip = refused("independent", r#""padding": true"#);
    assert!(gzip.contains("a compressed file does not allow"), "{gzip}");
}
