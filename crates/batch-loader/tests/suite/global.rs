//! The global shuffle: a permutation of the whole data set, for any number of hosts.

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{Error, Kind, LoaderState};
use tfrecord_io::Compression;

use crate::data;

fn config(dir: &std::path::Path, epochs: &str) -> LoaderConfig {
    batches_of(1, dir, epochs)
}

fn batches_of(size: usize, dir: &std::path::Path, epochs: &str) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": {size}, "drop_remainder": false, "epochs": {epochs}, "shuffle": "global", "seed": 11"#
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
    config: &LoaderConfig,
    count: u32,
    state: Option<&LoaderState>,
    steps: usize,
) -> (Vec<i64>, Vec<LoaderState>) {
    let (mut union, mut states) = (Vec::new(), Vec::new());
    for index in 0..count {
        let builder = data::builder(config.clone(), "id").shard(Shard { index, count });
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
    for (size, before) in [(1, 1), (1, 2), (1, 3), (1, 4), (2, 3), (3, 2), (3, 4), (4, 4)] {
        let config = batches_of(size, dir.path(), "2");
        // Also after the end, where some hosts have got a batch less, or a shorter one.
        for steps in 0..=(22 / (before as usize * size) + 2) {
            let (union, states) = hosts(&config, before, None, steps);
            let positions = states.iter().map(position).collect::<Vec<_>>();
            assert!(positions.iter().all(|&other| other == positions[0]), "all hosts are at {positions:?}");
            for after in 1..=4u32 {
                for state in [&states[0], &states[states.len() - 1]] {
                    let mut union = union.clone();
                    union.extend(hosts(&config, after, Some(state), usize::MAX).0);
                    union.sort_unstable();
                    assert_eq!(union, everything, "{before} hosts, {steps} batches of {size}, then {after}");
                }
            }
        }
    }
}

fn position(state: &LoaderState) -> u64 {
    let value = serde_json::to_value(state).unwrap();
    value["position"].as_u64().unwrap()
}

#[test]
fn buckets_are_a_hosts_own() {
    let dir = tempfile::tempdir().unwrap();
    data::sequences(dir.path(), &[vec![2, 1, 3, 2, 5], vec![4, 1]], Compression::None);
    let more = r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "shuffle": "global", "padding": true,
        "bucket_by_length": {"tensor": "v", "boundaries": [3], "batch_sizes": [2, 2]}"#;
    let config = data::config("independent", dir.path(), "v", more);
    let host = |index, count| data::builder(config.clone(), "v").shard(Shard { index, count });
    let state = host(0, 2).build().unwrap().state();
    assert!(host(0, 2).state(state.clone()).build().is_ok());
    let error = host(0, 3).state(state).build().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::State));
    assert!(error.to_string().contains("`shard.count` was 2 and is 3"), "{error}");
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
        assert_eq!(error.detail(), Some(&Kind::InvalidValue));
        error.to_string()
    };
    assert!(refused("discrete_sequence", r#""min_window": 1, "max_window": 2"#).ends_with(
        "`shuffle`: a global shuffle needs windows and strides of one length; shuffle through a buffer"
    ));
    data::sequences(dir.path(), &[vec![2, 1]], Compression::Gzip);
    // Larger than a group of records that are read together.
    mebibytes(&dir.path().join("000.tfrecord"), Compression::Gzip, 5);
    let gzip = refused("independent", r#""padding": true"#);
    assert!(gzip.contains("a compressed file does not allow"), "{gzip}");
}

/// A file of records of 1 MiB, which has one member if it is gzip.
fn mebibytes(path: &std::path::Path, compression: Compression, records: usize) {
    let builder = tfrecord_io::Writer::builder(path).compression(compression).single_member();
    let mut writer = builder.create().unwrap();
    (0..records).for_each(|_| writer.write(&vec![0; 1 << 20]).unwrap());
    writer.finish().unwrap();
}

/// Compressed files that cannot be entered are read from their starts, as long as they are small together.
#[test]
fn small_compressed_files_are_read_from_their_starts() {
    let global = |compression: Compression| {
        let dir = tempfile::tempdir().unwrap();
        data::independent(dir.path(), &[1500, 0, 700], compression);
        let config = || batches_of(7, dir.path(), "2");
        let all = data::rest(&mut data::builder(config(), "id").build().unwrap(), "id");
        let mut loader = data::builder(config(), "id").build().unwrap();
        for _ in 0..400 {
            loader.next_batch().unwrap();
        }
        let mut restored = data::builder(config(), "id").state(loader.state()).build().unwrap();
        assert_eq!(data::rest(&mut restored, "id"), all[400..]);

        // Together too large, each of them small.
        for name in ["000.tfrecord", "002.tfrecord"] {
            mebibytes(&dir.path().join(name), compression, 3);
        }
        (all, data::builder(config(), "id").build().err().map(|error| error.to_string()))
    };
    let (plain, _) = global(Compression::None);
    for compression in [Compression::Gzip, Compression::Zlib] {
        let (all, error) = global(compression);
        assert_eq!(all, plain);
        assert!(error.unwrap().contains("which a compressed file does not allow"));
    }
}

/// gzip files of members are entered at a member: by a global shuffle, and by a loader that goes on from a state.
#[test]
fn gzip_members_are_entered() {
    const RECORDS: usize = 4000;
    let (plain, members) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    data::independent(plain.path(), &[RECORDS, 3], Compression::None);
    data::independent(members.path(), &[], Compression::Gzip);
    for (file, records) in [(0, RECORDS), (1, 3)] {
        let path = members.path().join(format!("{file:03}.tfrecord"));
        let builder = tfrecord_io::Writer::builder(path).compression(Compression::Gzip);
        let mut writer = builder.member_bytes(8 << 10).create().unwrap();
        (0..records).for_each(|id| writer.write(&data::example((1000 * file + id) as i64)).unwrap());
        writer.finish().unwrap();
    }
    let global = |dir: &std::path::Path| {
        let mut loader = data::builder(batches_of(7, dir, "2"), "id").build();
        numbers(data::rest(loader.as_mut().unwrap(), "id"))
    };
    // The second file is of one member, and small.
    assert_eq!(global(members.path()), global(plain.path()));
    // A larger one of one member has nothing to enter.
    let path = members.path().join("001.tfrecord");
    mebibytes(&path, Compression::Gzip, 5);
    let error = data::builder(batches_of(7, members.path(), "2"), "id").build().unwrap_err();
    assert!(error.to_string().contains("001.tfrecord"), "{error}");
    for dir in [&plain, &members] {
        std::fs::remove_file(dir.path().join("001.tfrecord")).unwrap();
    }

    let more = r#""target_batch_size": 10, "drop_remainder": false, "epochs": 1"#;
    let config = data::config("independent", members.path(), "id", more);
    let mut loader = data::builder(config.clone(), "id").build().unwrap();
    for _ in 0..350 {
        loader.next_batch().unwrap();
    }
    let state = loader.state();
    let left = data::rest(&mut loader, "id");
    let mut restored = data::builder(config, "id").state(state).build().unwrap();
    assert_eq!(data::rest(&mut restored, "id"), left);
    let stats = restored.stats();
    assert!(stats.records_framed < 1000 && stats.bytes_inflated == stats.bytes_framed, "{stats:?}");
}

#[test]
fn windows_of_steps_of_any_records_are_shuffled_too() {
    let dir = tempfile::tempdir().unwrap();
    let lengths = [vec![2, 0, 1, 3, 0, 0, 5, 1, 0], vec![], vec![9, 0, 4], vec![2]];
    data::sequences(dir.path(), &lengths, Compression::None);
    for (window, stride) in [(3, 2), (3, 3), (1, 1), (4, 1), (2, 5)] {
        let more = format!(
            r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "min_window": {window}, "max_window": {window}, "stride": {stride}"#
        );
        let windows = |more: &str, state: Option<&LoaderState>, batches: usize| {
            let config = data::config("continuous_sequence", dir.path(), "v", more);
            let builder = data::builder(config, "v");
            let builder = match state {
                Some(state) => builder.state(state.clone()),
                None => builder,
            };
            let mut loader = builder.build().unwrap();
            let mut out = Vec::new();
            for _ in 0..batches {
                let Some(batch) = loader.next_batch().unwrap() else { break };
                out.extend(data::values(&batch, "v").1.chunks(window).map(<[i64]>::to_vec));
            }
            (out, loader.state())
        };
        let (mut expected, _) = windows(&more, None, usize::MAX);
        let global = format!(r#"{more}, "shuffle": "global", "seed": 4"#);
        let (shuffled, _) = windows(&global, None, usize::MAX);
        for stop in 0..shuffled.len() / 2 {
            let (before, state) = windows(&global, None, stop);
            let (after, _) = windows(&global, Some(&state), usize::MAX);
            assert_eq!(
                [before, after].concat(),
                shuffled,
                "window {window}, stride {stride}, {stop} batches"
            );
        }
        let mut sorted = shuffled;
        sorted.sort_unstable();
        expected.sort_unstable();
        assert_eq!(sorted, expected, "window {window}, stride {stride}");
    }
}

/// The batches before an error, and the error.
fn until_error(config: LoaderConfig, tensor: &str) -> (Vec<Vec<i64>>, Error) {
    let mut loader = data::builder(config, tensor).build().unwrap();
    let mut batches = Vec::new();
    loop {
        match loader.next_batch() {
            Ok(Some(batch)) => batches.push(data::values(&batch, tensor).1),
            Ok(None) => panic!("no error"),
            Err(error) => return (batches, error),
        }
    }
}

#[test]
fn a_bad_record_costs_no_batch_before_it() {
    let (good, bad) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for (dir, wrong) in [(&good, &[][..]), (&bad, &[77, 78, 204])] {
        data::independent(dir.path(), &[0, 60], Compression::None);
        // An empty tf.Example lacks every feature.
        let record = |id| if wrong.contains(&id) { Vec::new() } else { data::example(id) };
        data::write(dir.path(), "000.tfrecord", Compression::None, (0..300).map(record));
    }
    for seed in 1..=8 {
        for threads in [1, 3] {
            let config = |dir: &std::path::Path| {
                let more = format!(
                    r#""target_batch_size": 10, "drop_remainder": false, "epochs": 2, "shuffle": "global", "seed": {seed},
                        "num_parallel_reads": {threads}, "num_parallel_parses": {threads}"#
                );
                data::config("independent", dir, "id", &more)
            };
            let mut loader = data::builder(config(good.path()), "id").build().unwrap();
            let order = numbers(data::rest(&mut loader, "id"));
            let at = order.iter().position(|id| [77, 78, 204].contains(id)).unwrap();
            let (batches, error) = until_error(config(bad.path()), "id");
            assert_eq!(batches.len(), at / 10, "seed {seed}");
            assert_eq!(batches.concat(), order[..at / 10 * 10]);
            assert_eq!(error.position().record, Some(order[at] as u64), "{error}");
        }
    }
}

#[test]
fn a_damaged_record_costs_no_window_before_it() {
    let (good, bad) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for dir in [&good, &bad] {
        data::sequences(dir.path(), &[vec![1; 60], vec![1; 9]], Compression::None);
    }
    let path = bad.path().join("000.tfrecord");
    let mut bytes = std::fs::read(&path).unwrap();
    let at = tfrecord_io::Index::build(&path).unwrap().offset(30).unwrap();
    bytes[at as usize + 14] ^= 1;
    std::fs::write(&path, bytes).unwrap();
    for (kind, stride) in
        [("discrete_sequence", ""), ("continuous_sequence", ""), ("continuous_sequence", r#", "stride": 1"#)]
    {
        for seed in 1..=5 {
            let config = |dir: &std::path::Path| {
                let more = format!(
                    r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "shuffle": "global", "seed": {seed},
                        "min_window": 3, "max_window": 3{stride}"#
                );
                data::config(kind, dir, "v", &more)
            };
            let mut loader = data::builder(config(good.path()), "v").build().unwrap();
            let order =
                data::rest(&mut loader, "v").into_iter().map(|(_, values)| values).collect::<Vec<_>>();
            // Lengths that only the records tell are an error before the first batch.
            let Ok(mut loader) = data::builder(config(bad.path()), "v").build() else {
                assert_eq!(kind, "continuous_sequence");
                continue;
            };
            let mut before = Vec::new();
            let error = loop {
                match loader.next_batch() {
                    Ok(batch) => before.push(data::values(&batch.expect("an error"), "v").1),
                    Err(error) => break error,
                }
            };
            let record = error.position().record.expect("a record") as i64;
            assert_eq!(before[..], order[..before.len()], "seed {seed}");
            assert!(order[before.len()].contains(&record), "{error}: {:?}", order[before.len()]);
            assert!(!before.concat().contains(&record));
        }
    }
}
