//! What is read.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use arrow_array::RecordBatch;
use object_store::local::LocalFileSystem;
use tfxio::convert::Conversion;
use tfxio::tfrecord_io::{Index, index::Stamp};
use tfxio::{
    ExampleTfxIo, InputFile, RawRecordTfxIo, ReadOptions, RecordOptions, Salvage, Sample, Split, TfxIo,
    expand_files_with,
};

use crate::flaky::Flaky;
use crate::{bytes_of, digits, fixture, long_file, options, rows, stores};

const OBJECT: &str = "memory://here/a.tfrecord";

fn batches(dataset: &ExampleTfxIo, read: &ReadOptions) -> Vec<RecordBatch> {
    dataset.read_all(read).unwrap().map(Result::unwrap).collect()
}

fn examples(pattern: &str, options: RecordOptions) -> ExampleTfxIo {
    let builder = ExampleTfxIo::builder([pattern]).infer_schema(Sample::All).record_options(options);
    builder.build().unwrap()
}

/// The records of splits, one split after the other.
fn records(dataset: &RawRecordTfxIo, splits: &[Split]) -> Vec<RecordBatch> {
    let read = ReadOptions::default().with_batch_size(1);
    let split = |split| dataset.read(split, &read).unwrap().map(Result::unwrap);
    splits.iter().flat_map(split).collect()
}

#[test]
fn the_same_batches_as_from_files() {
    for folder in ["digits", "digits-gzip", "digits-zlib"] {
        let local = fixture(&format!("{folder}/digits@3.tfrecord"));
        let local = examples(local.to_str().unwrap(), RecordOptions::default());
        let store = Flaky::new(digits(folder));
        for threads in [1, 3] {
            for pattern in
                ["data/digits@3.tfrecord", "data/digits-*", "data/digits@*.tfrecord", "*/*.tfrecord"]
            {
                let options = options(store.clone()).with_threads(threads);
                let dataset = examples(&format!("memory://here/{pattern}"), options);
                assert_eq!(dataset.files().len(), 3, "{pattern}");
                assert_eq!(&*dataset.files()[2], "memory://here/data/digits-00002-of-00003.tfrecord");
                let read = ReadOptions::default().with_batch_size(100).with_projection(["label", "image"]);
                assert_eq!(batches(&dataset, &read), batches(&local, &read), "{folder} {pattern}");
                assert_eq!(dataset.bytes(), local.bytes());
            }
        }
    }
}

#[test]
fn a_local_file_system_is_a_store_too() {
    let store = LocalFileSystem::new_with_prefix(fixture("")).unwrap();
    let options = options(Arc::new(store));
    let dataset = examples("memory://here/digits/digits@3.tfrecord", options.clone());
    assert_eq!(batches(&dataset, &ReadOptions::default()).len(), 2);
    let files = expand_files_with(["memory://here/digits-*/*.tfrecord"], &options).unwrap();
    assert_eq!(files.len(), 6);
}

#[test]
fn a_file_url_is_a_path_and_stands_beside_others() {
    let store = Flaky::new(digits("digits"));
    let local = fixture("digits/digits-00000-of-00003.tfrecord").canonicalize().unwrap();
    let local = local.to_str().unwrap();
    let patterns = [format!("file://{local}"), "memory://here/data/digits@3.tfrecord".into(), local.into()];
    let files = expand_files_with(patterns, &options(store)).unwrap();
    assert_eq!(files.len(), 4, "a file comes once");
    assert_eq!(&*files[0], local);
}

#[test]
fn splits_of_objects_are_those_of_files() {
    let file = long_file(2000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    std::fs::write(&path, &file).unwrap();
    let local = RawRecordTfxIo::new([path.to_str().unwrap()]).unwrap();
    let store = Flaky::new([("a.tfrecord", file.clone())]);
    let dataset = RawRecordTfxIo::open([OBJECT], options(store.clone())).unwrap();
    let all = records(&dataset, &[Split::whole(OBJECT)]);
    assert_eq!(all.len(), 2000);
    for target in [100_000, 1 << 20, 1 << 30] {
        let ours = dataset.splits(target).unwrap();
        let theirs = local.splits(target).unwrap();
        let ranges = |splits: &[Split]| splits.iter().map(|s| (s.start, s.end)).collect::<Vec<_>>();
        assert_eq!(ranges(&ours), ranges(&theirs));
        assert_eq!(records(&dataset, &ours), all);
    }
    // Cut anywhere, each record is still in one split.
    let cut = [0, 5, 700_001, 1_234_567, u64::MAX];
    let split = |ends: &[u64]| Split { start: ends[0], end: ends[1], ..Split::whole(OBJECT) };
    assert_eq!(records(&dataset, &cut.windows(2).map(split).collect::<Vec<_>>()), all);
}

#[test]
fn no_byte_is_asked_for_twice() {
    let file = long_file(4000);
    let size = file.len() as u64;
    let index = Index::from_reader(&file[..], Stamp::new(size)).unwrap().to_bytes();
    let store = Flaky::new([("a.tfrecord", file)]);
    let dataset = RawRecordTfxIo::open([OBJECT], options(store.clone())).unwrap();
    assert_eq!(rows(dataset.read_all(&ReadOptions::default()).unwrap()), 4000);
    assert_eq!(store.asked.swap(0, SeqCst), size);
    // With an index a split asks for its bytes, and for those of the index.
    store.put_object("a.tfrecord.tfxi", index.clone());
    for split in dataset.splits(size / 4).unwrap() {
        store.asked.store(0, SeqCst);
        assert_eq!(Some(records(&dataset, std::slice::from_ref(&split)).len() as u64), split.records);
        assert_eq!(store.asked.load(SeqCst), split.end - split.start + index.len() as u64);
    }
}

#[test]
fn read_ahead_stays_in_its_bounds() {
    let file = long_file(4000);
    let store = Flaky::new([("a.tfrecord", file)]);
    let stores = stores(store.clone()).with_read_ahead(10_000, 50_000);
    let options = RecordOptions::default().with_stores(stores).with_buffer_bytes(4096);
    let dataset = RawRecordTfxIo::open([OBJECT], options).unwrap();
    let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap();
    let mut read = 0;
    for _ in 0..1000 {
        let batch = reader.next().unwrap().unwrap();
        read += batch.get_array_memory_size() as u64;
        let ahead = store.asked.load(SeqCst).saturating_sub(read);
        assert!(ahead <= 50_000 + 10_000 + 4096, "{ahead}");
    }
}

#[test]
fn an_index_beside_the_object_cuts_exactly() {
    let file = long_file(2000);
    let stamp = Stamp::new(file.len() as u64);
    let index = Index::from_reader(&file[..], stamp.clone()).unwrap();
    let store = Flaky::new([("a.tfrecord", file.clone()), ("a.tfrecord.tfxi", index.to_bytes())]);
    let dataset = RawRecordTfxIo::open(["memory://here/*"], options(store.clone())).unwrap();
    assert_eq!(dataset.files().len(), 1, "an index is no data");
    let splits = dataset.splits(500_000).unwrap();
    assert_eq!(splits.iter().filter_map(|split| split.records).sum::<u64>(), 2000);
    assert_eq!(records(&dataset, &splits), records(&dataset, &[Split::whole(OBJECT)]));
    // One of another version of the object is as good as none.
    let stale = Index::from_reader(&file[..], stamp.with_etag("another")).unwrap();
    store.put_object("a.tfrecord.tfxi", stale.to_bytes());
    assert!(dataset.splits(500_000).unwrap().iter().all(|split| split.records.is_none()));
}

#[test]
fn what_fails_twice_and_then_works() {
    let store = Flaky::new(digits("digits-gzip"));
    for pattern in ["data/digits@3.tfrecord", "data/digits-00001-of-00003.tfrecord"] {
        store.failures.store(2, SeqCst);
        let dataset = examples(&format!("memory://here/{pattern}"), options(store.clone()));
        store.failures.store(2, SeqCst);
        let read: usize = batches(&dataset, &ReadOptions::default()).iter().map(RecordBatch::num_rows).sum();
        assert_eq!(read, if pattern.contains('@') { 1797 } else { 599 });
    }
}

#[test]
fn a_reader_that_is_dropped_waits_for_nobody() {
    let store = Flaky::new([("a.tfrecord", long_file(4000))]);
    for threads in [1, 2] {
        store.served.store(0, SeqCst);
        let stores = stores(store.clone()).with_read_ahead(20_000, 0);
        let options = RecordOptions::default().with_threads(threads).with_stores(stores);
        let dataset = RawRecordTfxIo::open([OBJECT], options).unwrap();
        // From now on a few requests are served, and all others never.
        let served = store.requests.load(SeqCst) + 4;
        store.served.store(served, SeqCst);
        let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(20)).unwrap();
        assert_eq!(reader.next().unwrap().unwrap().num_rows(), 20);
        // Threads run ahead until they wait.
        while threads > 1 && store.requests.load(SeqCst) <= served {
            std::thread::yield_now();
        }
        drop(reader);
    }
}

#[test]
fn within_an_asynchronous_program() {
    let store = Flaky::new(digits("digits"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let read = runtime.block_on(async {
        let dataset = examples("memory://here/data/digits@3.tfrecord", options(store));
        rows(dataset.read_all(&ReadOptions::default()).unwrap())
        // The data set and its thread end here, inside.
    });
    assert_eq!(read, 1797);
}

#[test]
fn damage_is_read_over() {
    let store = Flaky::new([("a.tfrecord", bytes_of("damaged/bit-in-length.tfrecord"))]);
    let options = options(store).with_salvage(Salvage::default());
    let dataset = RawRecordTfxIo::open([OBJECT], options).unwrap();
    assert_eq!(rows(dataset.read_all(&ReadOptions::default()).unwrap()), 5);
}

#[test]
fn conversions_read_objects() {
    let store = Flaky::new(digits("digits-zlib"));
    let folder = tempfile::tempdir().unwrap();
    let options = options(store.clone());
    let url = "memory://here/data/digits@3.tfrecord";
    let local = fixture("digits/digits@3.tfrecord");
    let name = |name: &str| folder.path().join(name);
    // The second reads what the first has written, as an object.
    let chains: &[&[&str]] = &[
        &["a.tfrecord"],
        #[cfg(feature = "parquet")]
        &["a.parquet", "b.tfrecord"],
        #[cfg(feature = "ipc")]
        &["a.arrow", "b.tfrecord"],
    ];
    for chain in chains {
        let mut input = url.to_owned();
        let mut last = name("none");
        for output in *chain {
            last = name(output);
            let conversion = Conversion::open([input.as_str()], &last, options.clone()).unwrap();
            let (mut seen, bytes) = (0, conversion.bytes_in());
            let summary = conversion.run(|progress| seen = progress.bytes_read).unwrap();
            assert_eq!((summary.records, summary.bytes_in), (1797, bytes));
            assert!(bytes > 0 && seen <= bytes);
            store.put_object(output, std::fs::read(&last).unwrap());
            input = format!("memory://here/{output}");
        }
        let ours = examples(last.to_str().unwrap(), RecordOptions::default());
        let theirs = examples(local.to_str().unwrap(), RecordOptions::default());
        assert_eq!(batches(&ours, &ReadOptions::default()), batches(&theirs, &ReadOptions::default()));
    }
}

#[test]
fn an_object_is_a_file_to_other_readers() {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let file = long_file(2000);
    let store = Flaky::new([("a.tfrecord", file.clone())]);
    let stores = stores(store).with_read_ahead(100_000, 300_000);
    let options = RecordOptions::default().with_stores(stores);
    let mut input = InputFile::open(OBJECT, &options).unwrap();
    assert_eq!(input.size(), file.len() as u64);
    let mut at = |to: SeekFrom, expected: usize| {
        assert_eq!(input.seek(to).unwrap(), expected as u64);
        let mut bytes = vec![0; 300_000.min(file.len().saturating_sub(expected))];
        input.read_exact(&mut bytes).unwrap();
        assert!(bytes == file[expected.min(file.len())..][..bytes.len()], "{to:?}");
    };
    at(SeekFrom::Start(0), 0);
    at(SeekFrom::Current(0), 300_000);
    at(SeekFrom::Current(-250_000), 350_000);
    at(SeekFrom::Start(2_000_000), 2_000_000);
    at(SeekFrom::Start(17), 17);
    at(SeekFrom::End(-5), file.len() - 5);
    at(SeekFrom::End(5), file.len() + 5);
    assert!(input.seek(SeekFrom::End(-(file.len() as i64) - 1)).is_err());
}
