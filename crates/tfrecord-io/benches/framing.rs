//! From an uncompressed file's bytes to records and back, with both checksums.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::sets;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfrecord_io::{BatchSize, Reader, RecordBuffer, SliceReader, frame};

fn framing(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("framing");
    for (name, set) in [
        ("records of 30 B", sets::tiny(60_000)),
        ("records of 0.7 kB", sets::univalent(4000)),
        ("records of 15 kB", sets::wide(200)),
    ] {
        group.throughput(Throughput::Bytes(set.bytes()));
        group.bench_function(format!("slices/{name}"), |bencher| {
            bencher.iter(|| {
                let mut reader = SliceReader::new(&set.file);
                while let Some(record) = reader.next_record().unwrap() {
                    black_box(record.data);
                }
            });
        });
        let mut batch = RecordBuffer::new();
        group.bench_function(format!("batches/{name}"), |bencher| {
            bencher.iter(|| {
                let mut reader = Reader::new(set.file.as_slice());
                while reader.read_batch(&mut batch, BatchSize::records(1024)).unwrap() > 0 {
                    black_box(&batch);
                }
            });
        });
        let mut file = Vec::with_capacity(set.file.len());
        group.bench_function(format!("append/{name}"), |bencher| {
            bencher.iter(|| {
                file.clear();
                for record in set.records() {
                    frame::append(&mut file, record);
                }
                black_box(&file);
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = framing }
criterion_main!(benches);
