//! Files and records that are wrong: what is said, and what is left out.

use std::path::Path;

use batch_loader::config::{LoaderConfig, OnError};
use batch_loader::{Error, Kind};
use tfrecord_io::Compression;
use tfxio_core::SkipBudget;

use crate::data;

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

/// Returns the offset of each record's frame.
fn offsets(records: &[Vec<u8>]) -> Vec<usize> {
    records.iter().scan(0, |at, record| Some(std::mem::replace(at, *at + record.len() + 16))).collect()
}

#[test]
fn a_damaged_payload() {
    let dir = tempfile::tempdir().unwrap();
    let at = offsets(&examples());
    let name = file(dir.path(), examples(), |bytes| bytes[at[3] + 14] ^= 1);
    let (before, error) = until_error(config(dir.path(), "id"), "id");
    assert_eq!((before, error.detail()), (vec![0, 1], Some(&Kind::Corrupt)));
    let text = error.to_string();
    assert!(text.starts_with(&format!("{name}, byte {}, record 3: ", at[3])), "{text}");
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
        assert_eq!(error.detail(), Some(&Kind::Corrupt), "cut at {cut}: {error}");
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
    assert_eq!((before, error.detail()), (vec![0, 1], Some(&Kind::Corrupt)));
    assert!(
        error.to_string().starts_with(&format!(
            "{name}, byte {}, record 2, byte of the record 1: ",
            offsets(&examples())[2]
        )),
        "{error}"
    );

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
        assert_eq!((before, error.detail()), (vec![0, 1], Some(&Kind::Record)));
        assert!(
            error.to_string().starts_with(&format!("{name}, byte {}, record 3, ", offsets(&examples())[3])),
            "{error}"
        );
    }
}

#[test]
fn a_missing_file_and_another_compression() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::Gzip);
    data::write(dir.path(), "001.tfrecord", Compression::None, examples());
    let (before, error) = until_error(config(dir.path(), "id"), "id");
    assert_eq!((before, error.detail()), (vec![0, 1], Some(&Kind::Corrupt)));
    let text = error.to_string();
    assert!(
        text.contains("001.tfrecord")
            && text.ends_with("; check that it is a TFRecord file, and `compression` in the manifest"),
        "{text}"
    );

    let list = dir.path().join("files.txt");
    std::fs::write(&list, "000.tfrecord\ngone.tfrecord\n").unwrap();
    let mut config = config(dir.path(), "id");
    let manifest_file = dir.path().join("__manifest__.json");
    config.dataset = Some(batch_loader::config::DatasetSource::List { manifest_file, list_file: list });
    let mut loader = data::builder(config, "id").base_dir(dir.path()).build();
    let error = match &mut loader {
        Ok(loader) => loop {
            if let Err(error) = loader.next_batch() {
                break error;
            }
        },
        Err(_) => loader.unwrap_err(),
    };
    assert_eq!(error.detail(), Some(&Kind::NotFound));
    assert!(error.to_string().contains("gone.tfrecord: no such file"), "{error}");
}

/// Skipped damage is counted in ranges, records and bytes, reported with its file, and bounded by a budget.
#[test]
fn skipping_has_a_budget_and_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let at = offsets(&examples());
    let length = (at[1] - at[0]) as u64;
    let mut records = examples();
    records[4] = b"\x0a\xffnot a message".to_vec();
    let name = file(dir.path(), records, |bytes| bytes[at[1] + 14] ^= 1);
    let run = |budget: SkipBudget, epochs: u64| {
        let mut config = config(dir.path(), "id");
        (config.on_error, config.epochs) = (OnError::Skip(budget), Some(epochs));
        let mut loader = data::builder(config, "id").build().unwrap();
        let mut got = Vec::new();
        loop {
            match loader.next_batch() {
                Ok(Some(batch)) => got.extend(data::values(&batch, "id").1),
                Ok(None) => return (got, None, loader),
                Err(error) => return (got, Some(error), loader),
            }
        }
    };
    // Every epoch skips the same, which counts once.
    let (got, error, loader) = run(SkipBudget::default(), 3);
    assert!(error.is_none());
    assert_eq!(got, [[0, 2, 3, 5]; 3].concat());
    let stats = loader.stats();
    let message = 15 + 16;
    assert_eq!((stats.ranges_skipped, stats.records_skipped, stats.bytes_skipped), (2, 2, length + message));
    let report = loader.skip_report();
    let ranges = report
        .listed
        .iter()
        .map(|range| (range.file.as_deref().unwrap(), range.start, range.end, range.records));
    let second = at[4] as u64;
    assert_eq!(
        ranges.collect::<Vec<_>>(),
        [(&*name, length, 2 * length, Some(1)), (&*name, second, second + message, Some(1)),]
    );
    let unlimited = SkipBudget::default();
    let enough = unlimited.ranges(2).bytes(length + message).share(0.5);
    assert!(run(enough, 2).1.is_none());
    for (budget, before) in [
        (unlimited.ranges(0), &[][..]),
        (unlimited.ranges(1), &[0, 2]),
        (unlimited.bytes(length + message - 1), &[0, 2]),
        (unlimited.share(0.1), &[0, 2, 3, 5]),
    ] {
        let (got, error, loader) = run(budget, 1);
        let error = error.unwrap();
        assert_eq!((&got[..], error.detail()), (before, Some(&Kind::LimitExceeded)), "{error}");
        let text = error.to_string();
        assert!(text.starts_with(&name) && text.contains("and the budget allows"), "{text}");
        assert!(text.ends_with("; write the files again, or allow more in `error_budget`"), "{text}");
        assert!(loader.skip_report().ranges > 0);
    }
}

/// Loaders that share a report count what both of them skip once; the budget of each counts what any of them skipped.
#[test]
fn loaders_share_a_report() {
    let dir = tempfile::tempdir().unwrap();
    let records = (0..6).map(data::example).collect::<Vec<_>>();
    let at = offsets(&records);
    file(dir.path(), records, |bytes| bytes[at[1] + 14] ^= 1);
    let more = r#""target_batch_size": 2, "drop_remainder": false, "epochs": 1, "on_error": "skip""#;
    let shared = tfxio_core::Skip::default();
    let load = |more: &str| {
        let config = data::config("independent", dir.path(), "id", more);
        let mut loader = data::builder(config, "id").skip_report(&shared).build().unwrap();
        let mut rows = 0;
        while let Some(batch) = loader.next_batch().map_err(|error| error.to_string())? {
            rows += batch.len();
        }
        Ok::<_, String>((rows, loader.skip_report(), loader.stats().ranges_skipped))
    };
    for _ in 0..2 {
        assert_eq!(load(more), Ok((5, shared.report(), 1)));
    }
    assert_eq!(shared.ranges(), 1);
    // It was allowed before, and is not counted again.
    let strict = format!(r#"{more}, "error_budget": {{"ranges": 0}}"#);
    assert_eq!(load(&strict).map(|(rows, ..)| rows), Ok(5));
}

/// Damage without a budget is skipped, however much there is of it.
#[test]
fn skipping_without_a_budget_has_no_end() {
    let dir = tempfile::tempdir().unwrap();
    const DAMAGED: usize = (1 << 16) + 10;
    let records = (0..2 * DAMAGED).map(|id| data::example(1_000_000 + id as i64)).collect::<Vec<_>>();
    let at = offsets(&records);
    file(dir.path(), records, |bytes| at.iter().step_by(2).for_each(|&at| bytes[at + 14] ^= 1));
    let more = r#""target_batch_size": 1024, "drop_remainder": false, "epochs": 1, "on_error": "skip""#;
    let config = data::config("independent", dir.path(), "id", more);
    let mut loader = data::builder(config, "id").build().unwrap();
    let values = data::rest(&mut loader, "id").into_iter().flat_map(|(_, values)| values);
    assert!(values.eq((0..DAMAGED as i64).map(|pair| 1_000_001 + 2 * pair)));
    assert_eq!(loader.stats().ranges_skipped, DAMAGED as u64);
    assert_eq!(loader.skip_report().ranges, DAMAGED as u64);
}

/// Damaged ranges without a whole record between them are listed up to a bound, after which loading ends with an error.
#[test]
fn damage_without_a_whole_record_between_has_a_bound() {
    let dir = tempfile::tempdir().unwrap();
    let records = (0..(1 << 16) + 10).map(|id| data::example(1_000_000 + id)).collect::<Vec<_>>();
    let at = offsets(&records);
    let name = file(dir.path(), records, |bytes| at.iter().for_each(|&at| bytes[at + 14] ^= 1));
    let mut config = config(dir.path(), "id");
    config.on_error = OnError::Skip(SkipBudget::default());
    let (before, error) = until_error(config, "id");
    assert_eq!((before, error.detail()), (vec![], Some(&Kind::LimitExceeded)));
    let what = "more than 65536 damages follow each other without a whole record between them";
    assert_eq!(error.to_string(), format!("{name}: {what}; repair the file, or write it again"));
}
