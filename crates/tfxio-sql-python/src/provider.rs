//! A table whose scans are planned on our runtime.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;

use async_trait::async_trait;
use tfxio::sql::TfxioTable;
use tfxio::sql::datafusion::arrow::datatypes::SchemaRef;
use tfxio::sql::datafusion::catalog::{Session, TableProvider};
use tfxio::sql::datafusion::error::Result;
use tfxio::sql::datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use tfxio::sql::datafusion::physical_plan::ExecutionPlan;
use tokio::runtime::Handle;

use crate::plan::Shown;
use crate::raised;
use crate::session::Known;

/// A table that the library of another runtime asks for scans.
pub(crate) struct Provider {
    pub(crate) table: TfxioTable,
    pub(crate) runtime: Handle,
    /// Task context provider, kept alive here because the interface has only weak references to it.
    pub(crate) _known: Arc<Known>,
}

impl fmt::Debug for Provider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.table.fmt(f)
    }
}

#[async_trait]
impl TableProvider for Provider {
    fn schema(&self) -> SchemaRef {
        self.table.schema()
    }

    fn table_type(&self) -> TableType {
        self.table.table_type()
    }

    async fn scan(
        &self,
        state: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        // The library that polls this knows nothing of our runtime. Batches are read within it: see `FFI_ExecutionPlan`.
        let mut scan = self.table.scan(state, projection, filters, limit);
        let plan = poll_fn(|context| {
            let _within = self.runtime.enter();
            scan.as_mut().poll(context)
        });
        let plan = plan.await.inspect_err(raised::keep)?;
        Ok(Arc::new(Shown::new(plan)))
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        self.table.supports_filters_pushdown(filters)
    }
}
