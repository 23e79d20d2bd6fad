//! tf.Example records to record batches of 1,024 rows, which are dropped. Bytes are counted of the file.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use bench_sets::inference;
use bench_sets::sets::{self, Set};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use example_codec::{ExampleDecoder, ExampleDecoderBuilder};
use tfxio_core::Origin;

fn decode(criterion: &mut Criterion) {
    let with_schema = |set: &Set| ExampleDecoder::builder().schema(inference::schema(set.records()).unwrap());
    let mut group = criterion.benchmark_group("decode");
    let mut bench = |name: &str, set: &Set, builder: ExampleDecoderBuilder| {
        let mut decoder = builder.build().unwrap();
        group.throughput(Throughput::Bytes(set.bytes()));
        group.bench_function(name, |bencher| bencher.iter(|| all(&mut decoder, set)));
    };
    let univalent = sets::univalent(4096);
    bench("univalent 40", &univalent, with_schema(&univalent));
    bench("univalent 40 without schema", &univalent, ExampleDecoder::builder());
    let shuffled = sets::shuffled(4096);
    bench("univalent 40 shuffled", &shuffled, with_schema(&shuffled));
    let dense = sets::dense(1024);
    bench("floats 784", &dense, with_schema(&dense));
    let ragged = sets::ragged(2048);
    bench("ragged 20", &ragged, with_schema(&ragged));
    let wide = sets::wide(1024);
    bench("wide 500", &wide, with_schema(&wide));
    bench("5 of wide 500", &wide, with_schema(&wide).projection(sets::FIVE_OF_WIDE));
    group.finish();
}

fn all(decoder: &mut ExampleDecoder, set: &Set) {
    for (index, record) in set.records().enumerate() {
        decoder.push(record, Origin::record(index as u64)).unwrap();
        if decoder.rows() == 1024 {
            black_box(decoder.flush().unwrap());
        }
    }
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = decode }
criterion_main!(benches);
