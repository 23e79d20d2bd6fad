//! Saved states: a loader restored from one goes on as the first would have, also in another process.

use std::process::Command;

use batch_loader::config::LoaderConfig;
use batch_loader::{Kind, LoaderState};
use tfrecord_io::Compression;

use crate::data;

const SHUFFLE: &str = r#", "shuffle": true, "num_shuffle_buffer_elements": 5, "num_filenames_shuffle_buffer": 2, "num_mix_files": 2"#;

/// Every kind of loader, shuffled and not, over three epochs.
fn configs(dir: &std::path::Path) -> Vec<(LoaderConfig, &'static str)> {
    let mut out = Vec::new();
    for shuffle in ["", SHUFFLE] {
        for bucket in [false, true] {
            let base = format!(r#""target_batch_size": 4, "drop_remainder": false, "epochs": 3{shuffle}"#);
            let examples = dir.join("examples");
            if !bucket {
                out.push((data::config("independent", &examples, "id", &base), "id"));
            }
            let bucket = if bucket {
                r#", "bucket_by_length": {"tensor": "v", "boundaries": [3, 5], "batch_sizes": [4, 2, 1]}"#
            } else {
                ""
            };
            let sequences = dir.join("sequences");
            let more = format!(
                r#"{base}{bucket}, "padding": true, "min_window": 2, "max_window": 6, "min_stride": 1, "max_stride": 9"#
            );
            out.push((data::config("continuous_sequence", &sequences, "v", &more), "v"));
            let more = format!(r#"{base}{bucket}, "padding": true, "min_window": 1, "max_window": 3"#);
            out.push((data::config("discrete_sequence", &sequences, "v", &more), "v"));
        }
    }
    out
}

fn write(dir: &std::path::Path, compression: Compression) {
    let (examples, sequences) = (dir.join("examples"), dir.join("sequences"));
    std::fs::create_dir_all(&examples).unwrap();
    std::fs::create_dir_all(&sequences).unwrap();
    data::independent(&examples, &[7, 0, 11, 4], compression);
    let lengths = [vec![3, 1, 0, 4, 2, 5, 1], vec![1], vec![6, 6, 1, 2, 2], vec![0, 9]];
    data::sequences(&sequences, &lengths, compression);
}

fn stop_and_go(compression: Compression) {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), compression);
    for (number, (config, tensor)) in configs(dir.path()).into_iter().enumerate() {
        let build = || data::builder(config.clone(), tensor).seed(number as u64);
        let all = data::rest(&mut build().build().unwrap(), tensor);
        assert!(all.len() > 2, "configuration {number} has batches");
        for stop in 0..=all.len() {
            let mut loader = build().build().unwrap();
            for _ in 0..stop {
                loader.next_batch().unwrap().unwrap();
            }
            let state = LoaderState::from_json(&loader.state().to_json()).unwrap();
            assert_eq!(state, loader.state());
            let value = serde_json::to_value(&state).unwrap();
            assert_eq!(serde_json::from_value::<LoaderState>(value).unwrap(), state);
            assert_eq!(state.batches(), stop as u64);
            drop(loader);
            let mut config = config.clone();
            config.num_parallel_parses = 3;
            config.num_parallel_reads = 2;
            let mut restored = data::builder(config, tensor).state(state).build().unwrap();
            assert_eq!(
                data::rest(&mut restored, tensor),
                all[stop..],
                "configuration {number} after {stop} batches"
            );
        }
    }
}

#[test]
fn a_restored_loader_gives_the_batches_that_would_have_followed() {
    stop_and_go(Compression::None);
}

#[test]
fn so_does_one_of_compressed_files() {
    stop_and_go(Compression::Gzip);
}

/// Run by the test below in a process of its own.
#[test]
fn child() {
    let Ok(dir) = std::env::var("BATCH_LOADER_TEST_DIR") else { return };
    let number = std::env::var("BATCH_LOADER_TEST_CONFIG").unwrap().parse::<usize>().unwrap();
    let dir = std::path::Path::new(&dir);
    let (config, tensor) = configs(dir).swap_remove(number);
    let state = std::fs::read_to_string(dir.join("state.json")).unwrap();
    let state = LoaderState::from_json(&state).unwrap();
    let mut loader = data::builder(config, tensor).state(state).build().unwrap();
    let text = data::rest(&mut loader, tensor).iter().map(|batch| format!("{batch:?}\n")).collect::<String>();
    std::fs::write(dir.join("batches.txt"), text).unwrap();
}

#[test]
fn a_state_is_good_for_another_process() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), Compression::None);
    for (number, (config, tensor)) in configs(dir.path()).into_iter().enumerate() {
        let all = data::rest(&mut data::builder(config.clone(), tensor).seed(3).build().unwrap(), tensor);
        for stop in (number % 3..=all.len()).step_by(3) {
            let mut loader = data::builder(config.clone(), tensor).seed(3).build().unwrap();
            for _ in 0..stop {
                loader.next_batch().unwrap();
            }
            std::fs::write(dir.path().join("state.json"), loader.state().to_json()).unwrap();
            let process = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "resume::child"])
                .env("BATCH_LOADER_TEST_DIR", dir.path())
                .env("BATCH_LOADER_TEST_CONFIG", number.to_string())
                .output()
                .unwrap();
            assert!(process.status.success(), "{process:?}");
            let text = all[stop..].iter().map(|batch| format!("{batch:?}\n")).collect::<String>();
            let read = std::fs::read_to_string(dir.path().join("batches.txt")).unwrap();
            assert_eq!(read, text, "configuration {number} after {stop} batches");
        }
    }
}

#[test]
fn a_restore_parses_what_the_buffer_held_and_seeks_to_the_rest() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[20_000, 20_000], Compression::None);
    let more = r#""target_batch_size": 10, "drop_remainder": false, "epochs": 1, "shuffle": true, "seed": 1,
        "num_shuffle_buffer_elements": 50, "num_filenames_shuffle_buffer": 1, "num_mix_files": 1"#;
    let config = data::config("independent", dir.path(), "id", more);
    let mut loader = data::builder(config.clone(), "id").build().unwrap();
    for _ in 0..2000 {
        loader.next_batch().unwrap();
    }
    let state = loader.state();
    assert!(state.to_json().len() < 2000, "{}", state.to_json().len());
    let mut restored = data::builder(config, "id").state(state).build().unwrap();
    let mut last = restored.next_batch().unwrap();
    let stats = restored.stats();
    // What the buffer held, and the chunks that are parsed ahead, of 512 records each.
    assert!(stats.records_parsed < 50 + 4 * 512, "{stats:?}");
    assert_eq!(stats.bytes_inflated, 0);
    assert!(stats.records_framed < 50 + 8 * 512, "{stats:?}");
    while let Some(batch) = restored.next_batch().unwrap() {
        last = Some(batch);
    }
    // In the end every record was parsed and framed once, those of the buffer included.
    let stats = restored.stats();
    assert_eq!((stats.examples, stats.records_parsed, stats.records_framed), (20_000, 20_000, 20_000));
    assert_eq!(last.map(|batch| batch.len()), Some(10));
}

#[test]
fn states_of_other_loaders_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[5, 5], Compression::None);
    let config = |size: usize| {
        let more = format!(r#""target_batch_size": {size}, "drop_remainder": false, "epochs": 1"#);
        data::config("independent", dir.path(), "id", &more)
    };
    let state = data::builder(config(2), "id").build().unwrap().state();
    let refused = |builder: batch_loader::LoaderBuilder| {
        let error = builder.state(state.clone()).build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::State));
        error.to_string()
    };
    assert_eq!(
        refused(data::builder(config(3), "id")),
        "the state is of another configuration: `target_batch_size` was 2 and is 3; restore with the data set and \
         the configuration of which the state was saved"
    );
    assert_eq!(
        refused(data::builder(config(2), "id").seed(state.seed() + 1)),
        format!(
            "the state is of a loader with the seed {}, not {}; leave the seed out, or restore a state of this one",
            state.seed(),
            state.seed() + 1
        )
    );
    data::independent(dir.path(), &[5, 6], Compression::None);
    assert_eq!(
        refused(data::builder(config(2), "id")),
        "the state is of another data set: its files had other names or sizes; restore with the data set and the \
         configuration of which the state was saved"
    );
    data::independent(dir.path(), &[5, 5, 1], Compression::None);
    assert_eq!(
        refused(data::builder(config(2), "id")),
        "the state is of another data set: it had 2 files, this one has 3; restore with the data set and the \
         configuration of which the state was saved"
    );
}

#[test]
fn texts_that_are_no_states() {
    let kind = |text: &str| {
        let error = LoaderState::from_json(text).unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::State));
        error.to_string()
    };
    let give = "give the text that a loader's state was written as";
    assert_eq!(kind(""), format!("this is not the state of a loader; {give}"));
    assert_eq!(kind("{}"), format!("this is not the state of a loader; {give}"));
    assert_eq!(
        kind(r#"{"format": "other", "version": 1}"#),
        format!("this is not the state of a loader but \"other\"; {give}")
    );
    assert_eq!(
        kind(r#"{"format": "tfxio loader state", "version": 3}"#),
        "the state is of version 3, this release reads versions 1 to 2; restore it with the release that wrote it"
    );
    assert_eq!(
        kind(r#"{"format": "tfxio loader state", "version": 1}"#),
        format!("the state is damaged; {give}")
    );
}

/// The checksum of a state: FNV-1a over its JSON without blanks, keys sorted, and a byte 0xff.
fn checksum(state: &serde_json::Value) -> String {
    let text = state.to_string();
    let bytes = text.bytes().chain([0xff]);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

/// Nothing in a state that was edited makes a loader panic or go on for ever.
#[test]
fn numbers_of_states_may_be_anything() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), Compression::None);
    for (config, tensor) in configs(dir.path()) {
        let mut loader = data::builder(config.clone(), tensor).build().unwrap();
        for _ in 0..2 {
            loader.next_batch().unwrap();
        }
        let state = serde_json::to_value(loader.state()).unwrap();
        for number in [0, 1, 2, 1000, u64::from(u32::MAX), u64::MAX - 1, u64::MAX] {
            let keys = ["batches", "epoch", "examples", "opened", "draws", "position"];
            let slots = (0..6).map(|at| format!("/open/0/{at}"));
            for pointer in keys.iter().map(|key| format!("/{key}")).chain(slots) {
                let mut edited = state.clone();
                let Some(value) = edited.pointer_mut(&pointer) else { continue };
                *value = number.into();
                edited["checksum"] = "".into();
                edited["checksum"] = checksum(&edited).into();
                let state = match serde_json::from_value::<LoaderState>(edited) {
                    Ok(state) => state,
                    Err(error) => {
                        assert!(!error.to_string().contains("checksum"), "{error}");
                        continue;
                    }
                };
                let Ok(mut loader) = data::builder(config.clone(), tensor).state(state).build() else {
                    continue;
                };
                while let Some(batch) = loader.next_batch().transpose() {
                    if let Err(error) = batch {
                        assert!(!error.to_string().contains("panicked"), "{pointer} = {number}: {error}");
                    }
                }
                drop(loader.state());
            }
        }
    }
}
