//! Data sets whose columns are scalars and text.

use std::collections::BTreeSet;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    ChangedDataset, ChangedScan, Column, ColumnPath, Dataset, DatasetSpec, Error, ErrorKind, Estimate,
    Layout, OptionValue, Partition, PartitionStatistics, Result, Scan, ScanRequest,
};
use tfxio_scan::filter;

use super::names;
use super::options::{SCALARS, TEXT};
use super::shapes::Shapes;

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

    /// Returns the request for the inner data set, and how many columns it has in addition to the requested ones: the filter reads these,
    /// so that a record that contradicts their shape does not satisfy it.
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

    fn shaped(&self, scan: Box<dyn Scan>, more: usize) -> Box<dyn Scan> {
        let kept = scan.schema().fields().len().saturating_sub(more);
        let plan = self.shapes.plan(scan.schema(), kept);
        let schema = Arc::clone(plan.schema());
        Box::new(ChangedScan::new(scan, schema, move |batch| plan.apply(batch)))
    }

    /// Checks that the filter can be evaluated on the columns as they are here.
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
        let scalars = scalars.chain(chosen.steps.iter().map(names::name));
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

impl ChangedDataset for Valued {
    fn below(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }

    fn schema(&self) -> &SchemaRef {
        self.shapes.schema()
    }

    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
        self.check_filter(request)?;
        Ok(self.inner(request).0)
    }

    fn change(&self, scan: Box<dyn Scan>, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        Ok(self.shaped(scan, self.inner(request).1))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        let (inner, more) = self.inner(request);
        let schema = self.dataset.scan_schema(&inner)?;
        let kept = schema.fields().len().saturating_sub(more);
        Ok(Arc::clone(self.shapes.plan(&schema, kept).schema()))
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        self.dataset.applies_filter(&self.inner(request).0)
    }

    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        for (path, column) in &mut statistics.columns {
            // Of lists the nulls of their values may be counted.
            if path.initial_step().is_ok_and(|name| self.shapes.is_scalar(name)) {
                column.nulls = Estimate::Unknown;
            }
        }
        Ok(statistics)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        self.described(self.dataset.spec()?)
    }

    fn local_spec(&self) -> Result<DatasetSpec> {
        self.described(self.dataset.local_spec()?)
    }
}
