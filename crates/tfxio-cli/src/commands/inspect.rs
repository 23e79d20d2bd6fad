//! `tfxio inspect`: counts records and compares every checksum; of Avro files, in [`avro`], what else is in them.

mod avro;

use std::io::Write as _;
use std::sync::Arc;

use crc_fast::{CrcAlgorithm, Digest};
use tfxio::tfrecord_io::salvage::{Damage, SalvageReader};
use tfxio::tfrecord_io::{Compression, Index, Kind, Reader, RecordBuffer};
use tfxio::{InputFile, Position, RecordOptions, index_beside};

use super::for_each_file;
use crate::Done;
use crate::args::Inspect;
use crate::failure::{self, Failure, paragraph};
use crate::json::{self, Object};
use crate::output::Output;
use crate::table::{Table, count};

/// What is known of a file.
struct Report {
    file: Arc<str>,
    /// Whether the file is TFRecord at all.
    is_tfrecord: bool,
    compression: Option<Compression>,
    payloads: Payloads,
    errors: Vec<String>,
    /// Whether an error is of the file itself, and not of its index.
    is_damaged: bool,
    /// The worst exit code that an error means.
    exit_code: u8,
}

/// Sums over payloads.
struct Payloads {
    records: u64,
    bytes: u64,
    longest: u64,
    crc: Digest,
}

impl Payloads {
    fn new() -> Self {
        Self { records: 0, bytes: 0, longest: 0, crc: Digest::new(CrcAlgorithm::Crc32IsoHdlc) }
    }

    fn add(&mut self, payload: &[u8]) {
        self.records += 1;
        self.bytes += payload.len() as u64;
        self.longest = self.longest.max(payload.len() as u64);
        self.crc.update(payload);
    }

    /// Adds payloads without bytes, of which a few bytes can claim billions.
    fn add_empty(&mut self, count: u64) {
        self.records = self.records.saturating_add(count);
    }

    fn crc(&self) -> u64 {
        self.crc.finalize()
    }
}

pub(crate) fn run(args: &Inspect) -> Done {
    let mut out = Output::new();
    let mut table =
        Table::new(["file", "compression", "records", "payload bytes", "longest", "CRC-32", "state"]);
    let (mut errors, mut all) = (Vec::new(), Payloads::new());
    let mut files = 0;
    let mut avro_files = Vec::new();
    let options = args.indexes.options();
    let done = for_each_file(&args.files, &options, |path| {
        if matches!(crate::avro::is_avro(&path, &options), Ok(true)) {
            let report = avro::inspect(&path, &options);
            let code = report.exit_code;
            if args.json {
                writeln!(out, "{}", report.json())?;
                out.flush()?;
            } else {
                errors.extend(report.errors().iter().cloned());
                avro_files.push(report);
            }
            return if code == 0 { Ok(()) } else { Err(Failure::Reported(code)) };
        }
        let report = inspect(&path, &options);
        if args.json {
            writeln!(out, "{}", report.json())?;
            // A reader of the pipe gets each object when it is there.
            out.flush()?;
        } else {
            table.push(report.row());
            errors.extend(report.errors.iter().cloned());
            files += 1;
            all.records += report.payloads.records;
            all.bytes += report.payloads.bytes;
            all.longest = all.longest.max(report.payloads.longest);
        }
        match report.exit_code {
            0 => Ok(()),
            code => Err(Failure::Reported(code)),
        }
    });
    if let Err(closed @ (Failure::Closed | Failure::Output(_))) = done {
        return Err(closed);
    }
    if files > 0 {
        if files > 1 {
            let sums = [all.records, all.bytes, all.longest].map(count);
            let [records, bytes, longest] = sums;
            table.push(vec![
                format!("{files} files"),
                String::new(),
                records,
                bytes,
                longest,
                String::new(),
                String::new(),
            ]);
        }
        table.write_fitting(&mut out, "file")?;
    }
    if !avro_files.is_empty() {
        if files > 0 {
            writeln!(out)?;
        }
        avro::write_table(&avro_files, &mut out)?;
    }
    out.finish()?;
    for error in errors {
        failure::say(format_args!("error: {error}"));
    }
    done
}

fn inspect(path: &Arc<str>, options: &RecordOptions) -> Report {
    let mut report = Report {
        file: Arc::clone(path),
        is_tfrecord: false,
        compression: None,
        payloads: Payloads::new(),
        errors: Vec::new(),
        is_damaged: false,
        exit_code: 0,
    };
    let index = index_beside(path, options);
    let file = match InputFile::open(path, options) {
        Ok(file) => file,
        Err(error) => {
            report.add_error(&error);
            return report;
        }
    };
    match read(file, &mut report) {
        Ok(()) => {
            report.is_tfrecord = true;
            match index {
                Ok(index) => report.compare(index.as_ref()),
                Err(error) => report.add_index_error(&error),
            }
        }
        Err(error) => {
            let first = report.payloads.records == 0 && error.is(Kind::NotTfRecord);
            let damaged = error.detail().is_some_and(is_damage);
            report.add_error(&error);
            if damaged {
                // Something that begins unlike TFRecord may still be one whose start is lost.
                report.is_tfrecord = !first;
                salvage(options, &mut report);
            }
        }
    }
    report
}

/// Reads everything, as long as it is whole.
fn read(file: InputFile, report: &mut Report) -> Result<(), tfxio::Error> {
    let mut reader = Reader::builder(file).name(Arc::clone(&report.file)).build();
    report.compression = Some(reader.compression()?);
    let mut buffer = RecordBuffer::new();
    while reader.read_batch(&mut buffer, 4096, 1 << 20)? > 0 {
        buffer.iter().for_each(|record| report.payloads.add(record.data));
    }
    Ok(())
}

/// Whether something of the file may be whole.
fn is_damage(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::NotTfRecord
            | Kind::HeaderCrc
            | Kind::PayloadCrc
            | Kind::Truncated
            | Kind::RecordTooLong
            | Kind::Decompress
    )
}

/// Reads a damaged file again, over every damage.
fn salvage(options: &RecordOptions, report: &mut Report) {
    let mut payloads = Payloads::new();
    let file = match InputFile::open(&report.file, options) {
        Ok(file) => file,
        Err(error) => {
            report.errors.push(format!("what comes after the damage was not read: {error}"));
            return;
        }
    };
    let mut reader = SalvageReader::builder(file).name(Arc::clone(&report.file)).build();
    let ended = loop {
        match reader.next_record() {
            Ok(Some(record)) => payloads.add(record.data),
            Ok(None) => break Ok(()),
            Err(error) => break Err(error),
        }
    };
    if !report.is_tfrecord && payloads.records == 0 {
        return;
    }
    report.is_tfrecord = true;
    if let Err(error) = ended {
        report.add_error(&error);
    }
    let found = reader.into_report();
    // The first damage is the error that led here; a compressed stream may end without a lost byte.
    let further = found.damages.iter().skip(1).filter(|damage| damage.bytes() > 0);
    report.errors.extend(further.map(|damage| describe(&report.file, damage)));
    if found.unlisted > 0 {
        report.errors.push(format!("{}: {} further damages", report.file, found.unlisted));
    }
    report.payloads = payloads;
}

fn describe(file: &str, damage: &Damage) -> String {
    let bytes = if damage.compressed { "compressed bytes" } else { "bytes" };
    let after = match damage.last_good {
        Some(good) => format!("behind good record {}", good.index),
        None => "before the first good record".to_owned(),
    };
    format!("{file}, {bytes} {} to {}, {after}: lost as well: {}", damage.start, damage.end, damage.reason)
}

impl Report {
    fn add_error(&mut self, error: &tfxio::Error) {
        self.is_damaged = true;
        self.add_index_error(error);
    }

    /// Compares the sums with what was indexed.
    fn compare(&mut self, index: Option<&Index>) {
        let Some(index) = index else { return };
        let (records, crc) = (index.len(), index.crc32_of_payloads());
        let is_same = crc.is_none_or(|crc| u64::from(crc) == self.payloads.crc());
        if records == self.payloads.records && is_same {
            return;
        }
        let what = match records == self.payloads.records {
            true => "has other records than those that were indexed".to_owned(),
            false => format!("has {} records, and {records} were indexed", self.payloads.records),
        };
        let file = &self.file;
        let message = format!(
            "the file {what}. If it is as it should be, index it again: tfxio index {file}. To leave the index alone: --no-index"
        );
        let position = Position::new().file(Arc::clone(file));
        self.add_index_error(&tfxio::Error::new(tfxio::ErrorKind::Malformed, message).at(position));
    }

    fn add_index_error(&mut self, error: &tfxio::Error) {
        self.exit_code = self.exit_code.max(failure::exit_code(error));
        self.errors.push(paragraph(error));
    }

    fn format(&self) -> Option<&'static str> {
        self.is_tfrecord.then_some("tfrecord")
    }

    fn json(&self) -> String {
        let mut out = String::new();
        let mut object = Object::new(&mut out);
        object.text("file", Some(&self.file));
        object.text("format", self.format());
        object.text("compression", self.compression.filter(|_| self.is_tfrecord).map(Compression::name));
        object.number("records", self.payloads.records);
        object.number("payload_bytes", self.payloads.bytes);
        object.number("crc32_of_payloads", self.payloads.crc());
        json::strings(object.key("errors"), &self.errors);
        object.finish();
        out
    }

    fn row(&self) -> Vec<String> {
        let compression = self.compression.filter(|_| self.is_tfrecord).map_or("", Compression::name);
        let state = match (self.is_tfrecord, self.errors.len()) {
            (true, 0) => "ok",
            (true, _) if !self.is_damaged => "not as indexed",
            (true, _) => "damaged",
            (false, _) => "not read",
        };
        vec![
            self.file.to_string(),
            compression.to_owned(),
            count(self.payloads.records),
            count(self.payloads.bytes),
            count(self.payloads.longest),
            format!("{:08x}", self.payloads.crc()),
            state.to_owned(),
        ]
    }
}
