//! `sql`: a statement over a file, which it names as the table `t`.
//!
//! The session exists before the clock starts. Timed are opening the file as one that a statement names, looking at its
//! first rows, planning, and reading the whole answer; the threads belong to DataFusion's runtime.

use anyhow::{Context as _, Result, bail};
use tfxio::prelude::*;
use tfxio::sql::datafusion::arrow::util::pretty::pretty_format_batches;
use tfxio::sql::datafusion::prelude::{SessionConfig, SessionContext};
use tfxio::sql::{FileTables, SessionContextExt as _};

use super::Options;
use super::figure::{Done, Figure};

/// Reference to the file in a statement.
const TABLE: &str = " from t";

pub(super) fn from_file(options: &Options) -> Result<Figure> {
    let statement = options.statement.as_deref().context("`sql` needs --statement")?;
    let records = tfxio::open(options.file.as_path())?.count()?;
    let done = Done { records, bytes: std::fs::metadata(&options.file)?.len() };
    let threads = options.threads.get();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build()?;
    let context = SessionContext::new_with_config(SessionConfig::new().with_target_partitions(threads));
    context.enable_files(FileTables::new());
    let file = options.file.to_string_lossy().replace('\'', "''");
    if !statement.contains(TABLE) {
        bail!("--statement reads no table: it needs `{TABLE}`");
    }
    let statement = statement.replace(TABLE, &format!(" from '{file}'"));
    let mut first = None;
    Figure::time(options, || {
        let answer = runtime.block_on(async {
            let answer = context.sql(&statement).await?.collect().await?;
            anyhow::Ok(pretty_format_batches(&answer)?.to_string())
        })?;
        if *first.get_or_insert_with(|| answer.clone()) != answer {
            bail!("the statement has another answer now: {answer}");
        }
        Ok(done)
    })
}
