//! One tf.Example to a struct and back: by `#[derive(ToExample, FromExample)]`, and by prost with its map. Bytes are
//! counted of the records.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::random::Random;
use benches::clicks::{self, Click};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::{FromExample as _, ToExample as _};

fn structs(criterion: &mut Criterion) {
    let clicks = (0..1000).map(Click::new).collect::<Vec<_>>();
    let records = clicks.iter().map(|click| click.to_example_bytes().unwrap()).collect::<Vec<_>>();
    let mut random = Random::new(5);
    let shuffled = records.iter().map(|record| clicks::shuffled(record, &mut random)).collect::<Vec<_>>();
    for (click, record) in clicks.iter().zip(&records).chain(clicks.iter().zip(&shuffled)) {
        assert_eq!(Click::from_example(record).unwrap(), *click);
        assert_eq!(Click::from_prost(record).unwrap(), *click);
        assert_eq!(Click::from_example(&click.to_prost()).unwrap(), *click);
    }
    let mut group = criterion.benchmark_group("structs");
    group.throughput(Throughput::Bytes(records.iter().map(|record| record.len() as u64).sum()));
    for (order, records) in [("in order", &records), ("shuffled", &shuffled)] {
        group.bench_function(format!("read {order}"), |bencher| {
            bencher.iter(|| records.iter().for_each(|record| drop(black_box(Click::from_example(record)))));
        });
        group.bench_function(format!("read {order}, prost"), |bencher| {
            bencher.iter(|| records.iter().for_each(|record| drop(black_box(Click::from_prost(record)))));
        });
    }
    let mut out = Vec::new();
    group.bench_function("write", |bencher| {
        bencher.iter(|| {
            clicks.iter().for_each(|click| {
                out.clear();
                click.append_example(&mut out).unwrap();
                black_box(&out);
            });
        });
    });
    group.bench_function("write, prost", |bencher| {
        bencher.iter(|| clicks.iter().for_each(|click| drop(black_box(click.to_prost()))));
    });
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = structs }
criterion_main!(benches);
