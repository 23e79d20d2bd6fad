//! Inference of the types of records.

use std::sync::Arc;

use tfxio_core::{Origin, RecordPlanner, Result, ScanRequest};
use tfxio_scan::damage::is_damage;
use tfxio_scan::sampling::{WHOLE_BYTES, sample};

use super::data::Data;

/// Shows the records that a schema is inferred from to a planner: all, where the files are local and not large, or the number
/// that was asked for, or the first 10,000.
pub(crate) fn infer(
    data: &Data,
    planner: &mut dyn RecordPlanner,
    infer_records: Option<u64>,
    request: &ScanRequest,
) -> Result<()> {
    let mut left = sample(&data.files, infer_records, WHOLE_BYTES)?;
    for file in data.files.names() {
        if left == 0 {
            break;
        }
        let mut rows = data.reader(file, u64::MAX, left, &request.limits, &request.cancel)?;
        rows.skip = request.on_error.skip().cloned();
        loop {
            let number = rows.record();
            let Some((offset, row)) = rows.next_row()? else { break };
            match planner.push(row, Origin::new(file, offset, number)) {
                // Whoever reads them after that reports it.
                Err(error) if request.on_error.skip().is_some() && is_damage(&error) => {}
                pushed => pushed?,
            }
        }
        left = left.saturating_sub(rows.record());
    }
    Ok(())
}

/// Shows the first rows of the first file that has any. Returns that file.
pub(crate) fn look_at(
    data: &Data,
    rows: u64,
    request: &ScanRequest,
    look: &mut dyn FnMut(&[u8]),
) -> Result<Option<Arc<str>>> {
    for file in data.files.names() {
        let mut reader = data.reader(file, u64::MAX, rows, &request.limits, &request.cancel)?;
        while reader.record() < rows {
            let Some((_, row)) = reader.next_row()? else { break };
            look(row);
        }
        if reader.record() > 0 {
            return Ok(Some(Arc::clone(file)));
        }
    }
    Ok(None)
}

/// Returns the first row of the first file that has one, and the name of that file.
pub(crate) fn first_row(data: &Data, request: &ScanRequest) -> Result<Option<(Arc<str>, Vec<u8>)>> {
    let mut first = Vec::new();
    let file = look_at(data, 1, request, &mut |row| first.extend_from_slice(row))?;
    Ok(file.map(|file| (file, first)))
}
