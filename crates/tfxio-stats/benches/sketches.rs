//! A million values into a sketch, in arrays of 65,536.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark that fails may say so by a panic")]

use std::hint::black_box;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BinaryArray, Float32Array, Float64Array, Int64Array};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfxio_stats::{Kmv, MisraGries, Quantiles};

const VALUES: u64 = 1_000_000;
const ROWS: usize = 65_536;

/// All numbers below a million, in an order that looks random.
fn numbers() -> impl Iterator<Item = u64> {
    (0..VALUES).map(|index| index * 7919 % VALUES)
}

/// A number below 20,000, small ones much more often.
fn skewed(number: u64) -> u64 {
    (20_000.0 * (number as f64 / VALUES as f64).powi(4)) as u64
}

fn parts(array: &dyn Array) -> Vec<ArrayRef> {
    (0..array.len()).step_by(ROWS).map(|at| array.slice(at, ROWS.min(array.len() - at))).collect()
}

fn sketches(criterion: &mut Criterion) {
    let words: Vec<String> = numbers().map(|number| format!("word{}", skewed(number))).collect();
    let words = parts(&BinaryArray::from_iter_values(&words));
    let integers = parts(&Int64Array::from_iter_values(numbers().map(|number| number as i64)));
    let floats = parts(&Float64Array::from_iter_values(numbers().map(|number| number as f64 / 7.0)));
    let counts = parts(&Float32Array::from_iter_values(numbers().map(|number| (number % 16) as f32 / 4.0)));
    let weights: Vec<ArrayRef> = counts
        .iter()
        .map(|part| {
            let part: &Float32Array = part.as_any().downcast_ref().unwrap();
            Arc::new(part.iter().flatten().map(f64::from).collect::<Float64Array>()) as ArrayRef
        })
        .collect();

    let mut group = criterion.benchmark_group("sketches");
    group.throughput(Throughput::Elements(VALUES));
    for (name, parts) in [("integers", &integers), ("words", &words)] {
        group.bench_function(format!("distinct {name}"), |bencher| {
            bencher.iter(|| {
                let mut sketch = Kmv::new(16_384).unwrap();
                parts.iter().for_each(|part| sketch.add(part).unwrap());
                black_box(sketch.estimate())
            });
        });
    }
    group.bench_function("frequent words", |bencher| {
        bencher.iter(|| {
            let mut sketch = MisraGries::builder(4096).build().unwrap();
            words.iter().for_each(|part| sketch.add(part).unwrap());
            black_box(sketch.estimate())
        });
    });
    group.bench_function("frequent words, weighted", |bencher| {
        bencher.iter(|| {
            let mut sketch = MisraGries::builder(32_768).build().unwrap();
            words.iter().zip(&counts).for_each(|(part, weights)| sketch.add_weighted(part, weights).unwrap());
            black_box(sketch.estimate())
        });
    });
    for streams in [1, 16] {
        group.bench_function(format!("quantiles of {streams} streams"), |bencher| {
            bencher.iter(|| {
                let mut sketch = Quantiles::new(0.001, 1 << 32, streams).unwrap();
                floats.iter().for_each(|part| sketch.add(part).unwrap());
                black_box(sketch.quantiles(100).unwrap())
            });
        });
    }
    group.bench_function("quantiles, weighted", |bencher| {
        bencher.iter(|| {
            let mut sketch = Quantiles::new(0.001, 1 << 32, 1).unwrap();
            floats
                .iter()
                .zip(&weights)
                .for_each(|(part, weights)| sketch.add_weighted(part, weights).unwrap());
            black_box(sketch.quantiles(100).unwrap())
        });
    });
    group.finish();
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = sketches }
criterion_main!(benches);
