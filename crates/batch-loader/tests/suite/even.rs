//! Hosts that get equally many batches, the number of batches that is known before, and where their rows come from.

use std::collections::BTreeMap;
use std::path::Path;

use batch_loader::config::{LoaderConfig, OnError, Shard};
use batch_loader::{LoaderBuilder, LoaderState};
use tfrecord_io::Compression;

use crate::data;

const BUFFER: &str = r#", "shuffle": true, "num_shuffle_buffer_elements": 7, "num_filenames_shuffle_buffer": 3, "num_mix_files": 2"#;
const GLOBAL: &str = r#", "shuffle": "global""#;
/// Types of loaders, the tensor, their windows, and the orders that they can have.
const KINDS: [(&str, &str, &str, &[&str]); 4] = [
    ("independent", "id", "", &["", BUFFER, GLOBAL]),
    ("discrete_sequence", "v", r#", "min_window": 2, "max_window": 2"#, &["", GLOBAL]),
    ("discrete_sequence", "v", r#", "min_window": 1, "max_window": 4"#, &["", BUFFER]),
    (
        "continuous_sequence",
        "v",
        r#", "min_window": 2, "max_window": 3, "min_stride": 1, "max_stride": 3"#,
        &[BUFFER],
    ),
];

fn write(kind: &str, dir: &Path, counts: &[usize]) {
    match kind {
        "independent" => data::independent(dir, counts, Compression::None),
        _ => {
            // Records of one step, whose number the manifest gives.
            let lengths = counts.iter().map(|&count| vec![1; count]).collect::<Vec<_>>();
            data::sequences(dir, &lengths, Compression::None);
        }
    }
}

fn builder(config: &LoaderConfig, tensor: &str, shard: Shard) -> LoaderBuilder {
    data::builder(config.clone(), tensor).shard(shard)
}

type Batches = Vec<(u64, Vec<Vec<i64>>)>;

/// The epoch and the rows of each batch.
fn load(builder: LoaderBuilder, tensor: &str) -> Batches {
    let mut loader = builder.build().unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = loader.next_batch().unwrap() {
        assert_eq!(loader.stats().epoch, batch.epoch());
        let (_, values) = data::values(&batch, tensor);
        let each = values.len() / batch.len();
        batches.push((batch.epoch(), values.chunks(each).map(<[i64]>::to_vec).collect()));
    }
    batches
}

/// Returns the number of times that each example comes.
fn times(hosts: &[Batches]) -> BTreeMap<Vec<i64>, i64> {
    let mut times = BTreeMap::new();
    for (_, rows) in hosts.iter().flatten() {
        for row in rows {
            *times.entry(row.iter().copied().filter(|&value| value >= 0).collect()).or_default() += 1;
        }
    }
    times
}

/// Returns the number of records that each of `hosts` hosts should get in some epochs.
fn examples(counts: &[usize], hosts: u64, epochs: u64, global: bool, even: &str) -> u64 {
    let all = counts.iter().sum::<usize>() as u64 * epochs;
    if global {
        return if even == "drop" { all / hosts } else { all.div_ceil(hosts) };
    }
    let of_host = |host: u64| {
        let files = counts.iter().zip(0..);
        let of_files = files.map(|(&count, file)| match counts.len() as u64 >= hosts {
            true => {
                if file % hosts == host {
                    count as u64
                } else {
                    0
                }
            }
            false => (host..count as u64).step_by(hosts as usize).count() as u64,
        });
        of_files.sum::<u64>()
    };
    let of_hosts = (0..hosts).map(of_host);
    epochs * if even == "drop" { of_hosts.min() } else { of_hosts.max() }.unwrap()
}

#[test]
fn even_hosts_get_equally_many_batches() {
    for counts in [&[10, 10, 10, 10, 10][..], &[3, 9, 4, 12], &[50]] {
        for (kind, tensor, windows, orders) in KINDS {
            let dir = tempfile::tempdir().unwrap();
            write(kind, dir.path(), counts);
            for order in orders {
                for (count, size, drop) in [(2, 3, false), (3, 4, true), (4, 1, false), (4, 17, true)] {
                    let what =
                        format!("{kind}{windows}{order}, {counts:?}, {count} hosts, batches of {size}");
                    let hosts = |even: &str| {
                        let more = format!(
                            r#""target_batch_size": {size}, "drop_remainder": {drop}, "epochs": 2, "padding": [
                                {{"tensor": "{tensor}", "value": -1}}]{windows}{order}{even}"#
                        );
                        let config = data::config(kind, dir.path(), tensor, &more);
                        let host = |index| load(builder(&config, tensor, Shard { index, count }), tensor);
                        (0..count).map(host).collect::<Vec<_>>()
                    };
                    let all = times(&hosts(""));
                    for even in ["drop", "repeat"] {
                        let hosts = hosts(&format!(r#", "even": "{even}""#));
                        let sizes = hosts.iter().map(|host| {
                            host.iter().map(|(epoch, rows)| (*epoch, rows.len())).collect::<Vec<_>>()
                        });
                        let sizes = sizes.collect::<Vec<_>>();
                        if *order == GLOBAL {
                            let batches = sizes
                                .iter()
                                .map(|host| host.iter().map(|(_, rows)| *rows).collect::<Vec<_>>());
                            let batches = batches.collect::<Vec<_>>();
                            assert!(batches.iter().all(|host| *host == batches[0]), "{what}: {sizes:?}");
                        } else {
                            assert!(sizes.iter().all(|host| *host == sizes[0]), "{even} {what}: {sizes:?}");
                        }
                        if drop {
                            continue;
                        }
                        let found = times(&hosts);
                        for (row, &expected) in &all {
                            let found = found.get(row).copied().unwrap_or(0);
                            let fits = if even == "drop" { found <= expected } else { found >= expected };
                            assert!(fits, "{even} {what}: {row:?} came {found} times instead of {expected}");
                        }
                        if kind == "independent" {
                            let expected = examples(counts, u64::from(count), 2, *order == GLOBAL, even);
                            assert_eq!(
                                found.values().sum::<i64>(),
                                i64::from(count) * expected as i64,
                                "{even} {what}"
                            );
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn even_hosts_go_on_from_a_state_as_they_would_have() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, tensor, windows, orders) in KINDS {
        write(kind, dir.path(), &[9, 2, 14, 5, 0]);
        for order in orders {
            for even in ["drop", "repeat"] {
                let more = format!(
                    r#""target_batch_size": 2, "drop_remainder": false, "epochs": 2, "seed": 3, "padding": [
                        {{"tensor": "{tensor}", "value": -1}}]{windows}{order}, "even": "{even}""#
                );
                let config = data::config(kind, dir.path(), tensor, &more);
                for index in 0..2 {
                    let host = || builder(&config, tensor, Shard { index, count: 2 });
                    let whole = load(host(), tensor);
                    assert_eq!(
                        host().length().ok().and_then(|length| length.batches),
                        known(kind, whole.len())
                    );
                    let mut loader = host().build().unwrap();
                    for at in 0..=whole.len() {
                        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
                        let rest = load(host().state(state), tensor);
                        assert_eq!(rest[..], whole[at..], "{kind}{order}, {even}, host {index}, after {at}");
                        let _ = loader.next_batch().unwrap();
                    }
                }
            }
        }
    }
}

/// Returns the number of batches as it is known before; `None` where only the records have their number of steps.
fn known(kind: &str, batches: usize) -> Option<u64> {
    (kind != "continuous_sequence").then_some(batches as u64)
}

#[test]
fn the_number_of_batches_is_known_before() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, tensor, windows, orders) in KINDS {
        for counts in [&[10, 0, 7, 23][..], &[31]] {
            let dir = dir.path().join(format!("{kind}-{}", counts.len()));
            std::fs::create_dir_all(&dir).unwrap();
            write(kind, &dir, counts);
            for order in orders {
                for (count, size, drop, epochs) in
                    [(1, 4, false, 1), (1, 7, true, 3), (3, 4, true, 2), (2, 100, false, 3)]
                {
                    let more = format!(
                        r#""target_batch_size": {size}, "drop_remainder": {drop}, "epochs": {epochs}, "padding": [
                            {{"tensor": "{tensor}", "value": -1}}], "seed": 9{windows}{order}"#
                    );
                    let config = data::config(kind, &dir, tensor, &more);
                    for index in 0..count {
                        let host = || builder(&config, tensor, Shard { index, count });
                        let length = host().length();
                        let expected = known(kind, load(host(), tensor).len());
                        assert_eq!(
                            length.as_ref().ok().and_then(|length| length.batches),
                            expected,
                            "{length:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_known_before_is_said() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5, 6], Compression::None);
    let config = |more: &str| {
        let more = format!(r#""target_batch_size": 2, "drop_remainder": false{more}"#);
        data::config("independent", dir.path(), "id", &more)
    };
    let length = |config: LoaderConfig| data::builder(config, "id").length();
    let endless = length(config(r#", "epochs": null"#)).unwrap();
    assert_eq!((endless.epoch_examples, endless.epoch_batches, endless.batches), (11, 6, None));
    let says = |config: LoaderConfig| length(config).unwrap_err().to_string();
    let once = r#", "epochs": 1"#;
    let mut skips = config(once);
    skips.on_error = OnError::Skip(tfxio_core::SkipBudget::default());
    assert!(says(skips).contains("shows only when all records were read, as damaged ones are left out"));
    data::independent(dir.path(), &[5, 6], Compression::Gzip);
    assert!(says(config(once)).contains("how many records a compressed file has shows only when"));
    for file in ["000.tfrecord", "001.tfrecord"] {
        let path = dir.path().join(file);
        tfrecord_io::Index::build(&path).unwrap().write_beside(&path).unwrap();
    }
    assert_eq!(length(config(once)).unwrap().batches, Some(6));
    data::sequences(dir.path(), &[vec![1; 9]], Compression::None);
    for stale in ["001.tfrecord", "000.tfrecord.tfxi", "001.tfrecord.tfxi"] {
        std::fs::remove_file(dir.path().join(stale)).unwrap();
    }
    let windows =
        r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "min_window": 1, "max_window": 2"#;
    let windows = data::config("discrete_sequence", dir.path(), "v", windows);
    let error = data::builder(windows, "v").length().unwrap_err().to_string();
    assert!(error.contains("follows from the seed") && error.ends_with("give a `seed`"), "{error}");
}

#[test]
fn hosts_that_cannot_be_made_even_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3, 0], Compression::None);
    let refused = |even: &str, more: &str| {
        let more = format!(
            r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "even": "{even}"{more}"#
        );
        let config = data::config("independent", dir.path(), "id", &more);
        builder(&config, "id", Shard { index: 0, count: 2 }).build().unwrap_err().to_string()
    };
    assert!(refused("drop", "").ends_with(
        "`even`: shard 1 of 2 has no example, so nothing would be left of any; take fewer hosts, or leave `even` out"
    ));
    assert!(refused("repeat", "").contains("shard 1 of 2 has no example, so it has none to repeat"));
    assert!(
        refused("drop", r#", "on_error": "skip""#)
            .contains("hosts cannot be made even: how many batches there are")
    );
    // As many hosts as there can be.
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "even": "repeat""#;
    let config = data::config("independent", dir.path(), "id", more);
    let error = builder(&config, "id", Shard { index: 7, count: u32::MAX }).build().unwrap_err().to_string();
    assert!(error.contains("shard 4294967294 of 4294967295 has no example"), "{error}");
    // Under a global shuffle, hosts take turns over all epochs.
    for (count, epochs, refused) in [(3, 1, false), (4, 1, true), (6, 2, false), (u32::MAX, 2, true)] {
        let more = format!(
            r#""target_batch_size": 2, "drop_remainder": false, "epochs": {epochs}, "even": "drop"{GLOBAL}"#
        );
        let config = data::config("independent", dir.path(), "id", &more);
        let error =
            builder(&config, "id", Shard { index: 0, count }).build().err().map(|error| error.to_string());
        assert_eq!(error.is_some(), refused, "{error:?}");
        let shard =
            format!("shard {} of {count} has no example, so nothing would be left of any", 3 * epochs);
        assert!(error.is_none_or(|error| error.contains(&shard)));
    }
    data::sequences(dir.path(), &[vec![1, 2], vec![3]], Compression::None);
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "even": "repeat", "padding": true,
        "bucket_by_length": {"tensor": "v", "boundaries": [3], "batch_sizes": [2, 2]}"#;
    let config = data::config("independent", dir.path(), "v", more);
    let shard = Shard { index: 0, count: 2 };
    let error = builder(&config, "v", shard).build().unwrap_err().to_string();
    assert!(error.contains("depends on the lengths of all examples"), "{error}");
    // One host alone is even.
    assert_eq!(load(data::builder(config, "v"), "v").len(), 2);
}

#[test]
fn rows_know_where_they_come_from() {
    let dir = tempfile::tempdir().unwrap();
    for (kind, tensor, windows, orders) in KINDS {
        write(kind, dir.path(), &[9, 2, 14, 5]);
        for order in orders {
            let more = format!(
                r#""target_batch_size": 4, "drop_remainder": false, "epochs": 2, "seed": 3, "padding": [
                    {{"tensor": "{tensor}", "value": -1}}]{windows}{order}"#
            );
            let config = data::config(kind, dir.path(), tensor, &more);
            let mut loader = data::builder(config, tensor).build().unwrap();
            let mut epochs = Vec::new();
            while let Some(batch) = loader.next_batch().unwrap() {
                let (_, values) = data::values(&batch, tensor);
                for (origin, row) in batch.origins().zip(values.chunks(values.len() / batch.len())) {
                    let row = row.iter().copied().filter(|&value| value >= 0).collect::<Vec<_>>();
                    let file = row[0] / 1000;
                    assert!(origin.file.ends_with(&format!("{file:03}.tfrecord")), "{origin:?}: {row:?}");
                    // Every record has one step.
                    assert_eq!((origin.record, origin.step), ((row[0] % 1000) as u64, 0));
                    assert_eq!(origin.records, row.len() as u64);
                }
                epochs.push(batch.epoch());
            }
            assert!(
                epochs.is_sorted() && epochs[0] == 0 && epochs.last() == Some(&1),
                "{kind}{order}: {epochs:?}"
            );
        }
    }
}
