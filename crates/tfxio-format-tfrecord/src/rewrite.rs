//! Records as they are, from files into others: copies, and what is whole of damaged files.

use std::path::Path;
use std::sync::Arc;

use tfrecord_io::salvage::{Reason, SalvageBuilder, SalvageReader};
use tfrecord_io::{FileWriter, frame};
use tfxio_core::{
    CopyRecords, Error, ErrorKind, FileReport, Files, FormatOptions, LostRange, Nested, Partition, Repair,
    Result, ScanRequest, Total,
};
use tfxio_store::output::{self, Output, refuse_input};
use tfxio_store::payload_totals::nothing_kept;
use tfxio_store::row_sink::{EncodedRows, Packers};

use super::chunk::Chunk;
use super::data::Data;
use super::format::TfRecordFormat;
use super::partition_reader::ReadOptions;
use super::plan;
use super::records::Records;
use super::settings::{self, Settings, stated_compression};
use super::sink::packer;

/// Records that are copied at a time.
const CHUNK: usize = 1024;
/// About how many bytes of them, at most, where several threads compress.
const CHUNK_BYTES: usize = 4 << 20;

fn create(files: &Files, output: &str, options: &FormatOptions) -> Result<Output<FileWriter>> {
    refuse_input(files, Path::new(output))?;
    settings::create(output, options)
}

/// Copies records one by one. Returns their number.
fn copy(mut records: Records, output: &mut Output<FileWriter>, progress: &mut dyn FnMut(u64)) -> Result<u64> {
    let (mut chunk, mut copied) = (Chunk::default(), 0u64);
    loop {
        let count = records.read(&mut chunk, CHUNK, usize::MAX)?;
        if count == 0 {
            return Ok(copied);
        }
        chunk.try_for_each(|record| output.write(|file| file.write(record.data)))?;
        copied = copied.saturating_add(count as u64);
        progress(copied);
    }
}

/// Records in new frames, some at a time.
struct Framed {
    records: Records,
    chunk: Chunk,
}

impl Framed {
    fn read(&mut self) -> Result<Option<EncodedRows>> {
        if self.records.read(&mut self.chunk, CHUNK, CHUNK_BYTES)? == 0 {
            return Ok(None);
        }
        let mut rows = EncodedRows::default();
        self.chunk.try_for_each(|record| {
            rows.push(|out| {
                frame::append(out, record.data);
                Ok(())
            })
        })?;
        Ok(Some(rows))
    }
}

impl Iterator for Framed {
    type Item = Result<EncodedRows>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read().transpose()
    }
}

impl CopyRecords for TfRecordFormat {
    /// Records stay as they are, whatever they hold; framing, compression and shards are new.
    fn copy_records(
        &self,
        files: &Files,
        output: &str,
        options: &FormatOptions,
        progress: &mut dyn FnMut(u64),
    ) -> Result<FileReport> {
        let options = plan::of_any_format(options)?;
        let mut output_files = create(files, output, &options)?;
        let data = Arc::new(Data::new(files.clone(), Settings::new(&options)?));
        let whole = files.names().iter().map(|file| Partition::whole(Arc::clone(file)));
        let records = |request: &ScanRequest| Records::new(data, ReadOptions::of(request), whole, u64::MAX);
        let copied = match settings::members(output, &options).filter(|_| options.request.threads > 1) {
            Some((block_len, level)) => {
                let (threading, nested) = (options.request.threading(), Nested::new());
                // What inflates the inputs has the same threads.
                let request = options.request.clone().spawn(nested.threading(&threading).spawn);
                let framed = Framed { records: records(&request), chunk: Chunk::default() };
                let packers = Packers { packer: packer(Some(level)), block_len, threading, nested };
                packers.write(framed, &mut output_files, progress)?
            }
            None => copy(records(&options.request), &mut output_files, progress)?,
        };
        options.request.on_error.refuse_nothing(copied)?;
        let files = output_files.finish()?;
        let report = FileReport::new(output).count("records", copied, Total::Sum);
        Ok(report.count("bytes", output::bytes(&files), Total::Sum).fact("files", output::sizes(&files)))
    }
}

impl Repair for TfRecordFormat {
    fn repair(&self, files: &Files, output: &str, options: &FormatOptions) -> Result<FileReport> {
        let options = plan::of_any_format(options)?;
        let [file] = files.names() else {
            let what = format!("{} files are named, and one is repaired at a time", files.names().len());
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        };
        let input = files.open_with(&Partition::whole(Arc::clone(file)), &options.request.cancel)?;
        let mut reader = salvage(input, file, &options).build();
        let mut output_files = create(files, output, &options)?;
        while let Some(record) = reader.next_record()? {
            options.request.cancel.check()?;
            output_files.write(|file| file.write(record.data))?;
        }
        let found = reader.into_report();
        let mut report = FileReport::new(&**file)
            .count("records", found.records, Total::Sum)
            .count("payload_bytes", found.payload_bytes, Total::Sum)
            .count("lost_bytes", found.lost_bytes, Total::Sum)
            .count("lost_compressed_bytes", found.lost_compressed_bytes, Total::Sum);
        if found.records == 0 && !found.is_clean() {
            report.errors.push(nothing_kept(output));
        } else {
            output_files.finish()?;
        }
        report.lost = found.damages.iter().cloned().map(lost).collect();
        report.unlisted = found.unlisted;
        Ok(report)
    }
}

/// Returns what reads a damaged file.
pub(super) fn salvage<S>(source: S, file: &Arc<str>, options: &FormatOptions) -> SalvageBuilder<S> {
    SalvageReader::builder(source)
        .compression(stated_compression(options))
        .limits(options.request.limits)
        .name(Arc::clone(file))
}

pub(super) fn lost(mut damage: LostRange<Reason>) -> LostRange {
    damage.detail = Some(damage.reason.to_string().into());
    damage.map_reason(|reason| reason.name().into())
}
