//! Files of text as a data set.

use std::sync::Arc;

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{
    Cancel, Dataset, DatasetSpec, ErrorKind, Estimate, FormatOptions, Loss, Partition, PartitionStatistics,
    RecordPlan, RecordRun, Result, Scan, ScanRequest, count_by_scanning, take_in_file_by_seeking,
};

use super::data::Data;
use super::entry::from_row;
use super::scan::TextScan;

/// Files of text, all of one schema.
#[derive(Debug)]
pub(crate) struct TextFiles {
    pub(crate) data: Arc<Data>,
    pub(crate) plan: Arc<dyn RecordPlan>,
    pub(crate) format: &'static str,
    pub(crate) options: FormatOptions,
    pub(crate) notes: Vec<String>,
}

impl TextFiles {
    /// Appends the partitions of a file, which begin with a record each where that takes reading all of the file.
    pub(crate) fn cut(&self, file: &Arc<str>, target: u64, out: &mut Vec<Partition>) -> Result<()> {
        let (store, cancel) = (self.data.files.store(), &self.options.request.cancel);
        // Whole files need no look at their sizes.
        let size = if target == u64::MAX { None } else { store.size(file)? };
        let Some(size) = size.filter(|size| *size > target) else {
            out.push(Partition::whole(Arc::clone(file)));
            return Ok(());
        };
        if self.data.is_compressed(file, cancel)? {
            out.push(Partition::whole(Arc::clone(file)));
            return Ok(());
        }
        let parts = size.div_ceil(target);
        // Fits: a part of the size.
        let at = |part: u64| {
            u64::try_from(u128::from(size) * u128::from(part) / u128::from(parts)).unwrap_or(size)
        };
        if self.data.syntax.quotes.is_none() {
            for part in 0..parts {
                let end = if part + 1 == parts { u64::MAX } else { at(part + 1) };
                let partition = Partition::range(Arc::clone(file), at(part), end);
                out.push(if part == 0 { partition.first_record(0) } else { partition });
            }
            return Ok(());
        }
        // An object would be fetched as a whole to be cut.
        let rows = match store.local_path(file) {
            Some(_) => self.data.rows(file, &self.options.request.limits, cancel),
            None => {
                out.push(Partition::whole(Arc::clone(file)));
                return Ok(());
            }
        };
        match rows {
            Ok(_) => {}
            // A scan says what is damaged, or skips it.
            Err(error) if error.kind() == ErrorKind::Malformed => {
                out.push(Partition::whole(Arc::clone(file)));
                return Ok(());
            }
            Err(error) => return Err(error),
        }
        let mut cuts: Vec<(u64, Option<u64>)> = vec![(0, Some(0))];
        for part in 1..parts {
            let last = cuts.last().map_or(0, |(offset, _)| *offset);
            if at(part) <= last {
                continue;
            }
            let row = self.data.row_from(file, at(part), None, &self.options.request.limits, cancel)?;
            if row.0 > last && row.0 < size {
                cuts.push(row);
            }
        }
        for (index, (start, record)) in cuts.iter().enumerate() {
            let end = cuts.get(index + 1).map_or(u64::MAX, |(end, _)| *end);
            let mut partition = if *start == 0 {
                Partition::range(Arc::clone(file), 0, end)
            } else {
                from_row(file, *start, end)
            };
            partition.first_record = *record;
            out.push(partition);
        }
        Ok(())
    }
}

impl Dataset for TextFiles {
    fn schema(&self) -> &SchemaRef {
        self.plan.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let mut partitions = Vec::new();
        for file in self.data.files.names() {
            self.cut(file, target_bytes.max(1), &mut partitions)?;
        }
        Ok(partitions)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (data, plan) = (Arc::clone(&self.data), Arc::clone(&self.plan));
        Ok(Box::new(TextScan::new(data, plan, partition, request)?))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        // Records are counted, and not decoded.
        if request.columns.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Arc::new(Schema::empty()));
        }
        Ok(self.plan.decoder(request)?.schema().unwrap_or_else(|| Arc::clone(self.plan.schema())))
    }

    fn notes(&self) -> Vec<String> {
        self.notes.clone()
    }

    fn losses(&self) -> Vec<Loss> {
        self.plan.losses()
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        take_in_file_by_seeking(self, file, runs, request)
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let Partition { file, start, end, skip, records, .. } = partition;
        let mut statistics = PartitionStatistics::default();
        if let Some(size) = self.data.files.store().size(file)? {
            statistics.bytes = Estimate::Exact((*end).min(size).saturating_sub(*start));
        }
        if let Some(rows) = self.data.known_rows(file).filter(|_| partition.is_whole()) {
            let rows = rows.records.saturating_sub(*skip);
            statistics.rows = Estimate::Exact(records.map_or(rows, |records| rows.min(records)));
        }
        Ok(statistics)
    }

    /// Counts the records of a whole local file by finding where they begin, which is kept.
    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let file = &partition.file;
        let is_local = self.data.files.store().local_path(file).is_some();
        if is_local
            && partition.is_whole()
            && request.on_error.skip().is_none()
            && !self.data.is_compressed(file, &Cancel::default())?
        {
            self.data.rows(file, &request.limits, &request.cancel)?;
        }
        count_by_scanning(self, partition, request)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        let spec = DatasetSpec::new(self.format, self.data.files.names().to_vec(), Arc::clone(self.schema()));
        let mut options = self.plan.options();
        options.extend(self.options.values().clone());
        Ok(spec.options(options))
    }
}
