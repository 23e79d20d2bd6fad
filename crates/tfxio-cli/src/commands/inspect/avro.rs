//! What is in Avro files, and whether it is whole.

use std::io::{self, Write};
use std::sync::Arc;

use tfxio::avro_path::Result;
use tfxio::avro_path::container::{ContainerReader, Damage, Header, ReaderBuilder, SalvageReader};
use tfxio::avro_path::datum::SkipPlan;
use tfxio::{InputFile, RecordOptions};

use crate::avro;
use crate::failure::{self, paragraph};
use crate::json::{self, Object};
use crate::table::{Table, count};

/// What is known of a file.
pub(super) struct Report {
    file: Arc<str>,
    header: Option<Arc<Header>>,
    sums: Sums,
    errors: Vec<String>,
    /// The worst exit code that an error means.
    pub(super) exit_code: u8,
}

#[derive(Default)]
struct Sums {
    blocks: u64,
    records: u64,
    /// Of records, after decompression.
    bytes: u64,
    longest: u64,
}

pub(super) fn inspect(file: &Arc<str>, options: &RecordOptions) -> Report {
    let sums = Sums::default();
    let mut report = Report { file: Arc::clone(file), header: None, sums, errors: Vec::new(), exit_code: 0 };
    match avro::open(file, options) {
        Ok(mut container) => {
            report.header = Some(Arc::clone(container.header()));
            if let Err(error) = read(&mut container, &mut report.sums) {
                report.add(&error.into());
                salvage(options, &mut report);
            }
        }
        Err(error) => report.add(&error),
    }
    report
}

/// Reads everything, as long as it is whole.
fn read(container: &mut ContainerReader<InputFile>, sums: &mut Sums) -> Result<()> {
    let schema = container.header().schema().clone();
    let plan = SkipPlan::new(&schema);
    while let Some(block) = container.next_block()? {
        for record in block.records(&schema, &plan) {
            let bytes = record?.len() as u64;
            sums.records += 1;
            sums.bytes += bytes;
            sums.longest = sums.longest.max(bytes);
        }
        sums.blocks += 1;
    }
    Ok(())
}

/// Reads a damaged file again, over every damage.
fn salvage(options: &RecordOptions, report: &mut Report) {
    let mut sums = Sums::default();
    let done = InputFile::open(&report.file, options).and_then(|file| {
        let mut reader =
            SalvageReader::from_builder(file, &ReaderBuilder::new().name(Arc::clone(&report.file)))?;
        let schema = reader.header().schema().clone();
        let plan = SkipPlan::new(&schema);
        while let Some(block) = reader.next_block()? {
            let longest = block.records(&schema, &plan).flatten().map(<[u8]>::len).max();
            sums.longest = sums.longest.max(longest.unwrap_or_default() as u64);
            sums.bytes += block.bytes().len() as u64;
        }
        Ok(reader.report().clone())
    });
    match done {
        Ok(found) => {
            (sums.blocks, sums.records) = (found.blocks, found.records);
            report.sums = sums;
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
    let reason = damage.reason.name();
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
        object.number("blocks", self.sums.blocks);
        object.number("records", self.sums.records);
        object.number("record_bytes", self.sums.bytes);
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
        "record bytes",
        "longest",
        "metadata",
        "state",
    ]);
    let mut all = Sums::default();
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
        let mut row = vec![report.file.to_string(), codec, schema];
        row.extend(report.sums.cells());
        row.extend([keys, state.to_owned()]);
        table.push(row);
        all.add(&report.sums);
    }
    if reports.len() > 1 {
        let mut row = vec![format!("{} files", reports.len()), String::new(), String::new()];
        row.extend(all.cells());
        row.extend([String::new(), String::new()]);
        table.push(row);
    }
    table.write(out)
}

impl Sums {
    fn cells(&self) -> [String; 4] {
        [self.blocks, self.records, self.bytes, self.longest].map(count)
    }

    fn add(&mut self, other: &Self) {
        self.blocks += other.blocks;
        self.records += other.records;
        self.bytes += other.bytes;
        self.longest = self.longest.max(other.longest);
    }
}
