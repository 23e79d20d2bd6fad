//! Inspection of files, and repair of damaged ones.

use std::path::Path;
use std::sync::Arc;

use avro_path::container::{ContainerReader, Header, ReaderBuilder, Reason, Report, WriterBuilder};
use avro_path::datum::{DatumReader, SkipPlan, check};
use tfxio_core::{
    Error, ErrorKind, FactValue, FileReport, FileState, Files, FormatOptions, Inspect, Limits, LostRange,
    Partition, Repair, Result, Total,
};
use tfxio_store::output::refuse_input;
use tfxio_store::payload_totals::PayloadTotals;

use super::file_metadata::FileInput;
use super::format::AvroFormat;
use super::output::create;

fn open(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<FileInput> {
    files.open_with(&Partition::whole(Arc::clone(file)), &options.request.cancel)
}

fn builder(file: &Arc<str>, options: &FormatOptions) -> ReaderBuilder {
    ReaderBuilder::default().limits(options.request.limits).name(Arc::clone(file))
}

/// The metadata that Avro does not define.
pub(super) fn metadata(header: &Header) -> impl Iterator<Item = (String, &[u8])> {
    let own = header.metadata().filter(|(key, _)| !key.starts_with(b"avro."));
    own.map(|(key, value)| (String::from_utf8_lossy(key).into_owned(), value))
}

impl Inspect for AvroFormat {
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        Ok(files.names().iter().map(|file| inspect(files, file, options)).collect())
    }
}

fn inspect(files: &Files, file: &Arc<str>, options: &FormatOptions) -> FileReport {
    let mut report = FileReport::new(&**file);
    let (mut payloads, mut blocks, mut header) = (PayloadTotals::default(), 0, None);
    let opened = open(files, file, options).and_then(|input| builder(file, options).source(input).build());
    match opened {
        Ok(mut container) => {
            header = Some(Arc::clone(container.header()));
            if let Err(error) = read(&mut container, &options.request.limits, &mut blocks, &mut payloads) {
                report.errors.push(error);
                // Its blocks would be in memory twice.
                drop(container);
                match salvage(files, file, options) {
                    Ok((found, kept)) => {
                        (blocks, payloads) = (found.blocks, kept);
                        // The first damage is the error that led here.
                        report.lost = found.damages.iter().skip(1).cloned().map(lost).collect();
                        report.unlisted = found.unlisted;
                    }
                    Err(error) => report.errors.push(error),
                }
            }
        }
        Err(error) => report.errors.push(error),
    }
    let header = header.as_deref();
    report.state = match (header, report.errors.is_empty()) {
        (Some(_), true) => FileState::Whole,
        (Some(_), false) => FileState::Damaged,
        (None, _) => FileState::NotRead,
    };
    let PayloadTotals { records, bytes, longest, .. } = payloads;
    let entries = header.into_iter().flat_map(metadata).map(|(key, value)| (key, value.to_vec()));
    report
        .fact("format", header.map(|_| "avro"))
        .fact("codec", header.map(|header| header.codec().name()))
        .fact("schema", header.map(|header| header.schema().describe(header.schema().root())))
        .count("blocks", blocks, Total::Sum)
        .count("records", records, Total::Sum)
        .count("payload_bytes", bytes, Total::Sum)
        .count("longest", longest, Total::Max)
        .fact("crc32_of_payloads", FactValue::Checksum(payloads.crc32()))
        .fact("metadata", FactValue::Entries(entries.collect()))
}

/// Reads everything, as long as it is whole.
fn read(
    container: &mut ContainerReader<FileInput>,
    limits: &Limits,
    blocks: &mut u64,
    payloads: &mut PayloadTotals,
) -> Result<()> {
    let schema = container.header().schema().clone();
    let plan = SkipPlan::new(&schema);
    while let Some(block) = container.next_block()? {
        *blocks += 1;
        if block.bytes().is_empty() {
            payloads.add_empty(block.count());
            continue;
        }
        for (number, record) in (0..).zip(block.records(&schema, &plan)) {
            let record = record?;
            let checked = check(&schema, &mut DatumReader::new(record), limits);
            checked.map_err(|error| block.locate(error, number, 0))?;
            payloads.add(record);
        }
    }
    Ok(())
}

/// Reads a damaged file, over every damage.
fn salvage(files: &Files, file: &Arc<str>, options: &FormatOptions) -> Result<(Report, PayloadTotals)> {
    let mut payloads = PayloadTotals::default();
    let mut reader = builder(file, options).source(open(files, file, options)?).build_salvage()?;
    let schema = reader.header().schema().clone();
    let plan = SkipPlan::new(&schema);
    while let Some(block) = reader.next_block()? {
        if block.bytes().is_empty() {
            payloads.add_empty(block.count());
            continue;
        }
        block.records(&schema, &plan).flatten().for_each(|record| payloads.add(record));
    }
    Ok((reader.report().clone(), payloads))
}

fn lost(damage: LostRange<Reason>) -> LostRange {
    damage.map_reason(|reason| reason.name().into())
}

impl Repair for AvroFormat {
    /// Schema, codec and metadata stay, blocks do not.
    fn repair(&self, files: &Files, output: &str, options: &FormatOptions) -> Result<FileReport> {
        let [file] = files.names() else {
            let what = format!("{} files are named, and one is repaired at a time", files.names().len());
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        };
        refuse_input(files, Path::new(output))?;
        let mut reader = builder(file, options).source(open(files, file, options)?).build_salvage()?;
        let header = Arc::clone(reader.header());
        let mut settings = WriterBuilder::default().codec(header.codec()).check(false).overwrite(true);
        for (key, value) in metadata(&header) {
            settings = settings.metadata(key, value);
        }
        let plan = SkipPlan::new(header.schema());
        let mut writer = create(output, settings, header.schema(), options)?;
        while let Some(block) = reader.next_block()? {
            for record in block.records(header.schema(), &plan) {
                let record = record?;
                writer.write(|file| file.0.write(record))?;
            }
        }
        let found = reader.report();
        let mut report = FileReport::new(&**file).count("records", found.records, Total::Sum);
        if found.records == 0 && !found.is_clean() {
            report.errors.push(tfxio_store::payload_totals::nothing_kept(output));
        } else {
            writer.finish()?;
        }
        report.lost = found.damages.iter().cloned().map(lost).collect();
        report.unlisted = found.unlisted;
        Ok(report)
    }
}
