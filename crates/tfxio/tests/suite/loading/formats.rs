//! The same batches of every format.

use tfxio::batch_loader::config::Shard;

use super::test_records::{ENDINGS, FEATURES, Made, rows};
use super::{config, in_every_way, loader, rest};

/// Orders and batchings, with the features that they take.
const WAYS: [(&str, &[&str], &str); 6] = [
    ("in order", &FEATURES, r#", "padding": true"#),
    (
        "shuffled",
        &FEATURES,
        r#", "padding": true, "shuffle": true, "num_shuffle_buffer_elements": 7, "num_mix_files": 2"#,
    ),
    ("global", &FEATURES, r#", "padding": true, "shuffle": "global""#),
    (
        "within a budget",
        &FEATURES,
        r#", "padding": true, "shuffle": "global", "max_tokens": {"tokens": 9, "tensors": ["v"]},
           "bucket_by_length": {"tensor": "v", "boundaries": [2]}"#,
    ),
    ("packed", &["v"], r#", "pack": {"length": 5, "open_rows": 3}"#),
    ("filtered", &FEATURES, r#", "padding": true, "filter": "id != 3 and v < 250 and not s = 'row 9'""#),
];

#[test]
fn every_format_gives_the_same_batches() {
    let made = Made::new(rows(false));
    let reference = made.open("tfrecord");
    let expected = WAYS.map(|(way, features, more)| {
        let config = config(features, more);
        in_every_way(&|| loader(&reference, &config), way)
    });
    assert_eq!(expected[0].len(), 17);
    for ending in ENDINGS {
        let dataset = made.open(ending);
        for ((way, features, more), expected) in WAYS.into_iter().zip(&expected) {
            let what = format!("{ending}, {way}");
            let config = config(features, more);
            assert_eq!(&in_every_way(&|| loader(&dataset, &config), &what), expected, "{what}");
        }
    }
}

#[test]
fn every_format_is_shared_by_hosts() {
    let made = Made::new(rows(false));
    let reference = made.open("tfrecord");
    for ending in ENDINGS {
        let dataset = made.open(ending);
        for (way, features, more) in WAYS {
            let config = config(features, more);
            // More hosts than files share the records of each.
            for (index, count) in [(0, 2), (1, 2), (2, 3)] {
                let host = |dataset| {
                    rest(&mut loader(dataset, &config).shard(Shard { index, count }).build().unwrap())
                };
                assert_eq!(host(&dataset), host(&reference), "{ending}, {way}, {index} of {count}");
            }
        }
    }
}
