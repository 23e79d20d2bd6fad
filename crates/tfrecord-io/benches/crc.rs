//! The checksums of headers and payloads.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]

use std::hint::black_box;

use bench_sets::random::Random;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfrecord_io::crc::{header_crc, masked_crc32c};

fn crc(criterion: &mut Criterion) {
    let mut random = Random::new(7);
    let mut group = criterion.benchmark_group("crc");

    let lengths: Vec<u64> = (0..1000).map(|_| random.below(100_000)).collect();
    group.throughput(Throughput::Bytes(8 * lengths.len() as u64));
    group.bench_function("header/8 B", |bencher| {
        bencher.iter(|| {
            for length in &lengths {
                black_box(header_crc(black_box(*length)));
            }
        });
    });

    for (name, bytes) in [("payload/700 B", 700), ("payload/64 KiB", 64 << 10)] {
        let payload: Vec<u8> = (0..bytes).map(|_| random.bits() as u8).collect();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function(name, |bencher| bencher.iter(|| masked_crc32c(black_box(&payload))));
    }
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = crc }
criterion_main!(benches);
