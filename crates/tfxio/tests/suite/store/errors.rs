//! Errors name the cause, the position and the remedy.

use std::sync::atomic::Ordering::SeqCst;

use tfxio::prelude::*;
use tfxio::{Error, ErrorKind, Result};

use crate::store::flaky::Flaky;
use crate::store::{bytes_of, digits, long_file, opener, raw, stores};

fn expansion(pattern: &str, options: &OpenOptions) -> (ErrorKind, String) {
    let error = options.open(pattern).unwrap_err();
    assert_eq!(error.position().file.as_deref(), Some(pattern));
    (error.kind(), error.to_string())
}

fn reading(name: &str, options: OpenOptions) -> Error {
    let batches = options.format("raw").open(name).and_then(|dataset| dataset.read(ScanRequest::new()));
    match batches {
        Ok(mut batches) => batches.find_map(Result::err).unwrap(),
        Err(error) => error,
    }
}

#[test]
fn nothing_there() {
    let options = opener(Flaky::new(digits("digits")));
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
    let options = opener(Flaky::new([]));
    let says = "memory://here: the URL names no object; write what stands in the bucket after it, for example a pattern such \
                as s3://BUCKET/*.tfrecord, or a slash, for all of it";
    assert_eq!(expansion("memory://here", &options), (ErrorKind::InvalidArgument, says.to_owned()));
    for url in ["memory://here/", "memory://here/data/"] {
        let says = format!(
            "{url}: there is no file of data in this directory or below it; files and directories whose names begin with . or \
             _, and indexes, are no data; name such a file to read it"
        );
        assert_eq!(expansion(url, &options), (ErrorKind::NotFound, says));
    }
    for url in ["memory://here/data", "memory://here/a//b"] {
        let says = format!(
            "{url}: no such object; check the bucket and the path; to read all objects below it, write {url}/"
        );
        assert_eq!(expansion(url, &options), (ErrorKind::NotFound, says));
    }
    let (kind, text) = expansion("memory://here/[", &options);
    assert_eq!(
        (kind, text.starts_with("memory://here/[: the pattern cannot be read: ")),
        (ErrorKind::InvalidArgument, true)
    );
}

#[test]
fn a_signature_is_not_repeated() {
    let options = opener(Flaky::new([]));
    for url in
        ["memory://here/a?sig=SECRET", "s3://bucket/a?X-Amz-Signature=SECRET", "https://h/a?Signature=SECRET"]
    {
        let error = options.open(url).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidArgument);
        assert!(!format!("{error:?} {error}").contains("SECRET"), "{error:?}");
    }
}

/// Each kind of credentials, at a server that refuses every connection.
#[cfg(feature = "cloud")]
#[test]
fn no_message_has_a_secret() {
    use std::error::Error as _;

    use tfxio::store::{Retry, Stores};

    let secret = "c2VjcmV0LXNlY3JldC1zZWNyZXQ=";
    let service_account = format!(
        r#"{{"client_email": "a@b", "private_key": "{secret}", "private_key_id": "{secret}", "gcs_base_url": "http://127.0.0.1:1"}}"#
    );
    let sas = format!("sv=2024&sp=rl&sig={secret}");
    let cases: [(&str, &[(&str, &str)]); 7] = [
        ("s3://bucket/a", &[("aws_access_key_id", secret), ("aws_secret_access_key", secret)]),
        (
            "s3://bucket/a",
            &[("aws_access_key_id", "KEY"), ("aws_secret_access_key", secret), ("aws_session_token", secret)],
        ),
        ("gs://bucket/a", &[("google_service_account_key", &service_account)]),
        ("gs://bucket/a", &[("google_service_account_key", secret)]),
        ("az://container/a", &[("azure_storage_account_key", secret)]),
        ("az://container/a", &[("azure_storage_sas_key", &sas)]),
        ("az://container/a", &[("azure_storage_token", secret)]),
    ];
    let encoded = secret.replace('=', "%3D");
    for (url, options) in cases {
        let set = [
            ("aws_region", "us-east-1"),
            ("aws_endpoint", "http://127.0.0.1:1"),
            ("aws_allow_http", "true"),
            ("azure_storage_account_name", "account"),
            ("azure_storage_endpoint", "http://127.0.0.1:1"),
            ("azure_allow_http", "true"),
        ];
        let mut stores = Stores::default().retry(Retry::default().max_retries(0));
        for (name, value) in set.iter().chain(options) {
            stores = stores.option(*name, *value);
        }
        let opener = OpenOptions::new().stores(stores.clone()).format("raw");
        let pattern = format!("{url}/*.tfrecord");
        let object = url.to_owned();
        for name in [pattern, object] {
            let error = opener.open(name.as_str()).unwrap_err();
            let mut said = format!("{error} {error:?} {stores:?} {opener:?}");
            let mut source = error.source();
            while let Some(cause) = source {
                said += &format!(" {cause} {cause:?}");
                source = cause.source();
            }
            assert!(!said.contains(secret) && !said.contains(&encoded), "{name}: {said}");
            let store = tfxio::FileStore::new(stores.clone());
            let written = tfxio::Store::create(&store, name.trim_end_matches("/*.tfrecord"), true)
                .and_then(tfxio::OutputFile::finish);
            let said = format!("{:?}", written.unwrap_err());
            assert!(!said.contains(secret) && !said.contains(&encoded), "{name}: {said}");
        }
    }
}

#[cfg(feature = "cloud")]
#[test]
fn an_option_that_no_store_knows() {
    use tfxio::store::{Retry, Stores};

    let stores = Stores::default().option("aws_regoin", "eu-west-1").retry(Retry::default().max_retries(0));
    let error = OpenOptions::new().stores(stores).open("s3://bucket/a.tfrecord").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(
        error.to_string(),
        "s3://bucket/a.tfrecord: no store has an option \"aws_regoin\"; give one of those that the crate object_store lists for S3, \
         Google Cloud Storage, Azure and its client, such as aws_region"
    );
}

#[test]
fn an_object_that_is_gone() {
    let store = Flaky::new(digits("digits"));
    let dataset = opener(store.clone()).open("memory://here/data/digits@3.tfrecord").unwrap();
    store.delete_object("data/digits-00001-of-00003.tfrecord");
    let error = dataset.read(ScanRequest::new()).unwrap().find_map(Result::err).unwrap();
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
    let options = opener(store.clone());
    store.failures.store(1000, SeqCst);
    let (kind, text) = expansion("memory://here/a.tfrecord", &options);
    assert_eq!(kind, ErrorKind::Io);
    assert_eq!(
        text,
        "memory://here/a.tfrecord: looking for the object failed: the store refused or broke off; it went on failing after \
         8 retries; try again later"
    );
    store.failures.store(0, SeqCst);
    let dataset = raw("memory://here/a.tfrecord", options);
    let mut batches = dataset.read(ScanRequest::new().batch_rows(1)).unwrap();
    store.failures.store(1000, SeqCst);
    let error = batches.find_map(Result::err).unwrap();
    assert_eq!(error.kind(), ErrorKind::Io);
    assert_eq!(
        error.to_string(),
        "memory://here/a.tfrecord, byte 0, record 0: reading the object failed: the store refused or broke off; it \
         went on failing after 8 retries; try again later"
    );
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("the connection was reset"), "{cause}");
    assert!(batches.next().is_none());
}

#[test]
fn an_object_that_is_replaced_while_it_is_read() {
    let store = Flaky::new([("a.tfrecord", long_file(1000))]);
    let options = OpenOptions::new().stores(stores(store.clone()).read_ahead(10_000, 0));
    let dataset = raw("memory://here/a.tfrecord", options);
    let mut batches = dataset.read(ScanRequest::new().batch_rows(1)).unwrap();
    assert!(batches.next().unwrap().is_ok());
    store.put_object("a.tfrecord", long_file(2000));
    let error = batches.find_map(Result::err).unwrap();
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
        let path = crate::store::fixture(&name);
        let path = path.to_str().unwrap();
        let store = Flaky::new([(file, bytes_of(&name))]);
        let url = format!("memory://here/{file}");
        let error = reading(&url, opener(store));
        assert_eq!(error.kind(), kind);
        let local = reading(path, OpenOptions::new()).to_string();
        assert_eq!(error.to_string(), local.replace(path, &url));
    }
}
