//! TFRecord to gzip of members: records are compressed on several threads, to the same files as on one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use tfxio_formats::tfrecord_io::{Compression, Reader, Writer};
use tfxio_formats::tfxio_core::{Cancel, ErrorKind, FactValue, OnError, ScanRequest, Skip, SkipBudget};
use tfxio_formats::{Error, OpenOptions};

use crate::seam::test_files::{FileLayout, payload, write};

/// Files that a copy left in its folder, the number of records that it reported, and the last that it told of.
type Copied = Result<(BTreeMap<String, Vec<u8>>, u64, u64), Error>;

/// Copies files to `output` in a folder that is made for it.
fn copy(inputs: &[&Path], output: &str, request: ScanRequest) -> Copied {
    let folder = tempfile::tempdir().unwrap();
    let inputs = inputs.iter().map(|input| input.to_str().unwrap()).collect::<Vec<_>>();
    let options = OpenOptions::new().request(request).set("shard_bytes", "700000")?;
    let found = options.find(inputs)?;
    let (output, mut told) = (folder.path().join(output), 0);
    let copy = found.format.copy_records().unwrap();
    let copied = copy.copy_records(&found.files, output.to_str().unwrap(), &found.options, &mut |records| {
        assert!(records >= told);
        told = records;
    });
    let files = std::fs::read_dir(folder.path()).unwrap().map(|entry| {
        let entry = entry.unwrap();
        (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap())
    });
    let files = files.collect::<BTreeMap<_, _>>();
    assert_eq!(copied.is_err(), files.is_empty(), "{:?}", files.keys());
    match copied?.get("records") {
        Some(FactValue::Count(records)) => Ok((files, *records, told)),
        other => panic!("{other:?}"),
    }
}

/// Some MB of records that do not shrink much, in a file of many members.
fn members(folder: &Path) -> PathBuf {
    let mut writer =
        Writer::builder(Vec::new()).compression(Compression::Gzip).member_bytes(100_000).build().unwrap();
    let mut state = 1u64;
    for number in 0..3000 {
        let record = (0..number % 1700).map(|_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 60) as u8
        });
        writer.write(&record.collect::<Vec<_>>()).unwrap();
    }
    let path = folder.join("members.tfrecord.gz");
    std::fs::write(&path, writer.finish().unwrap()).unwrap();
    path
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let plain = [24_000, 0, 7_000]
        .map(|records| write(folder.path(), &format!("{records}.tfrecord"), FileLayout::Plain, records));
    let plain = plain.each_ref().map(PathBuf::as_path);
    let members = members(folder.path());
    for (inputs, records) in [(&plain[..], 31_000), (&[members.as_path()], 3000), (&plain[1..2], 0)] {
        for output in ["b.tfrecord.gz", "b@3.tfrecord.gz", "b@*.tfrecord.gz"] {
            let alone = copy(inputs, output, ScanRequest::new()).unwrap();
            assert_eq!((alone.1, alone.2), (records, records), "{output}");
            for threads in [2, 5] {
                let together = copy(inputs, output, ScanRequest::new().threads(threads)).unwrap();
                assert!(together == alone, "{records} records to {output}, {threads} threads");
            }
        }
    }
    let (files, ..) = copy(&plain, "b.tfrecord.gz", ScanRequest::new().threads(2)).unwrap();
    let mut reader = Reader::new(&files["b.tfrecord.gz"][..]);
    for number in (0..24_000).chain(0..7_000) {
        assert_eq!(reader.next_record().unwrap().unwrap().data, payload(number));
    }
    assert!(reader.next_record().unwrap().is_none());
}

#[test]
fn damage_is_said_and_skipped_as_by_one_thread() {
    let folder = tempfile::tempdir().unwrap();
    let (plain, members) = (write(folder.path(), "plain", FileLayout::Plain, 9000), members(folder.path()));
    for file in [plain, members] {
        let whole = std::fs::read(&file).unwrap();
        let cut = |len: usize| whole[..len].to_vec();
        let damaged = |at: usize| {
            let mut bytes = whole.clone();
            bytes[at] ^= 0x10;
            bytes
        };
        for bytes in [cut(whole.len() / 3), cut(whole.len() - 1), damaged(whole.len() / 2), damaged(90)] {
            std::fs::write(&file, bytes).unwrap();
            let said = [1, 2, 5].map(|threads| {
                let copied = copy(&[&file], "b.tfrecord.gz", ScanRequest::new().threads(threads));
                let error = copied.map(drop).expect_err("an error");
                let skip = Skip::new(SkipBudget::default());
                let request = ScanRequest::new().threads(threads).on_error(OnError::Skip(skip.clone()));
                let kept = copy(&[&file], "b@2.tfrecord.gz", request).unwrap();
                (error.to_string(), kept, skip.report().to_string())
            });
            assert!(said[0].1.1 > 0 && said[0].2.contains("bytes"), "{}", said[0].2);
            for other in &said[1..] {
                assert_eq!((&other.0, &other.2), (&said[0].0, &said[0].2));
                assert!(other.1 == said[0].1, "{}", said[0].0);
            }
        }
    }
}

#[test]
fn nothing_is_left_of_a_copy_that_is_cancelled() {
    let folder = tempfile::tempdir().unwrap();
    let file = members(folder.path());
    let found = |cancel: &Cancel, threads| {
        let request = ScanRequest::new().threads(threads).cancel(cancel.clone());
        OpenOptions::new().request(request).find(file.to_str().unwrap()).unwrap()
    };
    for threads in [1, 2, 5] {
        let cancel = Cancel::new();
        let (found, output) = (found(&cancel, threads), folder.path().join("b.tfrecord.gz"));
        let copy = found.format.copy_records().unwrap();
        let copied = copy.copy_records(&found.files, output.to_str().unwrap(), &found.options, &mut |_| {
            cancel.cancel();
        });
        assert_eq!(copied.unwrap_err().kind(), ErrorKind::Cancelled, "{threads} threads");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
