//! Files that are looked into, repaired, indexed and copied.

use std::path::Path;

use tfxio_formats::tfrecord_io::{Compression, Reader, frame};
use tfxio_formats::tfxio_core::{FactValue, FileReport, FileState, OnError, ScanRequest, Skip, SkipBudget};
use tfxio_formats::{DatasetExt as _, Found, OpenOptions};

use crate::seam::test_files::{self, FileLayout, payload, write};

fn found(file: &Path) -> Found {
    OpenOptions::new().find(file).unwrap()
}

fn inspect(file: &Path) -> FileReport {
    let found = found(file);
    found.format.inspect().unwrap().inspect(&found.files, &found.options).unwrap().remove(0)
}

fn count(report: &FileReport, key: &str) -> u64 {
    match report.get(key) {
        Some(FactValue::Count(count)) => *count,
        other => panic!("{key}: {other:?}"),
    }
}

/// Changes a bit of the payload of record 3, which has 21 bytes before it in its record.
fn damage(file: &Path) -> (u64, u64) {
    let start = (0..3).map(|number| payload(number).len() as u64 + 16).sum::<u64>();
    let mut bytes = std::fs::read(file).unwrap();
    bytes[start as usize + 13] ^= 1;
    std::fs::write(file, bytes).unwrap();
    (start, start + payload(3).len() as u64 + 16)
}

#[test]
fn whole_files_are_counted() {
    let folder = tempfile::tempdir().unwrap();
    for layout in FileLayout::ALL {
        let report = inspect(&write(folder.path(), &format!("{layout:?}"), layout, 300));
        assert_eq!((report.state, count(&report, "records")), (FileState::Whole, 300), "{layout:?}");
        let compression = if layout == FileLayout::Zlib { "zlib" } else { "gzip" };
        let compression =
            if matches!(layout, FileLayout::Plain | FileLayout::Indexed) { "none" } else { compression };
        assert_eq!(report.get("compression"), Some(&FactValue::from(compression)), "{layout:?}");
        assert!(report.errors.is_empty(), "{layout:?}");
    }
}

#[test]
fn damage_is_found_and_the_rest_is_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.tfrecord", FileLayout::Plain, 50);
    let (start, end) = damage(&file);
    let report = inspect(&file);
    assert_eq!((report.state, count(&report, "records")), (FileState::Damaged, 49));
    assert_eq!(report.errors[0].position().byte, Some(start));
    let found = found(&file);
    let output = folder.path().join("b.tfrecord.gz");
    let repair = found.format.repair().unwrap();
    let report = repair.repair(&found.files, output.to_str().unwrap(), &found.options).unwrap();
    assert_eq!((count(&report, "records"), count(&report, "lost_bytes")), (49, end - start));
    let lost = &report.lost[0];
    assert_eq!((lost.start, lost.end, lost.records_before, lost.records), (start, end, 3, Some(1)));
    assert_eq!((&*lost.reason, lost.detail.as_deref()), ("payload_crc", Some("checksum of the payload")));
    assert_eq!(test_files::open(&[output]).count().unwrap(), 49);
    let error = repair.repair(&found.files, file.to_str().unwrap(), &found.options).unwrap_err();
    assert!(error.to_string().ends_with("the output is one of the inputs; write to another name"), "{error}");
}

#[test]
fn nothing_is_written_where_nothing_can_be_kept() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.tfrecord", FileLayout::Plain, 1);
    let mut bytes = std::fs::read(&file).unwrap();
    bytes[13] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    let found = found(&file);
    let output = folder.path().join("b.tfrecord");
    let name = output.to_str().unwrap();
    let report = found.format.repair().unwrap().repair(&found.files, name, &found.options).unwrap();
    assert_eq!(report.errors[0].to_string(), format!("nothing could be kept, and {name} was not written"));
    assert!(!output.exists());
    let mut options = found.options.clone();
    options.request.on_error = OnError::Skip(Skip::new(SkipBudget::default()));
    let copy = found.format.copy_records().unwrap();
    let error = copy.copy_records(&found.files, name, &options, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "everything was damaged and skipped: there is no record");
    assert!(!output.exists());
}

#[test]
fn an_index_is_written_and_compared() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.tfrecord", FileLayout::Plain, 50);
    let found = found(&file);
    let report = found.format.index().unwrap().write_index(&found.files, &found.options).unwrap().remove(0);
    assert_eq!(count(&report, "records"), 50);
    assert!(folder.path().join("a.tfrecord.tfxi").exists());
    assert_eq!(inspect(&file).state, FileState::Whole);
    // Another payload of the same size, whose checksums fit.
    let other = write(folder.path(), "b.tfrecord", FileLayout::Plain, 49);
    let mut bytes = std::fs::read(&other).unwrap();
    frame::append(&mut bytes, &vec![7; payload(49).len()]);
    std::fs::write(&file, bytes).unwrap();
    let report = inspect(&file);
    assert_eq!((report.state, report.errors.len()), (FileState::NotAsIndexed, 1));
    let error = report.errors[0].to_string();
    assert!(error.contains("the file has other records than those that were indexed"), "{error}");
}

#[test]
fn records_are_copied_as_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let files =
        [300, 7].map(|records| write(folder.path(), &format!("{records}"), FileLayout::Members, records));
    let names = files.iter().map(|file| file.to_str().unwrap()).collect::<Vec<_>>();
    let found = OpenOptions::new().set("output_compression", "zlib").unwrap().find(names).unwrap();
    let output = folder.path().join("b@2.tfrecord");
    let (mut calls, copy) = (Vec::new(), found.format.copy_records().unwrap());
    let report = copy.copy_records(&found.files, output.to_str().unwrap(), &found.options, &mut |records| {
        calls.push(records);
    });
    assert_eq!(count(&report.unwrap(), "records"), 307);
    assert_eq!(calls.last(), Some(&307));
    let first = folder.path().join("b-00000-of-00002.tfrecord");
    let mut reader = Reader::open(&first).unwrap();
    assert_eq!(reader.compression().unwrap(), Compression::Zlib);
    for number in (0..300).step_by(2).chain((0..7).step_by(2)) {
        assert_eq!(reader.next_record().unwrap().unwrap().data, payload(number));
    }
    assert!(reader.next_record().unwrap().is_none());
    // Damaged records are skipped where that is asked for.
    let damaged = write(folder.path(), "damaged", FileLayout::Plain, 50);
    damage(&damaged);
    let skip = Skip::new(SkipBudget::default());
    let request = ScanRequest::new().on_error(OnError::Skip(skip.clone()));
    let found = OpenOptions::new().request(request).find(&damaged).unwrap();
    let output = folder.path().join("c.tfrecord");
    let report = copy.copy_records(&found.files, output.to_str().unwrap(), &found.options, &mut |_| {});
    assert_eq!((count(&report.unwrap(), "records"), skip.report().ranges), (49, 1));
}
