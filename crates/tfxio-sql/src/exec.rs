//! A scan of a data set as a plan of DataFusion.

mod divide;
#[cfg(feature = "codec")]
pub(crate) mod stamps;
mod stream;

use std::fmt;
use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::common::tree_node::TreeNodeRecursion;
use datafusion::common::{Statistics, internal_err};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::functions::core::getfield::GetFieldFunc;
use datafusion::physical_expr::expressions::{Column, Literal};
use datafusion::physical_expr::{EquivalenceProperties, PhysicalExpr, ScalarFunctionExpr};
use datafusion::physical_plan::execution_plan::{
    Boundedness, EmissionType, ReplaceChildrenOptions, SchedulingType,
};
use datafusion::physical_plan::metrics::{ExecutionPlanMetricsSet, MetricsSet};
use datafusion::physical_plan::projection::ProjectionExec;
use datafusion::physical_plan::statistics::StatisticsArgs;
use datafusion::physical_plan::{DisplayAs, DisplayFormatType, ExecutionPlan, Partitioning, PlanProperties};
use tfxio_core::{Dataset, Predicate, ScanRequest};

pub(crate) use self::stream::Pool;
use self::stream::Reader;
use crate::output::{self, Output};
use crate::plan::PartitionPlan;
use crate::statistics;

/// A scan of a data set: a leaf of a plan, with the partitions of the data set.
#[derive(Clone, Debug)]
pub struct TfxioExec {
    pub(crate) dataset: Arc<dyn Dataset>,
    pub(crate) plan: Arc<PartitionPlan>,
    pub(crate) outputs: Arc<[Output]>,
    pub(crate) filter: Option<Predicate>,
    pub(crate) fetch: Option<usize>,
    /// Threads that may work on a partition.
    pub(crate) threads: usize,
    /// Stamps of the files when the plan was made, if another process made it.
    #[cfg(feature = "codec")]
    pub(crate) stamps: Option<Arc<stamps::Stamps>>,
    metrics: ExecutionPlanMetricsSet,
    properties: Arc<PlanProperties>,
}

impl TfxioExec {
    pub(crate) fn new(
        dataset: Arc<dyn Dataset>,
        plan: PartitionPlan,
        outputs: Vec<Output>,
        filter: Option<Predicate>,
        threads: usize,
    ) -> Self {
        let properties = properties(output::schema(&outputs), plan.groups.len());
        Self {
            dataset,
            plan: Arc::new(plan),
            outputs: outputs.into(),
            filter,
            fetch: None,
            threads,
            #[cfg(feature = "codec")]
            stamps: None,
            metrics: ExecutionPlanMetricsSet::new(),
            properties,
        }
    }

    /// Returns what a scan is asked for.
    fn request(&self, batch_rows: usize) -> ScanRequest {
        /// Bytes of records after which a batch is full: images make short batches.
        const BATCH_BYTES: u64 = 16 << 20;

        let mut request = ScanRequest::new()
            .columns(output::columns(&self.outputs))
            .batch_rows(batch_rows)
            .batch_bytes(BATCH_BYTES)
            .threads(self.threads);
        request.filter.clone_from(&self.filter);
        request.limit = self.fetch.map(|rows| rows as u64);
        request
    }

    /// Returns a plan of other columns.
    fn of(&self, outputs: Vec<Output>) -> Self {
        let properties = properties(output::schema(&outputs), self.plan.groups.len());
        Self { outputs: outputs.into(), properties, metrics: ExecutionPlanMetricsSet::new(), ..self.clone() }
    }
}

fn properties(schema: SchemaRef, partitions: usize) -> Arc<PlanProperties> {
    let properties = PlanProperties::new(
        EquivalenceProperties::new(schema),
        Partitioning::UnknownPartitioning(partitions),
        EmissionType::Incremental,
        Boundedness::Bounded,
    );
    // Each batch is waited for, and the runtime may do something else then.
    Arc::new(properties.with_scheduling_type(SchedulingType::Cooperative))
}

impl DisplayAs for TfxioExec {
    fn fmt_as(&self, kind: DisplayFormatType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let paths = self.outputs.iter().map(|output| match output.path() {
            Some(path) => path.to_string(),
            None => output.field.name().clone(),
        });
        let columns = paths.collect::<Vec<_>>().join(", ");
        let partitions = self.plan.groups.len();
        match kind {
            DisplayFormatType::TreeRender => {
                writeln!(f, "columns={columns}")?;
                writeln!(f, "partitions={partitions}")?;
                if let Some(filter) = &self.filter {
                    writeln!(f, "filter={filter}")?;
                }
                self.fetch.map_or(Ok(()), |rows| writeln!(f, "limit={rows}"))
            }
            DisplayFormatType::Default | DisplayFormatType::Verbose => {
                write!(f, "TfxioExec: partitions={partitions}, columns=[{columns}]")?;
                if let Some(filter) = &self.filter {
                    write!(f, ", filter={filter}")?;
                }
                self.fetch.map_or(Ok(()), |rows| write!(f, ", limit={rows}"))
            }
        }
    }
}

impl ExecutionPlan for TfxioExec {
    fn name(&self) -> &'static str {
        "TfxioExec"
    }

    fn properties(&self) -> &Arc<PlanProperties> {
        &self.properties
    }

    fn children(&self) -> Vec<&Arc<dyn ExecutionPlan>> {
        Vec::new()
    }

    fn apply_expressions(
        &self,
        _: &mut dyn FnMut(&Arc<dyn PhysicalExpr>) -> Result<TreeNodeRecursion>,
    ) -> Result<TreeNodeRecursion> {
        Ok(TreeNodeRecursion::Continue)
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
        let Some(parts) = self.plan.groups.get(partition) else {
            return internal_err!("there is no partition {partition}");
        };
        let request = self.request(context.session_config().batch_size());
        let reader = Reader::new(self, parts.clone(), request);
        Ok(stream::stream(reader, &self.metrics, partition))
    }

    fn metrics(&self) -> Option<MetricsSet> {
        Some(self.metrics.clone_inner())
    }

    fn statistics_from_inputs(
        &self,
        _: &[Arc<Statistics>],
        args: &StatisticsArgs,
    ) -> Result<Arc<Statistics>> {
        let schema = self.schema();
        let of = |parts: &[_]| statistics::statistics(parts, &self.outputs, &schema, self.filter.is_some());
        let (known, partitions) = match args.partition() {
            Some(index) => match self.plan.statistics.get(index) {
                Some(parts) => (of(parts), 1),
                None => return internal_err!("there is no partition {index}"),
            },
            None => (of(&self.plan.whole), 1),
        };
        Ok(Arc::new(known.with_fetch(self.fetch, 0, partitions)?))
    }

    fn supports_limit_pushdown(&self) -> bool {
        false
    }

    fn with_fetch(&self, limit: Option<usize>) -> Option<Arc<dyn ExecutionPlan>> {
        let metrics = ExecutionPlanMetricsSet::new();
        Some(Arc::new(Self { fetch: limit, metrics, ..self.clone() }))
    }

    fn fetch(&self) -> Option<usize> {
        self.fetch
    }

    fn try_swapping_with_projection(
        &self,
        projection: &ProjectionExec,
    ) -> Result<Option<Arc<dyn ExecutionPlan>>> {
        let chosen =
            projection.expr().iter().map(|chosen| chosen_output(&chosen.expr, &self.outputs, &chosen.alias));
        let Some(outputs) = chosen.collect::<Option<Vec<_>>>() else { return Ok(None) };
        Ok(Some(Arc::new(self.of(outputs))))
    }
}

/// Returns the column that an expression is, or the field within one; `None` where it is something else.
fn chosen_output(expr: &Arc<dyn PhysicalExpr>, outputs: &[Output], name: &str) -> Option<Output> {
    if let Some(column) = expr.downcast_ref::<Column>() {
        return outputs.get(column.index()).map(|output| output.named(name));
    }
    let call = ScalarFunctionExpr::try_downcast_func::<GetFieldFunc>(&**expr)?;
    let (base, names) = call.args().split_first()?;
    let field = |name: &Arc<dyn PhysicalExpr>| {
        let value = name.downcast_ref::<Literal>()?.value();
        value.try_as_str().flatten().map(str::to_owned)
    };
    let names = names.iter().map(field).collect::<Option<Vec<_>>>()?;
    chosen_output(base, outputs, name)?.within(&names, name)
}
