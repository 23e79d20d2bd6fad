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

/// Copies the records of files, of which there is at least one, into a file with the schema and the metadata of the first.
/// Data of other schemas become data of that one. How many records there were. `progress` gets bytes that were read and
/// records.
pub(crate) fn copy(
    files: &[Arc<str>],
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
    let mut splits = Splits::new(splits, header.schema(), options);
    let read = splits.bytes_read();
    let mut writer = builder.create(output, header.schema())?;
    while let Some(mut open) = splits.open_next(writer.records_written())? {
        let resolution = splits.resolution(&open)?;
        let schema = open.container.header().schema().clone();
        let plan = SkipPlan::new(&schema);
        loop {
            match copy_block(&mut open, &schema, &plan, resolution.as_deref(), &mut writer) {
                Ok(true) => progress(read.load(Ordering::Relaxed), writer.records_written()),
                Ok(false) => break,
                Err(error) => return Err(in_split(error.into(), &open.split)),
            }
        }
    }
    let records = writer.records_written();
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
) -> avro_path::Result<bool> {
    let Some(block) = open.container.next_block()? else { return Ok(false) };
    for (number, record) in (0..).zip(block.records(schema, plan)) {
        let record = record?;
        match resolution {
            None => writer.write(record)?,
            Some(resolution) => writer.write_with(|out| {
                let applied = resolution.apply(&mut DatumReader::new(record), out);
                applied.map_err(|error| block.locate(error, number, 0))
            })?,
        }
    }
    Ok(true)
}
