//! Inspection of files of any format.

use std::sync::Arc;

use tfxio_core::{Error, ErrorKind, FactValue, FileReport, FileState, Files, Position, Result, Total};

use crate::{DatasetExt as _, Found};

/// Bytes of the partitions that are counted.
const PARTITION: u64 = 64 << 20;

impl Found {
    /// Looks into each file: as its format [offers](tfxio_core::Inspect), or else by reading all rows. What is said then is the same of
    /// every format: `format`, `records`, stored `bytes`, `partitions` of about 64 MiB, and `columns`. Damage is a finding and not
    /// an error.
    ///
    /// # Errors
    /// When a file cannot be read.
    pub fn inspect(&self) -> Result<Vec<FileReport>> {
        match self.format.inspect() {
            Some(inspect) => inspect.inspect(&self.files, &self.options),
            None => Ok(self.files.names().iter().map(|file| self.read(file)).collect()),
        }
    }

    /// Reads all rows of a file.
    fn read(&self, file: &Arc<str>) -> FileReport {
        let mut report = FileReport::new(&**file).fact("format", self.format.name());
        let named = |error: Error| error.or_at(&Position::new().file(Arc::clone(file)));
        let only = Files::new([Arc::clone(file)], Arc::clone(self.files.store()));
        let opened = self.format.open(only, &self.options);
        let opened = opened.and_then(|dataset| {
            let partitions = dataset.partitions(PARTITION)?.len() as u64;
            Ok((
                partitions,
                self.files.store().size(file)?,
                dataset.read(self.options.request.clone())?,
                dataset,
            ))
        });
        let (partitions, bytes, batches, dataset) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                report.state = FileState::NotRead;
                report.errors.push(named(error));
                return report;
            }
        };
        let mut records = 0u64;
        for batch in batches {
            match batch {
                Ok(batch) => records = records.saturating_add(batch.num_rows() as u64),
                Err(error) => {
                    let is_damaged = error.kind() == ErrorKind::Malformed;
                    report.state = if is_damaged { FileState::Damaged } else { FileState::NotRead };
                    report.errors.push(named(error));
                }
            }
        }
        let columns = dataset.schema().fields().iter();
        let columns = columns.map(|field| (field.name().clone(), field.data_type().to_string().into_bytes()));
        report = report.count("records", records, Total::Sum);
        report = match bytes {
            Some(bytes) => report.count("bytes", bytes, Total::Sum),
            None => report.fact("bytes", FactValue::Unknown),
        };
        report
            .count("partitions", partitions, Total::Sum)
            .fact("columns", FactValue::Entries(columns.collect()))
    }
}
