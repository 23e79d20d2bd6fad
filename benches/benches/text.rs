//! CSV and JSON lines as columns: ours, and the readers of arrow, with the same schema and in batches of the same size; and
//! finding the schema first, which both do by reading all rows.
#![allow(missing_docs, reason = "criterion_group! makes a public function without a comment")]
#![allow(clippy::unwrap_used, reason = "a benchmark")]

use std::fs::File;
use std::io::{BufReader, Seek as _};
use std::path::Path;
use std::sync::Arc;

use arrow_schema::{DataType, FieldRef, Schema, SchemaRef};
use benches::text::Table;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use tfxio::prelude::*;

const BYTES: usize = 4_000_000;
const BATCH: usize = 1024;

fn open(path: &Path, table: Table) -> Arc<dyn Dataset> {
    let columns = table.multivalent_columns();
    let options = OpenOptions::new().prefer("layout", "plain");
    let options = if columns.is_empty() { options } else { options.prefer("multivalent_columns", columns) };
    options.open(path).unwrap()
}

fn ours(dataset: &Arc<dyn Dataset>) -> u64 {
    let batches = dataset.read(ScanRequest::new().batch_rows(BATCH)).unwrap();
    batches.map(|batch| batch.unwrap().num_rows() as u64).sum()
}

/// Returns a schema with texts of 32-bit offsets, which are all that arrow-csv has.
fn narrow(schema: &Schema) -> SchemaRef {
    let field = |field: &FieldRef| match field.data_type() {
        DataType::LargeUtf8 => field.as_ref().clone().with_data_type(DataType::Utf8),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

fn csv_peer(path: &Path, schema: Option<&SchemaRef>) -> u64 {
    let mut file = File::open(path).unwrap();
    let schema = schema.map_or_else(
        || {
            let format = arrow_csv::reader::Format::default().with_header(true);
            let (schema, _) = format.infer_schema(&file, None).unwrap();
            file.rewind().unwrap();
            Arc::new(schema)
        },
        Arc::clone,
    );
    let reader = arrow_csv::ReaderBuilder::new(schema).with_header(true).with_batch_size(BATCH);
    reader.build(file).unwrap().map(|batch| batch.unwrap().num_rows() as u64).sum()
}

fn json_peer(path: &Path, schema: Option<&SchemaRef>) -> u64 {
    let mut file = BufReader::with_capacity(256 << 10, File::open(path).unwrap());
    let schema = schema.map_or_else(
        || {
            let (schema, _) = arrow_json::reader::infer_json_schema_from_seekable(&mut file, None).unwrap();
            Arc::new(schema)
        },
        Arc::clone,
    );
    let reader = arrow_json::ReaderBuilder::new(schema).with_batch_size(BATCH);
    reader.build(file).unwrap().map(|batch| batch.unwrap().num_rows() as u64).sum()
}

fn text(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    for (name, table) in Table::ALL {
        for format in ["csv", "jsonl"] {
            if format == "csv" && table == Table::Nested {
                continue;
            }
            let (text, rows) = if format == "csv" { table.csv(BYTES) } else { table.json(BYTES) };
            let path = folder.path().join(format!("{name}.{format}"));
            std::fs::write(&path, &text).unwrap();
            let dataset = open(&path, table);
            // arrow-csv has no lists: it reads such cells as texts.
            let schema = match (table, format) {
                (Table::Multivalent, "csv") => {
                    let options = OpenOptions::new().prefer("layout", "plain");
                    narrow(options.open(&path).unwrap().schema())
                }
                (_, "csv") => narrow(dataset.schema()),
                _ => Arc::clone(dataset.schema()),
            };
            let peer = if format == "csv" { csv_peer } else { json_peer };
            let mut group = criterion.benchmark_group(format!("{format}/{name}"));
            group.throughput(Throughput::Bytes(text.len() as u64));
            group.bench_function("ours", |bencher| bencher.iter(|| assert_eq!(ours(&dataset), rows)));
            group.bench_function("arrow", |bencher| {
                bencher.iter(|| assert_eq!(peer(&path, Some(&schema)), rows));
            });
            group.bench_function("inferred/ours", |bencher| {
                bencher.iter(|| assert_eq!(ours(&open(&path, table)), rows));
            });
            group.bench_function("inferred/arrow", |bencher| {
                bencher.iter(|| assert_eq!(peer(&path, None), rows));
            });
            group.finish();
        }
    }
}

criterion_group! { name = benches; config = bench_sets::criterion(); targets = text }
criterion_main!(benches);
