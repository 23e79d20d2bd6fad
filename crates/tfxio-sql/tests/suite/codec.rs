//! Plans and tables as bytes: round trips and refusals.

mod bytes;
mod files;
mod refused;
mod round_trips;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use datafusion::error::DataFusionError;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::prelude::{SessionConfig, SessionContext};
use tfxio_core::Dataset;
use tfxio_sql::datafusion_proto::physical_plan::{DefaultPhysicalProtoConverter, PhysicalExtensionCodec};
use tfxio_sql::{SessionContextExt as _, TableOptions, TfxioCodec, dataset_error};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

fn digits() -> Arc<dyn Dataset> {
    tfxio_formats::open(&fixtures().join("digits/digits@3.tfrecord")).unwrap()
}

/// A session with functions over features and one table, `t`.
fn with_table(dataset: Arc<dyn Dataset>, partitions: usize) -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(partitions).with_batch_size(100);
    let context = SessionContext::new_with_config(config);
    context.register_functions();
    let options = TableOptions::new().virtual_columns(true);
    context.register_tfxio_with("t", dataset, &options).unwrap();
    context
}

/// A session of another process: without tables and without functions.
fn worker() -> SessionContext {
    SessionContext::new_with_config(SessionConfig::new().with_batch_size(100))
}

async fn plan(context: &SessionContext, statement: &str) -> Arc<dyn ExecutionPlan> {
    let frame = context.sql(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    frame.create_physical_plan().await.unwrap()
}

/// The scan of a plan.
fn scan(plan: &Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    match plan.children().first() {
        Some(below) => scan(below),
        None => Arc::clone(plan),
    }
}

fn encode(codec: &TfxioCodec, plan: &Arc<dyn ExecutionPlan>) -> datafusion::error::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    codec.try_encode(scan(plan), &mut bytes, &DefaultPhysicalProtoConverter {})?;
    Ok(bytes)
}

fn decode(codec: &TfxioCodec, bytes: &[u8]) -> datafusion::error::Result<Arc<dyn ExecutionPlan>> {
    codec.try_decode(bytes, &[], &worker().task_ctx(), &DefaultPhysicalProtoConverter {})
}

fn text(error: &DataFusionError) -> String {
    dataset_error(error).unwrap_or_else(|| panic!("{error}")).to_string()
}
