//! The search for the next header, on which splits and salvage depend.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]

use std::hint::black_box;

use bench_sets::sets::{Haystack, haystack};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfrecord_io::scan::find_header;

const BYTES: usize = 2 << 20;

fn scan(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("scan");
    group.throughput(Throughput::Bytes(BYTES as u64));
    for (name, kind) in [
        ("text", Haystack::Text),
        ("floats", Haystack::Floats),
        ("int64", Haystack::Ints),
        ("zeros", Haystack::Zeros),
    ] {
        let bytes = haystack(kind, BYTES);
        for (limit, max_length) in
            [("", 1 << 30), (", records of 16 GiB", 16 << 30), (", records of any size", u64::MAX)]
        {
            group.bench_function(format!("{name}{limit}"), |bencher| {
                bencher.iter(|| find_header(black_box(&bytes), 0, max_length));
            });
        }
    }
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = scan }
criterion_main!(benches);
