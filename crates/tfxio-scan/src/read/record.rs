//! One record of a data set.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Batch, Count, Dataset, Error, ErrorKind, RecordRun, Result, RowOrigin, Scan as _, ScanRequest,
    not_offered,
};

use super::Batches;
use super::buffered::BufferedScan;
use super::counts::{count, count_all, whole_files};

/// Reads the record of a number, which counts through all files.
pub fn by_number(dataset: &Arc<dyn Dataset>, number: u64, mut request: ScanRequest) -> Result<Batches> {
    (request.limit, request.filter) = (Some(1), None);
    let (schema, batch) = match read(dataset, number, &request) {
        Ok((schema, Some(batch))) => (schema, batch),
        Ok((_, None)) => return Err(missing(dataset, number)),
        Err(error) if error.kind() == ErrorKind::InvalidArgument => {
            // What is missing is said alike of all formats, and of the last of several files.
            let is_missing = count_all(dataset).is_ok_and(|records| number >= records);
            return Err(if is_missing { missing(dataset, number) } else { error });
        }
        Err(error) => return Err(error),
    };
    let scan = Box::new(BufferedScan { schema, batches: [batch].into() });
    Ok(Batches::of_scan(Arc::clone(dataset), request, scan))
}

/// Reads a record, if there are as many, and the schema of what is read.
fn read(
    dataset: &Arc<dyn Dataset>,
    number: u64,
    request: &ScanRequest,
) -> Result<(SchemaRef, Option<Batch>)> {
    let mut left = number;
    let files = whole_files(dataset)?.unwrap_or_default();
    for (at, file) in files.iter().enumerate() {
        // That the last file has it is found out when it is read.
        let records = match at + 1 == files.len() {
            true => Some(u64::MAX),
            false => count(dataset, file, request)?,
        };
        let Some(records) = records else { break };
        if left < records {
            let run = RecordRun::new(Arc::clone(&file.file), left, 1);
            let mut scan = dataset.take(&[run], request)?;
            let batch = scan.next_batch()?;
            return Ok((Arc::clone(scan.schema()), batch));
        }
        left -= records;
    }
    let mut batches = Batches::from_row(Arc::clone(dataset), number, request.clone())?;
    let batch = batches.next_batch()?;
    Ok((Arc::clone(batches.schema()), batch))
}

/// Returns the error of a record that the files do not have.
fn missing(dataset: &Arc<dyn Dataset>, number: u64) -> Error {
    let files = dataset.partitions(u64::MAX).unwrap_or_default();
    let one = files.first().filter(|first| files.iter().all(|file| file.file == first.file));
    let has = if one.is_some() { "the file has" } else { "the files have" };
    let what = match count_all(dataset) {
        Ok(records) => format!("there is no record {number}: {has} {records}"),
        // They can be read once only.
        Err(_) => format!("there is no record {number}: {has} fewer"),
    };
    let error =
        Error::new(ErrorKind::InvalidArgument, what).help("take the numbers from the files as they are now");
    match one {
        Some(file) => error.in_file(Arc::clone(&file.file)),
        None => error,
    }
}

/// Returns the record that holds a byte of the only file.
pub fn by_byte(dataset: &Arc<dyn Dataset>, byte: u64) -> Result<RowOrigin> {
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
