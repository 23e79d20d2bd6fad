//! A data set as a table.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::runtime::SpawnedTask;
use datafusion::error::{DataFusionError, Result};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use tfxio_core::{Dataset, ScanRequest};

use crate::error::carried;
use crate::exec::TfxioExec;
use crate::filter::Fit;
use crate::output::{self, ColumnSource, Output, Virtual};
use crate::{TableOptions, filter, plan, sql_column};

/// The most rows that are read in order, as the only partition.
const SHORT: usize = 10_000;

/// A data set as a table of DataFusion.
///
/// Only the columns of a query are decoded, and of a struct only the fields that it needs; a limit ends reading.
/// Conditions on columns are given to the scan, which may use them to skip rows. Statistics from indexes, footers and
/// block headers are given to the optimiser, so that `count(*)` may not read at all. Partitions are read on the runtime
/// of DataFusion: no thread is started.
///
/// ```
/// use std::sync::Arc;
/// use datafusion::prelude::SessionContext;
/// use tfxio_sql::TfxioTable;
/// # let digits = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/digits/digits@3.tfrecord");
/// # let runtime = tokio::runtime::Builder::new_current_thread().build()?;
/// # runtime.block_on(async {
/// let context = SessionContext::new();
/// context.register_table("digits", Arc::new(TfxioTable::new(tfxio_formats::open(digits)?)?))?;
/// let sevens = context.sql("select label, count(*) from digits where label = 7 group by label").await?;
/// assert_eq!(sevens.collect().await?[0].num_rows(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// # })?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct TfxioTable {
    dataset: Arc<dyn Dataset>,
    outputs: Arc<[Output]>,
    schema: SchemaRef,
}

impl TfxioTable {
    /// Returns a table of a data set. Reads the first rows, to infer which features are scalars and which are text; it
    /// blocks.
    ///
    /// # Errors
    /// When these rows cannot be read.
    pub fn new(dataset: Arc<dyn Dataset>) -> tfxio_core::Result<Self> {
        Self::of(dataset, &TableOptions::default())
    }

    /// Returns a table of a data set, with options.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of(dataset: Arc<dyn Dataset>, options: &TableOptions) -> tfxio_core::Result<Self> {
        let columns = sql_column::sql_columns(&*dataset, options)?;
        let mut outputs = columns.into_iter().map(Output::whole).collect::<Vec<_>>();
        if options.virtual_columns {
            let is_new = |column: &Virtual| outputs.iter().all(|output| output.field.name() != column.name());
            let new = Virtual::ALL.into_iter().filter(is_new).map(Output::virtual_column).collect::<Vec<_>>();
            outputs.extend(new);
        }
        Ok(Self::with_outputs(dataset, outputs))
    }

    /// Returns a table whose columns are known.
    pub(crate) fn with_outputs(dataset: Arc<dyn Dataset>, outputs: Vec<Output>) -> Self {
        let schema = output::schema(&outputs);
        Self { dataset, outputs: outputs.into(), schema }
    }

    /// Returns the columns.
    #[cfg(feature = "codec")]
    pub(crate) fn outputs(&self) -> &[Output] {
        &self.outputs
    }

    /// Returns the data set.
    #[must_use]
    pub fn dataset(&self) -> &Arc<dyn Dataset> {
        &self.dataset
    }
}

#[async_trait]
impl TableProvider for TfxioTable {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let outputs = match projection {
            Some(indices) => indices.iter().filter_map(|index| self.outputs.get(*index).cloned()).collect(),
            None => self.outputs.to_vec(),
        };
        let filter = filter::predicate(filters, &self.outputs);
        // Of a part the number of the first record need not be known.
        let counts = |output: &Output| matches!(output.source, ColumnSource::Virtual(Virtual::Record));
        let keep_files = outputs.iter().any(counts);
        // The first rows are read in order, and no more than these.
        let is_short = limit.is_some_and(|rows| rows <= SHORT);
        let most = if is_short { 1 } else { state.config().target_partitions() };
        let dataset = Arc::clone(&self.dataset);
        let planned = SpawnedTask::spawn_blocking(move || plan::plan(&*dataset, most, keep_files)).await;
        let plan =
            planned.map_err(|error| DataFusionError::ExecutionJoin(Box::new(error)))?.map_err(carried)?;
        let threads = most.checked_div(plan.groups.len()).unwrap_or(1).max(1);
        let exec = TfxioExec::new(Arc::clone(&self.dataset), plan, outputs, filter, threads);
        let limited = limit.and_then(|rows| exec.with_fetch(Some(rows)));
        Ok(limited.unwrap_or_else(|| Arc::new(exec)))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        // A scan that applies the predicate of all conditions applies each of them.
        let all = filter::predicate(filters.iter().copied(), &self.outputs);
        let is_applied = all.is_some_and(|all| self.dataset.applies_filter(&ScanRequest::new().filter(all)));
        let support = |condition: &&Expr| match filter::fit(condition, &self.outputs) {
            Some(Fit::Exact) if is_applied => TableProviderFilterPushDown::Exact,
            Some(_) => TableProviderFilterPushDown::Inexact,
            None => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }
}
