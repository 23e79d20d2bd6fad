//! Whether files are whole: all that a format can check, and every record decoded.

use tfxio_base::Remedy;
use tfxio_core::{Count, Error, ErrorKind, FactValue, FileReport, FileState, Result, ScanRequest, Total};

use crate::{DatasetExt as _, OpenOptions};

/// Key of the number of records that were decoded.
const RECORDS: &str = "verified_records";
/// Depth to which a record that contains itself is decoded.
const DEPTH: u64 = 4;

impl OpenOptions {
    /// Verifies a file, of any format: looks into it as its format offers ([`Inspect`](tfxio_core::Inspect): checksums, framing, and its
    /// index), then decodes all columns of all its records, and compares their number with the statistics. The fact `verified_records` of
    /// the report is the number of records that were decoded. Damage is a finding and not an error.
    ///
    /// ```
    /// # let file = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits-00000-of-00003.tfrecord");
    /// use tfxio_formats::OpenOptions;
    /// use tfxio_formats::tfxio_core::{FactValue, FileState};
    ///
    /// let report = OpenOptions::new().verify(file)?;
    /// assert_eq!(report.state, FileState::Whole);
    /// assert_eq!(report.get("verified_records"), Some(&FactValue::Count(599)));
    /// # Ok::<(), tfxio_formats::Error>(())
    /// ```
    ///
    /// # Errors
    /// When the file cannot be read, or the options do not fit its format.
    pub fn verify(&self, file: &str) -> Result<FileReport> {
        let found = match self.find(file) {
            Ok(found) => found,
            Err(error) if is_of_caller(&error) => return Err(error),
            Err(error) => return Ok(not_read(file, error)),
        };
        let mut report = match found.format.inspect() {
            Some(inspect) => inspect.inspect(&found.files, &found.options)?.pop(),
            None => None,
        };
        let report = report.get_or_insert_with(|| FileReport::new(file).fact("format", found.format.name()));
        let mut report = std::mem::take(report);
        if report.errors.is_empty() {
            // What can be read once only is kept by the store that has read it.
            match self.within(&found.files).decode(file) {
                Ok(records) => report = report.count(RECORDS, records, Total::Sum),
                Err(error) if is_of_caller(&error) => return Err(error),
                Err(error) => {
                    report.state = FileState::Damaged;
                    report.errors.push(error);
                }
            }
        }
        Ok(report)
    }

    /// Decodes all records of a file and returns their number.
    fn decode(&self, file: &str) -> Result<u64> {
        let dataset = match self.open(file) {
            // What stands deeper is looked into, too, but not decoded.
            Err(error) if error.remedy() == Some(Remedy::BoundDepth) => {
                self.clone().prefer("max_depth", DEPTH).open(file)?
            }
            opened => opened?,
        };
        let mut request = ScanRequest::new().limits(self.requested().limits);
        request.cancel = self.requested().cancel.clone();
        let mut records = 0u64;
        for batch in dataset.read(request)? {
            records = records.saturating_add(batch?.num_rows() as u64);
        }
        let mut known = Some(0u64);
        for partition in dataset.partitions(u64::MAX)? {
            let rows = dataset.statistics(&partition)?.rows.exact();
            known = known.zip(rows).map(|(known, rows)| known.saturating_add(rows));
        }
        match known {
            Some(known) if known != records => {
                let records = Count::of(records, "record");
                let were = records.verb("was", "were");
                let what = format!("{records} {were} read, and the file or its index says {known}");
                Err(Error::new(ErrorKind::Malformed, what).in_file(file))
            }
            _ => Ok(records),
        }
    }
}

/// Returns whether an error is about the call and not about the file.
fn is_of_caller(error: &Error) -> bool {
    error.kind().is_io()
        || matches!(
            error.kind(),
            ErrorKind::InvalidArgument | ErrorKind::Unsupported | ErrorKind::SchemaRequired
        )
}

fn not_read(file: &str, error: Error) -> FileReport {
    let mut report = FileReport::new(file).fact("format", FactValue::Unknown);
    report.state = FileState::NotRead;
    report.errors.push(error);
    report
}
