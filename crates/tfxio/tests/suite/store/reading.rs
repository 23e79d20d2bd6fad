//! Reads from a store: whole data sets, partitions, records by number.

use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};

use arrow_array::RecordBatch;
use arrow_select::concat::concat_batches;
use object_store::local::LocalFileSystem;
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::tfrecord_io::{Index, index::Stamp};
use tfxio::{Cancel, FileStore, OnError, Partition, Skip, Store as _};

use crate::store::flaky::Flaky;
use crate::store::{bytes_of, digits, fixture, long_file, opener, raw, rows, stores};

const OBJECT: &str = "memory://here/a.tfrecord";

fn batches(dataset: &Arc<dyn Dataset>, request: ScanRequest) -> Vec<RecordBatch> {
    dataset.read(request).unwrap().map(|batch| batch.unwrap()).collect()
}

/// The records of partitions, one partition after the other.
fn records(dataset: &Arc<dyn Dataset>, partitions: &[Partition]) -> Vec<RecordBatch> {
    let mut all = Vec::new();
    for partition in partitions {
        let mut scan = dataset.scan(partition, &ScanRequest::new().batch_rows(1)).unwrap();
        all.extend(std::iter::from_fn(|| scan.next_batch().unwrap()).map(|batch| batch.into_columns()));
    }
    all
}

fn bytes(dataset: &Arc<dyn Dataset>) -> u64 {
    let partitions = dataset.partitions(u64::MAX).unwrap();
    partitions.iter().map(|one| dataset.statistics(one).unwrap().bytes.exact().unwrap()).sum()
}

#[test]
fn the_same_batches_as_from_files() {
    for folder in ["digits", "digits-gzip", "digits-zlib"] {
        let local = tfxio::open(&fixture(&format!("{folder}/digits@3.tfrecord"))).unwrap();
        let store = Flaky::new(digits(folder));
        for pattern in ["data/digits@3.tfrecord", "data/digits-*", "data/digits@*.tfrecord", "*/*.tfrecord"] {
            let dataset = opener(store.clone()).open(format!("memory://here/{pattern}")).unwrap();
            let files = dataset.spec().unwrap().files;
            assert_eq!(files.len(), 3, "{pattern}");
            assert_eq!(&*files[2], "memory://here/data/digits-00002-of-00003.tfrecord");
            assert_eq!(bytes(&dataset), bytes(&local));
            for threads in [1, 3] {
                let request = ScanRequest::new().batch_rows(100).columns(["label", "image"]).threads(threads);
                assert_eq!(
                    batches(&dataset, request.clone()),
                    batches(&local, request),
                    "{folder} {pattern}"
                );
            }
        }
    }
}

#[test]
fn a_local_file_system_is_a_store_too() {
    let store = Arc::new(LocalFileSystem::new_with_prefix(fixture("")).unwrap());
    let dataset = opener(store.clone()).open("memory://here/digits/digits@3.tfrecord").unwrap();
    assert_eq!(rows(&dataset), 1797);
    let files = FileStore::new(stores(store)).list("memory://here/digits-*/*.tfrecord").unwrap();
    assert_eq!(files.len(), 6);
}

#[test]
fn a_prefix_with_a_slash_stands_for_the_objects_below_it() {
    let mut objects = digits("digits");
    for name in [
        "data/_SUCCESS",
        "data/_tmp/a.tfrecord",
        "data/.a.tfrecord",
        "data/notes.txt",
        "data/digits.tfrecord.idx",
    ] {
        objects.push((name, b"no data".to_vec()));
    }
    objects.push(("database/other.tfrecord", b"no data".to_vec()));
    let options = opener(Flaky::new(objects));
    let said = Arc::new(Mutex::new(Vec::new()));
    let notes = Arc::clone(&said);
    let options = options.on_note(move |note| notes.lock().unwrap().push(note.to_owned()));
    let dataset = options.open("memory://here/data/").unwrap();
    assert_eq!(rows(&dataset), 1797);
    assert_eq!(
        *said.lock().unwrap(),
        ["memory://here/data/: 1 file is left out, whose name says no format: notes.txt"]
    );
    let error = options.open("memory://here/").unwrap_err().to_string();
    assert!(error.starts_with("memory://here/database/other.tfrecord"), "{error}");
}

#[test]
fn a_file_url_is_a_path_and_stands_beside_others() {
    let store = Flaky::new(digits("digits"));
    let local = fixture("digits/digits-00000-of-00003.tfrecord").canonicalize().unwrap();
    let local = local.to_str().unwrap();
    let patterns = [format!("file://{local}"), "memory://here/data/digits@3.tfrecord".into(), local.into()];
    let files = opener(store).open(patterns).unwrap().spec().unwrap().files;
    assert_eq!(files.len(), 4, "a file comes once");
    assert_eq!(&*files[0], local);
}

#[test]
fn partitions_of_objects_are_those_of_files() {
    let file = long_file(2000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.tfrecord");
    std::fs::write(&path, &file).unwrap();
    let local = raw(path.to_str().unwrap(), OpenOptions::new());
    let dataset = raw(OBJECT, opener(Flaky::new([("a.tfrecord", file.clone())])));
    let all = records(&dataset, &[Partition::whole(OBJECT)]);
    assert_eq!(all.len(), 2000);
    for target in [100_000, 1 << 20, 1 << 30] {
        let ours = dataset.partitions(target).unwrap();
        let theirs = local.partitions(target).unwrap();
        let ranges = |all: &[Partition]| all.iter().map(|one| (one.start, one.end)).collect::<Vec<_>>();
        assert_eq!(ranges(&ours), ranges(&theirs));
        assert_eq!(records(&dataset, &ours), all);
    }
    // Cut anywhere, each record is still in one partition.
    let cut = [0, 5, 700_001, 1_234_567, u64::MAX];
    let partition = |ends: &[u64]| Partition::range(OBJECT, ends[0], ends[1]);
    assert_eq!(records(&dataset, &cut.windows(2).map(partition).collect::<Vec<_>>()), all);
}

#[test]
fn no_byte_is_asked_for_twice() {
    let file = long_file(4000);
    let size = file.len() as u64;
    let index = Index::from_reader(&file[..], Stamp::new(size)).unwrap().to_bytes();
    let store = Flaky::new([("a.tfrecord", file)]);
    let dataset = raw(OBJECT, opener(store.clone()));
    store.asked.store(0, SeqCst);
    assert_eq!(rows(&dataset), 4000);
    assert_eq!(store.asked.swap(0, SeqCst), size);
    // With an index a partition asks for its bytes, and planning for the index and a look at the file.
    store.put_object("a.tfrecord.tfxi", index.clone());
    let dataset = raw(OBJECT, opener(store.clone()));
    store.asked.store(0, SeqCst);
    let partitions = dataset.partitions(size / 4).unwrap();
    assert_eq!(store.asked.load(SeqCst), index.len() as u64 + (256 << 10));
    for partition in partitions {
        store.asked.store(0, SeqCst);
        let read = records(&dataset, std::slice::from_ref(&partition)).len() as u64;
        assert_eq!(Some(read), partition.records);
        assert_eq!(store.asked.load(SeqCst), partition.end.min(size) - partition.start);
    }
}

#[test]
fn read_ahead_stays_in_its_bounds() {
    let store = Flaky::new([("a.tfrecord", long_file(4000))]);
    let dataset = raw(OBJECT, OpenOptions::new().stores(stores(store.clone()).read_ahead(10_000, 50_000)));
    store.asked.store(0, SeqCst);
    let mut batches = dataset.read(ScanRequest::new().batch_rows(1)).unwrap();
    let mut read = 0;
    // The reader takes as much as it has room for, and the store reads ahead of that.
    let buffer = tfxio::tfrecord_io::ReaderBuilder::DEFAULT_BUFFER_BYTES as u64;
    for _ in 0..1000 {
        let batch = batches.next().unwrap().unwrap();
        read += batch.get_array_memory_size() as u64;
        let ahead = store.asked.load(SeqCst).saturating_sub(read);
        assert!(ahead <= 50_000 + 10_000 + buffer, "{ahead}");
    }
}

#[test]
fn the_next_files_travel_while_one_is_read() {
    let names: Vec<String> = (0..8).map(|i| format!("t-{i:05}-of-00008")).collect();
    let store = Flaky::new(names.iter().map(|name| (name.as_str(), long_file(100))));
    let dataset = raw("memory://here/t@8", opener(store.clone()));
    let all = 8 * long_file(100).len() as u64;
    let expected = 8 * records(&dataset, &[Partition::whole("memory://here/t-00000-of-00008")]).len();
    for threads in [1, 2] {
        store.asked.store(0, SeqCst);
        let mut batches = dataset.read(ScanRequest::new().batch_rows(1).threads(threads)).unwrap();
        assert!(batches.next().unwrap().is_ok());
        // Nothing more is read, and yet all of them come.
        while store.asked.load(SeqCst) < all {
            std::thread::yield_now();
        }
        assert_eq!(batches.count() + 1, expected);
        assert_eq!(store.asked.load(SeqCst), all, "each byte once");
    }
}

#[test]
fn files_that_come_next_and_cannot_be_read_are_errors_of_their_own() {
    let names: Vec<String> = (0..4).map(|i| format!("t-{i:05}-of-00004")).collect();
    let store = Flaky::new(names.iter().map(|name| (name.as_str(), long_file(100))));
    let dataset = raw("memory://here/t@4", opener(store.clone()));
    store.delete_object("t-00002-of-00004");
    let mut batches = dataset.read(ScanRequest::new()).unwrap();
    let error = batches.find_map(Result::err).unwrap();
    assert_eq!(error.position().file.as_deref(), Some("memory://here/t-00002-of-00004"));
    assert!(error.to_string().contains("no such object"), "{error}");
}

#[test]
fn all_open_files_together_stay_in_their_bounds() {
    let files = 32;
    let names: Vec<String> = (0..files).map(|i| format!("{i}.tfrecord")).collect();
    let store = Flaky::new(names.iter().map(|name| (name.as_str(), long_file(1000))));
    let (part, total) = (10_000, 100_000);
    let stores = stores(store.clone()).read_ahead(part, 1_000_000).total_read_ahead(total);
    let urls: Vec<String> = names.iter().map(|name| format!("memory://here/{name}")).collect();
    let options = OpenOptions::new().stores(stores).format("raw");
    let dataset = options.open(urls.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
    store.asked.store(0, SeqCst);
    let mut scans: Vec<_> = urls
        .iter()
        .map(|url| dataset.scan(&Partition::whole(url.as_str()), &ScanRequest::new().batch_rows(1)).unwrap())
        .collect();
    let mut rows = vec![0; files];
    // What a scan has taken out of the store: its buffer, and the part that it reads.
    let buffer = tfxio::tfrecord_io::ReaderBuilder::DEFAULT_BUFFER_BYTES as u64;
    let mut taken = 0;
    while rows.iter().any(|rows| *rows < 400) {
        for (scan, rows) in scans.iter_mut().zip(&mut rows) {
            let batch = scan.next_batch().unwrap().unwrap();
            taken += batch.columns().get_array_memory_size() as u64;
            *rows += batch.num_rows();
            let ahead = store.asked.load(SeqCst).saturating_sub(taken);
            assert!(ahead <= total + files as u64 * (2 * part + buffer), "{ahead}");
        }
    }
}

#[test]
fn an_index_beside_the_object_cuts_exactly() {
    let file = long_file(2000);
    let stamp = Stamp::new(file.len() as u64);
    let index = Index::from_reader(&file[..], stamp.clone()).unwrap();
    let store = Flaky::new([("a.tfrecord", file.clone()), ("a.tfrecord.tfxi", index.to_bytes())]);
    let dataset = raw("memory://here/*", opener(store.clone()));
    assert_eq!(dataset.spec().unwrap().files.len(), 1, "an index is no data");
    let partitions = dataset.partitions(500_000).unwrap();
    assert_eq!(partitions.iter().filter_map(|partition| partition.records).sum::<u64>(), 2000);
    assert_eq!(records(&dataset, &partitions), records(&dataset, &[Partition::whole(OBJECT)]));
    // One of another version of the object is as good as none.
    let stale = Index::from_reader(&file[..], stamp.etag("another")).unwrap();
    store.put_object("a.tfrecord.tfxi", stale.to_bytes());
    let partitions = raw(OBJECT, opener(store)).partitions(500_000).unwrap();
    assert!(partitions.iter().all(|partition| partition.records.is_none()));
}

#[test]
fn what_fails_twice_and_then_works() {
    let store = Flaky::new(digits("digits-gzip"));
    for pattern in ["data/digits@3.tfrecord", "data/digits-00001-of-00003.tfrecord"] {
        store.failures.store(2, SeqCst);
        let dataset = opener(store.clone()).open(format!("memory://here/{pattern}")).unwrap();
        store.failures.store(2, SeqCst);
        assert_eq!(rows(&dataset), if pattern.contains('@') { 1797 } else { 599 });
    }
}

#[test]
fn a_scan_that_is_dropped_waits_for_nobody() {
    let store = Flaky::new([("a.tfrecord", long_file(4000))]);
    for threads in [1, 2] {
        store.withheld.store(0, SeqCst);
        store.waiting.store(0, SeqCst);
        let stores = stores(store.clone()).read_ahead(20_000, 0);
        let dataset = raw(OBJECT, OpenOptions::new().stores(stores));
        // The first part has the first batch, and no other part ever comes.
        store.withheld.store(20_000, SeqCst);
        let mut batches = dataset.read(ScanRequest::new().batch_rows(20).threads(threads)).unwrap();
        assert_eq!(batches.next().unwrap().unwrap().num_rows(), 20);
        // Threads run ahead until they wait.
        while threads > 1 && store.waiting.load(SeqCst) == 0 {
            std::thread::yield_now();
        }
        drop(batches);
    }
}

#[cfg(feature = "tensors")]
#[test]
fn files_of_options_are_objects_too() {
    let schema = r#"feature { name: "label" type: INT shape {} presence { min_fraction: 1 } }"#;
    let specs = r#"{"label": {"kind": "FixedLen", "dtype": "int64", "shape": []}}"#;
    let store = Flaky::new(digits("digits"));
    for (key, text) in [("schema", schema), ("features", specs)] {
        store.put_object("option", text.as_bytes().to_vec());
        let options = opener(store.clone()).set(key, "memory://here/option").unwrap();
        let dataset = options.open("memory://here/data/digits@3.tfrecord").unwrap();
        store.delete_object("option");
        let again = opener(store.clone()).open_spec(&dataset.spec().unwrap()).unwrap();
        for dataset in [dataset, again] {
            assert_eq!(dataset.schema().fields().len(), 1);
            let tensors = dataset.tensors(dataset.representations().unwrap()).unwrap();
            assert!(tensors.read(ScanRequest::new()).unwrap().all(|batch| batch.is_ok()));
        }
    }
}

#[test]
fn within_an_asynchronous_program() {
    let store = Flaky::new(digits("digits"));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let read = runtime.block_on(async {
        let dataset = opener(store).open("memory://here/data/digits@3.tfrecord").unwrap();
        rows(&dataset)
        // The data set and its thread end here, inside.
    });
    assert_eq!(read, 1797);
}

#[test]
fn damage_is_read_over() {
    let store = Flaky::new([("a.tfrecord", bytes_of("damaged/bit-in-length.tfrecord"))]);
    let request = ScanRequest::new().on_error(OnError::Skip(Skip::default()));
    let read = batches(&raw(OBJECT, opener(store)), request);
    assert_eq!(read.iter().map(RecordBatch::num_rows).sum::<usize>(), 5);
}

#[test]
fn conversions_read_objects() {
    let store = Flaky::new(digits("digits-zlib"));
    let folder = tempfile::tempdir().unwrap();
    let stores = stores(store.clone());
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
            let conversion =
                Conversion::builder([input.as_str()], &last).stores(stores.clone()).build().unwrap();
            let bytes = conversion.bytes_in();
            let summary = conversion.run(move |at| assert!(at.bytes_read <= bytes)).unwrap();
            assert_eq!((summary.records, summary.bytes_in), (1797, bytes));
            assert!(bytes > 0);
            store.put_object(output, std::fs::read(&last).unwrap());
            input = format!("memory://here/{output}");
        }
        let all = |path| {
            let batches = batches(&tfxio::open(path).unwrap(), ScanRequest::new());
            concat_batches(&batches[0].schema(), &batches).unwrap()
        };
        assert_eq!(all(&last), all(&local));
    }
}

#[test]
fn an_object_is_a_file_to_other_readers() {
    use std::io::{Read as _, Seek as _, SeekFrom};

    let file = long_file(2000);
    let store = Flaky::new([("a.tfrecord", file.clone())]);
    let stores = stores(store).read_ahead(100_000, 300_000);
    let mut input = FileStore::new(stores).open(OBJECT, 0..u64::MAX, &Cancel::new()).unwrap();
    assert_eq!(input.size(), Some(file.len() as u64));
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
