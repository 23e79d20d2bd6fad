//! Several hosts: together they load the whole data set, each example once, whatever they were told.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Shard};
use tfrecord_io::Compression;

use crate::data;

const BUFFER: &str = r#", "shuffle": true, "num_shuffle_buffer_elements": 7, "num_filenames_shuffle_buffer": 3, "num_mix_files": 2"#;
const GLOBAL: &str = r#", "shuffle": "global""#;

/// The examples of one host, and its seed.
fn examples(
    config: &LoaderConfig,
    tensor: &str,
    shard: Option<Shard>,
    seed: Option<u64>,
) -> (Vec<Vec<i64>>, u64) {
    let mut builder = data::builder(config.clone(), tensor);
    if let Some(shard) = shard {
        builder = builder.shard(shard);
    }
    if let Some(seed) = seed {
        builder = builder.seed(seed);
    }
    let mut loader = builder.build().unwrap();
    let all = data::rest(&mut loader, tensor).into_iter().map(|(_, values)| values).collect();
    (all, loader.seed())
}

fn config(kind: &str, dir: &Path, tensor: &str, more: &str) -> LoaderConfig {
    let more = format!(r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1{more}"#);
    data::config(kind, dir, tensor, &more)
}

#[test]
fn hosts_without_a_seed_load_everything_once() {
    let files: [&[usize]; 3] = [&[20], &[5, 0, 9], &[3, 8, 1, 4, 0, 6, 2, 7, 5]];
    for counts in files {
        let dir = tempfile::tempdir().unwrap();
        for (kind, tensor, windows, orders) in [
            ("independent", "id", "", &["", BUFFER, GLOBAL][..]),
            ("discrete_sequence", "v", r#", "min_window": 1, "max_window": 4"#, &["", BUFFER]),
            ("discrete_sequence", "v", r#", "min_window": 2, "max_window": 2"#, &["", BUFFER, GLOBAL]),
            ("continuous_sequence", "v", r#", "min_window": 1, "max_window": 4"#, &["", BUFFER]),
            (
                "continuous_sequence",
                "v",
                r#", "min_window": 2, "max_window": 2, "min_stride": 1, "max_stride": 4"#,
                &["", BUFFER],
            ),
            ("continuous_sequence", "v", r#", "min_window": 2, "max_window": 2"#, &["", BUFFER, GLOBAL]),
        ] {
            let lengths = counts.iter().map(|&count| vec![1; count]).collect::<Vec<_>>();
            match kind {
                "independent" => data::independent(dir.path(), counts, Compression::None),
                _ => data::sequences(dir.path(), &lengths, Compression::None),
            }
            for order in orders {
                let config = config(kind, dir.path(), tensor, &format!("{windows}{order}"));
                for count in 1..=7 {
                    let hosts =
                        (0..count).map(|index| examples(&config, tensor, Some(Shard { index, count }), None));
                    let (parts, seeds): (Vec<_>, Vec<_>) = hosts.unzip();
                    let what = format!("{kind}{windows}{order}, files of {counts:?}, {count} hosts");
                    assert!(seeds.iter().all(|&seed| seed == seeds[0]), "{what}: {seeds:?}");
                    let mut union = parts.concat();
                    union.sort_unstable();
                    let (mut whole, _) = examples(&config, tensor, None, Some(seeds[0]));
                    whole.sort_unstable();
                    assert_eq!(union, whole, "{what}");
                }
            }
        }
    }
}

#[test]
fn hosts_that_mount_the_data_elsewhere_have_the_same_seed() {
    let (here, there) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    for dir in [&here, &there] {
        data::independent(dir.path(), &[20], Compression::None);
        let list = format!("{}\n", dir.path().join("000.tfrecord").display());
        std::fs::write(dir.path().join("list.txt"), list).unwrap();
    }
    let mut union = Vec::new();
    for (index, dir) in [(0, &here), (1, &there)] {
        let mut config = config("independent", dir.path(), "id", GLOBAL);
        // The list names absolute paths, which differ, and the threads and batches of hosts may differ, too.
        config.dataset = Some(batch_loader::config::DatasetSource::List {
            manifest_file: dir.path().join("__manifest__.json"),
            list_file: dir.path().join("list.txt"),
        });
        config.num_parallel_reads = 1 + index as usize;
        config.target_batch_size = 2 + index as usize;
        union.extend(examples(&config, "id", Some(Shard { index, count: 2 }), None).0.concat());
    }
    union.sort_unstable();
    assert_eq!(union, (0..20).collect::<Vec<_>>());
}
