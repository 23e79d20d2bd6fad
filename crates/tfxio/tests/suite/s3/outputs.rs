//! Outputs in a store: written whole, or not at all.

use std::io::Write as _;
use std::sync::Arc;

use s3_bed::{Fault, Request};
use tfxio::convert::Conversion;
use tfxio::prelude::*;
use tfxio::tfrecord_io::frame;
use tfxio::{ErrorKind, FileStore, Files, Store as _};

use crate::s3::{Bed, batches, fixture, records};

/// A conversion of a local file, with outputs in the server.
fn convert(bed: &Bed, from: &str, to: &str) -> tfxio::Result<u64> {
    let conversion =
        Conversion::builder([from], to).stores(bed.stores()).set("infer_records", 100u64).unwrap();
    Ok(conversion.build()?.run(|_| {})?.bytes_out)
}

#[test]
fn every_format_is_written_as_to_a_file() {
    let Some(bed) = Bed::start() else { return };
    let digits = fixture("digits/digits@3.tfrecord");
    let digits = digits.to_str().unwrap();
    let folder = tempfile::tempdir().unwrap();
    for ending in ["tfrecord", "tfrecord.gz", "avro", "parquet", "arrow"] {
        let local = folder.path().join(format!("out.{ending}"));
        let url = format!("s3://bucket/new/out.{ending}");
        convert(&bed, digits, local.to_str().unwrap()).unwrap();
        let bytes = convert(&bed, digits, &url).unwrap();
        assert_eq!(bytes, std::fs::metadata(bed.server.path(&url["s3://bucket/".len()..])).unwrap().len());
        assert!(batches(&bed.opener(), &url) == batches(&bed.opener(), local.to_str().unwrap()), "{ending}");
    }
    convert(&bed, digits, "s3://bucket/set/d@3.tfrecord").unwrap();
    let names = bed.server.keys().into_iter().filter(|key| key.starts_with("set/")).collect::<Vec<_>>();
    assert_eq!(names, (0..3).map(|i| format!("set/d-0000{i}-of-00003.tfrecord")).collect::<Vec<_>>());
    assert_eq!(bed.opener().open("s3://bucket/set/d@3.tfrecord").unwrap().count().unwrap(), 1797);
    assert_eq!(bed.server.uploads(), 0);
}

/// A file of records that is an upload of several parts.
fn large() -> Vec<u8> {
    let mut file = Vec::new();
    for i in 0..20u8 {
        frame::append(&mut file, &vec![i; 1 << 20]);
    }
    file
}

#[test]
fn a_large_object_is_sent_in_parts_and_again_where_that_fails() {
    let Some(bed) = Bed::start() else { return };
    let store = FileStore::new(bed.stores());
    let bytes = large();
    for fault in [Fault::None, Fault::Status(503)] {
        let mut count = 0;
        bed.proxy.set_rule(move |request| {
            count += u32::from(request.method == "PUT");
            if request.method == "PUT" && count % 2 == 1 { fault } else { Fault::None }
        });
        let mut output = store.create("s3://bucket/large.tfrecord", true).unwrap();
        output.write_all(&bytes).unwrap();
        assert_eq!(bed.server.keys(), [] as [&str; 0], "nothing appears before it is whole");
        assert_eq!(output.finish().unwrap(), bytes.len() as u64);
        assert!(std::fs::read(bed.server.path("large.tfrecord")).unwrap() == bytes);
        let parts = bed.proxy.requests().into_iter().filter(|request| request.target.contains("partNumber"));
        assert!(parts.count() >= 3);
        std::fs::remove_file(bed.server.path("large.tfrecord")).unwrap();
    }
}

#[test]
fn what_is_dropped_or_fails_leaves_nothing() {
    let Some(bed) = Bed::start() else { return };
    let store = FileStore::new(bed.stores());
    let bytes = large();
    let url = "s3://bucket/large.tfrecord";
    let mut output = store.create(url, true).unwrap();
    output.write_all(&bytes).unwrap();
    assert!(bed.proxy.requests().iter().any(|request| request.target.contains("?uploads")));
    drop(output);
    let aborts =
        |bed: &Bed| bed.proxy.requests().into_iter().filter(|request| request.method == "DELETE").count();
    assert_eq!((aborts(&bed), bed.server.keys().len(), bed.server.uploads()), (1, 0, 0));

    let is_part = |request: &Request| request.method == "PUT" && request.target.contains("partNumber=2");
    bed.proxy.set_rule(move |request| if is_part(request) { Fault::Status(403) } else { Fault::None });
    let mut output = store.create(url, true).unwrap();
    let errors = output.errors();
    let written = output.write_all(&bytes).map_err(|error| errors.of_io(error));
    let error = written.and_then(|()| output.finish()).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::PermissionDenied);
    let says = "writing the object failed: permission denied; check the credentials and their rights";
    assert_eq!(error.to_string(), format!("{url}: {says}"));
    assert_eq!((aborts(&bed), bed.server.keys().len(), bed.server.uploads()), (1, 0, 0));

    // A sink that is dropped, too, and what had the name stays.
    bed.proxy.set_rule(|_| Fault::None);
    bed.server.put("a.arrow", "precious");
    let dataset = tfxio::open(&fixture("digits/digits@3.tfrecord")).unwrap();
    let formats = tfxio::formats();
    let mut options = tfxio::FormatOptions::default();
    options.store = Some(Arc::new(FileStore::new(bed.stores())));
    let format = formats.file_format("arrow").unwrap();
    let mut sink = format.sink("s3://bucket/a.arrow", dataset.schema(), &options).unwrap();
    let mut batches = dataset.read(ScanRequest::new()).unwrap();
    while let Some(batch) = batches.next_batch().unwrap() {
        sink.write(&batch).unwrap();
    }
    drop(sink);
    assert_eq!(std::fs::read(bed.server.path("a.arrow")).unwrap(), b"precious");
}

#[test]
fn an_object_is_replaced_only_if_that_is_allowed() {
    let Some(bed) = Bed::start() else { return };
    let store = FileStore::new(bed.stores());
    let url = "s3://bucket/a.tfrecord";
    let refused = |error: tfxio::Error| {
        assert_eq!(error.kind(), ErrorKind::AlreadyExists, "{error}");
        assert!(error.to_string().starts_with(&format!("{url}: ")), "{error}");
    };
    bed.server.put("a.tfrecord", "precious");
    refused(store.create(url, false).unwrap_err());
    for bytes in [b"small".to_vec(), large()] {
        std::fs::remove_file(bed.server.path("a.tfrecord")).unwrap();
        let mut output = store.create(url, false).unwrap();
        output.write_all(&bytes).unwrap();
        // It comes into being while we write.
        bed.server.put("a.tfrecord", "precious");
        refused(output.finish().unwrap_err());
        assert_eq!(std::fs::read(bed.server.path("a.tfrecord")).unwrap(), b"precious");
        assert_eq!(bed.server.uploads(), 0);
    }
    let mut output = store.create(url, true).unwrap();
    output.write_all(b"new").unwrap();
    output.finish().unwrap();
    assert_eq!(std::fs::read(bed.server.path("a.tfrecord")).unwrap(), b"new");
}

#[test]
fn indexes_and_repairs_are_written_beside_objects() {
    let Some(bed) = Bed::start() else { return };
    let formats = tfxio::formats();
    let format = formats.file_format("tfrecord").unwrap();
    let store = Arc::new(FileStore::new(bed.stores()));
    let options = tfxio::FormatOptions::default();
    let gzip = std::fs::read(fixture("digits-gzip/digits-00000-of-00003.tfrecord")).unwrap();
    bed.server.put("a.tfrecord", records(300_000));
    bed.server.put("b.tfrecord.gz", gzip);
    for name in ["s3://bucket/a.tfrecord", "s3://bucket/b.tfrecord.gz"] {
        let files = Files::new([name.into()], store.clone());
        let report = format.index().unwrap().write_index(&files, &options).unwrap().remove(0);
        assert!(report.get("index").is_some());
        let dataset = bed.opener().format("raw").open(name).unwrap();
        assert!(dataset.count().unwrap() > 100);
    }
    let lists = ["a.tfrecord", "a.tfrecord.tfxi", "b.tfrecord.gz", "b.tfrecord.gz.tfxi"];
    assert_eq!(bed.server.keys(), lists);

    let mut damaged = records(300_000);
    damaged[100_000] ^= 1;
    bed.server.put("a.tfrecord", damaged);
    let files = Files::new(["s3://bucket/a.tfrecord".into()], store);
    format.repair().unwrap().repair(&files, "s3://bucket/repaired.tfrecord", &repairing(&bed)).unwrap();
    let whole = bed.opener().format("raw").open("s3://bucket/repaired.tfrecord").unwrap();
    assert!(whole.count().unwrap() > 100);
    let error =
        format.repair().unwrap().repair(&files, "s3://bucket/a.tfrecord", &repairing(&bed)).unwrap_err();
    assert!(error.to_string().contains("the output is one of the inputs"), "{error}");
}

fn repairing(bed: &Bed) -> tfxio::FormatOptions {
    let mut options = tfxio::FormatOptions::default();
    options.store = Some(Arc::new(FileStore::new(bed.stores())));
    options
}

#[test]
fn names_that_no_object_can_have() {
    let Some(bed) = Bed::start() else { return };
    let store = FileStore::new(bed.stores());
    for url in ["s3://bucket", "s3://bucket/", "s3://bucket/folder/", "s3://bucket/a//b"] {
        let error = store.create(url, true).unwrap_err();
        let says =
            "no object can have this name; write bucket and path of a file, as in s3://BUCKET/train.tfrecord";
        assert_eq!(error.to_string(), format!("{url}: {says}"));
    }
}
