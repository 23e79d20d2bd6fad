//! Records as they are, from some files into one.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use avro_path::container::{Codec, FileWriter, WriterBuilder};
use avro_path::datum::{DatumReader, SkipPlan};
use avro_path::{Resolution, Schema};
use tfxio_core::{Error, Split};

use super::open::{Open, Splits, header};
use crate::tfrecord::{RecordOptions, in_split};

/// Copies the records of files, of which there is at least one, into a file with the metadata of the first, and with its
/// schema or the reader's. Data of other schemas become data of that one. How many records there were. `progress` gets bytes that were read and
/// records.
pub(crate) fn copy(
    files: &[Arc<str>],
    reader_schema: Option<&Schema>,
    options: &RecordOptions,
    output: &Path,
    codec: Codec,
    mut progress: impl FnMut(u64, u64),
) -> Result<u64, Error> {
    let Some(first) = files.first() else { return Ok(0) };
    let header = header(first, options)?;
    let mut builder = WriterBuilder::new().codec(codec).check(false).overwrite(true);
    for (key, value) in header.metadata().filter(|(key, _)| !key.starts_with(b"avro.")) {
        builder = builder.metadata(String::from_utf8_lossy(key), value);
    }
    let splits = files.iter().map(|file| Split::whole(Arc::clone(file))).collect();
    let schema = reader_schema.unwrap_or(header.schema());
    let mut splits = Splits::new(splits, schema, options);
    let read = splits.bytes_read();
    let mut writer = builder.create(output, schema)?;
    while let Some(mut open) = splits.open_next(writer.records_written())? {
        let resolution = splits.resolution(&open)?;
        let schema = open.header().schema().clone();
        let plan = SkipPlan::new(&schema);
        loop {
            match copy_block(&mut open, &schema, &plan, resolution.as_deref(), &mut writer) {
                Ok(true) => progress(read.load(Ordering::Relaxed), writer.records_written()),
                Ok(false) => break,
                Err(error) => return Err(in_split(error, &open.split)),
            }
        }
    }
    let records = writer.records_written();
    options.refuse_nothing(records)?;
    writer.finish()?;
    Ok(records)
}

/// Whether there was one.
fn copy_block(
    open: &mut Open,
    schema: &Schema,
    plan: &SkipPlan,
    resolution: Option<&Resolution>,
    writer: &mut FileWriter,
) -> Result<bool, Error> {
    if !open.next_block()? {
        return Ok(false);
    }
    let (mut number, mut at) = (0, 0);
    // Goes on after a record that is passed over.
    while let Some(block) = open.last_block() {
        let failed = block.records(schema, plan).after(number, at).find_map(|record| {
            let written = record.and_then(|record| {
                write(record, resolution, writer).map_err(|error| block.locate(error, number, 0))?;
                (number, at) = (number + 1, at + record.len());
                Ok(())
            });
            written.err()
        });
        let Some(error) = failed else { break };
        at += open.pass_over(at, error)?;
        number += 1;
    }
    Ok(true)
}

fn write(record: &[u8], resolution: Option<&Resolution>, writer: &mut FileWriter) -> avro_path::Result<()> {
    match resolution {
        None => writer.write(record),
        Some(resolution) => writer.write_with(|out| resolution.apply(&mut DatumReader::new(record), out)),
    }
}
