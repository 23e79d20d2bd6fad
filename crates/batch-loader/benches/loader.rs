//! Files to batches of 128 examples, of 4,096 tokens or of 128 packed rows, which are dropped: building the loader, reading,
//! parsing, shuffling, padding.
//! Elements are examples: records, or windows of 64 steps.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;
use std::path::Path;

use batch_loader::BatchLoader;
use batch_loader::config::LoaderConfig;
use bench_sets::loading::{self, Way};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn batches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("loader");
    for way in Way::ALL {
        let folder = tempfile::tempdir().unwrap();
        let records = if way == Way::Windows { 100 } else { 6000 };
        let (file, _) = loading::write(folder.path(), way, records, 1000, 1).unwrap();
        let config = LoaderConfig::from_file(&file).unwrap();
        group.throughput(Throughput::Elements(examples(&config, folder.path())));
        group.bench_function(way.name(), |bencher| {
            bencher.iter(|| examples(&config, folder.path()));
        });
    }
    group.finish();
}

fn examples(config: &LoaderConfig, folder: &Path) -> u64 {
    let builder = BatchLoader::builder(config.clone()).formats(&tfxio_formats::formats());
    let builder = builder.inputs(config.tensor_names()).base_dir(folder);
    let mut loader = builder.build().unwrap();
    let mut examples = 0;
    while let Some(batch) = loader.next_batch().unwrap() {
        examples += black_box(batch).origins().len() as u64;
    }
    examples
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = batches }
criterion_main!(benches);
