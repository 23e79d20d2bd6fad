//! The start of a global shuffle: what is read before the first batch, and which indexes are kept.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use batch_loader::Kind;
use batch_loader::config::{KeepIndex, LoaderConfig};
use tfrecord_io::{Compression, Index};
use tfxio_core::{Input, Store};

use crate::data;

/// Counts the bytes that are read, and the files that are opened.
#[derive(Clone, Default)]
struct Counting {
    bytes: Arc<AtomicU64>,
    opened: Arc<AtomicU64>,
}

struct Counted {
    file: File,
    bytes: Arc<AtomicU64>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.file.read(out)?;
        self.bytes.fetch_add(count as u64, Ordering::SeqCst);
        Ok(count)
    }
}

impl Seek for Counted {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

impl Input for Counted {}

impl Counting {
    fn store(&self) -> Arc<dyn Store> {
        let Self { bytes, opened } = self.clone();
        Arc::new(data::Opened(move |file| -> Box<dyn Input> {
            opened.fetch_add(1, Ordering::SeqCst);
            Box::new(Counted { file, bytes: Arc::clone(&bytes) })
        }))
    }
}

fn config(dir: &Path, more: &str) -> LoaderConfig {
    let more = format!(
        r#""target_batch_size": 1, "drop_remainder": false, "epochs": 1, "shuffle": "global", "seed": 5{more}"#
    );
    data::config("independent", dir, "id", &more)
}

#[test]
fn the_first_batch_waits_for_little_of_the_data() {
    const RECORDS: usize = 48;
    const BYTES: usize = 512 << 10;
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[], Compression::None);
    let record = |id| data::example_of(id as i64, vec![7; BYTES]);
    data::write(dir.path(), "000.tfrecord", Compression::None, (0..RECORDS).map(record));
    let counting = Counting::default();
    let mut loader = data::builder(config(dir.path(), ""), "id").store(counting.store()).build().unwrap();
    loader.next_batch().unwrap().unwrap();
    let read = counting.bytes.load(Ordering::SeqCst);
    // Two groups of records, where the whole data set has 24 MiB.
    assert!(read < 10 << 20, "{read} bytes were read");
    assert_eq!(data::rest(&mut loader, "id").len(), RECORDS - 1);
}

#[test]
fn indexes_are_kept_where_that_is_asked_for() {
    let (dir, folder) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    data::independent(dir.path(), &[30, 0, 200], Compression::None);
    let beside = |file: usize| dir.path().join(format!("{file:03}.tfrecord.tfxi"));
    // The examples, and how many files are opened before the first.
    let load = |more: &str| {
        let counting = Counting::default();
        let builder = data::builder(config(dir.path(), more), "id").base_dir(folder.path());
        let mut loader = builder.store(counting.store()).build().unwrap();
        (data::rest(&mut loader, "id"), loader.stats(), counting.opened.load(Ordering::SeqCst))
    };
    let cached = || {
        let files = std::fs::read_dir(folder.path().join("kept")).into_iter().flatten();
        files.map(|file| file.unwrap().path()).collect::<Vec<_>>()
    };
    let cache = r#", "index": "cache", "index_dir": "kept""#;
    let (expected, _, without) = load("");
    assert!(!beside(0).exists());
    // Hopping opens each of the three files once.
    assert_eq!(load(cache).0, expected);
    assert_eq!(cached().len(), 3);
    let (again, _, with) = load(cache);
    assert_eq!(again, expected);
    assert!(with + 3 <= without, "{with} files were opened, {without} without indexes");
    assert!(!beside(0).exists());

    let beside_too = r#", "index": "beside""#;
    assert_eq!(load(beside_too).0, expected);
    assert_eq!(Index::open(dir.path().join("002.tfrecord")).unwrap().len(), 200);
    assert!(load("").2 + 3 <= without, "what lies beside a file is always used");

    // A file that was touched is indexed anew.
    let touched = File::options().append(true).open(dir.path().join("000.tfrecord")).unwrap();
    touched.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    assert_eq!(load(beside_too).0, expected);
    assert!(load("").2 + 3 <= without);
}

#[test]
fn an_index_that_contradicts_its_file_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[30], Compression::None);
    let file = dir.path().join("000.tfrecord");
    let index = Index::build(&file).unwrap();
    index.write_beside(&file).unwrap();
    // Cut between two records, which nothing else tells.
    let bytes = std::fs::read(&file).unwrap();
    let cut = usize::try_from(index.offset(20).unwrap()).unwrap();
    std::fs::write(&file, &bytes[..cut]).unwrap();
    let name = file.display();
    for more in ["", r#", "index": "beside""#] {
        let error = data::builder(config(dir.path(), more), "id").build().unwrap_err();
        let text = error.to_string();
        let expected = format!(
            "{name}: the index beside the file does not fit it: the file has {cut} bytes; it had {} when it was indexed",
            bytes.len()
        );
        assert!(text.starts_with(&expected) && text.contains(&format!("tfxio index {name}")), "{text}");
    }
    std::fs::write(&file, &bytes).unwrap();
    std::fs::write(dir.path().join("000.tfrecord.tfxi"), "damaged").unwrap();
    let error = data::builder(config(dir.path(), ""), "id").build().unwrap_err();
    assert!(error.to_string().contains("the index beside the file does not fit it"), "{error}");
    assert_eq!(error.detail(), Some(&Kind::Corrupt), "{error}");
    index.write_beside(&file).unwrap();
    let beside = dir.path().join("000.tfrecord.tfxi");
    let whole = std::fs::read(&beside).unwrap();
    for at in 0..whole.len() {
        let mut flipped = whole.clone();
        flipped[at] ^= 1;
        std::fs::write(&beside, flipped).unwrap();
        let error = data::builder(config(dir.path(), ""), "id").build().unwrap_err();
        assert_eq!(error.detail(), Some(&Kind::Corrupt), "byte {at}: {error}");
    }
}

#[test]
fn an_index_that_cannot_be_kept_is_an_error() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3], Compression::None);
    std::fs::write(dir.path().join("file"), "").unwrap();
    let config = config(dir.path(), r#", "index": "cache", "index_dir": "file""#);
    let error = data::builder(config, "id").base_dir(dir.path()).build().unwrap_err();
    assert_eq!(error.detail(), Some(&Kind::Io));
    assert!(error.to_string().ends_with(
        "000.tfrecord: the index of this file cannot be kept; give another `index_dir`, or keep none"
    ));
}

#[test]
fn files_side_by_side_fail_as_one_after_the_other() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[3, 900, 3, 3, 3], Compression::None);
    for file in [1, 3] {
        let path = dir.path().join(format!("{file:03}.tfrecord"));
        let bytes = std::fs::read(&path).unwrap();
        std::fs::write(&path, &bytes[..bytes.len() - 1]).unwrap();
    }
    for threads in [1, 2, 8] {
        let config = config(dir.path(), &format!(r#", "num_parallel_reads": {threads}"#));
        assert_eq!(config.index, KeepIndex::None);
        let error = data::builder(config, "id").build().unwrap_err();
        assert_eq!((error.detail(), error.position().record), (Some(&Kind::Corrupt), Some(899)), "{error}");
    }
}

/// A global shuffle refuses `on_error: "skip"`, so its errors do not advise it.
#[test]
fn damage_under_a_global_shuffle_is_not_to_be_skipped() {
    let dir = tempfile::tempdir().unwrap();
    data::independent(dir.path(), &[9], Compression::None);
    let path = dir.path().join("000.tfrecord");
    let bytes = std::fs::read(&path).unwrap();
    let mut payload = bytes.clone();
    payload[14] ^= 1;
    for damaged in [&bytes[..bytes.len() - 1], &payload] {
        std::fs::write(&path, damaged).unwrap();
        let error = match data::builder(config(dir.path(), ""), "id").build() {
            Err(error) => error,
            Ok(mut loader) => loop {
                if let Err(error) = loader.next_batch() {
                    break error;
                }
            },
        };
        assert_eq!(error.detail(), Some(&Kind::Corrupt), "{error}");
        assert!(error.to_string().ends_with("; write the file again"), "{error}");
    }
}
