//! Connections whose errors name the worker, which the engine's own errors do not.

use std::sync::Arc;

use async_trait::async_trait;
use datafusion_distributed::grpc::DefaultChannelResolver;
use datafusion_distributed::{
    ChannelResolver, CoordinatorToWorkerMsg, ExecuteTaskRequest, GetWorkerInfoRequest, GetWorkerInfoResponse,
    SetPlanRequest, WorkerChannel, WorkerToCoordinatorMsg,
};
use futures::StreamExt as _;
use futures::stream::BoxStream;
use http::HeaderMap;
use tfxio_sql::datafusion::arrow::array::RecordBatch;
use tfxio_sql::datafusion::error::{DataFusionError, Result};
use tfxio_sql::datafusion::execution::TaskContext;
use tfxio_sql::datafusion::physical_plan::metrics::ExecutionPlanMetricsSet;
use url::Url;

/// Opens connections whose errors name the worker.
#[derive(Clone, Default)]
pub struct NamedChannels(DefaultChannelResolver);

#[async_trait]
impl ChannelResolver for NamedChannels {
    async fn get_worker_client_for_url(&self, url: &Url) -> Result<Box<dyn WorkerChannel>> {
        let name = Name(url.as_str().into());
        let channel = self.0.get_worker_client_for_url(url).await.map_err(name.of())?;
        Ok(Box::new(Named { name, channel }))
    }
}

#[derive(Clone)]
struct Name(Arc<str>);

impl Name {
    /// Returns what gives an error the name of the worker.
    fn of(&self) -> impl Fn(DataFusionError) -> DataFusionError + Send + 'static {
        let name = Arc::clone(&self.0);
        move |error| error.context(format!("worker {name}"))
    }

    fn stream<T: Send + 'static>(
        &self,
        stream: BoxStream<'static, Result<T>>,
    ) -> BoxStream<'static, Result<T>> {
        let named = self.of();
        stream.map(move |item| item.map_err(&named)).boxed()
    }
}

struct Named {
    name: Name,
    channel: Box<dyn WorkerChannel>,
}

#[async_trait]
impl WorkerChannel for Named {
    async fn coordinator_channel(
        &mut self,
        headers: HeaderMap,
        request: SetPlanRequest,
        messages: BoxStream<'static, CoordinatorToWorkerMsg>,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<BoxStream<'static, Result<WorkerToCoordinatorMsg>>> {
        let stream = self.channel.coordinator_channel(headers, request, messages, metrics, context).await;
        Ok(self.name.stream(stream.map_err(self.name.of())?))
    }

    async fn execute_task(
        &mut self,
        headers: HeaderMap,
        request: ExecuteTaskRequest,
        metrics: ExecutionPlanMetricsSet,
        context: &Arc<TaskContext>,
    ) -> Result<Vec<BoxStream<'static, Result<RecordBatch>>>> {
        let streams = self.channel.execute_task(headers, request, metrics, context).await;
        let streams = streams.map_err(self.name.of())?;
        Ok(streams.into_iter().map(|stream| self.name.stream(stream)).collect())
    }

    async fn get_worker_info(&mut self, request: GetWorkerInfoRequest) -> Result<GetWorkerInfoResponse> {
        self.channel.get_worker_info(request).await.map_err(self.name.of())
    }
}
