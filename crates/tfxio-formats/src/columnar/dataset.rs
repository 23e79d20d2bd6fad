//! Files with footers as a data set.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, SeekFrom};
use std::sync::{Arc, Mutex, PoisonError};

use arrow_schema::SchemaRef;
use tfxio_core::{
    Cancel, Dataset, Error, ErrorKind, Files, FormatOptions, Input, Known, Partition, PartitionStatistics,
    Projection, Result, Scan, ScanRequest, count_by_scanning, not_offered,
};

use super::Columnar;
use super::known_file::KnownFile;
use super::scan::ColumnarScan;

/// Maximum number of footers that are kept.
const KEPT: usize = 64;

/// Files of a format with footers, all of one schema.
#[derive(Clone)]
pub(super) struct ColumnarFiles(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) format: Columnar,
    files: Files,
    schema: SchemaRef,
    /// Options, with bounds on what footers may claim.
    options: FormatOptions,
    /// Whether footers are read wherever the end can be reached, and not where the size is known only.
    seeks_end: bool,
    /// Files whose footers were read, the last one used at the end.
    known: Mutex<VecDeque<Arc<KnownFile>>>,
}

impl ColumnarFiles {
    /// Fixes the schema: by the footer of the first file, unless it was fixed before.
    pub(super) fn open(format: Columnar, files: Files, options: &FormatOptions) -> Result<Self> {
        Self::new(format, files, options, false)
    }

    /// As [`open`](Self::open), for files that are read to their ends anyway: footers are read also of standard input.
    pub(super) fn open_whole(format: Columnar, files: Files, options: &FormatOptions) -> Result<Self> {
        Self::new(format, files, options, true)
    }

    fn new(format: Columnar, files: Files, options: &FormatOptions, seeks_end: bool) -> Result<Self> {
        let inner = |schema| Inner {
            format,
            files: files.clone(),
            schema,
            options: options.clone(),
            seeks_end,
            known: Mutex::default(),
        };
        if let Some(schema) = &options.schema {
            return Ok(Self(Arc::new(inner(Arc::clone(schema)))));
        }
        let Some(first) = files.names().first() else {
            return Err(Error::new(ErrorKind::InvalidArgument, "no file is named"));
        };
        let mut inner = inner(Arc::new(arrow_schema::Schema::empty()));
        let file = inner.read_footer(first, &options.request.cancel)?;
        inner.schema = Arc::clone(file.footer.schema());
        inner.known = Mutex::new(VecDeque::from([Arc::new(file)]));
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

    /// Returns what the footer of a file says, which must have the columns of the data set.
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
        if known.footer.schema().fields() != self.schema.fields() {
            let what = "the file has other columns than the files before it";
            let error = Error::new(ErrorKind::SchemaMismatch, what).help("read it by itself");
            return Err(error.in_file(Arc::clone(file)));
        }
        let mut kept = kept();
        if kept.len() >= KEPT {
            kept.pop_front();
        }
        kept.push_back(Arc::clone(&known));
        Ok(known)
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
        &self.0.schema
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
        let projection = Projection::new(&self.0.schema, request)?;
        Ok(Box::new(ColumnarScan::new(Arc::clone(&self.0), known, projection, partition, request)?))
    }

    /// Counts rows by the footer, or by the heads of batches, and says of columns what the footer says.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let known = self.0.known(&partition.file, &Cancel::default())?;
        if known.footer.is_sequential() {
            return Ok(PartitionStatistics::default());
        }
        let (of_groups, rows) = known.rows(partition, &self.0, &Cancel::default())?;
        let groups = known.groups(partition);
        let mut statistics = PartitionStatistics::default();
        statistics.rows = Known::Exact(rows);
        let end = partition.end.min(known.size);
        statistics.bytes = Known::Exact(end.saturating_sub(partition.start));
        let columns = || Ok(known.footer.statistics(groups, rows < of_groups));
        statistics.columns = self.0.format.guarded(&known.name, columns)?;
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        let known = self.0.known(&partition.file, &request.cancel)?;
        if known.footer.is_sequential() {
            return count_by_scanning(self, partition, request);
        }
        Ok(known.rows(partition, &self.0, &request.cancel)?.1)
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
