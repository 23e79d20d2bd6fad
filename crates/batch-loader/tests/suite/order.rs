//! The order of examples: files in turn, epochs, batches.

use batch_loader::Kind;
use batch_loader::config::{LoaderConfig, Shard};
use tfrecord_io::Compression;

use crate::data;

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

/// Returns the error of a loader that has no examples.
fn gives_up(config: LoaderConfig, tensor: &str, shard: Option<Shard>) -> String {
    let builder = data::builder(config, tensor).seed(7);
    let builder = match shard {
        Some(shard) => builder.shard(shard),
        None => builder,
    };
    let mut loader = builder.build().unwrap();
    let error = loader.next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::InvalidValue));
    assert!(loader.next_batch().unwrap().is_none(), "it stays at its end");
    error.to_string()
}

#[test]
fn an_endless_loader_of_nothing_says_so() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[0, 0], Compression::None);
    for shuffle in ["", r#", "shuffle": "global""#] {
        let more = format!(r#""target_batch_size": 2, "drop_remainder": false, "epochs": null{shuffle}"#);
        let config = data::config("independent", dir.path(), "id", &more);
        assert_eq!(
            gives_up(config, "id", None),
            "no example came of a whole epoch, and `epochs` is null: the files hold no record; check what the files hold"
        );
    }
    data::independent(dir.path(), &[2], Compression::None);
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": null"#;
    let config = data::config("independent", dir.path(), "id", more);
    std::fs::remove_file(dir.path().join("001.tfrecord")).unwrap();
    assert_eq!(
        gives_up(config, "id", Some(Shard { index: 2, count: 3 })),
        "no example came of a whole epoch, and `epochs` is null: shard 2 of 3 holds no example; take fewer hosts, or \
         check what the files hold"
    );
}

#[test]
fn an_endless_loader_whose_windows_stop_fitting_says_so() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![1; 3]], Compression::None);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": null, "min_window": 1, "max_window": 400"#;
    let config = data::config("discrete_sequence", dir.path(), "v", more);
    let mut loader = data::builder(config, "v").seed(1).build().unwrap();
    let error = loop {
        match loader.next_batch() {
            Ok(batch) => assert!(batch.is_some(), "it does not end without a word"),
            Err(error) => break error,
        }
    };
    assert_eq!(
        error.to_string(),
        "no example came of 101 epochs in a row, and `epochs` is null: every file is shorter than a window, whose \
         length is 1 to 400 records; lower `min_window` and `max_window`, or write longer files"
    );
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
    // Where none ever fits, it gives up, unless it has come to its end.
    let never = |epochs: &str| {
        let more = format!(
            r#""target_batch_size": 1, "drop_remainder": false, "epochs": {epochs}, "min_window": 11, "max_window": 14"#
        );
        data::config("discrete_sequence", dir.path(), "v", &more)
    };
    assert_eq!(batches(never("101"), "v"), Vec::<Vec<i64>>::new());
    assert!(gives_up(never("null"), "v", None).contains("and `epochs` is null: every file is shorter"));
    assert!(gives_up(never("200"), "v", None).contains("and `epochs` asks for more: every file is shorter"));
}

#[test]
fn a_batch_that_cannot_be_held_is_refused_before_it_is_gathered() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::None);
    let more = r#""target_batch_size": 4294967295, "drop_remainder": false, "epochs": null"#;
    let config = data::located("independent", dir.path(), "id", more);
    let limits = tfxio_core::Limits::default().batch_bytes(1 << 30);
    let error = data::builder(config, "id").limits(limits).build().unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 3, column 94, `target_batch_size`: batches of 4294967295 examples have 34359738360 bytes, the limit is 1073741824; lower \
         `target_batch_size`, or raise the limit"
    );
}
