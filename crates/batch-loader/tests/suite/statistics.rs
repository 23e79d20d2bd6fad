//! Distributions of orders and of window lengths of whole loaders, over many seeds.
//!
//! Exact laws are tested without recorded data. Where `TFXIO_GOLDEN_DIR` is set, the same runs are compared with
//! `loader/loader_stats.json` below it: the results of tf.data, and of the program that the loader replaces.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use batch_loader::config::LoaderConfig;
use serde_json::Value;
use tfrecord_io::Compression;

use crate::data;

/// The lengths of the files for which orders of files are recorded.
const LENGTHS: [usize; 7] = [3, 1, 5, 2, 4, 0, 2];

/// Returns the recorded results, if they exist.
fn recorded() -> Option<Value> {
    let Some(folder) = std::env::var_os("TFXIO_GOLDEN_DIR").filter(|folder| !folder.is_empty()) else {
        println!("left out: TFXIO_GOLDEN_DIR is not set");
        return None;
    };
    let text = std::fs::read_to_string(PathBuf::from(folder).join("loader/loader_stats.json")).unwrap();
    Some(serde_json::from_str(&text).unwrap())
}

fn numbers(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(|number| number.as_i64().unwrap()).collect()
}

/// A shuffle with these buffers, in batches that no test fills.
fn shuffle(dir: &Path, epochs: usize, elements: usize, filenames: usize, mix: usize) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 1000, "drop_remainder": false, "epochs": {epochs}, "shuffle": true,
           "num_shuffle_buffer_elements": {elements}, "num_filenames_shuffle_buffer": {filenames},
           "num_mix_files": {mix}"#
    );
    data::config("independent", dir, "id", &more)
}

/// The order in which the records come out: record `r` of file `f` is `1000 · f + r`.
fn order(config: &LoaderConfig, seed: u64) -> Vec<i64> {
    let mut loader = data::builder(config.clone(), "id").seed(seed).build().unwrap();
    data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values).collect()
}

/// Returns the tolerance of an observed share: five standard deviations of it, for an outcome of probability
/// `likelihood` in `trials` trials. It is 0 for certain and impossible outcomes.
fn tolerance(likelihood: f64, trials: f64) -> f64 {
    5.0 * (likelihood * (1.0 - likelihood) / trials).sqrt() + 1e-9
}

/// Returns the chi-square that is exceeded once in ten thousand times (Wilson and Hilferty's approximation).
fn limit(freedom: usize) -> f64 {
    let spread = 2.0 / (9.0 * freedom as f64);
    freedom as f64 * (1.0 - spread + 3.719 * spread.sqrt()).powi(3)
}

/// Asserts that outcomes are equally likely, by the number of times that each occurred.
fn assert_uniform(counts: &[u64], what: &str) {
    let expected = counts.iter().sum::<u64>() as f64 / counts.len() as f64;
    assert!(expected >= 20.0, "{what}: too few to tell, {counts:?}");
    let distance = counts.iter().map(|&count| (count as f64 - expected).powi(2) / expected).sum::<f64>();
    assert!(distance < limit(counts.len() - 1), "{what}: chi-square of {distance}, {counts:?}");
}

/// Asserts that two rows of counts are of the same distribution.
fn assert_same_distribution(ours: &[u64], theirs: &[u64], what: &str) {
    assert_eq!(ours.len(), theirs.len(), "{what}");
    let sum = |row: &[u64]| row.iter().sum::<u64>() as f64;
    let share = sum(ours) / (sum(ours) + sum(theirs));
    let cell = |count: u64, expected: f64| (count as f64 - expected).powi(2) / expected;
    let cells = ours.iter().zip(theirs).map(|(&ours, &theirs)| {
        let both = (ours + theirs) as f64;
        cell(ours, both * share) + cell(theirs, both * (1.0 - share))
    });
    let distance = cells.sum::<f64>();
    assert!(
        distance < limit(ours.len() - 1),
        "{what}: chi-square of {distance}, {ours:?}, {theirs:?} recorded"
    );
}

#[test]
fn a_turn_at_the_end_of_a_file_gives_nothing() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[2, 0, 1, 3], Compression::None);
    for (mix, expected) in [
        (1, [0, 1, 2000, 3000, 3001, 3002]),
        (2, [0, 1, 2000, 3000, 3001, 3002]),
        (3, [0, 2000, 1, 3000, 3001, 3002]),
        (4, [0, 2000, 3000, 1, 3001, 3002]),
        (9, [0, 2000, 3000, 1, 3001, 3002]),
    ] {
        assert_eq!(order(&shuffle(dir.path(), 1, 1, 1, mix), 0), expected, "{mix} files");
    }
}

#[test]
fn files_take_turns_as_in_tf_data() {
    let Some(recorded) = recorded() else { return };
    let interleave = &recorded["interleave"];
    assert_eq!(numbers(&interleave["file_lengths"]), LENGTHS.map(|length| length as i64));
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &LENGTHS, Compression::None);
    let mut compared = 0;
    for case in interleave["cases"].as_array().unwrap() {
        let [files, block] = ["cycle_length", "block_length"].map(|key| case[key].as_u64().unwrap());
        // The loader takes one example a turn. With one file at a time, blocks of any length are the same.
        if block != 1 && files != 1 {
            continue;
        }
        compared += 1;
        // Recorded numbers have 100 for each file.
        let expected = numbers(&case["order"]).into_iter().map(|number| 1000 * (number / 100) + number % 100);
        let expected = expected.collect::<Vec<_>>();
        let config = shuffle(dir.path(), 1, 1, 1, files as usize);
        for seed in 0..3 {
            assert_eq!(order(&config, seed), expected, "{files} files, blocks of {block}");
        }
    }
    assert_eq!(compared, 8);
}

/// Returns the number of runs, out of `trials`, in which each epoch has every record once, and the number in which the
/// second epoch has the order of the first.
fn epochs(dir: &Path, elements: usize, count: usize, trials: u64) -> (u64, u64) {
    let all = (0..count as i64).collect::<Vec<_>>();
    let config = shuffle(dir, 3, elements, 1, 1);
    let (mut clean, mut same) = (0, 0);
    for seed in 0..trials {
        let order = order(&config, seed);
        let epochs = order.chunks(count).collect::<Vec<_>>();
        let sorted = epochs.iter().map(|epoch| {
            let mut epoch = epoch.to_vec();
            epoch.sort_unstable();
            epoch
        });
        clean += u64::from(epochs.len() == 3 && sorted.into_iter().all(|epoch| epoch == all));
        same += u64::from(epochs.get(0..1) == epochs.get(1..2));
    }
    (clean, same)
}

#[test]
fn epochs_do_not_mix_and_have_orders_of_their_own() {
    const COUNT: usize = 10;
    const TRIALS: u64 = 300;
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[COUNT], Compression::None);
    let recorded = recorded();
    if let Some(recorded) = &recorded {
        assert_eq!(recorded["epochs"]["n"], COUNT);
        assert_eq!(recorded["epochs"]["epochs"], 3);
    }
    for elements in [1, 3, 5, 10, 100] {
        let (clean, same) = epochs(dir.path(), elements, COUNT, TRIALS);
        assert_eq!(clean, TRIALS, "buffer of {elements}");
        // The second epoch has the order of the first if each of its draws meets the same slot.
        let again = (1..=COUNT).map(|left| 1.0 / left.min(elements) as f64).product::<f64>();
        let same = same as f64 / TRIALS as f64;
        let distance = (same - again).abs();
        assert!(
            distance <= tolerance(again, TRIALS as f64),
            "buffer of {elements}: {same}, {again} expected"
        );

        let Some(recorded) = &recorded else { continue };
        let variants = &recorded["epochs"]["variants"];
        let theirs = match elements {
            5 => vec![&recorded["nnmaker_tf1"]["shuffle_and_repeat"]],
            _ => vec![
                &variants[format!("shuffle({elements}).repeat(3)")],
                &variants[format!("shuffle_and_repeat({elements}, 3)")],
            ],
        };
        if elements == 5 {
            assert_eq!(theirs[0]["buffer"], 5);
        }
        for theirs in theirs {
            let number = |key: &str| theirs[key].as_f64().unwrap();
            assert_eq!(clean as f64 / TRIALS as f64, number("fraction_with_clean_epochs"));
            let expected = number("fraction_epoch2_same_order_as_epoch1");
            let both = 1.0 / (1.0 / TRIALS as f64 + 1.0 / number("trials"));
            assert!(
                (same - expected).abs() <= tolerance(again, both),
                "buffer of {elements}: {same}, {expected} recorded"
            );
        }
    }
    if let Some(recorded) = &recorded {
        let variants = recorded["epochs"]["variants"].as_object().unwrap();
        let known = |key: &&String| key.starts_with("shuffle(") && key.ends_with(").repeat(3)");
        let reshuffled = variants.keys().filter(known).filter(|key| !key.contains(','));
        assert_eq!(reshuffled.count(), 4, "every recorded buffer is among those above");
    }
}

#[test]
fn whole_files_come_in_an_order_of_each_epoch() {
    const TRIALS: u64 = 400;
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &LENGTHS, Compression::None);
    let config = shuffle(dir.path(), 2, 1, LENGTHS.len(), 1);
    let records = LENGTHS.iter().sum::<usize>();
    let mut first = [[0u64; LENGTHS.len()]; 2];
    let mut same = 0;
    for seed in 0..TRIALS {
        let order = order(&config, seed);
        let files = [&order[..records], &order[records..]].map(|epoch| {
            let files = epoch.iter().filter(|&id| id % 1000 == 0).map(|id| id / 1000).collect::<Vec<_>>();
            // Each file comes whole, its records in their order.
            let whole = files.iter().flat_map(|&file| {
                let length = LENGTHS[file as usize] as i64;
                1000 * file..1000 * file + length
            });
            assert!(whole.eq(epoch.iter().copied()), "seed {seed}: {epoch:?}");
            assert_eq!(files.iter().collect::<HashSet<_>>().len(), 6, "seed {seed}: {files:?}");
            files
        });
        for (first, files) in first.iter_mut().zip(&files) {
            first[files[0] as usize] += 1;
        }
        same += u64::from(files[0] == files[1]);
    }
    // File 5 is empty.
    let first = first.map(|counts| {
        assert_eq!(counts[5], 0);
        [0, 1, 2, 3, 4, 6].map(|file| counts[file])
    });
    for (epoch, first) in first.iter().enumerate() {
        assert_uniform(first, &format!("first file of epoch {epoch}"));
    }
    // The six files that show have 6! orders.
    let again = 1.0 / 720.0;
    let same = same as f64 / TRIALS as f64;
    assert!((same - again).abs() <= tolerance(again, TRIALS as f64), "{same}");

    let Some(recorded) = recorded() else { return };
    let theirs = &recorded["nnmaker_tf1"]["filename_shuffle"];
    let counts = theirs["first_file_counts"].as_object().unwrap();
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["0", "1", "2", "3", "4", "6"]);
    let counts = counts.values().map(|count| count.as_u64().unwrap()).collect::<Vec<_>>();
    assert_same_distribution(&first[0], &counts, "first file");
    let both = 1.0 / (1.0 / TRIALS as f64 + 1.0 / theirs["trials"].as_f64().unwrap());
    let expected = theirs["fraction_epoch2_same_order"].as_f64().unwrap();
    assert!((same - expected).abs() <= tolerance(again, both), "{same}, {expected} recorded");
}

/// Returns the lengths of windows from 1 to 4, counted from 0, of each file in each of two epochs.
///
/// There is always room for the longest, so that none is left out for its length.
fn lengths(config: &LoaderConfig, seed: u64, windows: usize) -> Vec<Vec<usize>> {
    let mut loader = data::builder(config.clone(), "v").seed(seed).build().unwrap();
    let lengths = data::rest(&mut loader, "v").into_iter().map(|(shape, _)| shape[1] - 1).collect::<Vec<_>>();
    assert_eq!(lengths.len(), 4 * windows, "seed {seed}");
    lengths.chunks(windows).map(<[usize]>::to_vec).collect()
}

/// The length is drawn anew for each window, as `docs/loader.md` specifies. The recorded program draws one for each
/// pass over a file, in spite of its documentation: that does not bind the loader.
#[test]
fn the_length_of_each_window_is_drawn() {
    const WINDOWS: usize = 12;
    let dir = tempfile::tempdir().unwrap();
    // Records of 6 steps, so that windows and records do not end together.
    data::sequences(dir.path(), &[vec![6; 8], vec![6; 8]], Compression::None);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 2, "min_window": 1, "max_window": 4, "stride": 4"#;
    let config = data::config("continuous_sequence", dir.path(), "v", more);
    let mut counts = [0u64; 4];
    let mut next = [0u64; 16];
    let mut first = [[0u64; 4]; 4];
    let mut between_files = [0u64; 16];
    let mut between_epochs = [0u64; 16];
    for seed in 0..350 {
        let passes = lengths(&config, seed, WINDOWS);
        for (pass, first) in passes.iter().zip(&mut first) {
            first[pass[0]] += 1;
            for &length in pass {
                counts[length] += 1;
            }
            // Pairs that have no window in common, as the test asks for independent ones.
            for pair in pass.chunks_exact(2) {
                next[4 * pair[0] + pair[1]] += 1;
            }
        }
        between_files[4 * passes[0][0] + passes[1][0]] += 1;
        between_epochs[4 * passes[0][0] + passes[2][0]] += 1;
    }
    assert_uniform(&counts, "lengths");
    assert_uniform(&next, "lengths of two windows that follow each other");
    for (pass, first) in first.iter().enumerate() {
        assert_uniform(first, &format!("first length of pass {pass}"));
    }
    assert_uniform(&between_files, "first lengths of two files");
    assert_uniform(&between_epochs, "first lengths of a file in two epochs");

    let Some(recorded) = recorded() else { return };
    let theirs = recorded["nnmaker_tf1"]["window_length"]["length_frequency_over_runs"].as_object().unwrap();
    assert_eq!(theirs.keys().collect::<Vec<_>>(), ["1", "2", "3", "4"], "both ends included");
    let theirs = theirs.values().map(|count| count.as_u64().unwrap()).collect::<Vec<_>>();
    assert_same_distribution(&counts, &theirs, "lengths");
}
