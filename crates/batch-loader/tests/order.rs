//! The order of examples: files in turn, epochs, batches.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use batch_loader::config::LoaderConfig;
use tfrecord_io::Compression;

fn batches(config: LoaderConfig, tensor: &str) -> Vec<Vec<i64>> {
    let mut loader = data::builder(config, tensor).seed(7).build().unwrap();
    data::rest(&mut loader, tensor).into_iter().map(|(_, values)| values).collect()
}

#[test]
fn files_follow_each_other_and_batches_straddle_them() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3, 0, 4], Compression::None);
    let config = data::config(
        "independent",
        dir.path(),
        "id",
        r#""target_batch_size": 2, "drop_remainder": false, "epochs": 2"#,
    );
    let expected = [
        vec![0, 1],
        vec![2, 2000],
        vec![2001, 2002],
        vec![2003, 0],
        vec![1, 2],
        vec![2000, 2001],
        vec![2002, 2003],
    ];
    assert_eq!(batches(config, "id"), expected);
}

#[test]
fn the_last_batch_is_short_or_dropped() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5], Compression::Gzip);
    let config = |drop: bool| {
        let more = format!(r#""target_batch_size": 2, "drop_remainder": {drop}, "epochs": 1"#);
        data::config("independent", dir.path(), "id", &more)
    };
    assert_eq!(batches(config(false), "id"), [vec![0, 1], vec![2, 3], vec![4]]);
    assert_eq!(batches(config(true), "id"), [vec![0, 1], vec![2, 3]]);
}

#[test]
fn an_endless_loader_of_nothing_ends() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[0, 0], Compression::None);
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": null"#;
    assert_eq!(batches(data::config("independent", dir.path(), "id", more), "id"), Vec::<Vec<i64>>::new());
}

#[test]
fn windows_of_steps_cross_records_and_not_files() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 0, 3, 1], vec![4]], Compression::None);
    let more = r#""target_batch_size": 10, "drop_remainder": false, "epochs": 1, "min_window": 3, "max_window": 3, "stride": 2"#;
    let config = data::config("continuous_sequence", dir.path(), "v", more);
    let expected = [vec![0, 1, 2, 2, 3, 4, 1000, 1001, 1002]];
    assert_eq!(batches(config, "v"), expected);
}

#[test]
fn windows_of_records_are_whole_records() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 1, 3, 2, 5], vec![4, 1]], Compression::Gzip);
    let more =
        r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "min_window": 2, "max_window": 2"#;
    let config = data::config("discrete_sequence", dir.path(), "v", more);
    let expected = [vec![0, 1, 2], vec![3, 4, 5, 6, 7], vec![1000, 1001, 1002, 1003, 1004]];
    assert_eq!(batches(config, "v"), expected);
}

#[test]
fn the_seed_decides_and_threads_do_not() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[300, 200, 500, 100], Compression::None);
    let config = |threads: usize, seed: u64| {
        let more = format!(
            r#""target_batch_size": 7, "drop_remainder": false, "epochs": 2, "shuffle": true, "seed": {seed},
               "num_shuffle_buffer_elements": 64, "num_filenames_shuffle_buffer": 3, "num_mix_files": 2,
               "num_parallel_reads": {threads}, "num_parallel_parses": {threads}"#
        );
        data::config("independent", dir.path(), "id", &more)
    };
    let run = |threads, seed| {
        let mut loader = data::builder(config(threads, seed), "id").build().unwrap();
        data::rest(&mut loader, "id")
    };
    let once = run(1, 5);
    assert_eq!(once, run(4, 5));
    assert_ne!(once, run(1, 6));
    let mut epoch = once.iter().flat_map(|(_, values)| values.clone()).take(1100).collect::<Vec<_>>();
    epoch.sort_unstable();
    let all = [(0, 300), (1, 200), (2, 500), (3, 100)];
    let all = all.iter().flat_map(|&(file, count)| 1000 * file..1000 * file + count).collect::<Vec<i64>>();
    assert_eq!(epoch, all);
}

#[test]
fn an_epoch_without_a_window_does_not_end_the_others() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![1; 10]], Compression::None);
    // Three draws of seven fit into the file, and no file has two windows.
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 200, "min_window": 8, "max_window": 14"#;
    let windows = batches(data::config("discrete_sequence", dir.path(), "v", more), "v");
    assert!((60..=110).contains(&windows.len()), "{} windows", windows.len());
    assert!(windows.iter().all(|window| (8..=10).contains(&window.len())));
    // Where none ever fits, it ends all the same.
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": null, "min_window": 11, "max_window": 14"#;
    assert_eq!(
        batches(data::config("discrete_sequence", dir.path(), "v", more), "v"),
        Vec::<Vec<i64>>::new()
    );
}

#[test]
fn a_batch_that_cannot_be_held_is_refused_before_it_is_gathered() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::None);
    let more = r#""target_batch_size": 4294967295, "drop_remainder": false, "epochs": null"#;
    let config = data::config("independent", dir.path(), "id", more);
    let limits = tfxio_core::Limits { batch_bytes: 1 << 30, ..tfxio_core::Limits::default() };
    let error = data::builder(config, "id").limits(limits).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "`target_batch_size`: batches of 4294967295 examples have 34359738360 bytes, the limit is 1073741824; lower \
         `target_batch_size`, or raise the limit"
    );
}
