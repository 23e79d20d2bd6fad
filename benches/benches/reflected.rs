//! Serialised messages in memory to record batches of 1,024 rows, which are dropped, by prost-reflect with a conversion of
//! its messages: beside `cargo bench -p message-codec`.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::messages;
use benches::reflected::{Reflected, descriptor};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

const RECORDS: usize = 4096;
const ROWS: usize = 1024;

fn reflected(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("messages");
    for name in messages::TYPES {
        let records = messages::records(name, RECORDS);
        let message = messages::message(name).unwrap();
        group.throughput(Throughput::Bytes(records.iter().map(|record| record.len() as u64).sum()));
        let mut columns = Reflected::new(descriptor(&message).unwrap());
        group.bench_function(format!("{name}, prost-reflect"), |bencher| {
            bencher.iter(|| {
                for (index, record) in (1..).zip(&records) {
                    columns.push(record).unwrap();
                    if index % ROWS == 0 {
                        drop(black_box(columns.finish()));
                    }
                }
            });
        });
    }
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = reflected }
criterion_main!(benches);
