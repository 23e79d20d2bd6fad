//! The batches of a data set, with exactly the rows that are asked for.

use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use tfxio_base::{Count, Error, Position, Result};
use tfxio_core::{Column, Dataset, Partition, Projection, Scan as _, ScanCounts, ScanRequest};
use tfxio_scan::{Batches, ScanWatch};

use crate::{Kind, StatisticsOptions};

/// The batches of a data set, with exactly the requested rows: all columns that are read, and the described ones among
/// them.
pub(super) struct DescribedBatches {
    batches: Batches,
    /// The described columns, where weights or slices need others.
    projection: Option<Projection>,
}

impl DescribedBatches {
    pub(super) fn new(
        dataset: Arc<dyn Dataset>,
        mut request: ScanRequest,
        options: &StatisticsOptions,
    ) -> Result<Self> {
        let is_whole =
            request.filter.is_none() && request.limit.is_none() && request.on_error.skip().is_none();
        let asked = request.columns.clone();
        let mut is_apart = false;
        if let Some(columns) = &mut request.columns {
            for path in options.weight.iter().chain(&options.by) {
                if !columns.iter().any(|column| path.starts_with(&column.path)) {
                    columns.push(Column::new(path.clone()));
                    is_apart = true;
                }
            }
        }
        let mut batches = Batches::builder(Arc::clone(&dataset), request);
        if is_whole {
            batches = batches.watch(RowCounts { dataset, file: "".into(), said: None });
        }
        let batches = batches.build()?;
        let project = |asked| Projection::new(batches.schema(), &ScanRequest::new().columns::<Column>(asked));
        let projection = asked.filter(|_| is_apart).map(project).transpose()?;
        Ok(Self { batches, projection })
    }

    /// Returns the schema of the described columns.
    pub(super) fn schema(&self) -> &SchemaRef {
        self.projection.as_ref().map_or_else(|| self.batches.schema(), Projection::schema)
    }

    /// Returns the next rows: all columns that were read, and the described ones.
    pub(super) fn next(&mut self) -> Result<Option<(RecordBatch, RecordBatch)>> {
        let Some(batch) = self.batches.next_batch()? else { return Ok(None) };
        let columns = batch.into_columns();
        let described = match &self.projection {
            None => columns.clone(),
            Some(projection) => projection.pick(&columns.project(projection.read())?)?,
        };
        Ok(Some((columns, described)))
    }
}

/// Comparison of the number of rows of each scan with the number that is known of its files.
struct RowCounts {
    dataset: Arc<dyn Dataset>,
    /// Name of the first file of the scan, and the number of rows of all, where it is known.
    file: Arc<str>,
    said: Option<u64>,
}

impl ScanWatch for RowCounts {
    fn opening(&mut self, partitions: &[Partition]) -> Result<()> {
        // What is wrong with a file is said when it is read.
        let rows = |partition| self.dataset.statistics(partition).unwrap_or_default().rows.exact();
        self.said =
            partitions.iter().try_fold(0u64, |all, partition| Some(all.saturating_add(rows(partition)?)));
        if let Some(first) = partitions.first() {
            self.file = Arc::clone(&first.file);
        }
        Ok(())
    }

    fn ended(&mut self, counts: ScanCounts, rows: u64) -> Result<()> {
        // 0 where the scan does not count what it reads.
        let framed = Some(counts.records).filter(|records| *records > 0);
        let framed = framed.filter(|_| !self.dataset.leaves_out());
        for (said, who) in [(self.said, "the index or the footer says"), (framed, "the framing has")] {
            if let Some(said) = said
                && said != rows
            {
                let (read, records) = (Count::of(rows, "row"), Count::of(said, "record"));
                let what = format!("{read} {} read, and {who} {records}", read.verb("was", "were"));
                return Err(Error::new(Kind::RowCount { said, read: rows }, what)
                    .help("make the index again, or verify the files")
                    .at(Position::new().file(Arc::clone(&self.file))));
            }
        }
        Ok(())
    }
}
