//! The peer of `avro` that is written in Rust: arrow-avro, one thread, plainly typed columns.

use std::fs::File;
use std::hint::black_box;
use std::io::{BufRead, BufReader};

use anyhow::{Context, Result};
use arrow_avro::reader::ReaderBuilder;
use avro_path::container::ContainerReader;

use super::figure::{Done, Figure};
use super::framed::file_bytes;
use super::{From, Options};

/// Bytes read at once from a file.
const BUFFER: usize = 1 << 20;

pub(super) fn measure(options: &Options) -> Result<Figure> {
    let size = size(options)?;
    let projection = projection(options)?;
    let decode = |source: Box<dyn BufRead + '_>| {
        let mut builder = ReaderBuilder::new().with_batch_size(options.batch.get());
        if let Some(columns) = &projection {
            builder = builder.with_projection(columns.clone());
        }
        let mut records = 0;
        for batch in builder.build(source)? {
            records += black_box(batch?).num_rows() as u64;
        }
        Ok(Done { records, ..size })
    };
    match options.from {
        From::Memory => {
            let bytes = file_bytes(&options.file)?;
            Figure::time(options, || decode(Box::new(&bytes[..])))
        }
        From::File => Figure::time(options, || {
            let file = File::open(&options.file)?;
            decode(Box::new(BufReader::with_capacity(BUFFER, file)))
        }),
    }
}

/// Records, and the bytes that we count for them.
fn size(options: &Options) -> Result<Done> {
    let mut reader = ContainerReader::open(&options.file)?;
    let mut sum = Done::default();
    while let Some(block) = reader.next_block()? {
        sum = sum + Done { records: block.count(), bytes: block.bytes().len() as u64 };
    }
    Ok(sum)
}

/// The places of the columns in the record.
fn projection(options: &Options) -> Result<Option<Vec<usize>>> {
    let Some(columns) = &options.columns else { return Ok(None) };
    let bytes = file_bytes(&options.file)?;
    let all = ReaderBuilder::new().build(&bytes[..])?.schema();
    let index = |name: &String| all.index_of(name).with_context(|| format!("there is no column {name:?}"));
    Ok(Some(columns.iter().map(index).collect::<Result<_>>()?))
}
