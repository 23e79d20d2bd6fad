//! TFRecord files as a data set.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Dataset, DatasetSpec, Entries, Error, ErrorKind, Estimate, FormatOptions, Limits, Partition,
    PartitionStatistics, RecordPlan, RecordRun, Result, Scan, ScanRequest, count_by_scanning,
    entries_by_seeking, take_by_seeking, take_in_file_by_seeking,
};
use tfxio_scan::executor::unfiltered;
use tfxio_scan::filter;

use super::cut;
use super::data::Data;
use super::indexes::Kind;
use super::scan::TfRecordScan;

/// TFRecord files with records of one format.
#[derive(Debug)]
pub(super) struct TfRecordFiles {
    pub(super) data: Arc<Data>,
    pub(super) plan: Arc<dyn RecordPlan>,
    pub(super) format: &'static str,
    pub(super) options: FormatOptions,
}

impl TfRecordFiles {
    fn limits(&self) -> Limits {
        self.options.request.limits
    }

    fn scan_partitions(&self, partitions: Vec<Partition>, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (data, plan) = (Arc::clone(&self.data), Arc::clone(&self.plan));
        Ok(Box::new(TfRecordScan::new(data, plan, partitions, request)?))
    }

    /// Appends the partitions of a file.
    fn cut(&self, file: &Arc<str>, target: u64, out: &mut Vec<Partition>) -> Result<()> {
        // Whole files need no look at their sizes.
        let size = if target == u64::MAX { None } else { self.data.files.store().size(file)? };
        let Some(size) = size.filter(|size| *size > target) else {
            out.push(Partition::whole(Arc::clone(file)));
            return Ok(());
        };
        match self.data.kind(file, &self.limits())? {
            Kind::Plain => self.cut_plain(file, target, out),
            Kind::Members(members) => {
                let mut from = 0;
                while from < members.len() {
                    let stored = |at: usize| members.get(at).map_or(size, |member| member.stored_offset);
                    let fits = |at: &usize| stored(*at) - stored(from) <= target;
                    let to = (from + 1..=members.len()).take_while(fits).last().unwrap_or(from + 1);
                    let record =
                        |at: usize| members.get(at).map_or(cut::records_of(&members), |m| m.first_record);
                    out.extend(cut::of_members(file, &members, record(from), record(to)));
                    from = to;
                }
                Ok(())
            }
            Kind::Stream => {
                out.push(Partition::whole(Arc::clone(file)));
                Ok(())
            }
        }
    }

    fn cut_plain(&self, file: &Arc<str>, target: u64, out: &mut Vec<Partition>) -> Result<()> {
        if let Some(index) = self.data.index(file)? {
            let splits = index.splits(target).into_iter().map(|split| split.records);
            out.extend(splits.map(|records| cut::of_index(file, &index, records.start, records.end)));
            return Ok(());
        }
        let mut splitter = self.data.splitter(file, &self.limits(), &self.options.request.cancel)?;
        let bytes = splitter.file_bytes();
        let splits = match splitter.splits(target).map_err(|error| error.in_file(Arc::clone(file))) {
            Ok(splits) => splits,
            // A scan says what is damaged, or skips it.
            Err(error) if error.kind() == ErrorKind::Malformed => {
                out.push(Partition::whole(Arc::clone(file)));
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        out.extend(splits.into_iter().map(|split| {
            // The last one takes in what may be appended.
            let end = if split.end == bytes { u64::MAX } else { split.end };
            let partition = cut::from_record(file, split.start, end, true);
            if split.start == 0 { partition.first_record(0) } else { partition }
        }));
        Ok(())
    }

    /// Returns a scan of runs, where the offsets of all records are known.
    fn taken(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        if request.on_error.skip().is_some() {
            return Ok(None);
        }
        let Some(partitions) = self.runs(runs)? else { return Ok(None) };
        // Each record that was chosen is a row.
        self.scan_partitions(partitions, &unfiltered(request)).map(Some)
    }

    /// Returns the partitions of runs, where the offsets of all records are known.
    fn runs(&self, runs: &[RecordRun]) -> Result<Option<Vec<Partition>>> {
        let mut partitions: Vec<Partition> = Vec::with_capacity(runs.len());
        for RecordRun { file, first, records, byte, .. } in runs {
            if *records == 0 {
                continue;
            }
            let end = first.saturating_add(*records);
            let (partition, known) = match self.data.kind(file, &self.limits())? {
                Kind::Plain => match (self.data.index(file)?, *byte) {
                    (None, Some(byte)) => {
                        let partition = cut::from_record(file, byte, u64::MAX, true).first_record(*first);
                        (Some(partition.records(*records)), u64::MAX)
                    }
                    (Some(index), _) => (Some(cut::of_index(file, &index, *first, end)), index.len()),
                    (None, None) => match self.data.offsets(file, &self.limits(), false)? {
                        Some(index) => (Some(cut::of_index(file, &index, *first, end)), index.len()),
                        None => return Ok(None),
                    },
                },
                Kind::Members(members) => {
                    (cut::of_members(file, &members, *first, end), cut::records_of(&members))
                }
                Kind::Stream => return Ok(None),
            };
            let Some(partition) = partition.filter(|_| end <= known) else {
                let what = format!("there is no record {}: the file has {known}", known.max(*first));
                return Err(Error::new(ErrorKind::InvalidArgument, what)
                    .help("take the numbers from the files as they are now")
                    .in_file(Arc::clone(file)));
            };
            match partitions.last_mut() {
                // Runs that follow each other are read at once.
                Some(last) if cut::member_offset(&partition).is_none() && follows(last, &partition) => {
                    last.end = partition.end;
                    last.records = last.records.zip(partition.records).map(|(a, b)| a.saturating_add(b));
                }
                _ => partitions.push(partition),
            }
        }
        Ok(Some(partitions))
    }
}

fn follows(last: &Partition, next: &Partition) -> bool {
    last.file == next.file && last.end == next.start && last.end < u64::MAX
}

impl Dataset for TfRecordFiles {
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
        self.scan_partitions(vec![partition.clone()], request)
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        self.scan_partitions(partitions.to_vec(), request).map(Some)
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        // Records are counted, and not decoded.
        if request.columns.as_ref().is_some_and(Vec::is_empty) {
            return Ok(Arc::new(arrow_schema::Schema::empty()));
        }
        Ok(self.plan.decoder(request)?.schema().unwrap_or_else(|| Arc::clone(self.plan.schema())))
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        filter::is_applied(request)
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        if let Some(unknown) = runs.iter().find(|run| !self.data.files.names().contains(&run.file)) {
            let what = format!("the data set has no file {:?}", unknown.file);
            return Err(Error::new(ErrorKind::InvalidArgument, what));
        }
        match self.taken(runs, request)? {
            Some(scan) => Ok(scan),
            None => take_by_seeking(self, runs, request),
        }
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        let taken = match runs.iter().all(|run| run.file == file.file) {
            true => self.taken(runs, request)?,
            false => None,
        };
        match taken {
            Some(scan) => Ok(scan),
            None => take_in_file_by_seeking(self, file, runs, request),
        }
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let Partition { file, start, end, skip, records, .. } = partition;
        let mut statistics = PartitionStatistics::default();
        let size = self.data.files.store().size(file)?;
        if let Some(size) = size {
            statistics.bytes = Estimate::Exact((*end).min(size).saturating_sub(*start));
        }
        statistics.rows = match (records, self.data.index(file)?) {
            (Some(records), _) => Estimate::Exact(*records),
            (None, Some(index)) if partition.is_whole() => Estimate::Exact(index.len().saturating_sub(*skip)),
            (None, Some(index)) if matches!(self.data.kind(file, &self.limits())?, Kind::Plain) => {
                let after = if *end == u64::MAX { index.len() } else { cut::record_from(&index, *end) };
                let rows = after.saturating_sub(cut::record_from(&index, *start));
                Estimate::Exact(rows.saturating_sub(*skip))
            }
            // What is wrong with a file is said when it is read.
            (None, None) if partition.is_whole() => match self.data.kind(file, &self.limits()) {
                Ok(Kind::Members(members)) => {
                    Estimate::Exact(cut::records_of(&members).saturating_sub(*skip))
                }
                _ => Estimate::Unknown,
            },
            _ => Estimate::Unknown,
        };
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let Partition { file, skip, records, .. } = partition;
        if !partition.is_whole() || records.is_some() || *skip > 0 || request.on_error.skip().is_some() {
            return count_by_scanning(self, partition, request);
        }
        match self.data.kind(file, &self.limits())? {
            Kind::Plain => match self.data.offsets(file, &self.limits(), true)? {
                Some(index) => Ok(index.len()),
                None => count_by_scanning(self, partition, request),
            },
            Kind::Stream => self.data.count_stream(file, || count_by_scanning(self, partition, request)),
            Kind::Members(_) => count_by_scanning(self, partition, request),
        }
    }

    /// Finds any record of a file that is not compressed, by its index or by reading its headers, and the first of each gzip
    /// member of one that is.
    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        let file = &partition.file;
        match self.data.kind(file, &self.limits())? {
            Kind::Plain => match self.data.offsets(file, &self.limits(), false)? {
                Some(_) => Ok(Entries::Everywhere),
                None => entries_by_seeking(self, partition, records),
            },
            Kind::Members(members) => {
                let firsts = members.iter().map(|member| member.first_record);
                Ok(Entries::At(firsts.filter(|first| *first < records).collect()))
            }
            Kind::Stream => Ok(Entries::first()),
        }
    }

    fn spec(&self) -> Result<DatasetSpec> {
        let files = self.data.files.names().to_vec();
        let spec = DatasetSpec::new(self.format, files, Arc::clone(self.schema()));
        let mut options = self.plan.options();
        options.extend(self.options.values().clone());
        options.extend(self.plan.portable_options());
        Ok(spec.options(options))
    }
}
