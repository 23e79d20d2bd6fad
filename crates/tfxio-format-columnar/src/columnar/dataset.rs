//! Files with footers as a data set.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{
    Cancel, Dataset, Entries, Error, ErrorKind, Estimate, Files, FormatOptions, Input, Partition,
    PartitionStatistics, Projection, RecordRun, Result, Scan, ScanRequest, count_by_scanning, not_offered,
    take_in_file_by_seeking,
};
use tfxio_scan::merge::{self, Fitting, Merged, UNION_BY_NAME};

use super::Columnar;
use super::known_file::KnownFile;
use super::scan::ColumnarScan;

/// Maximum number of footers that are kept.
const KEPT: usize = 64;

/// Files of a format with footers, whose columns are merged.
#[derive(Clone)]
pub(super) struct ColumnarFiles(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) format: Columnar,
    files: Files,
    merged: Merged,
    /// Options, with bounds on what footers may claim.
    options: FormatOptions,
    /// Whether footers are read wherever the end can be reached, and not where the size is known only.
    seeks_end: bool,
    /// Files whose footers were read, the last one used at the end.
    known: Mutex<VecDeque<Arc<KnownFile>>>,
}

impl ColumnarFiles {
    /// Fixes the schema: by the footers of the files, unless it was fixed before.
    pub(super) fn open(format: Columnar, files: Files, options: &FormatOptions) -> Result<Self> {
        Self::new(format, files, options, false)
    }

    /// As [`open`](Self::open), for files that are read to their ends anyway: footers are read also of standard input.
    pub(super) fn open_whole(format: Columnar, files: Files, options: &FormatOptions) -> Result<Self> {
        Self::new(format, files, options, true)
    }

    fn new(format: Columnar, files: Files, options: &FormatOptions, seeks_end: bool) -> Result<Self> {
        let Some(first) = files.names().first().cloned() else {
            return Err(Error::new(ErrorKind::InvalidArgument, "no file is named"));
        };
        let is_union = options.flag(UNION_BY_NAME.key);
        let given = options.schema.clone().unwrap_or_else(|| Arc::new(Schema::empty()));
        let mut inner = Inner {
            format,
            files,
            merged: Merged::given(Arc::clone(&first), given, is_union),
            options: options.clone(),
            seeks_end,
            known: Mutex::default(),
        };
        if options.schema.is_some() {
            return Ok(Self(Arc::new(inner)));
        }
        let cancel = &options.request.cancel;
        let file = Arc::new(inner.read_footer(&first, cancel)?);
        inner.merged = Merged::new(first, Arc::clone(file.footer.schema()), is_union);
        inner.keep(file);
        // What is damaged is said by whoever reads it.
        let others = merge::find_in_files(&inner.files, |index| {
            let known = Arc::new(inner.read_footer(inner.files.names().get(index)?, cancel).ok()?);
            // No file after these is kept.
            if index < KEPT {
                inner.keep(Arc::clone(&known));
            }
            Some(Arc::clone(known.footer.schema()))
        });
        cancel.check()?;
        let mut merged = inner.merged.clone();
        for (index, schema) in others {
            if let Some(file) = inner.files.names().get(index) {
                merged.add(file, &schema);
            }
        }
        inner.merged = merged;
        Ok(Self(Arc::new(inner)))
    }
}

impl Inner {
    /// Opens a file at an offset; up to `end` it will be read.
    pub(super) fn input(
        &self,
        file: &Arc<str>,
        start: u64,
        end: u64,
        cancel: &Cancel,
    ) -> Result<Box<dyn Input>> {
        self.files.open_with(&Partition::range(Arc::clone(file), start, end), cancel)
    }

    /// Reads the footer of a file.
    fn read_footer(&self, file: &Arc<str>, cancel: &Cancel) -> Result<KnownFile> {
        let mut input = self.input(file, 0, 0, cancel)?;
        let sequential = self.format.sequential;
        let size = match input.size() {
            None if self.seeks_end || sequential.is_none() => {
                end(&mut *input).map_err(|error| error.in_file(Arc::clone(file)))?
            }
            size => size,
        };
        if let (None, Some(sequential)) = (size, sequential) {
            let open = || sequential(input, &self.options.request.limits);
            return Ok(KnownFile::new(file, u64::MAX, self.format.guarded(file, open)?));
        }
        let Some(size) = size else {
            let what = format!(
                "a {} file is read from its end, and this input can be read once only, from its beginning",
                self.format.title
            );
            let error = Error::new(ErrorKind::InvalidArgument, what).help("write it to a file first");
            return Err(error.in_file(Arc::clone(file)));
        };
        let open = || (self.format.footer)(input, size, &self.options);
        Ok(KnownFile::new(file, size, self.format.guarded(file, open)?))
    }

    /// Returns the facts in the footer of a file.
    pub(super) fn known(&self, file: &Arc<str>, cancel: &Cancel) -> Result<Arc<KnownFile>> {
        let kept = || self.known.lock().unwrap_or_else(PoisonError::into_inner);
        {
            let mut kept = kept();
            if let Some(at) = kept.iter().position(|known| known.name == *file)
                && let Some(known) = kept.remove(at)
            {
                kept.push_back(Arc::clone(&known));
                return Ok(known);
            }
        }
        let known = Arc::new(self.read_footer(file, cancel)?);
        self.keep(Arc::clone(&known));
        Ok(known)
    }

    /// Keeps the facts in the footer of a file, in place of the least recently used ones.
    fn keep(&self, known: Arc<KnownFile>) {
        let mut kept = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(known);
    }
}

/// Returns the size of an input that can be sought in though its size is not known: standard input, which is kept.
fn end(input: &mut dyn Input) -> Result<Option<u64>> {
    match input.seek(SeekFrom::End(0)) {
        Ok(size) => Ok(Some(size)),
        Err(error) if error.kind() == io::ErrorKind::NotSeekable => Ok(None),
        Err(error) => Err(Error::io(error, "reading")),
    }
}

impl Dataset for ColumnarFiles {
    fn schema(&self) -> &SchemaRef {
        self.0.merged.schema()
    }

    /// Cuts between groups of rows. Only files that are larger than the target have their footers read.
    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        let (inner, cancel) = (&self.0, Cancel::default());
        let mut partitions = Vec::new();
        for file in inner.files.names() {
            let size = inner.files.store().size(file)?;
            if size.is_none_or(|size| size <= target_bytes) {
                partitions.push(Partition::whole(Arc::clone(file)));
                continue;
            }
            inner.known(file, &cancel)?.cut(target_bytes, &mut partitions);
        }
        Ok(partitions)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        if request.on_error.skip().is_some() {
            return Err(not_offered(self.0.format.name, "skipping of damaged rows"));
        }
        let known = self.0.known(&partition.file, &request.cancel)?;
        let scan = |request: &ScanRequest| {
            let projection = Projection::new(known.footer.schema(), request)?;
            let (data, known) = (Arc::clone(&self.0), Arc::clone(&known));
            Ok::<_, Error>(Box::new(ColumnarScan::new(data, known, projection, partition, request)?))
        };
        match self.0.merged.fitting(&partition.file, known.footer.schema(), request)? {
            Some(Fitting { request, schema }) => Ok(merge::fitted(scan(&request)?, schema)),
            None => Ok(scan(request)?),
        }
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        take_in_file_by_seeking(self, file, runs, request)
    }

    /// Counts rows by the footer, or by the heads of batches, and returns the column statistics of the footer.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let known = self.0.known(&partition.file, &Cancel::default())?;
        if known.footer.is_sequential() {
            return Ok(PartitionStatistics::default());
        }
        let (of_groups, rows) = known.rows(partition, &self.0, &Cancel::default())?;
        let groups = known.groups(partition);
        let mut statistics = PartitionStatistics::default();
        statistics.rows = Estimate::Exact(rows);
        let end = partition.end.min(known.size);
        statistics.bytes = Estimate::Exact(end.saturating_sub(partition.start));
        let columns = || Ok(known.footer.statistics(groups, rows < of_groups));
        statistics.columns = self.0.format.guarded(&known.name, columns)?;
        self.0.merged.keep_alike(known.footer.schema(), &mut statistics.columns);
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let known = self.0.known(&partition.file, &request.cancel)?;
        if known.footer.is_sequential() {
            return count_by_scanning(self, partition, request);
        }
        Ok(known.rows(partition, &self.0, &request.cancel)?.1)
    }

    /// Finds the first rows of groups: rows of one group are decompressed together.
    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        let (data, cancel) = (&self.0, Cancel::default());
        let known = data.known(&partition.file, &cancel)?;
        if known.footer.is_sequential() || !partition.is_whole() {
            return Ok(Entries::first());
        }
        let first_rows = known.first_rows(data, &cancel)?;
        Ok(Entries::At(first_rows.iter().copied().filter(|first| *first < records).collect()))
    }
}

impl fmt::Debug for ColumnarFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ColumnarFiles")
            .field("format", &self.0.format.name)
            .field("files", &self.0.files)
            .finish_non_exhaustive()
    }
}
