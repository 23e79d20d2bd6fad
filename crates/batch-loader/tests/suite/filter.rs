//! Filters: exactly the records that satisfy a predicate become examples, in every order, on every host, after every restore.

use std::path::Path;

use batch_loader::config::{LoaderConfig, Shard};
use batch_loader::{Kind, LoaderState};
use proptest::prelude::*;
use tfrecord_io::Compression;

use crate::data;

const SHUFFLE: &str = r#""shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2, "#;
const GLOBAL: &str = r#""shuffle": "global", "#;

fn config(dir: &Path, filter: &str, more: &str) -> LoaderConfig {
    let more = format!(
        r#"{more} "filter": "{filter}", "target_batch_size": 3, "drop_remainder": false, "epochs": 2, "seed": 5"#
    );
    data::config("independent", dir, "id", &more)
}

fn ids(config: &LoaderConfig) -> Vec<i64> {
    let mut loader = data::builder(config.clone(), "id").build().unwrap();
    data::rest(&mut loader, "id").into_iter().flat_map(|(_, ids)| ids).collect()
}

/// Returns whether a filter keeps a record, by its number.
type Keeps = fn(i64) -> bool;

fn sorted(mut ids: Vec<i64>) -> Vec<i64> {
    ids.sort_unstable();
    ids
}

#[test]
fn exactly_the_rows_that_satisfy_it_come() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[700, 0, 11, 4], Compression::None);
    let all = || (0..700).chain(2000..2011).chain(3000..3004);
    let cases: [(&str, Keeps); 5] = [
        ("id >= 600 and id != 2003", |id| id >= 600 && id != 2003),
        ("id in (0, 699, 3003)", |id| [0, 699, 3003].contains(&id)),
        ("not id < 2000", |id| id >= 2000),
        ("not raw is null", |_| true),
        ("id < 512", |id| id < 512),
    ];
    for (filter, keeps) in cases {
        let expected = all().filter(|id| keeps(*id)).collect::<Vec<_>>();
        let twice = [&expected[..], &expected].concat();
        assert_eq!(ids(&config(dir.path(), filter, "")), twice, "{filter}");
        for order in [SHUFFLE, GLOBAL] {
            let ids = ids(&config(dir.path(), filter, order));
            let (first, second) = ids.split_at(expected.len());
            for epoch in [first, second] {
                assert_eq!(sorted(epoch.to_vec()), expected, "{filter}, {order}");
            }
        }
    }
}

#[test]
fn records_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[10, 5], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let config = config(dir.path(), "id >= 1000 or id = 3", order).epochs(1);
        let mut loader = data::builder(config.clone(), "id").build().unwrap();
        data::rest(&mut loader, "id");
        let stats = loader.stats();
        assert_eq!((stats.examples, stats.records_filtered), (6, 9), "{order}");
        let length = data::builder(config, "id").length().unwrap();
        assert_eq!((length.epoch_examples, length.batches), (6, Some(2)), "{order}");
    }
}

/// Records are counted where they are read for batches, not a second time where they are counted for hosts.
#[test]
fn records_are_counted_once_on_even_hosts() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[12], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let more = format!(r#"{order} "even": "drop","#);
        let config = config(dir.path(), "id >= 4", &more).epochs(1);
        let builder = data::builder(config, "id").shard(Shard { index: 0, count: 2 });
        let mut loader = builder.build().unwrap();
        assert_eq!(data::rest(&mut loader, "id").iter().map(|(shape, _)| shape[0]).sum::<usize>(), 4);
        assert_eq!(loader.stats().records_filtered, 4, "{order}");
    }
}

#[test]
fn loaders_go_on_after_every_batch_on_any_number_of_threads() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[13, 0, 5, 22], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        let config = config(dir.path(), "id != 4 and id != 2001 and id < 3015", order);
        let build = || data::builder(config.clone(), "id");
        let all = data::rest(&mut build().threads(1).build().unwrap(), "id");
        assert_eq!(data::rest(&mut build().threads(4).build().unwrap(), "id"), all);
        for stop in 0..=all.len() {
            let mut loader = build().build().unwrap();
            for _ in 0..stop {
                loader.next_batch().unwrap().unwrap();
            }
            let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
            let mut restored = build().state(state).threads(3).build().unwrap();
            assert_eq!(data::rest(&mut restored, "id"), all[stop..], "{order}, after {stop}");
        }
        let mut other = config.clone();
        other.filter = Some("id < 7".parse().unwrap());
        let state = build().build().unwrap().state();
        let error = data::builder(other, "id").state(state).build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::State));
        let what = r#"`filter` was "id != 4 and id != 2001 and id < 3015" and is "id < 7""#;
        assert!(error.to_string().contains(what), "{error}");
    }
}

#[test]
fn hosts_share_what_is_left() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[13, 9], Compression::None);
    let expected = (0..13).chain(1000..1009).filter(|id| ![0, 7, 1002].contains(id)).collect::<Vec<_>>();
    for (order, count) in [("", 2), ("", 3), (SHUFFLE, 3), (GLOBAL, 2), (GLOBAL, 5)] {
        let config = config(dir.path(), "not id in (0, 7, 1002)", order).epochs(1);
        let host = |index| {
            let builder = data::builder(config.clone(), "id").shard(Shard { index, count });
            data::rest(&mut builder.build().unwrap(), "id").into_iter().flat_map(|(_, ids)| ids)
        };
        assert_eq!(sorted((0..count).flat_map(host).collect()), expected, "{order}, {count} hosts");
    }
    let even = config(dir.path(), "not id in (0, 7, 1002)", r#""even": "drop","#).epochs(1);
    let host = |index| {
        let builder = data::builder(even.clone(), "id").shard(Shard { index, count: 3 });
        data::rest(&mut builder.build().unwrap(), "id").iter().map(|(shape, _)| shape[0]).sum::<usize>()
    };
    assert_eq!([0, 1, 2].map(host), [5, 5, 5]);
}

#[test]
fn windows_are_cut_of_what_is_left() {
    let dir = tempfile::tempdir().unwrap();
    // Records of 1, 2, … steps: a filter on a value leaves out the record that has it.
    data::sequences(dir.path(), &[vec![1, 2, 3, 4], vec![2, 2, 2]], Compression::None);
    let cut = |kind: &str, more: &str| {
        let more = format!(
            r#"{more}, "filter": "not v in (1, 1003)", "target_batch_size": 1, "drop_remainder": false, "epochs": 1, "seed": 3"#
        );
        let config = data::config(kind, dir.path(), "v", &more);
        let mut loader = data::builder(config, "v").build().unwrap();
        data::rest(&mut loader, "v").into_iter().map(|(_, values)| values).collect::<Vec<_>>()
    };
    let discrete = cut("discrete_sequence", r#""min_window": 2, "max_window": 2"#);
    assert_eq!(discrete, [vec![0, 3, 4, 5], vec![1000, 1001, 1004, 1005]]);
    let mut global = cut("discrete_sequence", r#""min_window": 2, "max_window": 2, "shuffle": "global""#);
    global.sort();
    assert_eq!(global, discrete);
    let continuous = cut("continuous_sequence", r#""min_window": 3, "max_window": 3"#);
    assert_eq!(continuous, [vec![0, 3, 4], vec![5, 6, 7], vec![1000, 1001, 1004]]);
    let mut global = cut("continuous_sequence", r#""min_window": 3, "max_window": 3, "shuffle": "global""#);
    global.sort();
    assert_eq!(global, continuous);
}

#[test]
fn records_that_lack_a_feature_can_be_left_out() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[], Compression::None);
    data::write(dir.path(), "0.tfrecord", Compression::None, [data::list([1]), data::example(7)]);
    let error =
        data::builder(config(dir.path(), "true", ""), "id").build().unwrap().next_batch().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Record), "{error}");
    assert_eq!(ids(&config(dir.path(), "not id is null", "")), [7, 7]);
}

#[test]
fn an_epoch_of_which_nothing_is_left_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5, 3], Compression::None);
    for order in ["", SHUFFLE, GLOBAL] {
        for epochs in [Some(1), Some(2), None] {
            let mut config = config(dir.path(), "id < 0", order);
            config.epochs = epochs;
            let mut loader = data::builder(config.clone(), "id").build().unwrap();
            let error = loader.next_batch().unwrap_err();
            assert_eq!(error.detail(), Some(&Kind::InvalidValue));
            let what = "no example came of a whole epoch: no record satisfies the filter \"id < 0\"; correct the filter";
            assert!(error.to_string().contains(what), "{error}");
            let shard = Shard { index: 1, count: 2 };
            let mut loader = data::builder(config, "id").shard(shard).build().unwrap();
            let error = loader.next_batch().unwrap_err().to_string();
            assert!(error.contains("no record of shard 1 of 2 satisfies"), "{error}");
        }
    }
}

#[test]
fn what_the_data_set_does_not_have_is_said() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5], Compression::None);
    let cases = [
        (
            "idd > 3",
            "`filter`: the filter names the feature \"idd\", which the data set does not have; did you mean \"id\"?",
        ),
        (
            "id > 'a'",
            "`filter`: of the column \"id\" of the filter, the column has Arrow type Int64, which cannot be compared with 'a'",
        ),
        (
            "id.x = 1",
            "`filter`: of the column \"id.x\" of the filter, the filter names the field \"x\" of Arrow type Int64, which has no fields",
        ),
    ];
    for (filter, expected) in cases {
        let more =
            format!(r#""filter": "{filter}", "target_batch_size": 3, "drop_remainder": false, "epochs": 2"#);
        let config = data::located("independent", dir.path(), "id", &more);
        let error = data::builder(config, "id").check().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::InvalidValue));
        assert!(error.to_string().starts_with("line ") && error.to_string().contains(expected), "{error}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    /// For any records, filter, order, batch size and number of hosts: what is left comes once an epoch.
    #[test]
    fn nothing_is_lost_and_nothing_comes_twice(
        counts in prop::collection::vec(0usize..40, 1..4),
        (low, high) in (0i64..30, 0i64..60),
        order in prop::sample::select(vec!["", SHUFFLE, GLOBAL]),
        size in 1usize..9,
        hosts in 1u32..4,
        stop in 0usize..6,
    ) {
        let dir = tempfile::tempdir().unwrap();
        data::independent(dir.path(), &counts, Compression::None);
        let all = counts.iter().enumerate().flat_map(|(file, count)| (0..*count).map(move |id| (1000 * file + id) as i64));
        let expected = all.filter(|id| *id >= low && *id % 1000 < high && *id != 1001).collect::<Vec<_>>();
        // What `%` says is not in the language: the ranges of the files are written out.
        let ranges = (0..counts.len()).map(|file| format!("id >= {} and id < {}", 1000 * file, 1000 * file as i64 + high));
        let ranges = ranges.map(|range| format!("({range})")).collect::<Vec<_>>().join(" or ");
        let config = config(dir.path(), &format!("id >= {low} and id != 1001 and ({ranges})"), order).epochs(1);
        let mut found = Vec::new();
        for index in 0..hosts {
            let build = || data::builder(config.clone(), "id").shard(Shard { index, count: hosts }).batch_size(size);
            let mut loader = build().build().unwrap();
            for _ in 0..stop {
                // A host of which nothing is left says so.
                let Ok(Some(batch)) = loader.next_batch() else { break };
                found.extend(data::values(&batch, "id").1);
            }
            let mut restored = build().state(loader.state()).build().unwrap();
            while let Ok(Some(batch)) = restored.next_batch() {
                found.extend(data::values(&batch, "id").1);
            }
        }
        prop_assert_eq!(sorted(found), sorted(expected));
    }
}
