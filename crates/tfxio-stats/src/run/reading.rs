//! The batches of a data set, with exactly the rows that are asked for.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use arrow_select::filter::filter_record_batch;
use tfxio_base::{Count, Error, Position, Result};
use tfxio_core::{Column, ColumnPath, Dataset, Partition, Projection, Scan, ScanRequest};

use crate::{Kind, StatisticsOptions};

/// The batches of a data set, with exactly the requested rows: all columns that are read, and the described ones among
/// them.
pub(super) struct Reading {
    dataset: Arc<dyn Dataset>,
    request: ScanRequest,
    projection: Option<Projection>,
    schema: SchemaRef,
    partitions: VecDeque<Partition>,
    scan: Option<Open>,
    /// Rows that were scanned.
    scanned: u64,
    left: u64,
    /// Whether all rows are read, so that their number can be compared.
    is_whole: bool,
}

struct Open {
    scan: Box<dyn Scan>,
    /// Name of the first file, and the number of rows of all, where it is known.
    file: Arc<str>,
    said: Option<u64>,
    scanned: u64,
}

impl Reading {
    pub(super) fn new(
        dataset: Arc<dyn Dataset>,
        mut request: ScanRequest,
        options: &StatisticsOptions,
    ) -> Result<Self> {
        let is_whole =
            request.filter.is_none() && request.limit.is_none() && request.on_error.skip().is_none();
        let asked = request.columns.clone();
        let mut needed: Vec<&ColumnPath> = options.weight.iter().chain(&options.by).collect();
        if let Some(filter) = &request.filter {
            filter.columns(&mut needed);
        }
        let needed: Vec<ColumnPath> = needed.into_iter().cloned().collect();
        let mut is_apart = false;
        if let Some(columns) = &mut request.columns {
            for path in needed {
                if !columns.iter().any(|column| path.starts_with(&column.path)) {
                    columns.push(Column::new(path));
                    is_apart = true;
                }
            }
        }
        let mut reading = Self {
            schema: Arc::clone(dataset.schema()),
            partitions: dataset.partitions(u64::MAX)?.into(),
            left: request.limit.unwrap_or(u64::MAX),
            dataset,
            request,
            projection: None,
            scan: None,
            scanned: 0,
            is_whole,
        };
        reading.open_next()?;
        let scanned = match &reading.scan {
            Some(open) => Arc::clone(open.scan.schema()),
            None => reading.dataset.scan_schema(&reading.request)?,
        };
        if let Some(filter) = &reading.request.filter {
            // Says whether it fits.
            filter.evaluate(&RecordBatch::new_empty(Arc::clone(&scanned)))?;
        }
        reading.schema = scanned;
        if let Some(asked) = asked.filter(|_| is_apart) {
            let projection = Projection::new(&reading.schema, &ScanRequest::new().columns(asked))?;
            reading.schema = Arc::clone(projection.schema());
            reading.projection = Some(projection);
        }
        Ok(reading)
    }

    /// Returns the schema of the described columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Returns the next rows: all columns that were read, and the described ones.
    pub(super) fn next(&mut self) -> Result<Option<(RecordBatch, RecordBatch)>> {
        while self.left > 0 {
            let Some(open) = &mut self.scan else {
                self.request.on_error.refuse_nothing(self.scanned)?;
                return Ok(None);
            };
            let Some(batch) = open.scan.next_batch()? else {
                self.check_count()?;
                self.open_next()?;
                continue;
            };
            let rows = batch.num_rows() as u64;
            open.scanned = open.scanned.saturating_add(rows);
            self.scanned = self.scanned.saturating_add(rows);
            let mut columns = match &self.request.filter {
                None => batch.into_columns(),
                Some(filter) => {
                    let mask = filter.evaluate(batch.columns())?;
                    filter_record_batch(batch.columns(), &mask)?
                }
            };
            if columns.num_rows() as u64 > self.left {
                columns = columns.slice(0, usize::try_from(self.left).unwrap_or(usize::MAX));
            }
            if columns.num_rows() == 0 {
                continue;
            }
            self.left = self.left.saturating_sub(columns.num_rows() as u64);
            let described = match &self.projection {
                None => columns.clone(),
                Some(projection) => projection.pick(&columns.project(projection.read())?)?,
            };
            return Ok(Some((columns, described)));
        }
        Ok(None)
    }

    fn open_next(&mut self) -> Result<()> {
        self.scan = None;
        // Rows that do not satisfy the filter do not count.
        let limit = Some(self.left).filter(|left| *left < u64::MAX && self.request.filter.is_none());
        self.request.limit = limit;
        if self.partitions.len() > 1 {
            let partitions = self.partitions.make_contiguous();
            if let Some(scan) = self.dataset.scan_all(partitions, &self.request)? {
                let said = partitions.iter().try_fold(0u64, |all, partition| {
                    Some(all.saturating_add(rows_of(&*self.dataset, partition)?))
                });
                let file = partitions.first().map_or_else(|| "".into(), |first| Arc::clone(&first.file));
                self.scan = Some(Open { scan, file, said, scanned: 0 });
                self.partitions.clear();
                return Ok(());
            }
        }
        if let Some(partition) = self.partitions.pop_front() {
            let scan = self.dataset.scan(&partition, &self.request)?;
            let said = rows_of(&*self.dataset, &partition);
            self.scan = Some(Open { scan, file: partition.file, said, scanned: 0 });
        }
        Ok(())
    }

    /// Compares the number of rows of a scan that has ended with what is known of it.
    fn check_count(&self) -> Result<()> {
        let Some(open) = self.scan.as_ref().filter(|_| self.is_whole) else { return Ok(()) };
        // 0 where the scan does not count what it reads.
        let framed = Some(open.scan.counts().records).filter(|records| *records > 0);
        let framed = framed.filter(|_| !self.dataset.leaves_out());
        for (said, who) in [(open.said, "the index or the footer says"), (framed, "the framing has")] {
            if let Some(said) = said
                && said != open.scanned
            {
                let (read, records) = (Count::of(open.scanned, "row"), Count::of(said, "record"));
                let what = format!("{read} {} read, and {who} {records}", read.verb("was", "were"));
                return Err(Error::new(Kind::RowCount { said, read: open.scanned }, what)
                    .help("make the index again, or verify the files")
                    .at(Position::new().file(Arc::clone(&open.file))));
            }
        }
        Ok(())
    }
}

/// Returns the number of rows of a partition, where it is known without reading it.
fn rows_of(dataset: &dyn Dataset, partition: &Partition) -> Option<u64> {
    // What is wrong with a file is said when it is read.
    dataset.statistics(partition).unwrap_or_default().rows.exact()
}
