//! Filters and limits of what statistics read.

use std::sync::{Arc, Mutex};

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use arrow_schema::SchemaRef;
use tfxio_core::{Batch, Dataset, Partition, Projection, Result, Scan, ScanRequest};
use tfxio_stats::{StatisticsExt as _, StatisticsOptions};

/// Ten rows, all of which each scan returns, in two partitions. It declares whether its scans have applied the filter.
#[derive(Debug)]
struct Ten {
    batch: RecordBatch,
    schema: SchemaRef,
    applies: bool,
    limits: Mutex<Vec<Option<u64>>>,
}

impl Ten {
    fn new(applies: bool) -> Arc<Self> {
        let column: ArrayRef = Arc::new(Int64Array::from_iter_values(0..10));
        let batch = RecordBatch::try_from_iter([("x", column)]).unwrap();
        Arc::new(Self { schema: batch.schema(), batch, applies, limits: Mutex::default() })
    }

    fn count(self: &Arc<Self>, request: ScanRequest) -> Option<u64> {
        let dataset = Arc::clone(self) as Arc<dyn Dataset>;
        dataset.stats(StatisticsOptions::default(), request).unwrap().num_examples(0)
    }
}

impl Dataset for Ten {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn partitions(&self, _: u64) -> Result<Vec<Partition>> {
        Ok(vec![Partition::whole("a"), Partition::whole("b")])
    }

    fn applies_filter(&self, _: &ScanRequest) -> bool {
        self.applies
    }

    fn scan(&self, _: &Partition, request: &ScanRequest) -> Result<Box<dyn Scan>> {
        self.limits.lock().unwrap().push(request.limit);
        let projection = Projection::new(&self.schema, request)?;
        let batch = projection.batch(self.batch.columns().to_vec())?;
        Ok(Box::new(Once(Arc::clone(projection.schema()), Some(batch))))
    }
}

struct Once(SchemaRef, Option<RecordBatch>);

impl Scan for Once {
    fn schema(&self) -> &SchemaRef {
        &self.0
    }

    fn next_batch(&mut self) -> Result<Option<Batch>> {
        Ok(self.1.take().map(Batch::from))
    }
}

#[test]
fn a_filter_that_scans_apply_is_not_evaluated_again() {
    let request = || ScanRequest::new().filter("x < 3".parse().unwrap());
    for threads in [1, 2] {
        assert_eq!(Ten::new(false).count(request().threads(threads)), Some(6));
        // Rows that do not satisfy it show that nobody has looked.
        assert_eq!(Ten::new(true).count(request().threads(threads)), Some(20));
    }
}

#[test]
fn a_limit_reaches_scans_that_apply_the_filter() {
    let request = || ScanRequest::new().filter("x < 3".parse().unwrap()).limit(14);
    let applying = Ten::new(true);
    assert_eq!(applying.count(request()), Some(14));
    assert_eq!(*applying.limits.lock().unwrap(), [Some(14), Some(4)]);
    let other = Ten::new(false);
    assert_eq!(other.count(request().limit(4)), Some(4));
    assert_eq!(*other.limits.lock().unwrap(), [None, None]);
    let unfiltered = Ten::new(false);
    assert_eq!(unfiltered.count(ScanRequest::new().limit(12)), Some(12));
    assert_eq!(*unfiltered.limits.lock().unwrap(), [Some(12), Some(2)]);
}
