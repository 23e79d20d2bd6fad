//! Avro containers in memory to record batches of 1,024 rows, or to tensors, which are dropped. Bytes are counted of
//! the records without compression.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;

use arrow_array::RecordBatch;
use avro_path::container::{Codec, ContainerReader};
use avro_path::record::{Layout, RecordOptions, RecordPlan};
use avro_path::{AvroDecoder, AvroSchema, Key, KeyProgram};
use bench_sets::containers::{self, Container};
use criterion::{
    BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main, measurement::WallTime,
};
use tensor_repr::{Adapter, FeatureSpec, FixedLen, VarLen};
use tfxio_core::{DType, Origin};

const KEYS: [&str; 3] = ["label", "features[*].name", "features[*].value"];

fn avro(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("avro");
    let flat = containers::flat(20_000, Codec::Null).unwrap();
    let nested = containers::nested(16_000, Codec::Null).unwrap();
    records(&mut group, "flat", &flat, None);
    records(&mut group, "flat, 2 of 25 fields", &flat, Some(&["d0", "l0"]));
    records(&mut group, "nested", &nested, None);
    records(&mut group, "nested, 2 of 5 fields", &nested, Some(&["label", "user"]));
    for codec in [Codec::Deflate, Codec::Snappy] {
        let compressed = containers::nested(16_000, codec).unwrap();
        records(&mut group, &format!("nested, {codec}"), &compressed, None);
        group.bench_function(format!("blocks of nested, {codec}"), |bencher| {
            bencher.iter(|| blocks(&compressed))
        });
    }
    group.throughput(Throughput::Bytes(nested.bytes));
    let keys = program(&nested, &KEYS);
    let mut decoder = keys.decoder();
    group.bench_function("nested, 3 keys", |bencher| bencher.iter(|| all(&nested, &mut decoder, |_| ())));
    for (name, reader) in containers::NESTED_READERS {
        let mut decoder = resolving(&nested, reader, &KEYS).decoder();
        group.bench_function(format!("nested, 3 keys, {name}"), |bencher| {
            bencher.iter(|| all(&nested, &mut decoder, |_| ()));
        });
    }
    let filter = KEYS.map(|key| key.replace("[*]", "[name='feat_007']"));
    let mut decoder = program(&nested, &filter.each_ref().map(String::as_str)).decoder();
    group.bench_function("nested, 3 keys with a filter", |bencher| {
        bencher.iter(|| all(&nested, &mut decoder, |_| ()));
    });
    let adapter = adapter(&keys);
    let mut decoder = keys.decoder();
    group.bench_function("nested, 3 keys to tensors", |bencher| {
        bencher.iter(|| all(&nested, &mut decoder, |batch| drop(black_box(adapter.tensors(batch).unwrap()))));
    });
    group.finish();
}

/// Whole records to plainly typed columns.
fn records(
    group: &mut BenchmarkGroup<'_, WallTime>,
    name: &str,
    container: &Container,
    fields: Option<&[&str]>,
) {
    let options = RecordOptions::default().layout(Layout::Plain).large_offsets(false);
    let options = match fields {
        Some(fields) => options.fields(fields.iter().copied()),
        None => options,
    };
    let plan = RecordPlan::builder(&schema(container)).options(options.clone()).build().unwrap();
    let mut decoder = plan.decoder();
    group.throughput(Throughput::Bytes(container.bytes));
    group.bench_function(name, |bencher| bencher.iter(|| all(container, &mut decoder, |_| ())));
}

/// Blocks to columns, and what becomes of these.
fn all(container: &Container, decoder: &mut AvroDecoder, look: impl Fn(&RecordBatch)) {
    let mut reader = ContainerReader::new(&container.file[..]).unwrap();
    while let Some(block) = reader.next_block().unwrap() {
        let mut rest = block.bytes();
        for record in 0..block.count() {
            let read = decoder.push_first(rest, Origin::record(record)).unwrap();
            rest = &rest[read..];
            if decoder.rows() == 1024 {
                look(&black_box(decoder.flush().unwrap()));
            }
        }
    }
}

fn blocks(container: &Container) {
    let mut reader = ContainerReader::new(&container.file[..]).unwrap();
    while let Some(block) = reader.next_block().unwrap() {
        black_box(block.bytes());
    }
}

fn schema(container: &Container) -> AvroSchema {
    ContainerReader::new(&container.file[..]).unwrap().header().schema().clone()
}

fn program(container: &Container, keys: &[&str]) -> KeyProgram {
    let keys = keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>();
    KeyProgram::new(&schema(container), &keys).unwrap()
}

/// The keys of another schema.
fn resolving(container: &Container, reader: &str, keys: &[&str]) -> KeyProgram {
    let keys = keys.iter().map(|key| Key::parse(key).unwrap()).collect::<Vec<_>>();
    let named = keys.iter().map(|key| (key.text(), key));
    let reader = AvroSchema::parse(reader).unwrap();
    KeyProgram::builder(&reader, named).writer(&schema(container)).build().unwrap()
}

/// The label dense, the others sparse.
fn adapter(program: &KeyProgram) -> Adapter {
    let specs = [
        FeatureSpec::FixedLen(FixedLen::new(Vec::new(), DType::Int32)),
        FeatureSpec::VarLen(VarLen::new(DType::String)),
        FeatureSpec::VarLen(VarLen::new(DType::Float32)),
    ];
    let representations =
        KEYS.into_iter().zip(&specs).map(|(key, spec)| (key, spec.representation(key).unwrap()));
    Adapter::builder(program.arrow_schema(), representations).build().unwrap()
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = avro }
criterion_main!(benches);
