//! Saved states of windows that contain records without units: empty ones, or ones that were left out.

use batch_loader::config::LoaderConfig;
use batch_loader::{Kind, LoaderState};
use tfrecord_io::Compression;

use crate::data;

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
    // Around the 512th record and the 1024th, chunks end among records of no steps.
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

/// A record that no example of the buffer needs: a file that is read from its start cannot be read past it.
#[test]
fn a_record_that_became_unreadable_between_those_that_are_needed() {
    const RECORDS: usize = 300;
    let more = r#""target_batch_size": 8, "drop_remainder": false, "epochs": 1, "seed": 1, "shuffle": true,
        "num_shuffle_buffer_elements": 50, "num_filenames_shuffle_buffer": 1, "num_mix_files": 1"#;
    for compression in [Compression::None, Compression::Gzip] {
        let dir = tempfile::tempdir().unwrap();
        data::independent(dir.path(), &[], compression);
        let mut frames = Vec::new();
        let offsets = (0..RECORDS).map(|id| {
            let offset = frames.len();
            tfrecord_io::frame::append(&mut frames, &data::example(id as i64));
            offset
        });
        let offsets = offsets.collect::<Vec<_>>();
        let path = dir.path().join("000.tfrecord");
        let store = |frames: &[u8]| {
            let bytes = if compression == Compression::None { frames.to_vec() } else { gzip(frames) };
            std::fs::write(&path, bytes).unwrap();
        };
        store(&frames);
        let config = data::config("independent", dir.path(), "id", more);
        let mut loader = data::builder(config.clone(), "id").build().unwrap();
        let mut seen = Vec::new();
        for _ in 0..12 {
            seen.extend(data::values(&loader.next_batch().unwrap().unwrap(), "id").1);
        }
        let state = loader.state().to_json();
        let left = data::rest(&mut loader, "id");
        // Records that were consumed, and some that are still to come.
        for bad in [seen[5], seen[40], seen[80], left[1].1[3], left[4].1[0], left[9].1[7]] {
            let mut damaged = frames.clone();
            damaged[offsets[bad as usize] + 14] ^= 1;
            store(&damaged);
            let state = LoaderState::from_json(&state).unwrap();
            let mut restored = data::builder(config.clone(), "id").state(state).build().unwrap();
            if compression == Compression::None && seen.contains(&bad) {
                assert_eq!(data::rest(&mut restored, "id"), left);
                continue;
            }
            let mut after = Vec::new();
            let error = loop {
                match restored.next_batch() {
                    Ok(Some(batch)) => after.push(data::values(&batch, "id")),
                    Ok(None) => break None,
                    Err(error) => break Some(error),
                }
            };
            let Some(error) = error else {
                // What was consumed is passed over, where nothing else is decoded with it.
                assert!(seen.contains(&bad), "the damage of record {bad} was passed over");
                assert_eq!(after, left);
                continue;
            };
            assert_eq!(
                (error.detail(), error.position().record),
                (Some(&Kind::Corrupt), Some(bad as u64)),
                "{error}"
            );
        }
    }
}

/// A gzip member of one stored block, whose size the bytes do not change.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let crc = bytes.iter().fold(!0u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| (crc >> 1) ^ (0xedb8_8320 * (crc & 1)))
    });
    let len = u16::try_from(bytes.len()).unwrap();
    let mut out = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    out.extend(len.to_le_bytes());
    out.extend((!len).to_le_bytes());
    out.extend(bytes);
    out.extend((!crc).to_le_bytes());
    out.extend(u32::from(len).to_le_bytes());
    out
}
