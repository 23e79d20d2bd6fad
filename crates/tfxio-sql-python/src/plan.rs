//! A plan that is shown on the other side as it shows itself here.

use std::fmt;
use std::sync::Arc;

use tfxio::sql::datafusion::common::Statistics;
use tfxio::sql::datafusion::common::tree_node::TreeNodeRecursion;
use tfxio::sql::datafusion::error::Result;
use tfxio::sql::datafusion::execution::{SendableRecordBatchStream, TaskContext};
use tfxio::sql::datafusion::physical_expr::PhysicalExpr;
use tfxio::sql::datafusion::physical_plan::execution_plan::ReplaceChildrenOptions;
use tfxio::sql::datafusion::physical_plan::metrics::MetricsSet;
use tfxio::sql::datafusion::physical_plan::statistics::StatisticsArgs;
use tfxio::sql::datafusion::physical_plan::{
    DisplayAs, DisplayFormatType, ExecutionPlan, PlanProperties, displayable,
};

use crate::raised;

/// A leaf of a plan that displays the whole plan as its name. Of a plan from another library DataFusion shows only the
/// name, which would not include the filters that were pushed into it.
#[derive(Debug)]
pub(crate) struct Shown {
    plan: Arc<dyn ExecutionPlan>,
    name: String,
}

impl Shown {
    pub(crate) fn new(plan: Arc<dyn ExecutionPlan>) -> Self {
        let name = displayable(&*plan).one_line().to_string().trim_end().to_owned();
        Self { plan, name }
    }
}

impl DisplayAs for Shown {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt_as(kind, f)
    }
}

impl ExecutionPlan for Shown {
    fn name(&self) -> &str {
        &self.name
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        self.plan.properties()
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        visit: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        self.plan.apply_expressions(visit)
    }

    fn replace_children(
        self: Arc<Self>,
        _: Vec<Arc<dyn ExecutionPlan>>,
        _: ReplaceChildrenOptions,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn with_new_children(self: Arc<Self>, _: Vec<Arc<dyn ExecutionPlan>>) -> Result<Arc<dyn ExecutionPlan>> {
        Ok(self)
    }

    fn execute(&self, partition: usize, context: Arc<TaskContext>) -> Result<SendableRecordBatchStream> {
        self.plan.execute(partition, context).map(raised::watched).inspect_err(raised::keep)
    }

    fn metrics(&self) -> Option<MetricsSet> {
        self.plan.metrics()
    }

    fn statistics_from_inputs(
        &self,
        inputs: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        self.plan.statistics_from_inputs(inputs, args)
    }

    fn fetch(&self) -> Option<usize> {
        self.plan.fetch()
    }
}
