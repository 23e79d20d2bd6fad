//! Serialised messages in memory to record batches of 1,024 rows, which are dropped, and back.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use arrow_array::RecordBatch;
use bench_sets::messages;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use message_codec::{Layout, MessageEncoder, MessagePlan, Origin};

const RECORDS: usize = 4096;
const ROWS: usize = 1024;

fn messages(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("messages");
    for name in messages::TYPES {
        let records = messages::records(name, RECORDS);
        group.throughput(Throughput::Bytes(records.iter().map(|record| record.len() as u64).sum()));
        let message = messages::message(name).unwrap();
        for (layout, text) in [(Layout::Plain, "plain"), (Layout::Structured, "structured")] {
            let mut decoder = MessagePlan::builder(message.clone()).layout(layout).build().unwrap().decoder();
            group.bench_function(format!("{name}, {text}"), |bencher| {
                bencher.iter(|| {
                    for (index, record) in (0..).zip(&records) {
                        decoder.push(record, Origin::record(index)).unwrap();
                        if decoder.rows() == ROWS {
                            drop(black_box(decoder.flush().unwrap()));
                        }
                    }
                });
            });
        }
        let mut decoder =
            MessagePlan::builder(message.clone()).layout(Layout::Plain).build().unwrap().decoder();
        for record in records.iter().take(ROWS) {
            decoder.push(record, Origin::record(0)).unwrap();
        }
        let batch = decoder.flush().unwrap();
        let encoder = MessageEncoder::builder(message.clone(), batch.schema()).build().unwrap();
        group.throughput(Throughput::Bytes(encoded(&encoder, &batch)));
        group.bench_function(format!("{name}, encode"), |bencher| bencher.iter(|| encoded(&encoder, &batch)));
    }
    group.finish();
}

/// The bytes of the records of a batch.
fn encoded(encoder: &MessageEncoder, batch: &RecordBatch) -> u64 {
    let mut bytes = 0;
    let mut count = |record: &[u8]| {
        bytes += black_box(record).len() as u64;
        Ok(())
    };
    encoder.encode(batch, &mut count).unwrap();
    bytes
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = messages }
criterion_main!(benches);
