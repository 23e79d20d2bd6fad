//! Data sets whose rows are counted while they are read.

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use tfxio::tfxio_core::{ChangedDataset, ChangedScan};
use tfxio::{DatasetSpec, Result, Scan, ScanRequest};

use crate::writing::convert::Gauge;

/// A data set that tells a gauge how many rows were read.
pub(crate) struct Watched {
    dataset: Arc<dyn tfxio::Dataset>,
    gauge: Gauge,
}

impl fmt::Debug for Watched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("dataset", &self.dataset).finish_non_exhaustive()
    }
}

impl Watched {
    pub(crate) fn new(dataset: Arc<dyn tfxio::Dataset>, gauge: Gauge) -> Self {
        Self { dataset, gauge }
    }
}

impl ChangedDataset for Watched {
    fn below(&self) -> &Arc<dyn tfxio::Dataset> {
        &self.dataset
    }

    fn schema(&self) -> &SchemaRef {
        self.dataset.schema()
    }

    fn request_below(&self, request: &ScanRequest) -> Result<ScanRequest> {
        Ok(request.clone())
    }

    fn change(&self, scan: Box<dyn Scan>, _request: &ScanRequest) -> Result<Box<dyn Scan>> {
        let (schema, gauge) = (Arc::clone(scan.schema()), self.gauge.clone());
        Ok(Box::new(ChangedScan::new(scan, schema, move |batch| {
            gauge.add(batch.num_rows() as u64);
            Ok(batch)
        })))
    }

    fn scan_schema(&self, request: &ScanRequest) -> Result<SchemaRef> {
        self.dataset.scan_schema(request)
    }

    fn spec(&self) -> Result<DatasetSpec> {
        self.dataset.spec()
    }

    fn local_spec(&self) -> Result<DatasetSpec> {
        self.dataset.local_spec()
    }
}
