//! Inspection of files of text.

use std::sync::Arc;

use tfxio_core::{
    Dataset as _, ErrorKind, FactValue, FileReport, FileState, Files, FormatOptions, Result, ScanRequest,
    Total,
};
use tfxio_store::payload_totals::add_checksum;

use super::dataset::TextFiles;

/// Returns a report of each file, each of which is opened by itself and decoded.
pub(crate) fn inspect(
    files: &Files,
    options: &FormatOptions,
    open: impl Fn(Files, &FormatOptions) -> Result<TextFiles>,
) -> Vec<FileReport> {
    let inspect = |file: &Arc<str>| {
        let only = Files::new([Arc::clone(file)], Arc::clone(files.store()));
        let mut report = FileReport::new(&**file);
        let opened = open(only, options);
        match opened.and_then(|opened| read(&opened, &options.request, &mut report)) {
            Ok(()) => {
                add_checksum(&mut report, files, file, &options.request);
                report
            }
            Err(error) => {
                report.state = FileState::NotRead;
                report.errors.push(error);
                report
            }
        }
    };
    files.names().iter().map(inspect).collect()
}

/// Reads all rows of a file.
fn read(opened: &TextFiles, request: &ScanRequest, report: &mut FileReport) -> Result<()> {
    let (mut rows, mut bytes) = (0u64, 0u64);
    let mut is_compressed = false;
    for partition in opened.partitions(u64::MAX)? {
        let mut scan = opened.scan(&partition, request)?;
        loop {
            match scan.next_batch() {
                Ok(Some(batch)) => rows = rows.saturating_add(batch.num_rows() as u64),
                Ok(None) => break,
                Err(error) => {
                    report.state = match error.kind() {
                        ErrorKind::Malformed => FileState::Damaged,
                        _ => FileState::NotRead,
                    };
                    report.errors.push(error);
                    break;
                }
            }
        }
        bytes = bytes.saturating_add(scan.counts().bytes);
        is_compressed = opened.data.is_compressed(&partition.file, &request.cancel).unwrap_or_default();
    }
    let columns = opened.schema().fields().iter();
    let columns = columns.map(|field| (field.name().clone(), field.data_type().to_string().into_bytes()));
    *report = std::mem::take(report)
        .fact("format", opened.format)
        .fact("compression", if is_compressed { "gzip" } else { "none" })
        .count("rows", rows, Total::Sum)
        .count("bytes", bytes, Total::Sum)
        .fact("columns", FactValue::Entries(columns.collect()));
    Ok(())
}
