//! Two data sets, row by row.

mod scan;

use std::collections::HashSet;
use std::sync::{Arc, OnceLock};

use arrow_schema::{Schema, SchemaRef};
use tfxio_core::{
    Dataset, Entries, Error, ErrorKind, Loss, Partition, PartitionStatistics, Projection, RecordRun, Result,
    Scan, ScanRequest,
};

use self::scan::{Second, Together, ZippedScan};
use super::layered;
use crate::read::{Counted, count_all, counted_files};

/// Name under which a partition stores the number of its first row, and whether it is the last.
const FIRST_ROW: &str = "first_row";
/// Marks the last partition.
const LAST: char = '.';

/// Columns of two data sets with as many rows: the n-th row of one beside the n-th of the other. Files and records are from the first.
#[derive(Debug)]
pub struct Zipped {
    first: Arc<dyn Dataset>,
    second: Arc<dyn Dataset>,
    schema: SchemaRef,
    /// The files of the first, each with the number of its first row.
    files: OnceLock<Vec<(Partition, u64)>>,
    /// The files of the second with their rows, where these are taken by number.
    counted: OnceLock<Option<Vec<Counted>>>,
}

impl Zipped {
    /// Returns the rows of two data sets beside each other.
    ///
    /// # Errors
    /// `InvalidArgument` where both have a column of the same name.
    pub fn new(first: Arc<dyn Dataset>, second: Arc<dyn Dataset>) -> Result<Self> {
        let known = first.schema().fields().iter().map(|field| field.name().as_str()).collect::<HashSet<_>>();
        let both = second.schema().fields().iter().filter(|field| known.contains(field.name().as_str()));
        let both = both.map(|field| format!("{:?}", field.name())).collect::<Vec<_>>();
        if let Some((one, others)) = both.split_first() {
            let (columns, it) = if others.is_empty() { ("a column", "it") } else { ("columns", "them") };
            let names = others.iter().fold(one.clone(), |names, name| names + ", " + name);
            let what = format!("both data sets have {columns} {names}");
            let error = Error::new(ErrorKind::InvalidArgument, what);
            return Err(error.help(format!("rename {it} in one of the data sets, or select the others")));
        }
        let fields = first.schema().fields().iter().chain(second.schema().fields()).cloned();
        let schema = Schema::new_with_metadata(fields.collect::<Vec<_>>(), first.schema().metadata().clone());
        let schema = Arc::new(schema);
        Ok(Self { first, second, schema, files: OnceLock::new(), counted: OnceLock::new() })
    }

    /// Returns the files of the first data set, each with the number of its first row.
    fn files(&self) -> Result<&[(Partition, u64)]> {
        if let Some(files) = self.files.get() {
            return Ok(files);
        }
        let partitions = self.first.partitions(u64::MAX)?;
        let (mut files, mut before) = (Vec::with_capacity(partitions.len()), 0u64);
        let last = partitions.len().saturating_sub(1);
        for (at, partition) in partitions.into_iter().enumerate() {
            let rows = if at < last { self.first.count_rows(&partition, &ScanRequest::new())? } else { 0 };
            files.push((partition, before));
            before = before.saturating_add(rows);
        }
        Ok(self.files.get_or_init(|| files))
    }

    /// Returns the files of the second data set with their rows; nothing where only reading shows these.
    fn counted(&self) -> Result<Option<&[Counted]>> {
        if self.counted.get().is_none() {
            let counted = counted_files(&self.second)?;
            self.counted.get_or_init(|| counted);
        }
        Ok(self.counted.get().and_then(|counted| counted.as_deref()))
    }

    /// Returns what is read of both, and how it is put together.
    fn together(&self, request: &ScanRequest) -> Result<Together> {
        let projection = Projection::new(&self.schema, request)?;
        let names = |of_first: bool| {
            let of =
                projection.read().iter().filter(|at| (**at < self.first.schema().fields().len()) == of_first);
            of.map(|at| self.schema.field(*at).name().as_str()).collect::<Vec<_>>()
        };
        // Rows that one of them leaves out would not be beside those of the other.
        let inner = request.all_rows();
        let first = inner.clone().columns(names(true));
        let names = names(false);
        let second = (!names.is_empty()).then(|| inner.columns(names));
        let read = Arc::new(self.schema.project(projection.read())?);
        Ok(Together { first, second, read, projection })
    }

    /// Starts a scan of rows of both.
    fn zipped(
        &self,
        first: Box<dyn Scan>,
        second: Option<Second>,
        together: Together,
        request: &ScanRequest,
    ) -> Box<dyn Scan> {
        let left = request.limit.filter(|_| request.filter.is_none()).unwrap_or(u64::MAX);
        Box::new(ZippedScan::new(first, second, together, left))
    }

    /// Reads records of the first, beside the rows of the second with the same numbers.
    fn taken(
        &self,
        runs: &[RecordRun],
        request: &ScanRequest,
        first: impl FnOnce(&ScanRequest) -> Result<Box<dyn Scan>>,
    ) -> Result<Box<dyn Scan>> {
        if self.first.leaves_out() {
            let what = "records are not taken by number where rows were left out before two data sets were put together";
            let error = Error::new(ErrorKind::Unsupported, what);
            return Err(error.help("read them in order, or leave rows out after that"));
        }
        let together = self.together(request)?;
        let second = match &together.second {
            None => None,
            Some(request) => {
                Some(Second::taken(self.rows_of(runs)?, &self.second, self.counted()?, request)?)
            }
        };
        Ok(self.zipped(first(&together.first)?, second, together, request))
    }

    /// Returns the numbers of the rows that runs of records are.
    fn rows_of(&self, runs: &[RecordRun]) -> Result<Vec<(u64, u64)>> {
        let files = self.files()?;
        let row = |run: &RecordRun| {
            let (partition, before) = files.iter().find(|(partition, _)| partition.file == run.file)?;
            let row = run.first.checked_sub(partition.first_read().unwrap_or(0))?;
            Some((before.saturating_add(row), run.records))
        };
        let missing = |run: &RecordRun| {
            let what = format!("the data set has no file {:?}", run.file);
            Error::new(ErrorKind::InvalidArgument, what)
        };
        runs.iter().map(|run| row(run).ok_or_else(|| missing(run))).collect()
    }
}

/// Returns the partition of the first data set, the number of its first row, and whether it is the last.
fn below(partition: &Partition) -> Result<(Partition, u64, bool)> {
    let (partition, row) = layered::pop(partition, FIRST_ROW);
    let text = row.as_deref().unwrap_or_default();
    match text.trim_end_matches(LAST).parse() {
        Ok(row) => Ok((partition, row, text.ends_with(LAST))),
        Err(_) => {
            let what = "the partition does not say the number of its first row";
            let error =
                Error::new(ErrorKind::InvalidArgument, what).help("take the partition as it was planned");
            Err(error.in_file(Arc::clone(&partition.file)))
        }
    }
}

impl Dataset for Zipped {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Each file of the first is one partition.
    fn partitions(&self, _target_bytes: u64) -> Result<Vec<Partition>> {
        let files = self.files()?;
        let last = files.len().saturating_sub(1);
        let planned = files.iter().enumerate().map(|(at, (partition, row))| {
            let mark = if at == last { LAST.to_string() } else { String::new() };
            layered::push(partition.clone(), FIRST_ROW, &format!("{row}{mark}"))
        });
        let planned = planned.collect::<Vec<_>>();
        if planned.is_empty() && count_all(&self.second)? > 0 {
            return Err(scan::unequal("the second data set has rows, and the first has none"));
        }
        Ok(planned)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (partition, row, is_last) = below(partition)?;
        let together = self.together(request)?;
        let first = self.first.scan(&partition, &together.first)?;
        let second = match &together.second {
            None => None,
            Some(request) => {
                let numbered = !self.first.leaves_out();
                let begins = numbered.then(|| partition.first_read()).flatten();
                Some(Second::after(row, is_last, begins, &self.second, request)?)
            }
        };
        Ok(self.zipped(first, second, together, request))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(Arc::clone(Projection::new(&self.schema, request)?.schema()))
    }

    fn losses(&self) -> Vec<Loss> {
        self.first.losses().into_iter().chain(self.second.losses()).collect()
    }

    fn notes(&self) -> Vec<String> {
        self.first.notes().into_iter().chain(self.second.notes()).collect()
    }

    fn check_complete(&self) -> Result<()> {
        self.first.check_complete()?;
        self.second.check_complete()
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.taken(runs, request, |request| self.first.take(runs, request))
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        let (file, ..) = below(file)?;
        self.taken(runs, request, |request| self.first.take_in_file(&file, runs, request))
    }

    /// Returns the statistics of the first.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        self.first.statistics(&below(partition)?.0)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.first.count_rows(&below(partition)?.0, &request.counting())
    }

    fn leaves_out(&self) -> bool {
        self.first.leaves_out()
    }

    fn count_records(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.first.count_records(&below(partition)?.0, &request.counting())
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.first.entries(&below(partition)?.0, records)
    }
}
