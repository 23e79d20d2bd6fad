//! Files and records that are wrong: what is said, and what is left out.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails so")]

mod data;

use std::path::Path;

use batch_loader::config::{LoaderConfig, OnError};
use batch_loader::{Error, ErrorKind};
use tfrecord_io::Compression;
use tfxio_core::SkipBudget;

fn config(dir: &Path, tensor: &str) -> LoaderConfig {
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1"#;
    data::config("independent", dir, tensor, more)
}

/// The examples before the error, and the error.
fn until_error(config: LoaderConfig, tensor: &str) -> (Vec<i64>, Error) {
    let mut loader = data::builder(config, tensor).build().unwrap();
    let mut before = Vec::new();
    loop {
        match loader.next_batch() {
            Ok(Some(batch)) => before.extend(data::values(&batch, tensor).1),
            Ok(None) => panic!("no error"),
            Err(error) => return (before, error),
        }
    }
}

/// Writes records as the only file of a data set, damages the file, and gives its name.
fn file(dir: &Path, records: Vec<Vec<u8>>, damage: impl FnOnce(&mut Vec<u8>)) -> String {
    data::independent(dir, &[], Compression::None);
    data::write(dir, "a.tfrecord", Compression::None, records);
    let path = dir.join("a.tfrecord");
    let mut bytes = std::fs::read(&path).unwrap();
    damage(&mut bytes);
    std::fs::write(&path, bytes).unwrap();
    path.display().to_string()
}

fn examples() -> Vec<Vec<u8>> {
    (0..6).map(data::example).collect()
}

/// Where each record's frame begins.
fn offsets(records: &[Vec<u8>]) -> Vec<usize> {
    records.iter().scan(0, |at, record| Some(std::mem::replace(at, *at + record.len() + 16))).collect()
}

#[test]
fn a_damaged_payload() {
    let dir = tempfile::tempdir().unwrap();
    let at = offsets(&examples());
    let name = file(dir.path(), examples(), |bytes| bytes[at[3] + 14] ^= 1);
    let (before, error) = until_error(config(dir.path(), "id"), "id");
    assert_eq!((before, error.kind()), (vec![0, 1], ErrorKind::Corrupt));
    let text = error.to_string();
    assert!(text.starts_with(&format!("{name}, record 3, byte {}: ", at[3])), "{text}");
    assert!(text.ends_with("set `on_error` to \"skip\" to leave out what is damaged"), "{text}");

    let mut config = config(dir.path(), "id");
    config.on_error = OnError::Skip(SkipBudget::default());
    let mut loader = data::builder(config, "id").build().unwrap();
    let values = data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
    assert_eq!(values, [0, 1, 2, 4, 5]);
    assert_eq!(loader.stats().records_skipped, 1);
}

#[test]
fn every_cut_is_an_error_and_a_skip_keeps_what_is_whole() {
    let dir = tempfile::tempdir().unwrap();
    let at = offsets(&examples());
    let end = at[5] + examples()[5].len() + 16;
    for cut in at[4]..end {
        file(dir.path(), examples(), |bytes| bytes.truncate(cut));
        let whole = at.iter().skip(1).chain([&end]).filter(|&&next| next <= cut).count();
        let mut skip = config(dir.path(), "id");
        skip.on_error = OnError::Skip(SkipBudget::default());
        let mut loader = data::builder(skip, "id").build().unwrap();
        let values =
            data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
        assert_eq!(values, (0..whole as i64).collect::<Vec<_>>(), "cut at {cut}");
        if at.contains(&cut) {
            continue;
        }
        let (before, error) = until_error(config(dir.path(), "id"), "id");
        assert_eq!(error.kind(), ErrorKind::Corrupt, "cut at {cut}: {error}");
        assert_eq!(before, (0..whole as i64 / 2 * 2).collect::<Vec<_>>(), "cut at {cut}");
        assert_eq!(error.position().record, Some(whole as u64), "cut at {cut}: {error}");
    }
}

#[test]
fn records_that_are_no_messages() {
    let dir = tempfile::tempdir().unwrap();
    let mut records = examples();
    records[2] = b"\x0a\xffnot a message".to_vec();
    let name = file(dir.path(), records, |_| ());
    let (before, error) = until_error(config(dir.path(), "id"), "id");
    assert_eq!((before, error.kind()), (vec![0, 1], ErrorKind::Corrupt));
    assert!(error.to_string().starts_with(&format!("{name}, record 2, byte ")), "{error}");

    let mut config = config(dir.path(), "id");
    config.on_error = OnError::Skip(SkipBudget::default());
    let mut loader = data::builder(config, "id").build().unwrap();
    let values = data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values).collect::<Vec<_>>();
    assert_eq!(values, [0, 1, 3, 4, 5]);
    assert_eq!(loader.stats().records_skipped, 1);
}

#[test]
fn what_a_record_lacks_is_an_error_also_where_damage_is_left_out() {
    let dir = tempfile::tempdir().unwrap();
    let mut records = examples();
    records[3] = Vec::new();
    let name = file(dir.path(), records, |_| ());
    for on_error in [OnError::Fail, OnError::Skip(SkipBudget::default())] {
        let mut config = config(dir.path(), "id");
        config.on_error = on_error;
        let (before, error) = until_error(config, "id");
        assert_eq!((before, error.kind()), (vec![0, 1], ErrorKind::Record));
        assert!(error.to_string().starts_with(&format!("{name}, record 3, ")), "{error}");
    }
}

#[test]
fn a_missing_file_and_another_compression() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::Gzip);
    data::write(dir.path(), "001.tfrecord", Compression::None, examples());
    let (before, error) = until_error(config(dir.path(), "id"), "id");
    assert_eq!((before, error.kind()), (vec![0, 1], ErrorKind::Corrupt));
    let text = error.to_string();
    assert!(text.contains("001.tfrecord") && text.ends_with("check `compression` in the manifest"), "{text}");

    let list = dir.path().join("files.txt");
    std::fs::write(&list, "000.tfrecord\ngone.tfrecord\n").unwrap();
    let mut config = config(dir.path(), "id");
    let manifest_file = dir.path().join("__manifest__.json");
    config.dataset = batch_loader::config::Dataset::List { manifest_file, list_file: list };
    let mut loader = data::builder(config, "id").base_dir(dir.path()).build();
    let error = match &mut loader {
        Ok(loader) => loop {
            if let Err(error) = loader.next_batch() {
                break error;
            }
        },
        Err(_) => loader.unwrap_err(),
    };
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert!(error.to_string().contains("gone.tfrecord: no such file"), "{error}");
}
