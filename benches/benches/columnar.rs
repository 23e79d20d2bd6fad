//! Parquet files as batches: ours, and beside it the reader of `parquet` that is under it.
//!
//! Before the suites, both read by turns, for each compression and for kinds of columns by themselves, and the ratio of their
//! times is printed; then ours on two threads beside ours on one.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::types::Int32Type;
use arrow_array::{
    Array as _, ArrayRef, DictionaryArray, Float64Array, Int32Array, Int64Array, ListArray, RecordBatch,
    StringArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::Field;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression, ZstdLevel};
use tfxio_core::{Dataset, Partition, ScanRequest};

const ROWS: usize = 400_000;
const BATCH_ROWS: usize = 8192;
const TURNS: usize = 15;

/// Writes rows of numbers, text, words of a dictionary, lists and lists of lists in row groups of a quarter.
fn write(path: &Path, compression: Compression) {
    let words: ArrayRef =
        Arc::new(StringArray::from_iter_values((0..1000).map(|word| format!("word {word}"))));
    let mut batches = Vec::new();
    for first in (0..ROWS).step_by(ROWS / 4) {
        let rows = first..first + ROWS / 4;
        let mixed = |row: usize| (row as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 20;
        let columns: [(&str, ArrayRef); 7] = [
            ("id", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| row as i64)))),
            ("mixed", Arc::new(Int64Array::from_iter_values(rows.clone().map(|row| mixed(row) as i64)))),
            (
                "value",
                Arc::new(Float64Array::from_iter(
                    rows.clone().map(|row| (row % 10 != 0).then_some(mixed(row) as f64 / 3.0)),
                )),
            ),
            (
                "text",
                Arc::new(StringArray::from_iter_values(
                    rows.clone().map(|row| format!("word {}", mixed(row) % 50_000)),
                )),
            ),
            (
                "lists",
                Arc::new(ListArray::from_iter_primitive::<Int32Type, _, _>(
                    rows.clone()
                        .map(|row| Some((0..row % 5).map(|item| Some(item as i32)).collect::<Vec<_>>())),
                )),
            ),
            ("words", {
                let keys = rows.clone().map(|row| (mixed(row) % 1000) as i32).collect::<Int32Array>();
                Arc::new(DictionaryArray::new(keys, Arc::clone(&words)))
            }),
            ("nested", {
                let inner = rows
                    .clone()
                    .flat_map(|row| 0..row % 3)
                    .map(|list| Some((0..list).map(|item| Some(item as i32)).collect::<Vec<_>>()));
                let inner = ListArray::from_iter_primitive::<Int32Type, _, _>(inner);
                let item = Field::new_list_field(inner.data_type().clone(), true);
                let offsets = OffsetBuffer::from_lengths(rows.map(|row| row % 3));
                Arc::new(ListArray::new(Arc::new(item), offsets, Arc::new(inner), None))
            }),
        ];
        batches.push(RecordBatch::try_from_iter(columns).unwrap());
    }
    let file = File::create(path).unwrap();
    let properties = parquet::file::properties::WriterProperties::builder()
        .set_compression(compression)
        .set_max_row_group_row_count(Some(ROWS / 4))
        .build();
    let mut writer =
        parquet::arrow::ArrowWriter::try_new(file, batches[0].schema(), Some(properties)).unwrap();
    batches.iter().for_each(|batch| writer.write(batch).unwrap());
    writer.close().unwrap();
}

/// Reads with ours. Returns the number of rows.
fn ours(dataset: &dyn Dataset, path: &Path, columns: Option<&[&str]>, threads: usize) -> usize {
    let mut request = ScanRequest::new().batch_rows(BATCH_ROWS).threads(threads);
    if let Some(columns) = columns {
        request = request.columns(columns.iter().copied());
    }
    let mut scan = dataset.scan(&Partition::whole(path.to_str().unwrap()), &request).unwrap();
    let mut rows = 0;
    while let Some(batch) = scan.next_batch().unwrap() {
        rows += batch.num_rows();
    }
    rows
}

/// Reads with the reader under it.
fn peer(path: &Path, columns: Option<&[&str]>) -> usize {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let builder = builder.with_batch_size(BATCH_ROWS);
    let builder = match columns {
        Some(columns) => {
            let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().copied());
            builder.with_projection(mask)
        }
        None => builder,
    };
    builder.build().unwrap().map(|batch| batch.unwrap().num_rows()).sum()
}

fn columnar(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let two = &["id", "text"][..];
    for (compression, name) in [
        (Compression::UNCOMPRESSED, "none"),
        (Compression::ZSTD(ZstdLevel::default()), "zstd"),
        (Compression::SNAPPY, "snappy"),
    ] {
        let path = folder.path().join(format!("{name}.parquet"));
        write(&path, compression);
        let dataset = tfxio::open(path.to_str().unwrap()).unwrap();
        for (columns, of) in [
            (None, "all columns"),
            (Some(two), "two columns"),
            (Some(&["words"][..]), "words of a dictionary"),
            (Some(&["lists"][..]), "lists"),
            (Some(&["nested"][..]), "lists of lists"),
        ] {
            let ours =
                |threads| move |dataset: &dyn Dataset, path: &Path| ours(dataset, path, columns, threads);
            let (one, more) = (ours(1), ours(2));
            by_turns(&format!("{name}, {of}"), &|| one(&*dataset, &path), &|| peer(&path, columns));
            if columns.is_none() {
                let names = format!("{name}, {of}, two threads beside one");
                by_turns(&names, &|| more(&*dataset, &path), &|| one(&*dataset, &path));
            }
        }
    }
    let path = folder.path().join("snappy.parquet");
    let dataset = tfxio::open(path.to_str().unwrap()).unwrap();
    let bytes = path.metadata().unwrap().len();
    for (name, columns) in [("all columns", None), ("two columns", Some(two))] {
        let mut group = criterion.benchmark_group(format!("parquet, {name}"));
        group.throughput(Throughput::Bytes(bytes)).sample_size(10);
        group.bench_function("tfxio", |bencher| bencher.iter(|| ours(&*dataset, &path, columns, 1)));
        group.bench_function("parquet", |bencher| bencher.iter(|| peer(&path, columns)));
        group.finish();
    }
}

/// Prints how long ours takes for each second of the other, by the medians of runs that take turns.
fn by_turns(name: &str, ours: &dyn Fn() -> usize, peer: &dyn Fn() -> usize) {
    let time = |read: &dyn Fn() -> usize| {
        let start = Instant::now();
        assert_eq!(read(), ROWS);
        start.elapsed()
    };
    let (mut of_ours, mut of_peer): (Vec<Duration>, Vec<Duration>) =
        (0..TURNS).map(|_| (time(ours), time(peer))).unzip();
    of_ours.sort_unstable();
    of_peer.sort_unstable();
    let (ours, peer) = (of_ours[TURNS / 2], of_peer[TURNS / 2]);
    println!("{name}: {ours:?} beside {peer:?}: {:.3}", ours.as_secs_f64() / peer.as_secs_f64());
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = columnar }
criterion_main!(benches);
