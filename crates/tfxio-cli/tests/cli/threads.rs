//! Conversions on several threads: the same files, the same errors, and an end.

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;
use tfxio::convert::{Conversion, ConversionBuilder, Phase, Sample};
use tfxio::prelude::*;
use tfxio::{Cancel, ErrorKind, Spawn};

use crate::run::{names, path, root};

/// Number of copies of the digits.
const COPIES: u64 = 2;

/// Digits, many times, so that there are several blocks of each kind.
fn many(folder: &TempDir) -> String {
    for copy in 0..COPIES {
        for shard in 0..3 {
            let name = format!("digits-0000{shard}-of-00003.tfrecord");
            let from = root().join("fixtures/digits").join(name);
            fs::copy(from, path(folder, &format!("in-{copy}-{shard}.tfrecord"))).unwrap();
        }
    }
    path(folder, "in-*.tfrecord")
}

/// The files of a conversion. Avro's random marker, the end of each file, is made the same in all.
fn converted(
    input: &str,
    name: &str,
    change: &dyn Fn(ConversionBuilder) -> ConversionBuilder,
) -> Vec<(String, Vec<u8>)> {
    let folder = tempfile::tempdir().unwrap();
    let builder = change(Conversion::builder([input], path(&folder, name)));
    let summary = builder.build().unwrap().run(|_| {}).unwrap();
    let read = |name: String| {
        let mut bytes = fs::read(path(&folder, &name)).unwrap();
        if name.ends_with(".avro") {
            let marker = bytes.split_off(bytes.len() - 16);
            let mut at = 0;
            while let Some(found) =
                bytes.get(at..).and_then(|rest| rest.windows(16).position(|part| part == marker))
            {
                bytes[at + found..at + found + 16].fill(0);
                at += found + 16;
            }
        }
        (name, bytes)
    };
    let files = names(&folder).into_iter().map(read).collect::<Vec<_>>();
    assert!(summary.records == 0 || summary.bytes_out > 0);
    files
}

#[test]
fn files_are_the_same_for_any_number_of_threads() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(&folder);
    let same =
        |name: &str, change: &dyn Fn(ConversionBuilder) -> ConversionBuilder, request: &ScanRequest| {
            let with = |threads| {
                let request = request.clone().batch_rows(100).threads(threads);
                converted(&input, name, &|builder| change(builder.request(request.clone())))
            };
            let expected = with(1);
            for threads in [2, 5] {
                assert!(with(threads) == expected, "{name}, {threads} threads, {request:?}");
            }
            expected.len()
        };
    let (all, few) = (ScanRequest::new(), ScanRequest::new().filter("label = 7".parse().unwrap()));
    let plain = |builder: ConversionBuilder| builder;
    for name in
        ["d.tfrecord", "d.tfrecord.gz", "d.tfrecord.zlib", "d.arrow", "d.parquet", "d.jsonl", "d.jsonl.gz"]
    {
        assert_eq!(same(name, &plain, &all), 1);
        same(name, &plain, &few);
        same(name, &plain, &few.clone().limit(333));
        same(name, &|builder| builder.sample(Sample::Fraction(0.3), 7), &all);
    }
    for codec in ["null", "deflate", "snappy", "zstandard"] {
        let blocks = |builder: ConversionBuilder| {
            builder.set("codec", codec).unwrap().set("block_bytes", 5000u64).unwrap()
        };
        same("d.avro", &blocks, &all);
        assert_eq!(same("d@3.avro", &blocks, &few), 3);
    }
    for name in ["d.csv", "d.csv.gz"] {
        same(name, &|builder| builder.scalars(true).text(true).exclude("image"), &few);
    }
    for name in ["d@4.tfrecord", "d@4.tfrecord.gz", "d@3.jsonl.gz"] {
        same(name, &plain, &all);
        same(name, &plain, &few);
        same(name, &|builder| builder.resume(true), &all);
    }
    for name in ["d@*.tfrecord", "d@*.tfrecord.gz", "d@*.avro", "d@*.jsonl"] {
        assert!(same(name, &|builder| builder.set("shard_bytes", 300_000u64).unwrap(), &all) > 3);
    }
    for compression in ["none", "zstd", "lz4"] {
        same("d.arrow", &|builder| builder.prefer("output_compression", compression), &few);
        same(
            "d.parquet",
            &|builder| {
                builder.prefer("output_compression", compression).set("row_group_rows", 700u64).unwrap()
            },
            &all,
        );
    }
}

#[test]
fn the_first_error_counts() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(&folder);
    let damaged = path(&folder, "in-1-1.tfrecord");
    let mut bytes = fs::read(&damaged).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(&damaged, bytes).unwrap();
    let out = tempfile::tempdir().unwrap();
    let errors = |name: &str, change: &dyn Fn(ConversionBuilder) -> ConversionBuilder| {
        let failed = |threads| {
            let request = ScanRequest::new().batch_rows(64).threads(threads);
            let builder =
                Conversion::builder([&*input], path(&out, name)).set("infer_records", 10u64).unwrap();
            let conversion = change(builder.request(request)).build().unwrap();
            conversion.run(|_| {}).unwrap_err().to_string()
        };
        let expected = failed(1);
        assert!([2, 5].iter().all(|threads| failed(*threads) == expected), "{name}: {expected}");
        assert!(names(&out).is_empty(), "{name}: {:?}", names(&out));
        expected
    };
    for name in ["d.tfrecord.gz", "d.jsonl", "d.avro", "d.parquet", "d@3.tfrecord"] {
        let error = errors(name, &|builder| builder.exclude("id"));
        assert!(error.starts_with(&damaged) && error.contains("record"), "{error}");
        let error = errors(name, &|builder| builder.cast("id", tfxio::convert::CastType::Int64));
        assert!(error.contains("in-0-0.tfrecord, byte 0, record 0, column \"id\""), "{error}");
    }
    // Looking for the schema, too.
    let error = errors("d.arrow", &|builder| builder.set("infer_records", u64::MAX).unwrap());
    assert!(error.starts_with(&damaged) && error.contains("record"), "{error}");
    // What a format refuses of a row names its record, too.
    let error = errors("d.csv", &|builder| builder.exclude("id"));
    assert!(error.contains("in-0-0.tfrecord, byte 0, record 0, column \"image\""), "{error}");
}

/// A pool that runs nothing.
#[derive(Debug)]
struct Never;

impl Spawn for Never {
    fn spawn(&self, _task: Box<dyn FnOnce() + Send>) {}
}

#[test]
fn no_task_is_needed_and_cancelling_ends_it() {
    let folder = tempfile::tempdir().unwrap();
    let input = many(&folder);
    let out = tempfile::tempdir().unwrap();
    for name in ["d.tfrecord.gz", "d.jsonl", "d.arrow", "d.parquet"] {
        let request = ScanRequest::new().batch_rows(50).threads(4);
        let never = request.clone().spawn(Arc::new(Never));
        let conversion = Conversion::builder([&*input], path(&out, name)).request(never).exclude("id");
        assert_eq!(conversion.build().unwrap().run(|_| {}).unwrap().records, COPIES * 1797);
        fs::remove_file(path(&out, name)).unwrap();
        for after in [0, 5, 40] {
            let cancel = Cancel::new();
            let request = request.clone().cancel(cancel.clone());
            let conversion = Conversion::builder([&*input], path(&out, name)).request(request).exclude("id");
            let calls = AtomicU64::new(0);
            let done = conversion.build().unwrap().run(move |at| {
                if at.phase == Phase::Records && calls.fetch_add(1, Ordering::Relaxed) == after {
                    cancel.cancel();
                }
            });
            assert_eq!(done.unwrap_err().kind(), ErrorKind::Cancelled, "{name} {after}");
            assert!(names(&out).is_empty(), "{name}");
        }
    }
}
