//! What is in Avro files, and whether it is whole.

use std::io::{self, Write};
use std::sync::Arc;

use tfxio::avro_path::container::{ContainerReader, Damage, Header, ReaderBuilder, SalvageReader};
use tfxio::avro_path::datum::{DatumReader, SkipPlan, check};
use tfxio::avro_path::{Limits, Result};
use tfxio::{InputFile, RecordOptions};

use super::Payloads;
use crate::avro;
use crate::failure::{self, paragraph};
use crate::json::{self, Object};
use crate::table::{Table, count};

/// What is known of a file.
pub(super) struct Report {
    file: Arc<str>,
    header: Option<Arc<Header>>,
    blocks: u64,
    payloads: Payloads,
    errors: Vec<String>,
    /// The worst exit code that an error means.
    pub(super) exit_code: u8,
}

pub(super) fn inspect(file: &Arc<str>, options: &RecordOptions) -> Report {
    let mut report = Report {
        file: Arc::clone(file),
        header: None,
        blocks: 0,
        payloads: Payloads::new(),
        errors: Vec::new(),
        exit_code: 0,
    };
    match avro::open(file, options) {
        Ok(mut container) => {
            report.header = Some(Arc::clone(container.header()));
            if let Err(error) = read(&mut container, &mut report) {
                report.add(&error);
                // Its blocks would be in memory twice.
                drop(container);
                salvage(options, &mut report);
            }
        }
        Err(error) => report.add(&error),
    }
    report
}

/// Reads everything, as long as it is whole.
fn read(container: &mut ContainerReader<InputFile>, report: &mut Report) -> Result<()> {
    let schema = container.header().schema().clone();
    let plan = SkipPlan::new(&schema);
    while let Some(block) = container.next_block()? {
        report.blocks += 1;
        if block.bytes().is_empty() {
            report.payloads.add_empty(block.count());
            continue;
        }
        for (number, record) in (0..).zip(block.records(&schema, &plan)) {
            let record = record?;
            check(&schema, &mut DatumReader::new(record), &Limits::default())
                .map_err(|error| block.locate(error, number, 0))?;
            report.payloads.add(record);
        }
    }
    Ok(())
}

/// Reads a damaged file again, over every damage.
fn salvage(options: &RecordOptions, report: &mut Report) {
    let mut payloads = Payloads::new();
    let done = InputFile::open(&report.file, options).and_then(|file| {
        let mut reader =
            SalvageReader::from_builder(file, &ReaderBuilder::new().name(Arc::clone(&report.file)))?;
        let schema = reader.header().schema().clone();
        let plan = SkipPlan::new(&schema);
        while let Some(block) = reader.next_block()? {
            if block.bytes().is_empty() {
                payloads.add_empty(block.count());
                continue;
            }
            block.records(&schema, &plan).flatten().for_each(|record| payloads.add(record));
        }
        Ok(reader.report().clone())
    });
    match done {
        Ok(found) => {
            report.blocks = found.blocks;
            report.payloads = payloads;
            // The first damage is the error that led here.
            let further = found.damages.iter().skip(1).map(|damage| describe(&report.file, damage));
            report.errors.extend(further);
            if found.unlisted > 0 {
                report.errors.push(format!("{}: {} further damages", report.file, found.unlisted));
            }
        }
        Err(error) => report.add(&error),
    }
}

fn describe(file: &str, damage: &Damage) -> String {
    let records =
        damage.lost_records.map_or("an unknown number of records".to_owned(), |records| match records {
            1 => "1 record".to_owned(),
            records => format!("{} records", count(records)),
        });
    let (start, end, before) = (damage.start, damage.end, damage.records_before);
    let reason = damage.why();
    format!(
        "{file}, bytes {start} to {end}, behind {before} good records: lost as well: {records} ({reason})"
    )
}

impl Report {
    fn add(&mut self, error: &tfxio::Error) {
        self.exit_code = self.exit_code.max(failure::exit_code(error));
        self.errors.push(paragraph(error));
    }

    pub(super) fn errors(&self) -> &[String] {
        &self.errors
    }

    /// The metadata that Avro does not define.
    fn metadata(&self) -> impl Iterator<Item = (String, &[u8])> {
        let all = self.header.iter().flat_map(|header| header.metadata());
        let own = all.filter(|(key, _)| !key.starts_with(b"avro."));
        own.map(|(key, value)| (String::from_utf8_lossy(key).into_owned(), value))
    }

    pub(super) fn json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        object.text("file", Some(&self.file));
        object.text("format", self.header.is_some().then_some("avro"));
        object.text("codec", self.header.as_ref().map(|header| header.codec().name()));
        object.text("schema", self.header.as_ref().map(|header| avro::title(header.schema())).as_deref());
        object.number("blocks", self.blocks);
        object.number("records", self.payloads.records);
        object.number("payload_bytes", self.payloads.bytes);
        object.number("crc32_of_payloads", self.payloads.crc());
        let mut metadata = Object::new(object.key("metadata"));
        for (key, value) in self.metadata() {
            json::bytes(metadata.key(&key), value);
        }
        metadata.finish();
        json::strings(object.key("errors"), &self.errors);
        object.finish();
        out
    }
}

/// A line a file.
pub(super) fn write_table(reports: &[Report], out: &mut impl Write) -> io::Result<()> {
    let mut table = Table::new([
        "file",
        "codec",
        "schema",
        "blocks",
        "records",
        "payload bytes",
        "longest",
        "CRC-32",
        "metadata",
        "state",
    ]);
    for report in reports {
        let (codec, schema) = report.header.as_ref().map_or_else(Default::default, |header| {
            (header.codec().name().to_owned(), avro::title(header.schema()))
        });
        let state = match (&report.header, report.errors.is_empty()) {
            (Some(_), true) => "ok",
            (Some(_), false) => "damaged",
            (None, _) => "not read",
        };
        let keys = report.metadata().map(|(key, _)| key).collect::<Vec<_>>().join(", ");
        let Payloads { records, bytes, longest, .. } = report.payloads;
        let mut row = vec![report.file.to_string(), codec, schema];
        row.extend([report.blocks, records, bytes, longest].map(count));
        row.extend([format!("{:08x}", report.payloads.crc()), keys, state.to_owned()]);
        table.push(row);
    }
    if reports.len() > 1 {
        let sum = |of: fn(&Report) -> u64| count(reports.iter().map(of).sum());
        let longest = reports.iter().map(|report| report.payloads.longest).max().unwrap_or_default();
        table.push(vec![
            format!("{} files", reports.len()),
            String::new(),
            String::new(),
            sum(|report| report.blocks),
            sum(|report| report.payloads.records),
            sum(|report| report.payloads.bytes),
            count(longest),
            String::new(),
            String::new(),
            String::new(),
        ]);
    }
    table.write_fitting(out, "file")
}
