//! Records as they are, from files into others: copies, and what is whole of damaged files.

use std::path::Path;
use std::sync::Arc;

use tfrecord_io::FileWriter;
use tfrecord_io::salvage::{Damage, SalvageBuilder, SalvageReader};
use tfxio_core::{
    CopyRecords, Error, ErrorKind, FileReport, Files, FormatOptions, LostRange, Partition, Repair, Result,
    Total,
};

use super::chunk::Chunk;
use super::data::Data;
use super::format::TfRecordFormat;
use super::partition_reader::Reading;
use super::plan;
use super::records::Records;
use super::settings::{self, Settings, stated_compression};
use crate::output::{self, Output, refuse_input};
use crate::payloads::nothing_kept;

/// Records that are copied at a time.
const CHUNK: usize = 1024;

fn create(files: &Files, output: &str, options: &FormatOptions) -> Result<Output<FileWriter>> {
    refuse_input(files, Path::new(output))?;
    settings::create(output, options)
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
        let mut records = Records::new(data, Reading::of(&options.request), whole, u64::MAX);
        let (mut chunk, mut copied) = (Chunk::default(), 0u64);
        loop {
            let count = records.read(&mut chunk, CHUNK, usize::MAX)?;
            if count == 0 {
                break;
            }
            chunk.try_for_each(|record| output_files.write(|file| file.write(record.data)))?;
            copied = copied.saturating_add(count as u64);
            progress(copied);
        }
        options.request.on_error.refuse_nothing(copied)?;
        let bytes = output::bytes(&output_files.finish()?);
        Ok(FileReport::new(output).count("records", copied, Total::Sum).count("bytes", bytes, Total::Sum))
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
        report.lost = found.damages.iter().map(lost).collect();
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

pub(super) fn lost(damage: &Damage) -> LostRange {
    let mut lost = LostRange::new(damage.start, damage.end, damage.reason.name());
    lost.compressed = damage.compressed;
    lost.records_before = damage.last_good.map_or(0, |good| good.index.saturating_add(1));
    lost.last_good_offset = damage.last_good.map(|good| good.offset);
    lost.records = damage.lost_records;
    lost.detail = Some(damage.reason.to_string());
    lost
}
