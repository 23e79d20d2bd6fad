//! The peers of `read` of Parquet, CSV and JSON lines: the readers of arrow, one thread, with the schema that ours has.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufReader, Seek as _};
use std::sync::Arc;

use anyhow::{Result, bail};
use arrow_schema::{ArrowError, DataType, FieldRef, Schema, SchemaRef};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::Options;
use super::figure::Done;
use super::read::is_a;

/// Bytes read at once from a file.
const BUFFER: usize = 256 << 10;

/// Returns a schema with texts of 32-bit offsets, which are all that arrow-csv has.
fn narrow(schema: &Schema) -> SchemaRef {
    let field = |field: &FieldRef| match field.data_type() {
        DataType::LargeUtf8 => field.as_ref().clone().with_data_type(DataType::Utf8),
        _ => field.as_ref().clone(),
    };
    Arc::new(Schema::new(schema.fields().iter().map(field).collect::<Vec<_>>()))
}

/// Reads a file with this schema, or with the one that all of its rows have.
pub(super) fn read(options: &Options, schema: Option<&SchemaRef>, bytes: u64) -> Result<Done> {
    if options.threads.get() > 1 {
        bail!("the readers of arrow have one thread");
    }
    if is_a(&options.file, "parquet") {
        return parquet(options, bytes);
    }
    if options.columns.is_some() {
        bail!("the readers of arrow for text read all columns");
    }
    let mut file = BufReader::with_capacity(BUFFER, File::open(&options.file)?);
    let batch = options.batch.get();
    let mut records = 0;
    let mut count = |rows: Result<arrow_array::RecordBatch, ArrowError>| {
        records += black_box(rows?).num_rows() as u64;
        Ok::<_, ArrowError>(())
    };
    if is_a(&options.file, "csv") {
        let schema = match schema {
            Some(schema) => narrow(schema),
            None => {
                let (schema, _) =
                    arrow_csv::reader::Format::default().with_header(true).infer_schema(&mut file, None)?;
                file.rewind()?;
                Arc::new(schema)
            }
        };
        let reader = arrow_csv::ReaderBuilder::new(schema).with_header(true).with_batch_size(batch);
        reader.build_buffered(file)?.try_for_each(&mut count)?;
    } else {
        let schema = match schema {
            Some(schema) => Arc::clone(schema),
            None => Arc::new(arrow_json::reader::infer_json_schema_from_seekable(&mut file, None)?.0),
        };
        let reader = arrow_json::ReaderBuilder::new(schema).with_batch_size(batch);
        reader.build(file)?.try_for_each(&mut count)?;
    }
    Ok(Done { records, bytes })
}

/// Reads a Parquet file, or some of its columns.
fn parquet(options: &Options, bytes: u64) -> Result<Done> {
    let mut builder = ParquetRecordBatchReaderBuilder::try_new(File::open(&options.file)?)?;
    if let Some(columns) = &options.columns {
        let mask = ProjectionMask::columns(builder.parquet_schema(), columns.iter().map(String::as_str));
        builder = builder.with_projection(mask);
    }
    let mut records = 0;
    for batch in builder.with_batch_size(options.batch.get()).build()? {
        records += black_box(batch?).num_rows() as u64;
    }
    Ok(Done { records, bytes })
}
