//! Number of records that a schema is inferred from, of formats that hold none.

use tfxio_core::{Files, Result};

/// Maximum bytes of local files of which all records are looked at, where no other number is given: 256 MiB.
pub const WHOLE_BYTES: u64 = 256 << 20;
/// Records that are looked at of larger data sets, of objects and of pipes.
const SAMPLE: u64 = 10_000;

/// Returns the number of records that a schema is inferred from, of any format that holds no schema: all, where the files are
/// local and together have at most `whole_bytes`.
pub fn sample(files: &Files, infer_records: Option<u64>, whole_bytes: u64) -> Result<u64> {
    if let Some(records) = infer_records {
        return Ok(records);
    }
    let mut sizes = Vec::new();
    for file in files.names() {
        let local = files.store().local_path(file);
        sizes.push(files.store().size(file)?.filter(|_| local.is_some()));
        if sizes.last() == Some(&None) {
            break;
        }
    }
    Ok(sample_of(sizes, whole_bytes))
}

/// Returns the same of files of these sizes; a size is of a local file.
pub fn sample_of(sizes: impl IntoIterator<Item = Option<u64>>, whole_bytes: u64) -> u64 {
    let mut bytes = 0u64;
    for size in sizes {
        let Some(size) = size else { return SAMPLE };
        bytes = bytes.saturating_add(size);
    }
    if bytes <= whole_bytes { u64::MAX } else { SAMPLE }
}
