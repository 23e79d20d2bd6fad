//! Record batches of 1,024 rows to tf.Example records, in a buffer that is used again. Bytes are counted of the file
//! that the batches came from.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use arrow_array::RecordBatch;
use bench_sets::inference;
use bench_sets::sets::{self, Set};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::{EncodedExamples, ExampleDecoder, ExampleEncoder};
use tfxio_core::Origin;

fn encode(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("encode");
    for (name, set) in [
        ("univalent 40", sets::univalent(4096)),
        ("floats 784", sets::dense(1024)),
        ("ragged 20", sets::ragged(2048)),
        ("wide 500", sets::wide(1024)),
    ] {
        let batches = decoded(&set);
        let encoder = ExampleEncoder::builder(&batches[0].schema()).build().unwrap();
        let mut output = EncodedExamples::new();
        group.throughput(Throughput::Bytes(set.bytes()));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                for batch in &batches {
                    encoder.encode(batch, &mut output).unwrap();
                    black_box(output.bytes());
                }
            });
        });
    }
    group.finish();
}

fn decoded(set: &Set) -> Vec<RecordBatch> {
    let schema = inference::schema(set.records()).unwrap();
    let mut decoder = ExampleDecoder::builder().schema(schema).build().unwrap();
    let mut batches = Vec::new();
    for (index, record) in set.records().enumerate() {
        decoder.push(record, Origin::record(index as u64)).unwrap();
        if decoder.rows() == 1024 {
            batches.push(decoder.flush().unwrap());
        }
    }
    assert_eq!(decoder.rows(), 0, "all batches are full");
    batches
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = encode }
criterion_main!(benches);
