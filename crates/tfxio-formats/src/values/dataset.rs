//! Data sets whose columns are scalars and text.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    ChangedScan, Column, ColumnPath, Dataset, DatasetSpec, Entries, Error, ErrorKind, Known, Layout,
    OptionValue, Partition, PartitionStatistics, RecordRun, Result, Scan, ScanRequest,
};

use super::names;
use super::options::{SCALARS, TEXT};
use super::shapes::Shapes;
use crate::filter;

/// A data set of which columns become scalars and text.
#[derive(Debug)]
pub(super) struct Valued {
    dataset: Arc<dyn Dataset>,
    shapes: Shapes,
}

impl Valued {
    pub(super) fn new(dataset: Arc<dyn Dataset>, shapes: Shapes) -> Self {
        Self { dataset, shapes }
    }

    /// Returns the request that the inner data set is given, and how many columns beside those that are asked for it has: those that the
    /// filter reads, so that a record which contradicts what they are is not one that satisfies it.
    fn inner(&self, request: &ScanRequest) -> (ScanRequest, usize) {
        let mut inner = request.clone();
        let Some(columns) = &mut inner.columns else { return (inner, 0) };
        let asked = columns.len();
        let lists = columns.iter().map(|column| column.layout);
        let lists =
            lists.filter(|layout| matches!(layout, Layout::List | Layout::LargeList)).min_by_key(is_large);
        let layout = lists.unwrap_or_default();
        // Lists of one size would be refused with an error that does not say why.
        let is_fixed = |column: &Column| matches!(column.layout, Layout::FixedSizeList(_));
        for column in columns.iter_mut().filter(|column| is_fixed(column)) {
            if column.path.initial_step().is_ok_and(|name| self.shapes.is_scalar(name)) {
                column.layout = layout;
            }
        }
        let read = request.filter.as_ref().map(filter::columns).unwrap_or_default();
        let mut names = read.into_iter().filter_map(|path| path.initial_step().ok()).collect::<Vec<_>>();
        names.retain(|name| self.shapes.is_changed(name));
        for name in names {
            let is_of_name = |column: &Column| column.path.initial_step().is_ok_and(|step| step == name);
            if !columns.iter().any(is_of_name) {
                columns.push(Column::new(name).layout(layout));
            }
        }
        let more = columns.len().saturating_sub(asked);
        (inner, more)
    }

    fn scan_with(
        &self,
        request: &ScanRequest,
        scan: impl FnOnce(&ScanRequest) -> Result<Box<dyn Scan>>,
    ) -> Result<Box<dyn Scan>> {
        self.check_filter(request)?;
        let (inner, more) = self.inner(request);
        Ok(self.shaped(scan(&inner)?, more))
    }

    fn shaped(&self, scan: Box<dyn Scan>, more: usize) -> Box<dyn Scan> {
        let kept = scan.schema().fields().len().saturating_sub(more);
        let plan = self.shapes.plan(scan.schema(), kept);
        let schema = Arc::clone(plan.schema());
        Box::new(ChangedScan::new(scan, schema, move |batch| plan.apply(batch)))
    }

    /// Says what hinders the filter from being evaluated of the columns as they are here.
    fn check_filter(&self, request: &ScanRequest) -> Result<()> {
        request.filter.as_ref().map_or(Ok(()), |filter| filter::check(filter, self.shapes.schema()))
    }

    /// Adds which columns are scalars and text to a description; its schema is that of the columns before.
    ///
    /// # Errors
    /// `Unsupported` where a foreign format has options of the same names.
    fn described(&self, mut spec: DatasetSpec) -> Result<DatasetSpec> {
        let chosen = self.shapes.chosen();
        let scalars = chosen.scalars.iter().map(|name| names::name(&ColumnPath::from(name.as_str())));
        let texts = chosen.texts.iter().map(names::name);
        let (scalars, texts) = (scalars.collect::<BTreeSet<_>>(), texts.collect::<BTreeSet<_>>());
        for (key, mut named) in [(SCALARS, scalars), (TEXT, texts)] {
            match spec.options.get(key) {
                Some(OptionValue::List(before)) => named.extend(before.iter().cloned()),
                Some(_) if !named.is_empty() => {
                    let what = format!("the format {} has an option {key} of its own", spec.format);
                    let help =
                        "open it without scalars and text in the other process, and ask for them there";
                    return Err(Error::new(ErrorKind::Unsupported, what).help(help));
                }
                _ => {}
            }
            if !named.is_empty() {
                spec.options.insert(key.to_owned(), OptionValue::List(named.into_iter().collect()));
            }
        }
        Ok(spec)
    }
}

fn is_large(layout: &Layout) -> bool {
    *layout == Layout::LargeList
}

impl Dataset for Valued {
    fn schema(&self) -> &SchemaRef {
        self.shapes.schema()
    }

    fn partitions(&self, target_bytes: u64) -> Result<Vec<Partition>> {
        self.dataset.partitions(target_bytes)
    }

    fn scan(&self, partition: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.scan_with(request, |request| self.dataset.scan(partition, request))
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        self.dataset.applies_filter(&self.inner(request).0)
    }

    fn scan_all(&self, partitions: &[Partition], request: &ScanRequest) -> Result<Option<Box<dyn Scan>>> {
        self.check_filter(request)?;
        let (inner, more) = self.inner(request);
        let scan = self.dataset.scan_all(partitions, &inner)?;
        Ok(scan.map(|scan| self.shaped(scan, more)))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        let (inner, more) = self.inner(request);
        let schema = self.dataset.scan_schema(&inner)?;
        let kept = schema.fields().len().saturating_sub(more);
        Ok(Arc::clone(self.shapes.plan(&schema, kept).schema()))
    }

    fn losses(&self) -> Vec<(String, String)> {
        self.dataset.losses()
    }

    fn notes(&self) -> Vec<String> {
        self.dataset.notes()
    }

    fn check_complete(&self) -> Result<()> {
        self.dataset.check_complete()
    }

    fn take(&self, runs: &[RecordRun], request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.scan_with(request, |request| self.dataset.take(runs, request))
    }

    fn take_in_file(
        &self,
        file: &Partition,
        runs: &[RecordRun],
        request: &ScanRequest,
    ) -> Result<Box<dyn Scan>> {
        self.scan_with(request, |request| self.dataset.take_in_file(file, runs, request))
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        for (path, column) in &mut statistics.columns {
            // Of lists the nulls of their values may be counted.
            if path.initial_step().is_ok_and(|name| self.shapes.is_scalar(name)) {
                column.nulls = Known::Unknown;
            }
        }
        Ok(statistics)
    }

    fn count_rows(&self, partition: &Partition, request: &ScanRequest) -> Result<u64> {
        self.dataset.count_rows(partition, request)
    }

    fn entries(&self, partition: &Partition, records: u64) -> Result<Entries> {
        self.dataset.entries(partition, records)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        self.described(self.dataset.spec()?)
    }

    fn local_spec(&self) -> Result<DatasetSpec> {
        self.described(self.dataset.local_spec()?)
    }
}
