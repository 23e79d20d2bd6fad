//! Tables of plans that are not made for machines yet.

use std::sync::Arc;

use arrow_schema::SchemaRef;
use datafusion::catalog::TableProvider;
use datafusion::common::{TableReference, not_impl_err};
use datafusion::error::Result;
use datafusion::execution::TaskContext;
use datafusion::logical_expr::{Extension, LogicalPlan, ScalarUDF};
use datafusion_proto::logical_plan::LogicalExtensionCodec;
use tfxio_core::{Error, ErrorKind};

use super::envelope::{self, Kind};
use super::{TfxioCodec, foreign, message, spec};
use crate::blocking::blocking;
use crate::error::carried;
use crate::{TfxioTable, functions};

impl TfxioCodec {
    fn decode_table(&self, bytes: &[u8]) -> tfxio_core::Result<TfxioTable> {
        let message::Table { dataset: spec, columns } = envelope::unseal(Kind::Table, bytes)?;
        let codec = self.clone();
        let dataset = blocking(move || codec.open(&spec))??;
        let outputs = message::outputs(&columns, &*dataset)?;
        Ok(TfxioTable::with_outputs(dataset, outputs))
    }
}

impl LogicalExtensionCodec for TfxioCodec {
    fn try_decode(&self, _: &[u8], _: &[LogicalPlan], _: &TaskContext) -> Result<Extension> {
        not_impl_err!("the codec of tfxio has no nodes of logical plans")
    }

    fn try_encode(&self, node: &Extension, _: &mut Vec<u8>) -> Result<()> {
        Err(carried(foreign("tables", node.node.name())))
    }

    fn try_decode_table_provider(
        &self,
        bytes: &[u8],
        name: &TableReference,
        schema: SchemaRef,
        _: &TaskContext,
    ) -> Result<Arc<dyn TableProvider>> {
        let table = self.decode_table(bytes).map_err(carried)?;
        if !table.schema().contains(&schema) {
            let what = format!("the table {name} has other columns here than where the plan was made");
            let error = Error::new(ErrorKind::SchemaMismatch, what);
            return Err(carried(error.help("run the same version of tfxio-sql on all machines")));
        }
        Ok(Arc::new(table))
    }

    fn try_encode_table_provider(
        &self,
        name: &TableReference,
        table: Arc<dyn TableProvider>,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let Some(table) = table.downcast_ref::<TfxioTable>() else {
            return Err(carried(foreign("tables", &name.to_string())));
        };
        let named = Arc::from(name.to_string());
        let message = spec(&**table.dataset(), Some(&named))
            .map(|dataset| message::Table { dataset, columns: message::columns(table.outputs()) });
        message.and_then(|message| envelope::seal(Kind::Table, &message, out)).map_err(carried)
    }

    fn try_encode_udf(&self, function: &ScalarUDF, out: &mut Vec<u8>) -> Result<()> {
        functions::mark(function, out);
        Ok(())
    }

    fn try_decode_udf(&self, name: &str, _: &[u8]) -> Result<Arc<ScalarUDF>> {
        functions::find(name)
    }
}
