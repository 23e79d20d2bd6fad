//! Columns as other types.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio_core::{
    Batch, ChangedDataset, ChangedScan, ColumnPath, Dataset, Loss, Partition, PartitionStatistics,
    Projection, Result, Scan, ScanRequest,
};

use crate::cast::{CastOptions, CastPlan, CastType, Target};
use crate::filter;

/// A data set of which some columns have values of other types.
#[derive(Debug)]
pub struct CastColumns {
    dataset: Arc<dyn Dataset>,
    schema: SchemaRef,
    casts: Vec<(String, CastType)>,
    losses: Vec<Loss>,
}

impl CastColumns {
    /// Returns the data set with columns whose values are cast.
    ///
    /// # Errors
    /// `InvalidArgument` for a column that does not exist, `Unsupported` for one whose values cannot be cast.
    pub fn new(dataset: Arc<dyn Dataset>, casts: Vec<(String, CastType)>) -> Result<Self> {
        let plan = plan(dataset.schema(), &casts)?;
        let losses = plan.losses().to_vec();
        let schema = Arc::clone(plan.schema());
        Ok(Self { dataset, schema, casts, losses })
    }

    fn is_cast(&self, path: &ColumnPath) -> bool {
        path.initial_step().is_ok_and(|name| self.casts.iter().any(|(cast, _)| cast == name))
    }

    /// Returns whether a condition is one of columns that are cast.
    fn filters_cast(&self, request: &ScanRequest) -> bool {
        request
            .filter
            .as_ref()
            .is_some_and(|filter| filter::columns(filter).into_iter().any(|path| self.is_cast(path)))
    }
}

/// Returns the plan of the casts of existing columns.
fn plan(schema: &SchemaRef, casts: &[(String, CastType)]) -> Result<CastPlan> {
    let options = CastOptions { casts: casts.to_vec(), ..CastOptions::default() };
    let target = Target { name: "a data set", takes: &|_| true, losses: &|_| Vec::new() };
    CastPlan::new(schema, &options, &target)
}

impl ChangedDataset for CastColumns {
    fn below(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }

    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
        let projection = Projection::new(&self.schema, request)?;
        let names = projection.read().iter().map(|at| self.schema.field(*at).name().as_str());
        let mut below = request.clone().columns(names);
        if self.filters_cast(request) {
            // What reads above applies it to the values as they are here.
            (below.filter, below.limit) = (None, None);
        }
        Ok(below)
    }

    fn change(&self, scan: Box<dyn Scan>, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let projection = Projection::new(&self.schema, request)?;
        let known = scan.schema().fields();
        let casts =
            self.casts.iter().filter(|(name, _)| known.find(name).is_some()).cloned().collect::<Vec<_>>();
        let plan = plan(scan.schema(), &casts)?;
        let schema = Arc::clone(projection.schema());
        Ok(Box::new(ChangedScan::new(scan, schema, move |batch| {
            let (columns, origins) = plan.apply(batch)?.into_parts();
            Ok(Batch::new(projection.pick(&columns)?, origins))
        })))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        Ok(Arc::clone(Projection::new(&self.schema, request)?.schema()))
    }

    fn applies_filter(&self, request: &ScanRequest) -> bool {
        !self.filters_cast(request)
            && self.request_below(request).is_ok_and(|request| self.dataset.applies_filter(&request))
    }

    fn losses(&self) -> Vec<Loss> {
        self.dataset.losses().into_iter().chain(self.losses.iter().cloned()).collect()
    }

    /// Columns that are cast have none.
    fn statistics(&self, partition: &Partition) -> Result<PartitionStatistics> {
        let mut statistics = self.dataset.statistics(partition)?;
        statistics.columns.retain(|(path, _)| !self.is_cast(path));
        Ok(statistics)
    }
}
