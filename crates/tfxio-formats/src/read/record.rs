//! One record of a data set.

use std::sync::Arc;

use tfxio_core::{
    Count, Dataset, Error, ErrorKind, RecordRun, Result, RowOrigin, Scan as _, ScanRequest, not_offered,
};

use super::Batches;
use super::counts::{count, whole_files};
use super::held::Held;

/// Reads the record of a number, which counts through all files.
pub(super) fn by_number(
    dataset: &Arc<dyn Dataset>,
    number: u64,
    mut request: ScanRequest,
) -> Result<Batches> {
    (request.limit, request.filter) = (None, None);
    let mut left = number;
    let files = whole_files(dataset)?.unwrap_or_default();
    for (at, file) in files.iter().enumerate() {
        // That the last file has it is found out when it is read.
        let records = match at + 1 == files.len() {
            true => Some(u64::MAX),
            false => count(dataset, file, &request)?,
        };
        let Some(records) = records else { break };
        if left < records {
            let run = RecordRun::new(Arc::clone(&file.file), left, 1);
            let scan =
                dataset.take(&[run], &request).map_err(|error| match count(dataset, file, &request) {
                    // The error counts within the last file, and the caller through all.
                    Ok(Some(records)) if at > 0 && left >= records => {
                        let all = (number - left).saturating_add(records);
                        let what = format!("there is no record {number}: the files have {all}");
                        Error::new(ErrorKind::InvalidArgument, what)
                    }
                    _ => error,
                })?;
            return Ok(Batches::of_scan(Arc::clone(dataset), request, scan));
        }
        left -= records;
    }
    let request = request.limit(1);
    let mut batches = Batches::from_row(Arc::clone(dataset), number, request.clone())?;
    let Some(record) = batches.next_batch()? else {
        let what = format!("there is no record {number}: the files have fewer");
        return Err(Error::new(ErrorKind::InvalidArgument, what));
    };
    let scan = Box::new(Held { schema: Arc::clone(batches.schema()), batches: [record].into() });
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}

/// Returns the record that holds a byte of the only file.
pub(super) fn by_byte(dataset: &Arc<dyn Dataset>, byte: u64) -> Result<RowOrigin> {
    let partitions = dataset.partitions(u64::MAX)?;
    let file = match partitions.as_slice() {
        [] => return Err(none_before(byte)),
        [first, others @ ..] if others.iter().all(|other| other.file == first.file) => &first.file,
        _ => {
            let what =
                format!("byte {byte} may be of any of {}; name one", Count::of(partitions.len(), "file"));
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
    };
    let found = match partitions.as_slice() {
        [whole] if whole.is_whole() => match dataset.statistics(whole).unwrap_or_default().rows.exact() {
            Some(records) => by_halves(dataset, file, records, byte)?,
            None => by_framing(dataset, byte)?,
        },
        _ => by_framing(dataset, byte)?,
    };
    found.ok_or_else(|| none_before(byte).in_file(Arc::clone(file)))
}

fn none_before(byte: u64) -> Error {
    Error::new(ErrorKind::InvalidArgument, format!("no record begins at byte {byte} or before it"))
}

/// Finds the record among `records`, by looking at a few.
fn by_halves(
    dataset: &Arc<dyn Dataset>,
    file: &Arc<str>,
    records: u64,
    byte: u64,
) -> Result<Option<RowOrigin>> {
    let origin = |record: u64| -> Result<RowOrigin> {
        let request = ScanRequest::new().columns([""; 0]).batch_rows(1);
        let mut scan = dataset.take(&[RecordRun::new(Arc::clone(file), record, 1)], &request)?;
        let origin = scan.next_batch()?.and_then(|batch| batch.origins().get(0));
        origin.ok_or_else(|| no_offsets(dataset))
    };
    // The first record that begins after the byte.
    let first_after = |byte: u64| -> Result<u64> {
        let (mut low, mut high) = (0, records);
        while low < high {
            let middle = low + (high - low) / 2;
            let begin = origin(middle)?.byte.ok_or_else(|| no_offsets(dataset))?;
            if begin <= byte { low = middle + 1 } else { high = middle }
        }
        Ok(low)
    };
    let Some(last) = first_after(byte)?.checked_sub(1) else { return Ok(None) };
    let found = origin(last)?;
    match found.byte.and_then(|begin| begin.checked_sub(1)) {
        // Others may begin at the same byte.
        Some(before) => origin(first_after(before)?).map(Some),
        None => origin(0).map(Some),
    }
}

/// Finds the record by reading up to the byte.
fn by_framing(dataset: &Arc<dyn Dataset>, byte: u64) -> Result<Option<RowOrigin>> {
    let mut batches = Batches::new(Arc::clone(dataset), ScanRequest::new().columns([""; 0]))?;
    let mut found: Option<RowOrigin> = None;
    while let Some(batch) = batches.next_batch()? {
        for row in 0..batch.num_rows() {
            let origin = batch.origins().get(row).ok_or_else(|| no_offsets(dataset))?;
            let begin = origin.byte.ok_or_else(|| no_offsets(dataset))?;
            if begin > byte {
                return Ok(found);
            }
            if found.as_ref().is_none_or(|found| found.byte < Some(begin)) {
                found = Some(origin);
            }
        }
    }
    Ok(found)
}

fn no_offsets(dataset: &Arc<dyn Dataset>) -> Error {
    let format = dataset.local_spec().map(|spec| spec.format).unwrap_or_default();
    not_offered(&format, "the bytes at which records begin").help("name the record by its number")
}
