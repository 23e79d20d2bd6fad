//! Compressed files: reading them to records, writing them. Bytes are those before compression.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::sets;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfrecord_io::{BatchSize, Compression, Reader, RecordBuffer, WriterBuilder};

fn gzip(criterion: &mut Criterion) {
    let set = sets::univalent(4000);
    let dense = sets::dense(700);
    let mut group = criterion.benchmark_group("gzip");
    for (name, set, builder) in [
        ("read/gzip", &set, WriterBuilder::default().compression(Compression::Gzip).single_member()),
        ("read/gzip members", &set, WriterBuilder::default().compression(Compression::Gzip)),
        ("read/zlib", &set, WriterBuilder::default().compression(Compression::Zlib)),
        ("read/gzip floats", &dense, WriterBuilder::default().compression(Compression::Gzip)),
    ] {
        let file = written(&builder, set);
        let mut batch = RecordBuffer::new();
        group.throughput(Throughput::Bytes(set.bytes()));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut reader = Reader::new(file.as_slice());
                while reader.read_batch(&mut batch, BatchSize::records(1024)).unwrap() > 0 {
                    black_box(&batch);
                }
                assert_eq!(reader.offset(), set.bytes());
            });
        });
    }
    let builder = WriterBuilder::default().compression(Compression::Gzip);
    group.throughput(Throughput::Bytes(set.bytes()));
    group.bench_function("write/gzip members", |bencher| bencher.iter(|| written(&builder, &set)));
    group.finish();
}

fn written(builder: &WriterBuilder, set: &sets::Set) -> Vec<u8> {
    let mut writer = builder.target(Vec::new()).build().unwrap();
    for record in set.records() {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = gzip }
criterion_main!(benches);
