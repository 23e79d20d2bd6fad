//! Errors name the cause, the position and the remedy, and no secret.

use std::error::Error as _;

use s3_bed::{ACCESS_KEY, Fault, Request, SECRET_KEY};
use tfxio::prelude::*;
use tfxio::store::Stores;
use tfxio::{Error, ErrorKind};

use crate::s3::{Bed, records};

/// Opens and reads raw records, which fails.
fn fails(stores: &Stores, name: &str) -> Error {
    let options = OpenOptions::new().stores(stores.clone()).format("raw");
    let batches = options.open(name).and_then(|dataset| dataset.read(ScanRequest::new()));
    let error = match batches {
        Ok(mut batches) => batches.find_map(Result::err).unwrap(),
        Err(error) => error,
    };
    // Nor is one in what caused it.
    let mut said = format!("{error} {error:?} {stores:?}");
    let mut source = error.source();
    while let Some(cause) = source {
        said += &format!(" {cause} {cause:?}");
        source = cause.source();
    }
    assert!(!said.contains(SECRET_KEY) && !said.contains("another-secret"), "{said}");
    error
}

fn text(stores: &Stores, name: &str) -> (ErrorKind, String) {
    let error = fails(stores, name);
    (error.kind(), error.to_string())
}

#[test]
fn missing_buckets_and_objects() {
    let Some(bed) = Bed::start() else { return };
    let object = "s3://bucket/no.tfrecord";
    let says = "no such object; check the bucket and the path";
    assert_eq!(text(&bed.stores(), object), (ErrorKind::NotFound, format!("{object}: {says}")));
    let bucket = "s3://no-bucket/a.tfrecord";
    let says = "looking for the object failed: no such bucket; check its name, and the endpoint and the account that are set up";
    assert_eq!(text(&bed.stores(), bucket), (ErrorKind::NotFound, format!("{bucket}: {says}")));
    let pattern = "s3://no-bucket/*.tfrecord";
    let says = "listing the store failed: no such bucket; check its name, and the endpoint and the account that are set up";
    assert_eq!(text(&bed.stores(), pattern), (ErrorKind::NotFound, format!("{pattern}: {says}")));
    let empty = "s3://bucket/no/*.tfrecord";
    let says = "no file matches the pattern; check the directory and the pattern; quote it so that the shell does not change it";
    assert_eq!(text(&bed.stores(), empty), (ErrorKind::NotFound, format!("{empty}: {says}")));
}

#[test]
fn denied_access() {
    let Some(bed) = Bed::start() else { return };
    bed.server.put("a.tfrecord", records(1000));
    for (access, secret) in [(ACCESS_KEY, "another-secret"), ("nobody", "another-secret")] {
        let stores = bed.stores_with(access, secret);
        for url in ["s3://bucket/a.tfrecord", "s3://bucket/*.tfrecord"] {
            let says =
                "looking for the object failed: permission denied; check the credentials and their rights";
            assert_eq!(text(&stores, url), (ErrorKind::PermissionDenied, format!("{url}: {says}")));
        }
    }
    let denied = bed.proxy.requests().len();
    assert_eq!(denied, 4, "what is denied is not asked for again");
    // Objects may be read, and not listed.
    bed.proxy.set_rule(|request| if request.is_list() { Fault::Status(403) } else { Fault::None });
    let url = "s3://bucket/*.tfrecord";
    let says = "listing the store failed: permission denied; check the credentials and their rights";
    assert_eq!(text(&bed.stores(), url), (ErrorKind::PermissionDenied, format!("{url}: {says}")));
}

#[test]
fn a_server_that_goes_on_failing() {
    let Some(bed) = Bed::start() else { return };
    bed.server.put("a.tfrecord", records(1000));
    let url = "s3://bucket/a.tfrecord";
    bed.proxy.set_rule(|request| if request.is_read() { Fault::Status(503) } else { Fault::None });
    let (kind, said) = text(&bed.stores(), url);
    let says = "reading the object failed: the store refused or broke off; it went on failing after 8 retries; try again later";
    assert_eq!(kind, ErrorKind::Io);
    assert!(said.ends_with(says), "{said}");
    let reads = bed.proxy.requests().into_iter().filter(Request::is_read).count();
    assert_eq!(reads, 9, "one policy repeats requests, and no other below it");
}

#[test]
fn an_object_that_is_replaced_while_it_is_read() {
    let Some(bed) = Bed::start() else { return };
    bed.server.put("a.tfrecord", records(400_000));
    let options = OpenOptions::new().stores(bed.stores().read_ahead(10_000, 0)).format("raw");
    let dataset = options.open("s3://bucket/a.tfrecord").unwrap();
    let mut batches = dataset.read(ScanRequest::new().batch_rows(1)).unwrap();
    assert!(batches.next().unwrap().is_ok());
    bed.server.put("a.tfrecord", records(600_000));
    let error = batches.find_map(Result::err).unwrap().to_string();
    let says = "reading the object failed: the object was replaced while it was being read; start again from its beginning";
    assert!(error.ends_with(says), "{error}");
}
