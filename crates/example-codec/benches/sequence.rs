//! tf.SequenceExample records to record batches of 1,024 rows, which are dropped. Bytes are counted of the file.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::inference;
use bench_sets::sets::{self, Set};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::{SequenceExampleDecoder, SequenceExampleDecoderBuilder};
use tfxio_core::Origin;

fn sequence(criterion: &mut Criterion) {
    let set = sets::sequence(2048);
    let schema = inference::sequence_schema(set.records()).unwrap();
    let with_schema = || SequenceExampleDecoder::builder().schema(schema.clone());
    let mut group = criterion.benchmark_group("sequence");
    group.throughput(Throughput::Bytes(set.bytes()));
    let mut bench = |name: &str, builder: SequenceExampleDecoderBuilder| {
        let mut decoder = builder.build().unwrap();
        group.bench_function(name, |bencher| bencher.iter(|| all(&mut decoder, &set)));
    };
    bench("4 lists", with_schema());
    bench("4 lists without schema", SequenceExampleDecoder::builder());
    bench("items of 4 lists", with_schema().projection([""; 0], ["items"]));
    bench("scores of 4 lists", with_schema().projection([""; 0], ["scores"]));
    bench("words of 4 lists", with_schema().projection([""; 0], ["words"]));
    group.finish();
}

fn all(decoder: &mut SequenceExampleDecoder, set: &Set) {
    for (index, record) in set.records().enumerate() {
        decoder.push(record, Origin::record(index as u64)).unwrap();
        if decoder.rows() == 1024 {
            black_box(decoder.flush().unwrap());
        }
    }
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = sequence }
criterion_main!(benches);
