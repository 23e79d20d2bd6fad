//! Saved states of windows in which records lie that add nothing: of no steps, or left out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use batch_loader::LoaderState;
use batch_loader::config::LoaderConfig;
use tfrecord_io::Compression;

const BASE: &str = r#""target_batch_size": 3, "drop_remainder": false, "epochs": 2, "seed": 4, "padding": true,
    "shuffle": true, "num_shuffle_buffer_elements": 7, "num_filenames_shuffle_buffer": 1, "num_mix_files": 1"#;

fn stop_and_go(config: &LoaderConfig, every: usize) {
    let all = data::rest(&mut data::builder(config.clone(), "v").build().unwrap(), "v");
    assert!(all.len() > 3);
    for stop in (0..=all.len()).step_by(every) {
        let mut loader = data::builder(config.clone(), "v").build().unwrap();
        for _ in 0..stop {
            loader.next_batch().unwrap().unwrap();
        }
        let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
        let mut restored = data::builder(config.clone(), "v").state(state).build().unwrap();
        assert_eq!(data::rest(&mut restored, "v"), all[stop..], "{:?} after {stop}", config.loader);
    }
}

#[test]
fn records_without_steps_between_the_pieces_of_a_file() {
    let dir = tempfile::tempdir().unwrap();
    // Around the 512th record and the 1024th, pieces end among records of no steps.
    let empty = |record: usize| (505..520).contains(&record) || (1020..1030).contains(&record);
    let lengths = (0..1200).map(|record| if empty(record) { 0 } else { record % 3 }).collect();
    data::sequences(dir.path(), &[lengths], Compression::None);
    for windows in [
        r#""min_window": 5, "max_window": 40"#,
        r#""min_window": 5, "max_window": 40, "min_stride": 1, "max_stride": 90"#,
    ] {
        let config = data::config("continuous_sequence", dir.path(), "v", &format!("{BASE}, {windows}"));
        stop_and_go(&config, 3);
    }
}

#[test]
fn records_that_were_left_out() {
    for compression in [Compression::None, Compression::Gzip] {
        let dir = tempfile::tempdir().unwrap();
        data::sequences(dir.path(), &[vec![]], compression);
        let mut records = (0..60).map(|record| data::sequence([record, -record])).collect::<Vec<_>>();
        for record in [5, 6, 17, 33, 50] {
            records[record] = vec![0xff; 9];
        }
        data::write(dir.path(), "000.tfrecord", compression, records);
        for (kind, length) in [("discrete_sequence", 4), ("continuous_sequence", 7)] {
            let more =
                format!(r#"{BASE}, "on_corrupt": "skip", "min_window": {length}, "max_window": {length}"#);
            stop_and_go(&data::config(kind, dir.path(), "v", &more), 1);
        }
    }
}
