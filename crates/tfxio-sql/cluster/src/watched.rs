//! Scans that report what they read, so that a test sees the work of each process; they may end the process in the
//! middle.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use futures::StreamExt as _;
use tfxio_sql::TfxioExec;
use tfxio_sql::datafusion::common::tree_node::{Transformed, TreeNode as _, TreeNodeRecursion};
use tfxio_sql::datafusion::error::Result;
use tfxio_sql::datafusion::execution::{SendableRecordBatchStream, TaskContext};
use tfxio_sql::datafusion::physical_expr::PhysicalExpr;
use tfxio_sql::datafusion::physical_plan::metrics::MetricsSet;
use tfxio_sql::datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use tfxio_sql::datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties};

/// Counts the batches of a process.
#[derive(Debug, Default)]
pub struct Watch {
    batches: AtomicU64,
    /// The batch at which the process ends.
    exit_at: Option<u64>,
}

impl Watch {
    pub fn new(exit_at: Option<u64>) -> Arc<Self> {
        Arc::new(Self { batches: AtomicU64::new(0), exit_at })
    }

    /// Returns a plan whose scans are watched.
    pub fn plan(self: &Arc<Self>, plan: Arc<dyn ExecutionPlan>) -> Result<Arc<dyn ExecutionPlan>> {
        let watched = plan.transform_up(|node| {
            if !node.is::<TfxioExec>() {
                return Ok(Transformed::no(node));
            }
            let watched = Watched { scan: node, watch: Arc::clone(self) };
            Ok(Transformed::yes(Arc::new(watched) as Arc<dyn ExecutionPlan>))
        });
        Ok(watched?.data)
    }

    fn count(&self) {
        let before = self.batches.fetch_add(1, Ordering::Relaxed);
        if self.exit_at == Some(before + 1) {
            println!("exits at batch {}", before + 1);
            std::process::exit(3);
        }
    }
}

#[derive(Debug)]
struct Watched {
    scan: Arc<dyn ExecutionPlan>,
    watch: Arc<Watch>,
}

impl DisplayAs for Watched {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.scan.fmt_as(kind, f)
    }
}

impl ExecutionPlan for Watched {
    fn name(&self) -> &str {
        self.scan.name()
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.scan.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.scan.apply_expressions(visit)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.scan.metrics()
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        let watch = Arc::clone(&self.watch);
        let said = Said { partition, rows: 0 };
        let batches = self.scan.execute(partition, context)?.scan(said, move |said, batch| {
            if let Ok(batch) = &batch {
                watch.count();
                said.rows += batch.num_rows();
            }
            futures::future::ready(Some(batch))
        });
        Ok(Box::pin(RecordBatchStreamAdapter::new(self.schema(), batches)))
    }
}

/// Row count of a partition, which is printed when it is dropped.
struct Said {
    partition: usize,
    rows: usize,
}

impl Drop for Said {
    fn drop(&mut self) {
        println!("partition {}: {} rows", self.partition, self.rows);
    }
}
