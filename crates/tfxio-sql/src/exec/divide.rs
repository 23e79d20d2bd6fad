//! Parts of a scan for several tasks.

use std::sync::Arc;

use datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;

use super::{TfxioExec, output, properties};
use crate::plan::PartitionPlan;

impl TfxioExec {
    /// Divides the scan among tasks, as engines of several machines do: each scan that is returned reads some of the partitions, and
    /// all together read each once. All have the same number of partitions, some of which may be empty.
    ///
    /// ```
    /// use datafusion::physical_plan::ExecutionPlan as _;
    /// use datafusion::prelude::{SessionConfig, SessionContext};
    /// use tfxio_sql::{SessionContextExt as _, TfxioExec};
    /// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
    /// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
    /// # runtime.block_on(async {
    ///
    /// let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(3));
    /// context.register_tfxio("digits", tfxio_formats::open(digits)?)?;
    /// let plan = context.table("digits").await?.create_physical_plan().await?;
    /// let scan = plan.downcast_ref::<TfxioExec>().expect("a statement without anything else is a scan");
    /// let parts = scan.divide(2);
    /// let partitions = parts.iter().map(|part| part.properties().output_partitioning().partition_count());
    /// assert_eq!(partitions.collect::<Vec<_>>(), [2, 2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// # })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn divide(&self, tasks: usize) -> Vec<Self> {
        let tasks = tasks.max(1);
        let groups = &self.plan.groups;
        let each = groups.len().div_ceil(tasks).max(1);
        let properties = properties(output::schema(&self.outputs), each);
        // As even as can be: the first have one more.
        let cut = |task: usize| {
            let (least, more) = (groups.len() / tasks, groups.len() % tasks);
            task * least + task.min(more)
        };
        let parts = (0..tasks).map(|task| {
            let range = cut(task)..cut(task + 1);
            let mut plan = PartitionPlan {
                groups: groups.get(range.clone()).unwrap_or_default().to_vec(),
                statistics: self.plan.statistics.get(range).unwrap_or_default().to_vec(),
                whole: Vec::new(),
            };
            plan.whole = plan.statistics.concat();
            plan.groups.resize(each, Vec::new());
            plan.statistics.resize(each, Vec::new());
            Self {
                plan: Arc::new(plan),
                properties: Arc::clone(&properties),
                metrics: ExecutionPlanMetricsSet::new(),
                ..self.clone()
            }
        });
        parts.collect()
    }
}
