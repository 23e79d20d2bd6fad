//! A coordinator: plans statements, and has workers run them.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use datafusion_distributed::{
    ChannelResolver as _, DesiredTaskCountEvent, DesiredTaskCountEventResponse, DistributedExt as _,
    DistributedLeafExec, GetWorkerInfoRequest, ScaleUpLeafNodeEvent, ScaleUpLeafNodeEventResponse,
    SessionStateBuilderExt as _, WorkerResolver,
};
use tfxio_sql::datafusion::arrow::array::RecordBatch;
use tfxio_sql::datafusion::error::Result;
use tfxio_sql::datafusion::execution::SessionStateBuilder;
use tfxio_sql::datafusion::physical_plan::ExecutionPlan;
use tfxio_sql::datafusion::prelude::{SessionConfig, SessionContext};
use tfxio_sql::{FileTables, SessionContextExt as _, TfxioCodec, TfxioExec};
use url::Url;

use crate::named::NamedChannels;

/// The workers that are there.
#[derive(Clone, Debug, Default)]
pub struct Workers(Arc<Mutex<Vec<Url>>>);

impl Workers {
    /// Returns workers at these URLs.
    #[must_use]
    pub fn new(urls: Vec<Url>) -> Self {
        Self(Arc::new(Mutex::new(urls)))
    }

    /// Returns their URLs.
    #[must_use]
    pub fn urls(&self) -> Vec<Url> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Forgets workers that do not answer, and returns them.
    async fn forget_lost(&self) -> Vec<Url> {
        let mut lost = Vec::new();
        for url in self.urls() {
            // By a connection of its own: a process that is ending may still take one, and does not answer.
            let answer = async {
                let mut worker = NamedChannels::default().get_worker_client_for_url(&url).await?;
                worker.get_worker_info(GetWorkerInfoRequest {}).await
            };
            let answered = tokio::time::timeout(Duration::from_secs(5), answer).await;
            if !matches!(answered, Ok(Ok(_))) {
                lost.push(url);
            }
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).retain(|url| !lost.contains(url));
        lost
    }
}

impl WorkerResolver for Workers {
    fn get_urls(&self) -> Result<Vec<Url>> {
        Ok(self.urls())
    }
}

/// Returns a session whose statements run on workers: with the codec, with how many tasks a scan is worth, and with how it is
/// divided among them.
///
/// # Errors
/// When the engine does not take the options.
pub fn session(workers: &Workers, config: SessionConfig) -> Result<SessionContext> {
    // As many tasks as there were workers at first: the last worker runs them all, rather than the coordinator.
    let tasks = workers.urls().len().max(2);
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_distributed_planner()
        .with_distributed_worker_resolver(workers.clone())
        .with_distributed_channel_resolver(NamedChannels::default())
        .with_distributed_max_tasks_per_stage(tasks)?
        .with_distributed_user_codec(TfxioCodec::new())
        .with_distributed_desired_task_count_handler(|event: DesiredTaskCountEvent<'_>| {
            let scan = event.plan.downcast_ref::<TfxioExec>()?;
            let partitions = scan.properties().output_partitioning().partition_count();
            Some(Ok(DesiredTaskCountEventResponse::desired(partitions)))
        })
        .with_distributed_scale_up_leaf_node_handler(|event: ScaleUpLeafNodeEvent<'_>| {
            let scan = event.plan.downcast_ref::<TfxioExec>()?;
            let parts = scan.divide(event.task_count).into_iter();
            let parts = parts.map(|part| Arc::new(part) as Arc<dyn ExecutionPlan>);
            let leaf = DistributedLeafExec::try_new(Arc::clone(event.plan), parts);
            Some(leaf.map(|leaf| ScaleUpLeafNodeEventResponse::new(Arc::new(leaf))))
        })
        .build();
    let context = SessionContext::new_with_state(state);
    context.register_functions();
    context.enable_files(FileTables::new());
    Ok(context)
}

/// Runs a statement. Where it fails and a worker does not answer any more, it is run again, on the workers that are left, at most
/// `retries` times: the engine itself gives a statement up when a worker is lost.
///
/// # Errors
/// Those of the statement, and the loss of a worker.
pub async fn run(
    context: &SessionContext,
    workers: &Workers,
    statement: &str,
    retries: usize,
) -> Result<Vec<RecordBatch>> {
    let mut left = retries;
    loop {
        let error = match context.sql(statement).await?.collect().await {
            Ok(batches) => return Ok(batches),
            Err(error) => error,
        };
        if left == 0 {
            return Err(error);
        }
        left -= 1;
        let lost = workers.forget_lost().await;
        if lost.is_empty() || workers.urls().is_empty() {
            return Err(error);
        }
        let names = lost.iter().map(Url::as_str).collect::<Vec<_>>().join(", ");
        eprintln!("lost {names}; the statement runs again");
    }
}
