//! Records that are entered by number and offset, counted, kept together and read up to the first that is damaged.

use std::path::Path;

use tfxio_formats::OpenOptions;
use tfxio_formats::tfrecord_io::Index;
use tfxio_formats::tfxio_core::{ErrorKind, Partition, RecordRun, Scan, ScanRequest, Seek};

use crate::seam::test_files::{FileLayout, all, numbers, open, payload, write};

fn offset(record: u64) -> u64 {
    (0..record).map(|number| payload(number).len() as u64 + 16).sum()
}

fn last(scan: &mut dyn Scan) -> Vec<u64> {
    all(scan).into_iter().map(|(_, number)| number).collect()
}

#[test]
fn an_offset_is_entered_without_an_index() {
    for layout in FileLayout::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = write(folder.path(), "a.tfrecord", layout, 300);
        let dataset = open(std::slice::from_ref(&path));
        let partition = Partition::whole(path.to_str().unwrap());
        let request = ScanRequest::new().batch_rows(7);
        let mut scan = dataset.scan(&partition, &request).unwrap();
        let seek = scan.seek_to_byte(250, offset(250)).unwrap();
        assert_eq!(last(&mut *scan), (250..300).collect::<Vec<_>>(), "{layout:?}");
        assert!(layout != FileLayout::Plain || seek == Seek::Exact);
        let counts = scan.counts();
        if layout == FileLayout::Plain {
            assert_eq!((counts.records, counts.bytes), (50, offset(300) - offset(250)));
        }
        let is_compressed = !matches!(layout, FileLayout::Plain | FileLayout::Indexed);
        assert_eq!(counts.decompressed, if is_compressed { counts.bytes } else { 0 }, "{layout:?}");

        let run = |first, records| RecordRun::new(path.to_str().unwrap(), first, records).byte(offset(first));
        let runs = [run(3, 2), run(100, 90), run(9, 1), run(299, 1)];
        let mut scan = dataset.take(&runs, &request).unwrap();
        let expected = [3, 4].into_iter().chain(100..190).chain([9, 299]).collect::<Vec<u64>>();
        assert_eq!(last(&mut *scan), expected, "{layout:?}");
        assert_eq!(dataset.count_rows(&partition, &request).unwrap(), 300, "{layout:?}");
    }
}

#[test]
fn a_run_beyond_the_end_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.tfrecord", FileLayout::Plain, 20);
    let dataset = open(std::slice::from_ref(&path));
    let run = RecordRun::new(path.to_str().unwrap(), 18, 3).byte(offset(18));
    let mut scan = dataset.take(&[run], &ScanRequest::new()).unwrap();
    assert_eq!(scan.next_batch().unwrap().unwrap().num_rows(), 2);
    let error = scan.next_batch().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Malformed);
    assert!(error.to_string().contains("the file ends before record 20"), "{error}");
}

#[test]
fn a_batch_has_about_as_many_bytes_as_are_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.tfrecord", FileLayout::Plain, 200);
    let dataset = open(std::slice::from_ref(&path));
    let partition = Partition::whole(path.to_str().unwrap());
    for threads in [1, 3] {
        for bytes in [1, 500] {
            let request = ScanRequest::new().batch_bytes(bytes).threads(threads);
            let mut scan = dataset.scan(&partition, &request).unwrap();
            let mut next = 0;
            while let Some(batch) = scan.next_batch().unwrap() {
                let found = numbers(&batch).into_iter().map(|(_, number)| number).collect::<Vec<_>>();
                assert_eq!(found, (next..next + found.len() as u64).collect::<Vec<_>>());
                next += found.len() as u64;
                let size = offset(next) - offset(found[0]);
                assert!(size < bytes + 200 && (size >= bytes.min(150) || next == 200), "{size}");
            }
            assert_eq!(next, 200);
        }
    }
}

#[test]
fn rows_before_damage_come_first() {
    let folder = tempfile::tempdir().unwrap();
    for layout in [FileLayout::Plain, FileLayout::Indexed] {
        let path = write(folder.path(), "a.tfrecord", layout, 50);
        let mut bytes = std::fs::read(&path).unwrap();
        let damaged = usize::try_from(offset(23)).unwrap() + 13;
        bytes[damaged] ^= 1;
        let times = std::fs::metadata(&path).unwrap().modified().unwrap();
        std::fs::write(&path, bytes).unwrap();
        std::fs::File::options().append(true).open(&path).unwrap().set_modified(times).unwrap();
        let dataset = open(std::slice::from_ref(&path));
        let partition = Partition::whole(path.to_str().unwrap());
        for (threads, rows) in [(1, 10), (1, 1000), (3, 10), (3, 1000)] {
            let request = ScanRequest::new().batch_rows(rows).threads(threads);
            let mut scan = dataset.scan(&partition, &request).unwrap();
            let mut next = 0;
            let error = loop {
                match scan.next_batch() {
                    Ok(batch) => next += numbers(&batch.expect("an error")).len(),
                    Err(error) => break error,
                }
            };
            assert_eq!((next, error.position().record), (23, Some(23)), "{error}");
            assert!(scan.next_batch().unwrap().is_none());
        }
    }
}

#[test]
fn an_index_that_was_made_is_kept_where_that_is_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "a.tfrecord", FileLayout::Plain, 40);
    let name = path.to_str().unwrap();
    let count = |keep: &str, dir: &Path| {
        let options = OpenOptions::new().format("raw").set("keep_index", keep).unwrap();
        let dataset = options.set("index_dir", dir.to_str().unwrap()).unwrap().open(name).unwrap();
        dataset.count_rows(&Partition::whole(name), &ScanRequest::new())
    };
    let cache = folder.path().join("cache");
    assert_eq!(count("none", &cache).unwrap(), 40);
    assert!(!cache.exists());
    assert_eq!(count("cache", &cache).unwrap(), 40);
    assert_eq!(std::fs::read_dir(&cache).unwrap().count(), 1);
    assert_eq!(count("beside", &cache).unwrap(), 40);
    assert_eq!(Index::open(&path).unwrap().len(), 40);
    std::fs::remove_file(Index::path_for(&path)).unwrap();
    let error = count("cache", &path).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Io);
    let expected =
        format!("{name}: the index of this file cannot be kept; give another `index_dir`, or keep none");
    assert_eq!(error.to_string(), expected);
}
