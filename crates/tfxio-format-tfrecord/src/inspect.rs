//! Inspection of TFRecord files.

use std::sync::Arc;

use tfrecord_io::{BatchSize, Compression, Index, Kind, Reader, RecordBuffer};
use tfxio_core::{
    Count, Error, ErrorKind, FactValue, FileReport, FileState, Files, FormatOptions, Input, Inspect,
    Partition, Result, Total,
};
use tfxio_store::payload_totals::PayloadTotals;

use super::format::TfRecordFormat;
use super::settings::{stated_compression, stated_verify, uses_index};
use super::{local_index, plan, rewrite};

impl Inspect for TfRecordFormat {
    /// Counts records and compares every checksum, and compares both with the index beside the file.
    fn inspect(&self, files: &Files, options: &FormatOptions) -> Result<Vec<FileReport>> {
        let options = plan::of_any_format(options)?;
        Ok(files.names().iter().map(|file| Inspection::new(files, file, &options).run()).collect())
    }
}

/// Looks into one file.
struct Inspection<'a> {
    files: &'a Files,
    options: &'a FormatOptions,
    file: &'a Arc<str>,
    report: FileReport,
    compression: Option<Compression>,
    payloads: PayloadTotals,
}

impl<'a> Inspection<'a> {
    fn new(files: &'a Files, file: &'a Arc<str>, options: &'a FormatOptions) -> Self {
        Self {
            files,
            options,
            file,
            report: FileReport::new(&**file),
            compression: None,
            payloads: PayloadTotals::default(),
        }
    }

    fn run(mut self) -> FileReport {
        let index = match self.files.store().local_path(self.file) {
            Some(path) if uses_index(self.options) => local_index::read(&path.to_string_lossy()),
            _ => Ok(None),
        };
        match self.read() {
            Ok(()) => {
                let compared = index.and_then(|index| index.map_or(Ok(()), |index| self.compare(&index)));
                if let Err(error) = compared {
                    self.report.state = FileState::NotAsIndexed;
                    self.report.errors.push(error);
                }
            }
            Err(error) => {
                let first = self.payloads.records == 0 && error.is(Kind::NotTfRecord);
                let is_damage = error.detail().is_some_and(is_damage);
                self.report.errors.push(error);
                self.report.state = FileState::NotRead;
                if is_damage {
                    self.salvage(!first);
                }
            }
        }
        let is_read = self.report.state != FileState::NotRead;
        let compression = self.compression.filter(|_| is_read).map(Compression::name);
        self.report
            .fact("format", is_read.then_some("tfrecord"))
            .fact("compression", compression)
            .count("records", self.payloads.records, Total::Sum)
            .count("payload_bytes", self.payloads.bytes, Total::Sum)
            .count("longest", self.payloads.longest, Total::Max)
            .fact("crc32_of_payloads", FactValue::Checksum(self.payloads.crc32()))
    }

    fn open(&self) -> Result<Box<dyn Input>> {
        self.files.open_with(&Partition::whole(Arc::clone(self.file)), &self.options.request.cancel)
    }

    /// Reads everything, as long as it is whole.
    fn read(&mut self) -> Result<()> {
        let mut reader = Reader::builder(self.open()?)
            .compression(stated_compression(self.options))
            .verify(stated_verify(self.options))
            .limits(self.options.request.limits)
            .name(Arc::clone(self.file))
            .build();
        self.compression = Some(reader.compression()?);
        let mut buffer = RecordBuffer::new();
        while reader.read_batch(&mut buffer, BatchSize::records(4096).and_bytes(1 << 20))? > 0 {
            buffer.iter().for_each(|record| self.payloads.add(record.data));
        }
        Ok(())
    }

    /// Reads a damaged file again, over every damage. Something that begins unlike TFRecord may still be one whose start is
    /// lost.
    fn salvage(&mut self, is_tfrecord: bool) {
        let input = match self.open() {
            Ok(input) => input,
            Err(error) => {
                self.report.state = if is_tfrecord { FileState::Damaged } else { FileState::NotRead };
                let text = format!("what comes after the damage was not read: {}", error.what());
                self.report.errors.push(error.context(text));
                return;
            }
        };
        let mut payloads = PayloadTotals::default();
        let mut reader = rewrite::salvage(input, self.file, self.options).build();
        let ended = loop {
            match reader.next_record() {
                Ok(Some(record)) => payloads.add(record.data),
                Ok(None) => break None,
                Err(error) => break Some(error),
            }
        };
        if !is_tfrecord && payloads.records == 0 {
            return;
        }
        self.report.state = FileState::Damaged;
        self.report.errors.extend(ended);
        let found = reader.into_report();
        // The first damage is the error that led here; a compressed stream may end without a lost byte.
        let further = found.damages.into_iter().skip(1).filter(|damage| damage.bytes() > 0);
        self.report.lost = further.map(rewrite::lost).collect();
        self.report.unlisted = found.unlisted;
        self.payloads = payloads;
    }

    /// Compares the sums with what was indexed.
    fn compare(&self, index: &Index) -> Result<()> {
        let (records, crc) = (index.len(), index.crc32_of_payloads());
        let is_same = crc.is_none_or(|crc| crc == self.payloads.crc32());
        if records == self.payloads.records && is_same {
            return Ok(());
        }
        let what = match records == self.payloads.records {
            true => "the file has other records than those that were indexed".to_owned(),
            false => {
                let found = Count::of(self.payloads.records, "record");
                let were = Count::of(records, "record").verb("was", "were");
                format!("the file has {found}, and {records} {were} indexed")
            }
        };
        let file = self.file;
        let what = format!(
            "{what}. If it is as it should be, index it again: tfxio index {file}. To leave the index alone: --no-index"
        );
        Err(Error::new(ErrorKind::Malformed, what).in_file(Arc::clone(file)))
    }
}

/// Returns whether something of the file may be whole.
fn is_damage(kind: &Kind) -> bool {
    matches!(
        kind,
        Kind::NotTfRecord
            | Kind::HeaderCrc
            | Kind::PayloadCrc
            | Kind::Truncated
            | Kind::RecordTooLong
            | Kind::Decompress
            | Kind::TrailingBytes
    )
}
