//! Sessions, and what statements return in them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::RecordBatch;
use datafusion::arrow::util::pretty::pretty_format_batches;
use datafusion::prelude::{SessionConfig, SessionContext};
use tfxio_core::Dataset;
use tfxio_sql::{FileTables, SessionContextExt as _, TableOptions, dataset_error};

/// The repository's fixtures.
pub fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// Three shards of 599 records, with the features id, image and label.
pub fn digits() -> String {
    fixtures().join("digits/digits@3.tfrecord").to_str().unwrap().to_owned()
}

/// A session that opens files, with this many partitions.
pub fn session(partitions: usize, options: TableOptions) -> SessionContext {
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(partitions));
    context.enable_files(FileTables::new().table(options));
    context
}

/// A session with one table, `t`.
pub fn with_table(dataset: Arc<dyn Dataset>, options: &TableOptions) -> SessionContext {
    let context = session(2, TableOptions::new());
    context.register_tfxio_with("t", dataset, options).unwrap();
    context
}

/// Returns the batches of a statement.
pub async fn batches(context: &SessionContext, statement: &str) -> Vec<RecordBatch> {
    let frame = context.sql(statement).await.unwrap_or_else(|error| panic!("{statement}: {error}"));
    frame.collect().await.unwrap_or_else(|error| panic!("{statement}: {error}"))
}

/// The rows of a statement, their cells apart by spaces, the lines by `; `.
pub async fn rows(context: &SessionContext, statement: &str) -> String {
    let text = pretty_format_batches(&batches(context, statement).await).unwrap().to_string();
    let lines = text.lines().filter(|line| line.starts_with('|')).skip(1);
    let cells = lines.map(|line| {
        line.split('|').map(str::trim).filter(|cell| !cell.is_empty()).collect::<Vec<_>>().join(" ")
    });
    cells.collect::<Vec<_>>().join("; ")
}

/// The plan that a statement is run by.
pub async fn plan(context: &SessionContext, statement: &str) -> String {
    let batches = batches(context, &format!("explain format indent {statement}")).await;
    let text = pretty_format_batches(&batches).unwrap().to_string();
    text.rsplit_once("physical_plan").unwrap().1.to_owned()
}

/// Returns the error of a statement, as text.
pub async fn failure(context: &SessionContext, statement: &str) -> String {
    let error = match context.sql(statement).await {
        Ok(frame) => frame.collect().await.unwrap_err(),
        Err(error) => error,
    };
    match dataset_error(&error) {
        Some(found) => found.to_string(),
        None => error.strip_backtrace(),
    }
}
