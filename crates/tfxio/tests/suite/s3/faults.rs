//! Requests that fail and are repeated: the rows stay the same.

use s3_bed::{Fault, Request};
use tfxio::convert::Conversion;
use tfxio::prelude::*;

use crate::s3::{Bed, batches, fixture, records};

/// Returns a rule under which every other request that `meant` selects fails.
fn every_other(meant: fn(&Request) -> bool, fault: Fault) -> impl FnMut(&Request) -> Fault + Send {
    let mut count = 0;
    move |request| {
        count += u32::from(meant(request));
        if meant(request) && count % 2 == 1 { fault } else { Fault::None }
    }
}

#[test]
fn every_fault_leaves_the_rows_as_they_are() {
    let Some(bed) = Bed::start() else { return };
    let folder = tempfile::tempdir().unwrap();
    let digits = |folder: &str| fixture(folder).join("digits-00001-of-00003.tfrecord");
    let mut files = vec![digits("digits"), digits("digits-gzip")];
    for ending in ["avro", "parquet", "arrow"] {
        let path = folder.path().join(format!("digits.{ending}"));
        Conversion::builder([digits("digits").to_str().unwrap()], &path)
            .build()
            .unwrap()
            .run(|_| {})
            .unwrap();
        files.push(path);
    }
    for name in ["digits.csv", "digits.csv.gz", "digits.jsonl", "digits.jsonl.gz"] {
        let path = folder.path().join(name);
        let conversion = Conversion::builder([digits("digits").to_str().unwrap()], &path);
        let conversion = conversion.columns(["id", "label"]).scalars(true).text(true);
        conversion.build().unwrap().run(|_| {}).unwrap();
        files.push(path);
    }
    for path in files {
        let file = path.strip_prefix(fixture("")).unwrap_or(&path).to_str().unwrap().trim_start_matches('/');
        bed.server.put(file, std::fs::read(&path).unwrap());
        let local = batches(&OpenOptions::new(), path.to_str().unwrap());
        for fault in [
            Fault::None,
            Fault::Status(500),
            Fault::Status(503),
            Fault::Reset(0),
            Fault::Reset(1000),
            Fault::Cut(0),
            Fault::Cut(1000),
            Fault::Drip,
        ] {
            bed.proxy.set_rule(every_other(|request| request.method != "HEAD", fault));
            let url = format!("s3://bucket/{file}");
            assert!(batches(&bed.opener(), &url) == local, "{file} {fault:?}");
            assert!(bed.proxy.requests().iter().any(Request::is_read), "{file} {fault:?}");
        }
    }
}

#[test]
fn a_body_that_breaks_off_is_continued_at_its_byte_and_its_version() {
    let Some(bed) = Bed::start() else { return };
    bed.server.put("a.tfrecord", records(2_000_000));
    let options = OpenOptions::new().stores(bed.stores().read_ahead(4 << 20, 4 << 20)).format("raw");
    let dataset = options.open("s3://bucket/a.tfrecord").unwrap();
    for fault in [Fault::Reset(100_000), Fault::Cut(100_000)] {
        bed.proxy.set_rule(every_other(Request::is_read, fault));
        assert!(dataset.read(ScanRequest::new()).unwrap().all(|batch| batch.is_ok()));
        let reads: Vec<_> = bed.proxy.requests().into_iter().filter(Request::is_read).collect();
        let (first, second) = (reads[0].range.clone().unwrap(), reads[1].range.clone().unwrap());
        assert_eq!(second.end, first.end, "what is missing of the same part");
        // A reset may overtake bytes.
        assert!((first.start..=first.start + 100_000).contains(&second.start), "{first:?} {second:?}");
        if matches!(fault, Fault::Cut(_)) {
            assert_eq!(second.start, first.start + 100_000);
        }
        assert!(reads[0].if_match.is_some(), "the version is pinned");
        assert!(reads.iter().all(|read| read.if_match == reads[0].if_match));
        let asked: u64 =
            reads.iter().map(|read| read.range.clone().unwrap()).map(|range| range.end - range.start).sum();
        assert!(asked < 2 * 2_000_000, "{asked} bytes were asked for");
    }
}
