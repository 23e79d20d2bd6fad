//! Records as they are, from some files into one, or into one set of shards.

use std::sync::Arc;

use avro_path::AvroSchema;
use avro_path::Resolution;
use avro_path::container::FileWriter;
use avro_path::datum::{DatumReader, SkipPlan};
use tfxio_core::{CopyRecords, Error, ErrorKind, FileReport, Files, FormatOptions, Partition, Total};
use tfxio_store::output::{self, Output};

use super::blocks::{Blocks, Wanted};
use super::cursor::Cursor;
use super::dataset::AvroDataset;
use super::file_metadata::FileMetadata;
use super::format::AvroFormat;
use super::output::{AvroFile, create};
use super::{resolved, salvage, settings};

impl CopyRecords for AvroFormat {
    /// Key expressions and a layout of one's own ask for columns.
    fn keeps_all(&self, options: &FormatOptions) -> bool {
        ["features", "keys", "fields", "layout", "max_depth", "writer_schema"]
            .iter()
            .all(|key| !options.values().contains_key(*key))
    }

    /// Without a schema to read with, fields that the first file does not have would be left out.
    fn keeps_all_of(&self, files: &Files, options: &FormatOptions) -> bool {
        // What cannot be opened is said by the copy.
        AvroDataset::open(files.clone(), options).map_or(true, |dataset| !dataset.is_mixed())
    }

    /// The output has the metadata of the first file, and its schema or the reader's. Data of other schemas become data of
    /// that one.
    fn copy_records(
        &self,
        files: &Files,
        output: &str,
        options: &FormatOptions,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileReport, Error> {
        let (metadata, request) = (FileMetadata::new(files.clone()), &options.request);
        let Some(first) = files.names().first() else {
            return Err(Error::new(ErrorKind::InvalidArgument, "no file is named"));
        };
        let header = metadata.header(first, &request.cancel)?;
        let reader_schema = settings::schema(&**files.store(), options, "reader_schema")?;
        let mut builder = settings::writer(options)?;
        for (key, value) in salvage::metadata(&header) {
            builder = builder.metadata(key, value);
        }
        let schema = reader_schema.as_ref().unwrap_or(header.schema());
        let mut writer = create(output, builder, schema, options)?;
        let mut records = 0u64;
        for file in files.names() {
            let mut cursor = Cursor::start(&Partition::whole(Arc::clone(file)));
            let wanted = Wanted::of(request, false);
            let mut blocks = Blocks::open(&metadata, file, &mut cursor, u64::MAX, &wanted, request)?;
            let written = blocks.header().schema().clone();
            let resolution = resolved::resolution(&written, schema, &request.limits, file)?;
            let plan = SkipPlan::new(&written);
            while copy_block(&mut blocks, &written, &plan, resolution.as_ref(), &mut writer, &mut records)? {
                request.cancel.check()?;
                progress(records);
            }
        }
        request.on_error.refuse_nothing(records)?;
        let files = writer.finish()?;
        let report = FileReport::new(output).count("records", records, Total::Sum);
        Ok(report.count("bytes", output::bytes(&files), Total::Sum).fact("files", output::sizes(&files)))
    }
}

/// Whether there was one.
fn copy_block(
    blocks: &mut Blocks,
    schema: &AvroSchema,
    plan: &SkipPlan,
    resolution: Option<&Resolution>,
    writer: &mut Output<AvroFile>,
    records: &mut u64,
) -> Result<bool, Error> {
    if !blocks.next_block()? {
        return Ok(false);
    }
    let (mut number, mut at) = (0, 0);
    // Goes on after a record that is passed over.
    while let Some(block) = blocks.last_block() {
        let failed = block.records(schema, plan).after(number, at).find_map(|record| {
            let written = record.and_then(|record| {
                let written = writer.write(|file| write(record, resolution, &mut file.0));
                written.map_err(|error| block.locate(error, number, 0))?;
                *records += 1;
                (number, at) = (number + 1, at + record.len());
                Ok(())
            });
            written.err()
        });
        let Some(error) = failed else { break };
        at += blocks.pass_over(at, error)?;
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
