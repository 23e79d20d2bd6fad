//! What goes wrong says what, where and what to do.

use std::sync::atomic::Ordering::SeqCst;

use tfxio::{Error, ErrorKind, ExampleTfxIo, RawRecordTfxIo, ReadOptions, RecordOptions, expand_files_with};

use crate::flaky::Flaky;
use crate::{bytes_of, digits, long_file, options, stores};

fn expansion(pattern: &str, options: &RecordOptions) -> (ErrorKind, String) {
    let error = expand_files_with([pattern], options).unwrap_err();
    assert_eq!(error.position().file.as_deref(), Some(pattern));
    (error.kind(), error.to_string())
}

fn reading(url: &str, options: RecordOptions) -> Error {
    let dataset = match RawRecordTfxIo::open([url], options) {
        Ok(dataset) => dataset,
        Err(error) => return error,
    };
    let reader = match dataset.read_all(&ReadOptions::default()) {
        Ok(reader) => reader,
        Err(error) => return error,
    };
    reader.filter_map(Result::err).map(Error::from).next().unwrap()
}

#[test]
fn nothing_there() {
    let options = options(Flaky::new(digits("digits")));
    let check = |pattern: &str, says: &str| {
        let url = format!("memory://here/{pattern}");
        assert_eq!(expansion(&url, &options), (ErrorKind::NotFound, format!("{url}: {says}")));
    };
    check("data/train.tfrecord", "no such object; check the bucket and the path");
    let none = "no file matches the pattern; check the directory and the pattern; quote it so that the shell does not \
                change it";
    check("empty/*", none);
    check("empty/a@*", none);
    check(
        "data/digits@4.tfrecord",
        "4 of 4 shards are missing: data/digits-00000-of-00004.tfrecord, data/digits-00001-of-00004.tfrecord, \
         data/digits-00002-of-00004.tfrecord, data/digits-00003-of-00004.tfrecord; the set was not written or copied \
         completely; to read what is there, give a glob such as NAME-*",
    );
}

#[test]
fn urls_that_name_no_object() {
    let options = options(Flaky::new([]));
    for url in ["memory://here", "memory://here/"] {
        let says = "the URL names no object; write what stands in the bucket behind it, for example a pattern such as \
                    s3://BUCKET/*.tfrecord";
        assert_eq!(expansion(url, &options), (ErrorKind::InvalidArgument, format!("{url}: {says}")));
    }
    let (kind, text) = expansion("memory://here/data/", &options);
    assert_eq!(
        (kind, text.as_str()),
        (
            ErrorKind::NotFound,
            "memory://here/data/: no such object; check the bucket and the path; to read all objects below it, write \
         memory://here/data/*"
        )
    );
    let (kind, text) = expansion("memory://here/a//b", &options);
    assert_eq!(
        (kind, text.as_str()),
        (ErrorKind::NotFound, "memory://here/a//b: no such object; check the bucket and the path")
    );
    let (kind, text) = expansion("memory://here/[", &options);
    assert_eq!(
        (kind, text.starts_with("memory://here/[: the pattern cannot be read: ")),
        (ErrorKind::InvalidArgument, true)
    );
}

#[cfg(not(feature = "cloud"))]
#[test]
fn stores_that_nobody_registered() {
    let options = options(Flaky::new([]));
    let (kind, text) = expansion("s3://bucket/a.tfrecord", &options);
    assert_eq!(kind, ErrorKind::Unsupported);
    assert_eq!(
        text,
        "s3://bucket/a.tfrecord: no store is registered for s3://bucket/, and this build knows no others; register one \
         (`Stores::with_store`), or build with the feature `cloud`"
    );
}

#[test]
fn an_object_that_is_gone() {
    let store = Flaky::new(digits("digits"));
    let dataset = ExampleTfxIo::builder(["memory://here/data/digits@3.tfrecord"])
        .record_options(options(store.clone()))
        .build()
        .unwrap();
    store.delete_object("data/digits-00001-of-00003.tfrecord");
    let error = dataset.read_all(&ReadOptions::default()).err().unwrap();
    assert_eq!(error.kind(), ErrorKind::NotFound);
    assert_eq!(
        error.to_string(),
        "memory://here/data/digits-00001-of-00003.tfrecord, stored byte 0: reading the object failed: no such object; \
         check the bucket and the path"
    );
}

#[test]
fn a_store_that_goes_on_failing() {
    let store = Flaky::new([("a.tfrecord", long_file(1000))]);
    let options = options(store.clone());
    store.failures.store(1000, SeqCst);
    let (kind, text) = expansion("memory://here/a.tfrecord", &options);
    assert_eq!(kind, ErrorKind::Io);
    assert_eq!(
        text,
        "memory://here/a.tfrecord: looking for the object failed: the store refused or broke off; it went on failing after \
         8 retries; try again later"
    );
    store.failures.store(0, SeqCst);
    let dataset = RawRecordTfxIo::open(["memory://here/a.tfrecord"], options).unwrap();
    let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap();
    store.failures.store(1000, SeqCst);
    let error = reader.find_map(Result::err).map(Error::from).unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(
        error.to_string(),
        "memory://here/a.tfrecord, byte 0, record 0: reading the object failed: the store refused or broke off; it \
         went on failing after 8 retries; try again later"
    );
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("the connection was reset"), "{cause}");
    assert!(reader.next().is_none());
}

#[test]
fn an_object_that_is_replaced_while_it_is_read() {
    let store = Flaky::new([("a.tfrecord", long_file(1000))]);
    let options = RecordOptions::default().with_stores(stores(store.clone()).with_read_ahead(10_000, 0));
    let dataset = RawRecordTfxIo::open(["memory://here/a.tfrecord"], options).unwrap();
    let mut reader = dataset.read_all(&ReadOptions::default().with_batch_size(1)).unwrap();
    assert!(reader.next().unwrap().is_ok());
    store.put_object("a.tfrecord", long_file(2000));
    let error = reader.find_map(Result::err).map(Error::from).unwrap();
    assert!(
        error.to_string().contains("the object was replaced while it was being read; start again"),
        "{error}"
    );
}

#[test]
fn damaged_objects_are_as_damaged_as_files() {
    for (file, kind) in [
        ("bit-in-length.tfrecord", ErrorKind::Malformed),
        ("gzip-cut-in-data.tfrecord.gz", ErrorKind::Malformed),
        ("text.tfrecord", ErrorKind::Malformed),
    ] {
        let name = format!("damaged/{file}");
        let path = crate::fixture(&name);
        let path = path.to_str().unwrap();
        let store = Flaky::new([(file, bytes_of(&name))]);
        let url = format!("memory://here/{file}");
        let error = reading(&url, options(store));
        assert_eq!(error.kind(), kind);
        let local = reading(path, RecordOptions::default()).to_string();
        assert_eq!(error.to_string(), local.replace(path, &url));
    }
}
