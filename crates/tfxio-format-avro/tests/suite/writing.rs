//! Batches that are written and read again.

use tfxio_core::{Batch, FileFormat as _, Files, FormatOptions, ScanRequest};
use tfxio_formats::AvroFormat;
use tfxio_formats::avro_path::container::{Codec, ContainerReader};

use crate::test_files::{TestFiles, all, container, plain};

#[test]
fn what_is_written_is_read_again() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..100, 200));
    let dataset = made.open(plain());
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = dataset.scan(&whole, &ScanRequest::new().batch_rows(30)).unwrap();
    let output = made.folder.path().join("out.avro");
    let output = output.to_str().unwrap();
    let options = FormatOptions::default().option("codec", "null").option("block_bytes", 300_u64);
    let mut sink = AvroFormat.sink(output, scan.schema(), &options).unwrap();
    let mut batches = Vec::new();
    while let Some(batch) = scan.next_batch().unwrap() {
        sink.write(&batch).unwrap();
        batches.push(batch.into_columns());
    }
    assert!(!std::fs::exists(output).unwrap(), "it appears when it is whole");
    let written = sink.finish().unwrap();
    assert_eq!((written.rows, written.files), (100, vec![output.to_owned()]));
    assert_eq!(ContainerReader::open(output).unwrap().header().codec(), Codec::Null);
    let again = AvroFormat.open(Files::local([output]).unwrap(), &plain()).unwrap();
    let whole = again.partitions(u64::MAX).unwrap().remove(0);
    let mut scan = again.scan(&whole, &ScanRequest::new().batch_rows(30)).unwrap();
    for batch in batches {
        assert_eq!(scan.next_batch().unwrap().map(Batch::into_columns), Some(batch));
    }
    assert!(scan.next_batch().unwrap().is_none());
}

#[test]
fn a_sink_that_is_dropped_leaves_nothing() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..10, 200));
    let dataset = made.open(plain());
    let output = made.folder.path().join("out.avro");
    drop(AvroFormat.sink(output.to_str().unwrap(), dataset.schema(), &FormatOptions::default()).unwrap());
    assert_eq!(std::fs::read_dir(made.folder.path()).unwrap().count(), 1);
}

/// Writes the records of a file of 40 to a set, and returns the names of the files and the numbers in each.
fn sharded(name: &str, options: &FormatOptions, copy: bool) -> Vec<(String, Vec<i64>)> {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..40, 200));
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join(name);
    let output = output.to_str().unwrap();
    if copy {
        let files = Files::local(made.files.clone()).unwrap();
        let copier = AvroFormat.copy_records().unwrap();
        copier.copy_records(&files, output, options, &mut |_| {}).unwrap();
    } else {
        let dataset = made.open(plain());
        let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
        let mut scan = dataset.scan(&whole, &ScanRequest::new().batch_rows(7)).unwrap();
        let mut sink = AvroFormat.sink(output, scan.schema(), options).unwrap();
        while let Some(batch) = scan.next_batch().unwrap() {
            sink.write(&batch).unwrap();
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().filter(is_visible).count(), 0);
        let written = sink.finish().unwrap();
        assert_eq!(written.rows, 40);
        assert_eq!(written.files.len(), std::fs::read_dir(folder.path()).unwrap().count());
    }
    let mut names = std::fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().path().to_str().unwrap().to_owned())
        .collect::<Vec<_>>();
    names.sort();
    let numbers = |path: &String| {
        let dataset = AvroFormat.open(Files::local([path.as_str()]).unwrap(), &plain()).unwrap();
        let Some(whole) = dataset.partitions(u64::MAX).unwrap().pop() else { return Vec::new() };
        let read = all(&mut *dataset.scan(&whole, &ScanRequest::new()).unwrap());
        read.iter().map(|record| record.n).collect()
    };
    let folder = format!("{}/", folder.path().to_str().unwrap());
    names.iter().map(|name| (name.replace(&folder, ""), numbers(name))).collect()
}

fn is_visible(entry: &std::io::Result<std::fs::DirEntry>) -> bool {
    !entry.as_ref().unwrap().file_name().to_string_lossy().starts_with('.')
}

#[test]
fn shards_get_records_in_turn() {
    for copy in [false, true] {
        let shards = sharded("out@3.avro", &FormatOptions::default(), copy);
        let names = shards.iter().map(|shard| &*shard.0).collect::<Vec<_>>();
        assert_eq!(names, ["out-00000-of-00003.avro", "out-00001-of-00003.avro", "out-00002-of-00003.avro"]);
        for (first, (_, numbers)) in (0..).zip(shards) {
            assert_eq!(numbers, (first..40).step_by(3).collect::<Vec<_>>(), "copy: {copy}");
        }
    }
}

#[test]
fn shards_of_a_size_keep_the_order() {
    for copy in [false, true] {
        let options = FormatOptions::default().option("shard_bytes", 60_u64);
        let shards = sharded("out@*", &options, copy);
        assert!(shards.len() > 3, "{shards:?}");
        let count = shards.len();
        for (index, (name, numbers)) in shards.iter().enumerate() {
            assert_eq!(*name, format!("out-{index:05}-of-{count:05}"));
            assert!(!numbers.is_empty());
        }
        let numbers = shards.into_iter().flat_map(|shard| shard.1).collect::<Vec<_>>();
        assert_eq!(numbers, (0..40).collect::<Vec<_>>(), "copy: {copy}");
    }
}

#[test]
fn a_set_that_fails_leaves_nothing() {
    let made = TestFiles::new().file(0, &container(false, Codec::Null, 0..10, 200));
    let dataset = made.open(plain());
    let output = made.folder.path().join("out@3.avro");
    let mut sink =
        AvroFormat.sink(output.to_str().unwrap(), dataset.schema(), &FormatOptions::default()).unwrap();
    let whole = dataset.partitions(u64::MAX).unwrap().remove(0);
    let batch = dataset.scan(&whole, &ScanRequest::new()).unwrap().next_batch().unwrap().unwrap();
    sink.write(&batch).unwrap();
    // A folder that takes the name of the last shard.
    std::fs::create_dir(made.folder.path().join("out-00002-of-00003.avro")).unwrap();
    let error = sink.finish().unwrap_err().to_string();
    assert!(error.contains("out-00002-of-00003.avro"), "{error}");
    let left = std::fs::read_dir(made.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(left.filter(|name| name.to_string_lossy().contains(".tmp")).count(), 0);
}
